//! The tokens of a reply with their probabilities. A token is a word, a number or another character.

/// A token of a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub text: String,
    pub probability: f64,
    /// The most probable tokens in its place, itself among them.
    pub alternatives: Vec<(String, f64)>,
}

/// The probability of a token that no question decides on.
const SURE: f64 = 0.99;
/// What else might have stood in its place.
const OTHER: &str = "\n";

/// Cuts a text into tokens. `odds`: the probabilities of the letters of each answer that is one letter, in the order of the
/// text. `top`: how many alternatives each token has at most.
pub fn of_text(text: &str, odds: &[Vec<(String, f64)>], top: usize) -> Vec<Token> {
    let mut odds = odds.iter();
    let pieces = pieces(text);
    let at = |place: usize| pieces.get(place).copied().unwrap_or_default();
    let mut tokens = Vec::with_capacity(pieces.len());
    for (place, piece) in pieces.iter().enumerate() {
        let is_quoted = place > 0 && at(place - 1) == "\"" && at(place + 1) == "\"";
        let is_letter = piece.len() == 1 && piece.chars().all(|c| c.is_ascii_uppercase());
        let is_answer = is_letter && is_quoted && at(place + 2) != ":";
        let mut alternatives = match is_answer.then(|| odds.next()).flatten() {
            Some(of_letters) => of_letters.clone(),
            None => vec![((*piece).to_owned(), SURE), (OTHER.to_owned(), 1.0 - SURE)],
        };
        let own = alternatives.iter().find(|(text, _)| text == piece).map_or(SURE, |(_, probability)| *probability);
        alternatives.sort_by(|a, b| b.1.total_cmp(&a.1));
        alternatives.truncate(top);
        tokens.push(Token { text: (*piece).to_owned(), probability: own, alternatives });
    }
    tokens
}

fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first.is_alphanumeric() {
            true => rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (piece, left) = rest.split_at(end);
        pieces.push(piece);
        rest = left;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_join_to_the_text_and_letters_have_their_odds() {
        let text = r#"{"q1": "B", "q2": {"A": "C"}, "q3": "Bé"}"#;
        let letters = |odds: [f64; 3]| ["A", "B", "C"].map(str::to_owned).into_iter().zip(odds).collect::<Vec<_>>();
        let tokens = of_text(text, &[letters([0.2, 0.7, 0.1]), letters([0.3, 0.3, 0.4])], 2);
        assert_eq!(tokens.iter().map(|token| token.text.as_str()).collect::<String>(), text);
        let mut answers = tokens.iter().filter(|token| token.alternatives.iter().all(|(text, _)| text != OTHER));
        let mut next = || answers.next().cloned().expect("a letter");
        let (first, second) = (next(), next());
        assert_eq!((first.text.as_str(), first.probability), ("B", 0.7));
        assert_eq!(
            (first.alternatives, second.text),
            (vec![("B".to_owned(), 0.7), ("A".to_owned(), 0.2)], "C".to_owned())
        );
        assert!(answers.next().is_none());
    }
}

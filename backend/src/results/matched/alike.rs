//! Whether two questions ask the same.

use std::collections::HashMap;

use survey::question::Question;

/// Letters that two texts must share to be one question in other words, as a part of the longer one's.
const MIN_SHARED: f64 = 0.5;

/// Whether both have the same type, options and words; case and spaces do not count.
pub fn are_same(one: &Question, other: &Question) -> bool {
    are_answered_alike(one, other) && normalised(&one.text) == normalised(&other.text)
}

/// The question that is answered alike and whose words are most like those of `question`, by its place. `None`: no words are
/// like them.
pub fn most_alike<'a>(question: &Question, others: impl Iterator<Item = (usize, &'a Question)>) -> Option<usize> {
    let alike = others.filter(|(_, other)| are_answered_alike(question, other));
    let shared = alike.map(|(place, other)| (place, shared_letters(&question.text, &other.text)));
    let mut best: Option<(usize, f64)> = None;
    for (place, share) in shared.filter(|(_, share)| *share >= MIN_SHARED) {
        if best.is_none_or(|(_, most)| share > most) {
            best = Some((place, share));
        }
    }
    best.map(|(place, _)| place)
}

/// Answers to other options cannot be compared.
fn are_answered_alike(one: &Question, other: &Question) -> bool {
    let same = |one: &[String], other: &[String]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| normalised(one) == normalised(other))
    };
    one.question_type == other.question_type
        && same(&one.options, &other.options)
        && same(&one.scale_labels, &other.scale_labels)
        && same(&one.sub_questions, &other.sub_questions)
}

fn normalised(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The letters of the words that both texts have, 0 to 1 of those of the longer text.
fn shared_letters(one: &str, other: &str) -> f64 {
    let (one, other) = (words(one), words(other));
    let letters =
        |words: &HashMap<String, usize>| words.iter().map(|(word, times)| word.chars().count() * times).sum::<usize>();
    let both =
        one.iter().map(|(word, times)| word.chars().count() * other.get(word).copied().unwrap_or_default().min(*times));
    both.sum::<usize>() as f64 / letters(&one).max(letters(&other)).max(1) as f64
}

/// The words of a text, with how often each is in it.
fn words(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *words.entry(word.to_lowercase()).or_default() += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use survey::question::QuestionType;

    use super::*;

    fn choice(text: &str, options: [&str; 2]) -> Question {
        Question {
            text: text.to_owned(),
            question_type: QuestionType::SingleChoice,
            options: options.map(str::to_owned).to_vec(),
            ..Question::default()
        }
    }

    #[test]
    fn questions_are_the_same_by_type_options_and_text_or_by_texts_that_are_alike() {
        let travel = ["Bus", "Car"];
        let today = choice("How did you get to work today?", travel);
        assert!(are_same(&choice("how do you  get to work?", travel), &choice("How do you get to work?", travel)));
        assert!(!are_same(&today, &choice("How did you get to work today?", ["Bus", "Train"])));
        let others = [
            choice("What do you drink?", travel),
            choice("How did you get to work yesterday?", travel),
            choice("How did you get to work today?", ["Bus", "Train"]),
        ];
        assert_eq!(most_alike(&today, others.iter().enumerate()), Some(1));
        assert_eq!(most_alike(&choice("What do you drink?", travel), others[1..].iter().enumerate()), None);
    }
}

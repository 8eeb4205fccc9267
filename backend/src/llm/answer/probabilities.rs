//! Finds the letters of a reply among its tokens, with the probabilities of all letters in their place.

use survey::distribution::{Distribution, code_place, of_codes};

use crate::llm::outcome::ReplyToken;
use crate::llm::prompt::PromptItem;

/// The distribution of the answer to a question that was asked by letters. `None`: the tokens do not have its letters.
pub fn of_tokens(item: &PromptItem<'_>, tokens: &[ReplyToken]) -> Option<Distribution> {
    let parts = item.form.code_parts(item.asked());
    let text: String = tokens.iter().map(|token| token.text.as_str()).collect();
    // Reasoning comes before the answer, so the last field of this name counts.
    let field = after_name(&text, 0, &item.asked().label(), true)?;
    let mut weights = Vec::with_capacity(parts.len());
    for part in &parts {
        let value = match &part.field {
            Some(name) => after_name(&text, field, name, false)?,
            None => field,
        };
        let letter = value + text.get(value..)?.find(|c: char| c.is_alphanumeric())?;
        let mut of_part = vec![0.0; part.options.len()];
        for (alternative, probability) in &token_at(tokens, letter)?.alternatives {
            if let Some(place) = code_place(alternative, part.options.len()) {
                of_part[place] += probability;
            }
        }
        weights.push(of_part);
    }
    of_codes(&parts, &weights)
}

/// The place after the colon of a field's name, from a place on.
fn after_name(text: &str, from: usize, name: &str, last: bool) -> Option<usize> {
    let quoted = format!("\"{name}\"");
    let rest = text.get(from..)?;
    let places = rest.match_indices(&quoted).filter_map(|(at, _)| {
        let after = at + quoted.len();
        let colon = rest.get(after..)?.trim_start().strip_prefix(':')?;
        Some(from + rest.len() - colon.len())
    });
    if last { places.last() } else { places.into_iter().next() }
}

/// The token that has the byte at this place of the text.
fn token_at(tokens: &[ReplyToken], place: usize) -> Option<&ReplyToken> {
    let mut end = 0;
    tokens.iter().find(|token| {
        end += token.text.len();
        place < end
    })
}

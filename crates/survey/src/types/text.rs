//! Free text: the code that text entries and open questions share.

use std::fmt::{self, Write};

use serde_json::Value;

use super::{Asked, excerpt};
use crate::answer::Answer;
use crate::question::Question;

/// Length limit of a free text whose prompt states none, in characters.
const MAX_TEXT_LENGTH: u32 = 20_000;
/// Number of tokens that a free text usually takes.
pub(super) const TEXT_TOKENS: u32 = 200;

/// Repeats the placeholder of the field in the prompt.
pub(super) fn write_placeholder(question: &Question, message: &mut String) -> fmt::Result {
    match &question.placeholder {
        Some(placeholder) => writeln!(message, "The answer field's hint reads: {placeholder}"),
        None => Ok(()),
    }
}

/// Completes an instruction by the length limit that the prompt states.
pub(super) fn write_instruction(instruction: &str, asked: Asked<'_>, message: &mut String) -> fmt::Result {
    match asked.max_text_length {
        Some(most) => writeln!(message, "{instruction} and at most {most} characters."),
        None => writeln!(message, "{instruction}."),
    }
}

/// Whether an answer is a text that is longer than the prompt allows.
pub fn is_too_long(asked: Asked<'_>, value: &Value) -> bool {
    let most = asked.max_text_length.filter(|_| asked.question.is_text());
    most.zip(value.as_str()).is_some_and(|(most, text)| text.trim().chars().count() > most as usize)
}

/// Checks that the text is neither empty nor a refusal, and not longer than it may be.
pub(super) fn check(asked: Asked<'_>, value: &Value) -> Result<Answer, String> {
    let text = value.as_str().ok_or_else(|| format!("{} is not a text", excerpt(value)))?.replace('\0', "");
    let text = text.trim();
    if text.is_empty() {
        return Err("the text was empty".into());
    }
    if is_page(text) {
        return Err("the text was an HTML page".into());
    }
    if is_refusal(text) {
        return Err("the text refused to answer as the person".into());
    }
    let length = text.chars().count();
    let most = asked.max_text_length.unwrap_or(MAX_TEXT_LENGTH);
    if length > most as usize {
        return Err(format!("the text had {length} characters; at most {most} are allowed"));
    }
    Ok(Answer::Text(text.to_owned()))
}

pub(super) fn invent(question: &Question) -> Answer {
    Answer::Text(format!("An invented answer to {}.", question.name))
}

fn is_page(text: &str) -> bool {
    starts_with_any(text, &["<!doctype html", "<html", "<?xml"])
}

/// Whether the text begins like a refusal of an assistant. Only the beginning is checked, because personas may write
/// "I'm sorry" too.
fn is_refusal(text: &str) -> bool {
    const OPENINGS: [&str; 8] = [
        "as an ai ",
        "as a large language model",
        "as a language model",
        "i'm sorry, but i can't",
        "i'm sorry, but i cannot",
        "i'm sorry, i can't assist",
        "i can't assist with",
        "i cannot assist with",
    ];
    starts_with_any(&text.chars().take(60).collect::<String>().replace('\u{2019}', "'"), &OPENINGS)
}

fn starts_with_any(text: &str, openings: &[&str]) -> bool {
    openings
        .iter()
        .any(|opening| text.get(..opening.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(opening)))
}

//! Numbers: the code that sliders, ranges and number fields share.

use std::fmt::{self, Write};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use serde_json::Value;

use super::{PossibleAnswers, excerpt};
use crate::answer::Answer;
use crate::number;
use crate::question::payload::{MAX_VALUE, MIN_VALUE};
use crate::question::{Invalid, Question, QuestionPayload};
use crate::schema::Schema;

/// Number of tokens that a number usually takes.
pub(super) const NUMBER_TOKENS: u32 = 8;

/// Checks that both bounds are given and the minimum is below the maximum. `kind` is the type in words.
pub(super) fn validate_bounds(payload: &QuestionPayload, question: &Question, kind: &str) -> Result<(), Invalid> {
    payload.must_be_in_order((question.min_value, question.max_value))?;
    for (value, field) in [(question.min_value, MIN_VALUE), (question.max_value, MAX_VALUE)] {
        if value.is_none() {
            let message = format!("{kind} questions must have both minimum and maximum values");
            return Err(Invalid::new(payload.spelling(field), message));
        }
    }
    Ok(())
}

/// Writes the bounds of the answer into the prompt.
pub(super) fn write_scale(question: &Question, message: &mut String) -> fmt::Result {
    let end = |value: Option<f64>, description: &Option<String>| {
        let value = number::text(value.unwrap_or_default());
        description.as_ref().map_or(value.clone(), |description| format!("{value} ({description})"))
    };
    let from = end(question.min_value, &question.min_description);
    let to = end(question.max_value, &question.max_description);
    writeln!(message, "Answer with a number from {from} to {to}.")
}

pub(super) fn schema<'a>(question: &Question) -> Schema<'a> {
    Schema::Number { min: question.min_value, max: question.max_value }
}

pub(super) fn outcomes(question: &Question) -> PossibleAnswers<'_> {
    PossibleAnswers::Numbers { min: question.min_value, max: question.max_value }
}

/// Checks that the answer is a number between the bounds of the question.
pub(super) fn check(question: &Question, value: &Value) -> Result<Answer, String> {
    let number = finite(value)?;
    if let Some(min) = question.min_value.filter(|min| number < *min) {
        return Err(format!("{} is below the minimum {}", number::text(number), number::text(min)));
    }
    if let Some(max) = question.max_value.filter(|max| number > *max) {
        return Err(format!("{} is above the maximum {}", number::text(number), number::text(max)));
    }
    Ok(Answer::Number(number))
}

/// Draws a whole number between the bounds. A missing bound is 100 from the other one.
pub(super) fn invent(question: &Question, random: &mut ChaCha8Rng) -> Answer {
    let (min, max) = match (question.min_value, question.max_value) {
        (Some(min), Some(max)) => (min, max),
        (Some(min), None) => (min, min + 100.0),
        (None, Some(max)) => (max - 100.0, max),
        (None, None) => (0.0, 100.0),
    };
    let between = min + (max - min) * f64::from(u32::try_from(random.next_u64() % 1_001).unwrap_or_default()) / 1_000.0;
    Answer::Number(between.round().clamp(min, max))
}

/// Reads a finite number, or a text that is one.
pub(crate) fn finite(value: &Value) -> Result<f64, String> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite()).ok_or_else(|| format!("{} is not a number", excerpt(value)))
}

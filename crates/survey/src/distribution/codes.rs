//! Options by a letter each, so that an answer is one token, whose probability the model server gives.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde_json::Value;

use super::value::{Distribution, Probabilities, answer_in_words};
use crate::answer::Answer;
use crate::schema::Schema;
use crate::types::{Asked, PossibleAnswers};

/// The most options that are asked by codes: servers give the probabilities of at most 20 tokens.
pub const MAX_CODES: usize = 20;
const CODES: [&str; MAX_CODES] =
    ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T"];

/// A part of an answer that is one code.
#[derive(Clone, Debug, PartialEq)]
pub struct CodePart<'a> {
    /// The row of a matrix.
    pub row: Option<&'a str>,
    /// Name of the row's field within the question's.
    pub field: Option<String>,
    /// The options or labels in the order of their codes.
    pub options: Vec<&'a str>,
}

/// The parts of an answer by codes; empty if the question is not asked by codes.
pub fn code_parts<'a>(outcomes: &PossibleAnswers<'a>) -> Vec<CodePart<'a>> {
    match outcomes {
        PossibleAnswers::Options(options) if options.len() <= MAX_CODES => {
            vec![CodePart { row: None, field: None, options: options.clone() }]
        }
        PossibleAnswers::Rows { rows, labels } if labels.len() <= MAX_CODES => {
            let part = |(number, row): (usize, &'a String)| CodePart {
                row: Some(row.as_str()),
                field: Some(format!("r{number}")),
                options: labels.clone(),
            };
            (1..).zip(*rows).map(part).collect()
        }
        _ => Vec::new(),
    }
}

/// The 0-based place of the option with this code among those of a part. Quotes and spaces around it do not count.
pub fn code_place(text: &str, options: usize) -> Option<usize> {
    let code = text.trim_matches(|c: char| !c.is_alphanumeric());
    CODES.iter().take(options).position(|known| known.eq_ignore_ascii_case(code))
}

pub(super) fn write_instructions(outcomes: &PossibleAnswers<'_>, message: &mut String) -> fmt::Result {
    let write_codes = |options: &[&str], message: &mut String| {
        CODES.iter().zip(options).try_for_each(|(code, option)| writeln!(message, "{code}: {option}"))
    };
    match outcomes {
        PossibleAnswers::Options(options) => {
            writeln!(message, "Choose exactly one option and answer with its letter alone:")?;
            write_codes(options, message)
        }
        PossibleAnswers::Rows { rows, labels } => {
            writeln!(message, "Rate every row with exactly one of these labels and answer with its letter alone:")?;
            write_codes(labels, message)?;
            writeln!(message, "Rows:")?;
            (1_usize..).zip(*rows).try_for_each(|(number, row)| writeln!(message, "r{number}: {row}"))
        }
        PossibleAnswers::None | PossibleAnswers::Numbers { .. } => Ok(()),
    }
}

pub(super) fn schema<'a>(outcomes: &PossibleAnswers<'a>) -> Schema<'a> {
    let codes = |count: usize| Schema::OneOf(CODES[..count.min(MAX_CODES)].to_vec());
    match outcomes {
        PossibleAnswers::Options(options) => codes(options.len()),
        PossibleAnswers::Rows { rows, labels } => {
            let fields = (1..=rows.len()).map(|row| (format!("r{row}"), codes(labels.len())));
            Schema::Object { description: None, fields: fields.collect() }
        }
        PossibleAnswers::None | PossibleAnswers::Numbers { .. } => Schema::Nothing,
    }
}

/// Reads the answer that was given by codes. Options and labels in words are accepted too.
pub(super) fn check(asked: Asked<'_>, outcomes: &PossibleAnswers<'_>, value: &Value) -> Result<Answer, String> {
    let parts = code_parts(outcomes);
    let is_one = parts.len() == 1;
    let mut labels = BTreeMap::new();
    for CodePart { row, field, options } in &parts {
        let given = field.as_deref().and_then(|field| value.get(field).or_else(|| value.get((*row)?)));
        let given = given.or_else(|| Some(value).filter(|_| field.is_none() || is_one && value.is_string()));
        let at = |message: String| match field {
            Some(field) => format!("row {field}: {message}"),
            None => message,
        };
        let said = given.and_then(Value::as_str).ok_or_else(|| at("the letter is missing".to_owned()))?;
        let place = code_place(said, options.len());
        let place = place.or_else(|| options.iter().position(|option| option.trim().eq_ignore_ascii_case(said.trim())));
        let option = place.and_then(|place| options.get(place));
        let option = option.ok_or_else(|| {
            let codes = CODES[..options.len().min(MAX_CODES)].join(", ");
            at(format!("{said:?} is not one of the letters {codes}"))
        })?;
        labels.insert(row.unwrap_or_default().to_owned(), (*option).to_owned());
    }
    answer_in_words(asked.question, labels).ok_or_else(|| "the question is not asked by letters".to_owned())
}

/// The distribution whose parts have these weights, by option in the order of the codes. `None`: a part has no weight.
pub fn of_codes(parts: &[CodePart<'_>], weights: &[Vec<f64>]) -> Option<Distribution> {
    let probabilities = |(part, weights): (&CodePart<'_>, &Vec<f64>)| -> Option<Probabilities> {
        let sum: f64 = weights.iter().sum();
        let share = |(option, weight): (&&str, &f64)| ((*option).to_owned(), weight / sum);
        (sum > 0.0).then(|| part.options.iter().zip(weights).map(share).collect())
    };
    let by_part = parts.iter().zip(weights).map(probabilities).collect::<Option<Vec<_>>>()?;
    if by_part.len() != parts.len() || parts.is_empty() {
        return None;
    }
    if parts.iter().all(|part| part.row.is_none()) {
        return by_part.into_iter().next().map(Distribution::Options);
    }
    let rows = parts.iter().map(|part| part.row.unwrap_or_default().to_owned());
    Some(Distribution::Rows(rows.zip(by_part).collect()))
}

/// Number of tokens that the letters usually take.
pub(super) fn expected_tokens(outcomes: &PossibleAnswers<'_>) -> u32 {
    match outcomes {
        PossibleAnswers::Rows { rows, .. } => u32::try_from(rows.len()).unwrap_or(u32::MAX).saturating_mul(8),
        _ => 8,
    }
}

//! Probabilities that a twin states itself: in percent for options, and quantiles for numbers.

use std::fmt::{self, Write};

use serde_json::Value;

use super::quantiles::Quantiles;
use super::value::{Distribution, Probabilities};
use crate::number;
use crate::schema::Schema;
use crate::types::{Asked, PossibleAnswers, finite};

/// How far the percentages of a question's options may be from 100 in all, because they are rounded. They are divided by
/// their sum.
const TOLERANCE: f64 = 5.0;
/// Names of the quantiles in a reply.
const QUANTILES: [&str; 5] = ["p5", "p25", "p50", "p75", "p95"];
/// Tokens of a percentage or a quantile with its name in a reply.
const NUMBER_TOKENS: u32 = 10;

pub(super) fn write_instructions(
    asked: Asked<'_>,
    outcomes: &PossibleAnswers<'_>,
    message: &mut String,
) -> fmt::Result {
    match outcomes {
        PossibleAnswers::None => Ok(()),
        PossibleAnswers::Options(options) => {
            writeln!(
                message,
                "Do not choose. State with which probability this person would choose each option, in percent: a number \
                 from 0 for each, all adding up to 100:"
            )?;
            asked.write_parts(options, message)
        }
        PossibleAnswers::Rows { rows, labels } => {
            writeln!(
                message,
                "Do not choose. State for every row with which probability this person would rate it with each label, in \
                 percent: a number from 0 for each label, in each row all adding up to 100. Labels:"
            )?;
            asked.write_parts(labels, message)?;
            writeln!(message, "Rows:")?;
            (1_usize..).zip(*rows).try_for_each(|(number, row)| writeln!(message, "r{number}: {row}"))
        }
        PossibleAnswers::Numbers { min, max } => {
            message.push_str("Do not give one number. This person's answer is a number");
            if let Some(min) = min {
                write!(message, ", at least {}", described(*min, asked.question.min_description.as_deref()))?;
            }
            if let Some(max) = max {
                write!(message, ", at most {}", described(*max, asked.question.max_description.as_deref()))?;
            }
            writeln!(
                message,
                ". State five numbers that do not decrease, below which the answer lies with a probability of 5 % (p5), \
                 25 % (p25), 50 % (p50), 75 % (p75) and 95 % (p95)."
            )
        }
    }
}

/// An end of a scale with its description.
fn described(value: f64, description: Option<&str>) -> String {
    let value = number::text(value);
    description.map_or(value.clone(), |description| format!("{value} ({description})"))
}

pub(super) fn schema<'a>(asked: Asked<'a>, outcomes: &PossibleAnswers<'a>) -> Schema<'a> {
    let percentages = |count: usize| {
        let field = |number| (asked.part_label(number), Schema::Number { min: Some(0.0), max: Some(100.0) });
        let description = Some("Percentages that add up to exactly 100.".to_owned());
        Schema::Object { description, fields: (1..=count).map(field).collect() }
    };
    match outcomes {
        PossibleAnswers::None => Schema::Nothing,
        PossibleAnswers::Options(options) => percentages(options.len()),
        PossibleAnswers::Rows { rows, labels } => {
            let fields = (1..=rows.len()).map(|row| (format!("r{row}"), percentages(labels.len())));
            Schema::Object { description: None, fields: fields.collect() }
        }
        PossibleAnswers::Numbers { min, max } => {
            let field = |name: &str| (name.to_owned(), Schema::Number { min: *min, max: *max });
            let description = Some("Numbers that do not decrease.".to_owned());
            Schema::Object { description, fields: QUANTILES.map(field).into() }
        }
    }
}

/// Checks what a twin stated. The error is one line for the model, which is asked again.
pub(super) fn check(asked: Asked<'_>, outcomes: &PossibleAnswers<'_>, value: &Value) -> Result<Distribution, String> {
    match outcomes {
        PossibleAnswers::None => Err("the question has no distribution".to_owned()),
        PossibleAnswers::Options(options) => percentages(asked, options, value).map(Distribution::Options),
        PossibleAnswers::Rows { rows, labels } => {
            let row = |(number, row): (usize, &String)| {
                let given = value.get(format!("r{number}")).or_else(|| value.get(row));
                // The percentages of a matrix of one row may be given alone.
                let given = given.or_else(|| Some(value).filter(|_| rows.len() == 1));
                let at = |message: String| format!("row r{number} ({row:?}): {message}");
                let given = given.ok_or_else(|| at("has no percentages".to_owned()))?;
                Ok((row.clone(), percentages(asked, labels, given).map_err(at)?))
            };
            (1..).zip(*rows).map(row).collect::<Result<_, String>>().map(Distribution::Rows)
        }
        PossibleAnswers::Numbers { min, max } => quantiles((*min, *max), value).map(Distribution::Quantiles),
    }
}

/// Reads the percentages of these options, which may be off 100 by rounding, as probabilities.
fn percentages(asked: Asked<'_>, options: &[&str], value: &Value) -> Result<Probabilities, String> {
    let mut sum = 0.0;
    let mut percentages = Vec::with_capacity(options.len());
    for (number, option) in (1..).zip(options) {
        let at = |message: String| format!("{} ({option:?}): {message}", asked.part_label(number));
        let given = asked.part(number, option, value).ok_or_else(|| at("has no percentage".to_owned()))?;
        let given = percentage(given).map_err(at)?;
        if given < 0.0 {
            return Err(at(format!("{} is below 0", number::text(given))));
        }
        sum += given;
        percentages.push(((*option).to_owned(), given));
    }
    if (sum - 100.0).abs() > TOLERANCE {
        let sum = (sum * 1e6).round() / 1e6;
        return Err(format!("the percentages add up to {}, not to 100", number::text(sum)));
    }
    Ok(percentages.into_iter().map(|(option, given)| (option, given / sum)).collect())
}

/// Reads a number, or a text such as `30 %`.
fn percentage(value: &Value) -> Result<f64, String> {
    match value.as_str().and_then(|text| text.trim().strip_suffix('%')) {
        Some(number) => finite(&Value::from(number.trim())),
        None => finite(value),
    }
}

fn quantiles((min, max): (Option<f64>, Option<f64>), value: &Value) -> Result<Quantiles, String> {
    let mut numbers = [0.0; 5];
    for (place, (name, number)) in QUANTILES.into_iter().zip(&mut numbers).enumerate() {
        let list = value.as_array().filter(|list| list.len() == QUANTILES.len());
        let given = value.get(name).or_else(|| list?.get(place)).ok_or_else(|| format!("{name} is missing"))?;
        *number = finite(given).map_err(|message| format!("{name}: {message}"))?;
        if let Some(min) = min.filter(|min| *number < *min) {
            return Err(format!("{name}: {} is below the minimum {}", number::text(*number), number::text(min)));
        }
        if let Some(max) = max.filter(|max| *number > *max) {
            return Err(format!("{name}: {} is above the maximum {}", number::text(*number), number::text(max)));
        }
    }
    if !numbers.is_sorted() {
        return Err(
            "the five numbers decrease: p5, p25, p50, p75 and p95 must go from the lowest to the highest".into()
        );
    }
    Ok(Quantiles(numbers))
}

/// Number of tokens that the statement usually takes.
pub(super) fn expected_tokens(outcomes: &PossibleAnswers<'_>) -> u32 {
    let numbers = match outcomes {
        PossibleAnswers::None => 0,
        PossibleAnswers::Options(options) => options.len(),
        PossibleAnswers::Rows { rows, labels } => rows.len() * labels.len(),
        PossibleAnswers::Numbers { .. } => QUANTILES.len(),
    };
    u32::try_from(numbers).unwrap_or(u32::MAX).saturating_mul(NUMBER_TOKENS)
}

//! Checks an answer against its question.

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use survey::question::{Question, QuestionType};

use super::CheckedAnswer;
use crate::llm::number;
use crate::llm::prompt::part_label;

/// Longer free text is asked again, in characters.
const MAX_TEXT: usize = 20_000;
const SEPARATOR: &str = " | ";
/// Binary fractions of decimal numbers do not add up exactly: by this part of the total they may be off.
const SUM_TOLERANCE: f64 = 1e-9;

/// The answer, or one line on what is wrong with it. `order` is the order in which the options were shown, for that
/// line alone: chosen options are returned in the order of the survey.
pub fn check(question: &Question, order: Option<&[i16]>, value: &Value) -> Result<CheckedAnswer, String> {
    match question.question_type {
        QuestionType::SingleChoice => {
            let option = one_of(&question.options, order, value)?;
            Ok(CheckedAnswer { text: option.to_owned(), value: option.into() })
        }
        QuestionType::MultipleChoice => several(question, order, value),
        QuestionType::Matrix => matrix(question, value),
        QuestionType::MatrixMulti => matrix_of_several(question, value),
        QuestionType::ConstantSum => sum(question, order, value),
        QuestionType::Rank => ranked(question, order, value),
        QuestionType::BestWorst => best_and_worst(question, order, value),
        QuestionType::Info => Err("the text takes no answer".into()),
        QuestionType::Slider | QuestionType::Range | QuestionType::Number => bounded(question, value),
        QuestionType::Boolean => yes_or_no(value),
        QuestionType::TextEntry | QuestionType::OpenEnded => free_text(value),
    }
}

fn several(question: &Question, order: Option<&[i16]>, value: &Value) -> Result<CheckedAnswer, String> {
    let chosen = some_of(&question.options, order, value)?;
    if chosen.len() > 1
        && let Some(alone) = chosen.iter().find(|option| question.is_exclusive(option))
    {
        return Err(format!("{alone:?} excludes the other options: choose it alone or not at all"));
    }
    Ok(CheckedAnswer { text: chosen.join(SEPARATOR), value: chosen.into() })
}

/// The chosen texts, at least one, in the order of the survey.
fn some_of<'a>(texts: &'a [String], order: Option<&[i16]>, value: &Value) -> Result<Vec<&'a str>, String> {
    let single = std::slice::from_ref(value);
    let items = value.as_array().map_or(single, Vec::as_slice);
    let chosen = items.iter().map(|item| one_of(texts, order, item)).collect::<Result<Vec<_>, _>>()?;
    if chosen.is_empty() {
        return Err("no option was chosen".into());
    }
    Ok(texts.iter().map(String::as_str).filter(|text| chosen.contains(text)).collect())
}

fn matrix(question: &Question, value: &Value) -> Result<CheckedAnswer, String> {
    let rows = question.rows();
    let rating = |index: usize, row: &String| match value {
        Value::Object(ratings) => ratings.get(&format!("r{}", index + 1)).or_else(|| ratings.get(row)),
        Value::Array(ratings) if ratings.len() == rows.len() => ratings.get(index),
        // The one row of a matrix without sub-questions.
        Value::String(_) if rows.len() == 1 => Some(value),
        _ => None,
    };
    let mut text = Vec::with_capacity(rows.len());
    let mut by_row = Map::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let number = index + 1;
        let rating = rating(index, row).ok_or_else(|| format!("row r{number} ({row:?}) has no rating"))?;
        let label = one_of(&question.scale_labels, None, rating)
            .map_err(|message| format!("row r{number} ({row:?}): {message}"))?;
        text.push(format!("Q{number}: {label}"));
        by_row.insert(row.clone(), label.into());
    }
    Ok(CheckedAnswer { text: text.join(SEPARATOR), value: by_row.into() })
}

fn matrix_of_several(question: &Question, value: &Value) -> Result<CheckedAnswer, String> {
    let rows = question.rows();
    let mut text = Vec::with_capacity(rows.len());
    let mut by_row = Map::with_capacity(rows.len());
    for (number, row) in (1..).zip(rows) {
        let at = |message: String| format!("row {} ({row:?}): {message}", part_label(question, number));
        let chosen = part(question, number, row, value).or(match value {
            // The one row of a matrix without sub-questions.
            Value::Array(_) | Value::String(_) if rows.len() == 1 => Some(value),
            _ => None,
        });
        let chosen = chosen.ok_or_else(|| at("no label was chosen".into()))?;
        let labels = some_of(&question.scale_labels, None, chosen).map_err(at)?;
        text.push(format!("Q{number}: {}", labels.join("; ")));
        by_row.insert(row.clone(), labels.into());
    }
    Ok(CheckedAnswer { text: text.join(SEPARATOR), value: by_row.into() })
}

/// The part of an answer that is an object, by its label or its text. `number`: 1-based, as shown.
fn part<'a>(question: &Question, number: usize, text: &str, value: &'a Value) -> Option<&'a Value> {
    value.get(part_label(question, number)).or_else(|| value.get(text))
}

fn sum(question: &Question, order: Option<&[i16]>, value: &Value) -> Result<CheckedAnswer, String> {
    let shown = in_order(&question.options, order);
    let mut parts = Map::with_capacity(shown.len());
    let mut sum = 0.0;
    for (number, option) in (1..).zip(&shown) {
        let at = |message: String| format!("option {} ({option:?}): {message}", part_label(question, number));
        let given = part(question, number, option, value).ok_or_else(|| at("has no number".into()))?;
        let given = finite(given).map_err(at)?;
        if given < 0.0 {
            return Err(at(format!("{} is below 0", number::text(given))));
        }
        sum += given;
        parts.insert((*option).to_owned(), number::json(given));
    }
    let total = question.total();
    if (sum - total).abs() > total * SUM_TOLERANCE {
        // Without the noise of binary fractions.
        let sum = (sum * 1e6).round() / 1e6;
        return Err(format!("the numbers add up to {}, not to {}", number::text(sum), number::text(total)));
    }
    let written = |option: &String| Some(format!("{option}: {}", number::text(parts.get(option)?.as_f64()?)));
    let text: Vec<_> = question.options.iter().filter_map(written).collect();
    Ok(CheckedAnswer { text: text.join(SEPARATOR), value: parts.into() })
}

fn ranked(question: &Question, order: Option<&[i16]>, value: &Value) -> Result<CheckedAnswer, String> {
    let given = value.as_array().ok_or_else(|| format!("{} is not a list", shown(value)))?;
    let ranked = given.iter().map(|item| one_of(&question.options, order, item)).collect::<Result<Vec<_>, _>>()?;
    let mut seen = HashSet::new();
    if let Some(twice) = ranked.iter().find(|option| !seen.insert(**option)) {
        return Err(format!("{twice:?} stands there twice"));
    }
    if let Some(missing) = in_order(&question.options, order).into_iter().find(|option| !seen.contains(option)) {
        return Err(format!("{missing:?} is missing: every option has to be ranked"));
    }
    let text: Vec<_> = (1..).zip(&ranked).map(|(rank, option)| format!("{rank}: {option}")).collect();
    Ok(CheckedAnswer { text: text.join(SEPARATOR), value: ranked.into() })
}

fn best_and_worst(question: &Question, order: Option<&[i16]>, value: &Value) -> Result<CheckedAnswer, String> {
    let end = |name: &str| {
        let given = value.get(name).ok_or_else(|| format!("the {name} option was missing"))?;
        one_of(&question.options, order, given).map_err(|message| format!("{name}: {message}"))
    };
    let (best, worst) = (end("best")?, end("worst")?);
    if best == worst {
        return Err(format!("{best:?} cannot be both best and worst"));
    }
    let value = json!({ "best": best, "worst": worst });
    Ok(CheckedAnswer { text: format!("Best: {best}{SEPARATOR}Worst: {worst}"), value })
}

fn bounded(question: &Question, value: &Value) -> Result<CheckedAnswer, String> {
    let number = finite(value)?;
    if let Some(min) = question.min_value.filter(|min| number < *min) {
        return Err(format!("{} is below the minimum {}", number::text(number), number::text(min)));
    }
    if let Some(max) = question.max_value.filter(|max| number > *max) {
        return Err(format!("{} is above the maximum {}", number::text(number), number::text(max)));
    }
    Ok(CheckedAnswer { text: number::text(number), value: number::json(number) })
}

fn finite(value: &Value) -> Result<f64, String> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite()).ok_or_else(|| format!("{} is not a number", shown(value)))
}

fn yes_or_no(value: &Value) -> Result<CheckedAnswer, String> {
    let is = |text: &str, words: [&str; 2]| words.iter().any(|word| word.eq_ignore_ascii_case(text.trim()));
    let yes = match value {
        Value::Bool(yes) => *yes,
        Value::String(text) if is(text, ["yes", "true"]) => true,
        Value::String(text) if is(text, ["no", "false"]) => false,
        _ => return Err(format!("{} is neither true nor false", shown(value))),
    };
    Ok(CheckedAnswer { text: if yes { "Yes" } else { "No" }.into(), value: yes.into() })
}

fn free_text(value: &Value) -> Result<CheckedAnswer, String> {
    let text = value.as_str().ok_or_else(|| format!("{} is not a text", shown(value)))?.replace('\0', "");
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
    if length > MAX_TEXT {
        return Err(format!("the text had {length} characters; at most {MAX_TEXT} are allowed"));
    }
    Ok(CheckedAnswer { text: text.to_owned(), value: text.into() })
}

fn is_page(text: &str) -> bool {
    starts_with_any(text, &["<!doctype html", "<html", "<?xml"])
}

/// Whether the text begins as assistants refuse. Only the beginning, because personas may write "I'm sorry" too.
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

/// The text as the researcher wrote it. Another case or spacing is accepted where it is unambiguous.
fn one_of<'a>(texts: &'a [String], order: Option<&[i16]>, value: &Value) -> Result<&'a str, String> {
    let said = value.as_str().ok_or_else(|| format!("{} is not a text", shown(value)))?;
    if let Some(text) = texts.iter().find(|text| *text == said) {
        return Ok(text);
    }
    let mut alike = texts.iter().filter(|text| plain(text) == plain(said));
    match (alike.next(), alike.next()) {
        (Some(text), None) => Ok(text),
        _ => Err(format!("{} is not one of: {}", shown(value), offered(texts, order))),
    }
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The texts as they were shown.
fn offered(texts: &[String], order: Option<&[i16]>) -> String {
    in_order(texts, order).iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ")
}

fn in_order<'a>(texts: &'a [String], order: Option<&[i16]>) -> Vec<&'a str> {
    let at = |position: &i16| texts.get(usize::try_from(*position).ok()?.checked_sub(1)?);
    match order {
        Some(order) => order.iter().filter_map(at).map(String::as_str).collect(),
        None => texts.iter().map(String::as_str).collect(),
    }
}

/// The beginning of a value, for a rejection.
fn shown(value: &Value) -> String {
    const LENGTH: usize = 80;
    let json = value.to_string();
    match json.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}...", &json[..end]),
        None => json,
    }
}

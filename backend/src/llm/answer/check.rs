//! Checks an answer against its question.

use serde_json::{Map, Value};

use super::CheckedAnswer;
use crate::llm::number;
use crate::models::questions::{Question, QuestionType};

/// Longer free text is asked again, in characters.
const MAX_TEXT: usize = 20_000;
const SEPARATOR: &str = " | ";

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
        QuestionType::Slider | QuestionType::Range | QuestionType::Number => bounded(question, value),
        QuestionType::Boolean => yes_or_no(value),
        QuestionType::TextEntry | QuestionType::OpenEnded => free_text(value),
    }
}

fn several(question: &Question, order: Option<&[i16]>, value: &Value) -> Result<CheckedAnswer, String> {
    let single = std::slice::from_ref(value);
    let items = value.as_array().map_or(single, Vec::as_slice);
    let chosen = items.iter().map(|item| one_of(&question.options, order, item)).collect::<Result<Vec<_>, _>>()?;
    if chosen.is_empty() {
        return Err("no option was chosen".into());
    }
    let chosen: Vec<_> = question.options.iter().map(String::as_str).filter(|option| chosen.contains(option)).collect();
    Ok(CheckedAnswer { text: chosen.join(SEPARATOR), value: chosen.into() })
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

fn bounded(question: &Question, value: &Value) -> Result<CheckedAnswer, String> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let number =
        number.filter(|number| number.is_finite()).ok_or_else(|| format!("{} is not a number", shown(value)))?;
    if let Some(min) = question.min_value.filter(|min| number < *min) {
        return Err(format!("{} is below the minimum {}", number::text(number), number::text(min)));
    }
    if let Some(max) = question.max_value.filter(|max| number > *max) {
        return Err(format!("{} is above the maximum {}", number::text(number), number::text(max)));
    }
    Ok(CheckedAnswer { text: number::text(number), value: number::json(number) })
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
    let quoted = |text: &String| format!("{text:?}");
    let texts: Vec<_> = match order {
        Some(order) => order
            .iter()
            .filter_map(|position| texts.get(usize::try_from(*position).ok()?.checked_sub(1)?))
            .map(quoted)
            .collect(),
        None => texts.iter().map(quoted).collect(),
    };
    texts.join(", ")
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

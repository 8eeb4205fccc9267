//! Finds the answers in the text of a model's reply.

use serde_json::{Map, Value};
use survey::distribution::{AnswerForm, FormReply};
use survey::types::is_too_long;

use super::{AnswerError, AnswerErrorCode, CheckedAnswer, probabilities};
use crate::llm::outcome::ReplyToken;
use crate::llm::prompt::PromptItem;

/// How many opening braces are tried as the start of the object, to bound the cost of a reply of braces alone.
const MAX_TRIES: usize = 64;

/// One result per question, in the same order. Code fences and prose around the object, fields in another case and a
/// wrapping object are accepted; of duplicate fields the last counts.
pub fn read(items: &[PromptItem<'_>], content: &str) -> Vec<Result<CheckedAnswer, AnswerError>> {
    read_with_tokens(items, content, &[])
}

/// Like [`read`]. Where the reply has probabilities of its tokens, answers by letters are drawn from those.
pub fn read_with_tokens(
    items: &[PromptItem<'_>],
    content: &str,
    tokens: &[ReplyToken],
) -> Vec<Result<CheckedAnswer, AnswerError>> {
    let labels: Vec<String> = items.iter().map(|item| item.asked().label()).collect();
    let Some(mut fields) = find_object(content, &labels) else {
        return bare(items, content);
    };
    let answer = |(item, label): (&PromptItem<'_>, &String)| {
        let Some(value) = take(&mut fields, label) else {
            return Err(AnswerError {
                code: AnswerErrorCode::Missing,
                message: format!("the field {label:?} was missing"),
            });
        };
        let checked = check(item, &value).and_then(|checked| with_probabilities(item, checked, tokens));
        checked.map_err(|message| {
            let is_too_long = is_too_long(item.asked(), &value);
            let code = if is_too_long { AnswerErrorCode::TooLong } else { AnswerErrorCode::Invalid };
            AnswerError { code, message }
        })
    };
    items.iter().zip(&labels).map(answer).collect()
}

/// The answer, or one line on what is wrong with it.
fn check(item: &PromptItem<'_>, value: &Value) -> Result<CheckedAnswer, String> {
    let (answer, distribution) = match item.form.check(item.asked(), value)? {
        FormReply::Answer(answer) => (answer, None),
        FormReply::Distribution(distribution) => {
            let answer = item.draw.answer(item.question, &distribution);
            (answer.ok_or("nothing can be drawn from the probabilities")?, Some(distribution))
        }
    };
    Ok(CheckedAnswer { text: answer.text(item.question), answer, distribution })
}

/// The answer drawn from the probabilities of its letters, if the reply has them.
fn with_probabilities(
    item: &PromptItem<'_>,
    checked: CheckedAnswer,
    tokens: &[ReplyToken],
) -> Result<CheckedAnswer, String> {
    if tokens.is_empty() || item.form != AnswerForm::Codes {
        return Ok(checked);
    }
    let distribution = probabilities::of_tokens(item, tokens).ok_or("answer with the letter alone")?;
    let answer = item.draw.answer(item.question, &distribution).ok_or("no letter has a probability")?;
    Ok(CheckedAnswer { text: answer.text(item.question), answer, distribution: Some(distribution) })
}

/// The reply holds no object. The bare answer to a single question is accepted, unless it is free text: any text would
/// pass for that.
fn bare(items: &[PromptItem<'_>], content: &str) -> Vec<Result<CheckedAnswer, AnswerError>> {
    if let [only] = items
        && !only.question.is_text()
    {
        let value = serde_json::from_str(content).unwrap_or_else(|_| Value::from(content.trim()));
        if let Ok(answer) = check(only, &value) {
            return vec![Ok(answer)];
        }
    }
    let message = "the reply was not one JSON object";
    items.iter().map(|_| Err(AnswerError { code: AnswerErrorCode::NotJson, message: message.into() })).collect()
}

/// The reply itself, else the last object in it that has one of the fields: reasoning comes before the answer.
fn find_object(content: &str, labels: &[String]) -> Option<Map<String, Value>> {
    if let Ok(Value::Object(object)) = serde_json::from_str(content) {
        return Some(unwrap(object, labels));
    }
    let mut found = None;
    let mut rest = content;
    for _ in 0..MAX_TRIES {
        let Some(start) = rest.find('{') else { break };
        rest = &rest[start..];
        let mut objects = serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>();
        let step = match objects.next() {
            Some(Ok(object)) => {
                let object = unwrap(object, labels);
                if has_any(&object, labels) {
                    found = Some(object);
                }
                objects.byte_offset()
            }
            _ => 1,
        };
        rest = &rest[step..];
    }
    found
}

/// `{"answers": {"q1": ..}}` is `{"q1": ..}`.
fn unwrap(mut object: Map<String, Value>, labels: &[String]) -> Map<String, Value> {
    if !has_any(&object, labels)
        && object.len() == 1
        && let Some(Value::Object(inner)) = object.values_mut().next()
        && has_any(inner, labels)
    {
        return std::mem::take(inner);
    }
    object
}

fn has_any(object: &Map<String, Value>, labels: &[String]) -> bool {
    object.keys().any(|key| labels.iter().any(|label| label.eq_ignore_ascii_case(key)))
}

fn take(fields: &mut Map<String, Value>, label: &str) -> Option<Value> {
    fields.remove(label).or_else(|| {
        let spelled = fields.keys().find(|key| key.eq_ignore_ascii_case(label))?.clone();
        fields.remove(&spelled)
    })
}

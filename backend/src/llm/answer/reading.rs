//! Finding the answers in what the model said.

use serde_json::{Map, Value};

use super::{Answer, Complaint, ComplaintCode, check};
use crate::llm::prompt::Asked;

/// Places where an object may begin that are tried: replies of braces alone must stay cheap.
const TRIES: usize = 64;

/// One result per question, in the same order. Code fences and prose around the object, fields in another case and a
/// wrapping object are forgiven; of a field that stands twice the last counts.
pub fn read(asked: &[Asked<'_>], content: &str) -> Vec<Result<Answer, Complaint>> {
    let labels: Vec<String> = asked.iter().map(Asked::label).collect();
    let Some(mut fields) = find_object(content, &labels) else {
        return bare(asked, content);
    };
    let answer = |(asked, label): (&Asked<'_>, &String)| {
        let Some(value) = take(&mut fields, label) else {
            return Err(Complaint {
                code: ComplaintCode::Missing,
                message: format!("the field {label:?} was missing"),
            });
        };
        check(asked.question, asked.order.as_deref(), &value)
            .map_err(|message| Complaint { code: ComplaintCode::Invalid, message })
    };
    asked.iter().zip(&labels).map(answer).collect()
}

/// No object. A lone question's answer may stand there as it is, unless it is free text: that could be anything.
fn bare(asked: &[Asked<'_>], content: &str) -> Vec<Result<Answer, Complaint>> {
    if let [only] = asked
        && !only.question.is_text()
    {
        let value = serde_json::from_str(content).unwrap_or_else(|_| Value::from(content.trim()));
        if let Ok(answer) = check(only.question, only.order.as_deref(), &value) {
            return vec![Ok(answer)];
        }
    }
    let message = "the reply was not one JSON object";
    asked.iter().map(|_| Err(Complaint { code: ComplaintCode::NotJson, message: message.into() })).collect()
}

/// The reply itself, else the last object in it that has one of the fields: models that think aloud end with it.
fn find_object(content: &str, labels: &[String]) -> Option<Map<String, Value>> {
    if let Ok(Value::Object(object)) = serde_json::from_str(content) {
        return Some(unwrap(object, labels));
    }
    let mut found = None;
    let mut rest = content;
    for _ in 0..TRIES {
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

//! A question as callers and survey files send it: unchecked, with several spellings of each field.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{Invalid, Question};
use crate::finding::nul_in;
use crate::json::object;
use crate::logic::{QuestionLogic, SPELLINGS};

/// Maximum length of an option, a label, a row, a description or a placeholder, in characters.
const MAX_ITEM_LENGTH: usize = 1_000;
/// Maximum number of options, labels or rows.
const MAX_ITEMS: usize = 200;

// The spellings of each field. Survey files use the first one.
pub(super) const TEXT: &[&str] = &["text", "title"];
pub(super) const NAME: &[&str] = &["name"];
pub(super) const TYPE: &[&str] = &["type", "questionType", "question_type"];
pub(super) const REQUIRED: &[&str] = &["required"];
pub(super) const OPTIONS: &[&str] = &["options", "Option", "Options", "option"];
pub(super) const SCALE_LABELS: &[&str] = &["scale_labels", "scaleLabels"];
pub(super) const SUB_QUESTIONS: &[&str] = &["sub_questions", "subQuestions"];
pub(crate) const MIN_VALUE: &[&str] = &["min_value", "minValue"];
pub(crate) const MAX_VALUE: &[&str] = &["max_value", "maxValue"];
pub(crate) const MIN_DESCRIPTION: &[&str] = &["min_description", "minDescription"];
pub(crate) const MAX_DESCRIPTION: &[&str] = &["max_description", "maxDescription"];
pub(super) const PLACEHOLDER: &[&str] = &["placeholder"];
pub(crate) const TOTAL: &[&str] = &["total"];
/// The state of the question that the caller expects before a change: an object of the fields above.
const EXPECTED: &str = "expected";

/// Any JSON object; [`validate`](QuestionPayload::validate) turns it into a question. Unknown fields are ignored and
/// `null` counts as missing. Of several spellings of one field, the first that is not `null` counts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct QuestionPayload(#[serde(deserialize_with = "object")] pub(super) Map<String, Value>);

/// A field with the spelling that was found, and its value unless that is missing or `null`.
struct Field<'a> {
    name: &'static str,
    value: Option<&'a Value>,
}

impl QuestionPayload {
    fn field(&self, spellings: &[&'static str]) -> Field<'_> {
        let sent = spellings.iter().find_map(|name| Some((name, self.0.get(*name).filter(|value| !value.is_null())?)));
        match sent {
            Some((name, value)) => Field { name, value: Some(value) },
            None => Field { name: spellings.first().copied().unwrap_or_default(), value: None },
        }
    }

    /// Returns the trimmed text, or `None` if it is missing or blank.
    pub(super) fn text(&self, spellings: &[&'static str], longest: usize) -> Result<Option<String>, Invalid> {
        let field = self.field(spellings);
        let Some(value) = field.value else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| Invalid::new(field.name, "must be a text"))?;
        let text = clean(text, longest).map_err(|message| Invalid::new(field.name, message))?;
        Ok((!text.is_empty()).then_some(text))
    }

    pub(super) fn flag(&self, spellings: &[&'static str]) -> Result<Option<bool>, Invalid> {
        let field = self.field(spellings);
        let flag = |value: &Value| value.as_bool().ok_or_else(|| Invalid::new(field.name, "must be true or false"));
        field.value.map(flag).transpose()
    }

    /// Returns a finite number. Accepts text, and an empty text as missing, because forms send both.
    pub(super) fn number(&self, spellings: &[&'static str]) -> Result<Option<f64>, Invalid> {
        let field = self.field(spellings);
        let number = match field.value {
            None => return Ok(None),
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(_) => None,
        };
        match number.filter(|number| number.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => Err(Invalid::new(field.name, "must be a finite number")),
        }
    }

    /// Returns a list of strings, which may also be objects with a `text` or `title`. Trims blank items, but keeps
    /// them.
    pub(super) fn items(&self, spellings: &[&'static str]) -> Result<Vec<String>, Invalid> {
        let field = self.field(spellings);
        let Some(value) = field.value else { return Ok(Vec::new()) };
        let items = value.as_array().ok_or_else(|| Invalid::new(field.name, "must be a list"))?;
        if items.len() > MAX_ITEMS {
            let message = format!("has {} entries, {MAX_ITEMS} is the most", items.len());
            return Err(Invalid::new(field.name, message));
        }
        let item = |(index, item): (usize, &Value)| {
            let at = |message: &str| Invalid::new(format!("{}[{index}]", field.name), message);
            let text = item_text(item).ok_or_else(|| at("must be a text, or an object with a title or text"))?;
            clean(text, MAX_ITEM_LENGTH).map_err(|message| at(&message))
        };
        items.iter().enumerate().map(item).collect()
    }

    pub(super) fn short_text(&self, spellings: &[&'static str]) -> Result<Option<String>, Invalid> {
        self.text(spellings, MAX_ITEM_LENGTH)
    }

    /// Reads the logic. Refuses a wrong form; the check of the design decides whether the logic fits the question.
    pub(super) fn logic(&self) -> Result<QuestionLogic, Invalid> {
        let fields: Map<String, Value> = SPELLINGS
            .iter()
            .filter_map(|spellings| Some(((*spellings.first()?).to_owned(), self.field(spellings).value?.clone())))
            .collect();
        for spellings in SPELLINGS {
            let field = self.field(spellings);
            if field.value.is_some_and(|value| nul_in(value, "").is_some()) {
                return Err(Invalid::new(field.name, "contains a NUL character"));
            }
        }
        serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
            let path = error.path().to_string();
            let end = path.find(['.', '[']).unwrap_or(path.len());
            let (field, place) = path.split_at(end);
            let sent = SPELLINGS.iter().find(|spellings| spellings.first() == Some(&field));
            let field = sent.map_or(field, |spellings| self.spelling(spellings));
            Invalid::new(format!("{field}{place}"), error.inner().to_string())
        })
    }

    /// Removes and returns the state that the caller expects, or `None` if the payload has none.
    pub fn take_expected(&mut self) -> Result<Option<Self>, Invalid> {
        match self.0.remove(EXPECTED) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(Self(fields))),
            Some(_) => Err(Invalid::new(EXPECTED, "must be an object")),
        }
    }

    /// Adds the fields of `before` that the payload does not mention. A field that is `null` counts as mentioned.
    pub(super) fn completed_by(mut self, before: &Question) -> Self {
        for (spellings, value) in AsPayload(before).fields() {
            if let Some(first) = spellings.first()
                && !spellings.iter().any(|name| self.0.contains_key(*name))
            {
                self.0.insert((*first).to_owned(), value);
            }
        }
        self
    }

    pub(crate) fn spelling(&self, spellings: &[&'static str]) -> &'static str {
        self.field(spellings).name
    }
}

impl From<&Question> for QuestionPayload {
    /// Writes each field in its first spelling.
    fn from(question: &Question) -> Self {
        let fields = AsPayload(question).fields().into_iter();
        Self(fields.filter_map(|(spellings, value)| Some(((*spellings.first()?).to_owned(), value))).collect())
    }
}

/// A question as a survey file spells it, without empty fields.
#[derive(Clone, Copy, Debug)]
pub struct AsPayload<'a>(pub &'a Question);

impl AsPayload<'_> {
    fn fields(self) -> Vec<(&'static [&'static str], Value)> {
        let question = self.0;
        let logic = serde_json::to_value(&question.logic).unwrap_or_default();
        let mut fields = vec![
            (TEXT, json!(question.text)),
            (NAME, json!(question.name)),
            (TYPE, json!(question.question_type)),
            (REQUIRED, json!(question.required)),
            (OPTIONS, json!(question.options)),
            (SCALE_LABELS, json!(question.scale_labels)),
            (SUB_QUESTIONS, json!(question.sub_questions)),
            (MIN_VALUE, json!(question.min_value)),
            (MAX_VALUE, json!(question.max_value)),
            (MIN_DESCRIPTION, json!(question.min_description)),
            (MAX_DESCRIPTION, json!(question.max_description)),
            (PLACEHOLDER, json!(question.placeholder)),
            (TOTAL, json!(question.total)),
        ];
        let of_logic = |spellings: &&'static [&'static str]| {
            let value = logic.get(spellings.first()?).cloned().unwrap_or_default();
            Some((*spellings, value))
        };
        fields.extend(SPELLINGS.iter().filter_map(of_logic));
        fields
    }
}

impl Serialize for AsPayload<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_empty = |value: &Value| value.is_null() || value == "" || value.as_array().is_some_and(Vec::is_empty);
        let fields = self.fields().into_iter().filter(|(_, value)| !is_empty(value));
        serializer.collect_map(fields.filter_map(|(spellings, value)| Some((*spellings.first()?, value))))
    }
}

fn item_text(item: &Value) -> Option<&str> {
    match item {
        Value::String(text) => Some(text),
        Value::Object(item) => ["text", "title"].iter().find_map(|name| item.get(*name)?.as_str()),
        _ => None,
    }
}

/// Trims a text. Refuses NUL characters, which PostgreSQL cannot store.
pub fn clean(text: &str, longest: usize) -> Result<String, String> {
    if text.contains('\0') {
        return Err("contains a NUL character".into());
    }
    let text = text.trim();
    match text.chars().count() {
        length if length > longest => Err(format!("has {length} characters, {longest} is the most")),
        _ => Ok(text.to_owned()),
    }
}

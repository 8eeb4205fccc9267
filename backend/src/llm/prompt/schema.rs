//! The JSON schema of a reply, under the rules of OpenAI's strict mode: every field required, none beside them.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::PromptItem;
use crate::llm::number;
use crate::models::questions::{Question, QuestionType};

/// One typed field per question. Written straight into the body: no tree is built.
pub struct AnswerSchema<'a>(pub &'a [PromptItem<'a>]);

impl Serialize for AnswerSchema<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.0.iter().map(|item| (item.label(), Field(item)));
        object(serializer, fields)
    }
}

struct Field<'a>(&'a PromptItem<'a>);

impl Serialize for Field<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let question = self.0.question;
        match question.question_type {
            QuestionType::SingleChoice => OneOf(self.0.options()).serialize(serializer),
            QuestionType::MultipleChoice => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("type", "array")?;
                map.serialize_entry("items", &OneOf(self.0.options()))?;
                map.serialize_entry("minItems", &1)?;
                map.serialize_entry("maxItems", &question.options.len())?;
                map.end()
            }
            QuestionType::Matrix => {
                let label = || OneOf(&question.scale_labels);
                object(serializer, (1..=question.rows().len()).map(|row| (format!("r{row}"), label())))
            }
            QuestionType::Slider | QuestionType::Range | QuestionType::Number => bounded(serializer, question),
            QuestionType::Boolean => typed(serializer, "boolean"),
            QuestionType::TextEntry | QuestionType::OpenEnded => typed(serializer, "string"),
        }
    }
}

struct OneOf<Texts>(Texts);

impl<Texts: Serialize> Serialize for OneOf<Texts> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("type", "string")?;
        map.serialize_entry("enum", &self.0)?;
        map.end()
    }
}

struct List<Items>(Items);

impl<Items: Iterator<Item: Serialize> + Clone> Serialize for List<Items> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

struct Map<Entries>(Entries);

impl<K: Serialize, V: Serialize, Entries: Iterator<Item = (K, V)> + Clone> Serialize for Map<Entries> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.clone())
    }
}

fn object<S, V, Fields>(serializer: S, fields: Fields) -> Result<S::Ok, S::Error>
where
    S: Serializer,
    V: Serialize,
    Fields: Iterator<Item = (String, V)> + Clone,
{
    let mut map = serializer.serialize_map(Some(4))?;
    map.serialize_entry("type", "object")?;
    map.serialize_entry("properties", &Map(fields.clone()))?;
    map.serialize_entry("required", &List(fields.map(|(name, _)| name)))?;
    map.serialize_entry("additionalProperties", &false)?;
    map.end()
}

fn bounded<S: Serializer>(serializer: S, question: &Question) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("type", "number")?;
    if let Some(min) = question.min_value {
        map.serialize_entry("minimum", &number::json(min))?;
    }
    if let Some(max) = question.max_value {
        map.serialize_entry("maximum", &number::json(max))?;
    }
    map.end()
}

fn typed<S: Serializer>(serializer: S, name: &str) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry("type", name)?;
    map.end()
}

//! The JSON schema of a reply, under the rules of OpenAI's strict mode: every field required, none beside them.

use serde::ser::{Serialize, SerializeMap, Serializer};
use survey::question::QuestionType;

use super::PromptItem;
use crate::llm::number;

/// One typed field per question. Written straight into the body: no tree is built.
pub struct AnswerSchema<'a>(pub &'a [PromptItem<'a>]);

impl Serialize for AnswerSchema<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.0.iter().map(|item| (item.label(), Field(item)));
        object(serializer, None, fields)
    }
}

struct Field<'a>(&'a PromptItem<'a>);

impl Serialize for Field<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let question = self.0.question;
        match question.question_type {
            QuestionType::SingleChoice => OneOf(self.0.options()).serialize(serializer),
            QuestionType::MultipleChoice => {
                Several { of: self.0.options(), min: 1, max: question.options.len() }.serialize(serializer)
            }
            QuestionType::Rank => {
                let options = self.0.options();
                Several { min: options.len(), max: options.len(), of: options }.serialize(serializer)
            }
            QuestionType::BestWorst => object(
                serializer,
                None,
                ["best", "worst"].iter().map(|end| ((*end).to_owned(), OneOf(self.0.options()))),
            ),
            QuestionType::ConstantSum => {
                let total = question.total();
                let part = |number| (self.0.part_label(number), Between(Some(0.0), Some(total)));
                let adding_up = format!("Numbers that add up to exactly {}.", number::text(total));
                object(serializer, Some(&adding_up), (1..=self.0.options().len()).map(part))
            }
            QuestionType::MatrixMulti => {
                let labels = &question.scale_labels;
                let row = |row| (self.0.part_label(row), Several { of: labels, min: 1, max: labels.len() });
                object(serializer, None, (1..=question.rows().len()).map(row))
            }
            // Has no field.
            QuestionType::Info => serializer.serialize_unit(),
            QuestionType::Matrix => {
                let label = || OneOf(&question.scale_labels);
                object(serializer, None, (1..=question.rows().len()).map(|row| (format!("r{row}"), label())))
            }
            QuestionType::Slider | QuestionType::Range | QuestionType::Number => {
                Between(question.min_value, question.max_value).serialize(serializer)
            }
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

fn object<S, V, Fields>(serializer: S, description: Option<&str>, fields: Fields) -> Result<S::Ok, S::Error>
where
    S: Serializer,
    V: Serialize,
    Fields: Iterator<Item = (String, V)> + Clone,
{
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("type", "object")?;
    if let Some(description) = description {
        map.serialize_entry("description", description)?;
    }
    map.serialize_entry("properties", &Map(fields.clone()))?;
    map.serialize_entry("required", &List(fields.map(|(name, _)| name)))?;
    map.serialize_entry("additionalProperties", &false)?;
    map.end()
}

/// A list of different texts. That none comes twice is checked in the answer: strict schemas cannot say it.
struct Several<Texts> {
    of: Texts,
    min: usize,
    max: usize,
}

impl<Texts: Serialize> Serialize for Several<Texts> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "array")?;
        map.serialize_entry("items", &OneOf(&self.of))?;
        map.serialize_entry("minItems", &self.min)?;
        map.serialize_entry("maxItems", &self.max)?;
        map.end()
    }
}

/// A number between these.
struct Between(Option<f64>, Option<f64>);

impl Serialize for Between {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "number")?;
        if let Some(min) = self.0 {
            map.serialize_entry("minimum", &number::json(min))?;
        }
        if let Some(max) = self.1 {
            map.serialize_entry("maximum", &number::json(max))?;
        }
        map.end()
    }
}

fn typed<S: Serializer>(serializer: S, name: &str) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry("type", name)?;
    map.end()
}

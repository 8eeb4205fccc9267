//! A survey with its design as one JSON document, which files, importers and the API read and write.

use std::collections::BTreeMap;

use serde::ser::{Error, SerializeStruct};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::finding::{Finding, FindingCode, below, nul_in, pointer_of};
use super::flow::Design;
use super::item::Item;
use super::logic::QuestionLogic;
use crate::import_report::LossReport;
use crate::question::{AsPayload, Invalid, Question, QuestionPayload, clean, names};

/// Maximum number of questions of a survey.
pub const MAX_QUESTIONS: usize = 500;
/// Maximum length of a title, in characters.
pub const MAX_TITLE_LENGTH: usize = 500;
/// Maximum length of a description, in characters.
pub const MAX_DESCRIPTION_LENGTH: usize = 10_000;

/// The fields of a question that belong to its logic.
const LOGIC: [&str; 16] = [
    "codes",
    "shuffle",
    "pin",
    "exclusive",
    "row_shuffle",
    "show_if",
    "option_if",
    "check",
    "scale",
    "reverse",
    "reverse_rows",
    "desirable",
    "published",
    "import_id",
    "part_ids",
    "export_tag",
];

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    pub title: String,
    pub description: String,
    pub items: Vec<Item>,
    pub design: Design,
    /// The report of the import, if the survey was made from another program's file.
    pub import_report: Option<LossReport>,
}

impl Document {
    /// Parses a document. Returns the places and reasons of everything that has the wrong form.
    /// [`check`](super::check::check) decides whether the design can be run.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Finding>> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let value = serde_json::from_slice(bytes)
            .map_err(|error| vec![Finding::error(FindingCode::NotASurvey, "", format!("This is no JSON: {error}."))])?;
        Self::read(value)
    }

    pub fn read(value: Value) -> Result<Self, Vec<Finding>> {
        let Value::Object(mut fields) = value else {
            return Err(vec![Finding::error(FindingCode::NotASurvey, "", "A survey is a JSON object.")]);
        };
        let mut findings = Vec::new();
        let mut text = |name: &str, longest: usize| match fields.remove(name) {
            None | Some(Value::Null) => String::new(),
            Some(value) => {
                let text = value.as_str().ok_or_else(|| "must be a text".to_owned());
                text.and_then(|text| clean(text, longest)).unwrap_or_else(|message| {
                    findings.push(Finding::error(
                        FindingCode::NotASurvey,
                        below("", name),
                        format!("{name} {message}."),
                    ));
                    String::new()
                })
            }
        };
        let (title, description) = (text("title", MAX_TITLE_LENGTH), text("description", MAX_DESCRIPTION_LENGTH));
        if title.is_empty() && findings.is_empty() {
            findings.push(Finding::error(FindingCode::NotASurvey, "/title", "The survey needs a title."));
        }
        let questions = match fields.remove("questions") {
            Some(Value::Array(questions)) => questions,
            _ => {
                findings.push(Finding::error(
                    FindingCode::NotASurvey,
                    "/questions",
                    "The survey needs a list of questions.",
                ));
                Vec::new()
            }
        };
        let read = questions.into_iter().enumerate().map(|(index, question)| item(index, question));
        let mut items = Vec::new();
        read.for_each(|read| match read {
            Ok(item) => items.push(item),
            Err(finding) => findings.push(finding),
        });
        findings.extend(complete_names(&mut items));
        let import_report = fields.remove("import_report").filter(|report| !report.is_null()).map(LossReport::read);
        let import_report = import_report.transpose().unwrap_or_else(|message| {
            findings.push(Finding::error(
                FindingCode::NotASurvey,
                "/import_report",
                format!("import_report {message}."),
            ));
            None
        });
        let design = ["flow", "tables"].into_iter().filter_map(|name| fields.remove_entry(name)).collect();
        match Design::read(&Value::Object(design)) {
            Ok(design) if findings.is_empty() => Ok(Self { title, description, items, design, import_report }),
            Ok(_) => Err(findings),
            Err(finding) => {
                findings.push(finding);
                Err(findings)
            }
        }
    }
}

impl Document {
    /// Writes the document and [reads](Self::read) it again: texts are trimmed, and fields that a question's type does
    /// not use are dropped. Returns the places and reasons of everything that has the wrong form.
    pub fn checked(&self) -> Result<Self, Vec<Finding>> {
        let mut findings = Vec::new();
        let mut text = |name: &str, text: &str, longest: usize| {
            clean(text, longest).unwrap_or_else(|message| {
                let message = format!("{name} {message}.");
                findings.push(Finding::error(FindingCode::NotASurvey, below("", name), message));
                String::new()
            })
        };
        let title = text("title", &self.title, MAX_TITLE_LENGTH);
        let description = text("description", &self.description, MAX_DESCRIPTION_LENGTH);
        if title.is_empty() && findings.is_empty() {
            findings.push(Finding::error(FindingCode::NotASurvey, "/title", "The survey needs a title."));
        }
        let mut items = Vec::with_capacity(self.items.len());
        for (index, Item { question, logic }) in self.items.iter().enumerate() {
            match checked_item(index, &QuestionPayload::from(question), logic.clone()) {
                Ok(item) => items.push(item),
                Err(finding) => findings.push(finding),
            }
        }
        findings.extend(complete_names(&mut items));
        let design = serde_json::to_value(&self.design).unwrap_or_default();
        if let Some(place) = nul_in(&design, "") {
            findings.push(Finding::error(FindingCode::NotAFlow, place, "This text contains a NUL character."));
        }
        let (design, import_report) = (self.design.clone(), self.import_report.clone());
        if findings.is_empty() { Ok(Self { title, description, items, design, import_report }) } else { Err(findings) }
    }
}

/// Names the questions without a name. Returns a finding if two questions have one name.
fn complete_names(items: &mut [Item]) -> Option<Finding> {
    let mut plain: Vec<Question> = items.iter().map(|item| item.question.clone()).collect();
    match names::complete(&mut plain) {
        Ok(()) => {
            items.iter_mut().zip(plain).for_each(|(item, question)| item.question.name = question.name);
            None
        }
        Err((index, invalid)) => {
            let place = format!("/questions/{index}/name");
            Some(Finding::error(FindingCode::DoubledName, place, invalid.message))
        }
    }
}

fn item(index: usize, value: Value) -> Result<Item, Finding> {
    let pointer = format!("/questions/{index}");
    let bad = |place: String, message: String| Finding::error(FindingCode::BadQuestion, place, message);
    let Value::Object(mut fields) = value else { return Err(bad(pointer, "A question is an object.".into())) };
    let logic: Map<String, Value> = LOGIC.iter().filter_map(|name| fields.remove_entry(*name)).collect();
    let logic = Value::Object(logic);
    no_nul(&logic, &pointer)?;
    let logic: QuestionLogic = serde_path_to_error::deserialize(logic)
        .map_err(|error| bad(format!("{pointer}{}", pointer_of(error.path())), error.inner().to_string()))?;
    let payload: QuestionPayload =
        serde_json::from_value(Value::Object(fields)).map_err(|error| bad(pointer.clone(), error.to_string()))?;
    valid_item(&pointer, &payload, logic)
}

fn checked_item(index: usize, payload: &QuestionPayload, logic: QuestionLogic) -> Result<Item, Finding> {
    let pointer = format!("/questions/{index}");
    no_nul(&serde_json::to_value(&logic).unwrap_or_default(), &pointer)?;
    valid_item(&pointer, payload, logic)
}

fn no_nul(value: &Value, pointer: &str) -> Result<(), Finding> {
    let refusal = |place| Finding::error(FindingCode::BadQuestion, place, "This text contains a NUL character.");
    nul_in(value, pointer).map_or(Ok(()), |place| Err(refusal(place)))
}

fn valid_item(pointer: &str, payload: &QuestionPayload, logic: QuestionLogic) -> Result<Item, Finding> {
    let question = payload.validate().map_err(|Invalid { field, message }| {
        let place = field.replace(['[', '.'], "/").replace(']', "");
        Finding::error(FindingCode::BadQuestion, format!("{pointer}/{place}"), format!("{field}: {message}."))
    })?;
    Ok(Item { question, logic })
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let questions: Result<Vec<Value>, serde_json::Error> = self.items.iter().map(question).collect();
        let mut document = serializer.serialize_struct("Document", 6)?;
        document.serialize_field("title", &self.title)?;
        if !self.description.is_empty() {
            document.serialize_field("description", &self.description)?;
        }
        document.serialize_field("questions", &questions.map_err(S::Error::custom)?)?;
        if !self.design.flow.is_empty() {
            document.serialize_field("flow", &self.design.flow)?;
        }
        if !self.design.tables.is_empty() {
            document.serialize_field("tables", &self.design.tables)?;
        }
        if let Some(report) = &self.import_report {
            document.serialize_field("import_report", report)?;
        }
        document.end()
    }
}

/// Writes a question with its logic, in the form that [`Document::read`] takes.
fn question(item: &Item) -> Result<Value, serde_json::Error> {
    let mut fields: BTreeMap<String, Value> = serde_json::from_value(serde_json::to_value(AsPayload(&item.question))?)?;
    let logic: BTreeMap<String, Value> = serde_json::from_value(serde_json::to_value(&item.logic)?)?;
    fields.extend(logic);
    serde_json::to_value(fields)
}

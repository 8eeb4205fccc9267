//! A .qsf file as it stands: blocks, flow and questions by id. Qualtrics publishes no specification, so nothing is
//! expected to be there: what is missing reads as empty.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value};

use crate::import::{ImportRefusal, MAX_QUESTIONS};

/// Of the flow, counted in groups and branches around a node.
pub const MAX_DEPTH: usize = 40;

#[derive(Debug, Default)]
pub struct QsfFile {
    pub title: String,
    pub flow: Value,
    /// In the order of the file.
    pub blocks: Vec<FileBlock>,
    /// In the order of the file, by id.
    pub questions: Vec<(String, Value)>,
    /// Elements of other kinds, and how many there are.
    pub elements: BTreeMap<String, usize>,
    /// Of the look of the survey: its header and footer.
    pub options: Value,
    by_id: HashMap<String, usize>,
}

#[derive(Debug, Default)]
pub struct FileBlock {
    pub id: String,
    pub description: String,
    pub is_trash: bool,
    pub elements: Vec<Value>,
    pub options: Value,
}

impl QsfFile {
    pub fn read(value: &Value) -> Result<Self, ImportRefusal> {
        let (Some(entry), Some(elements)) = (
            value.get("SurveyEntry").and_then(Value::as_object),
            value.get("SurveyElements").and_then(Value::as_array),
        ) else {
            return Err(ImportRefusal::NotKnown);
        };
        let mut file = Self { title: text_of(entry.get("SurveyName")), ..Self::default() };
        for element in elements {
            let payload = element.get("Payload").cloned().unwrap_or_default();
            match text_of(element.get("Element")).as_str() {
                "BL" => file.blocks.extend(entries(&payload).into_iter().map(|(_, block)| FileBlock::read(block))),
                "FL" => file.flow = payload,
                "SQ" => {
                    let id = Some(text_of(payload.get("QuestionID"))).filter(|id| !id.is_empty());
                    file.questions.push((id.unwrap_or_else(|| text_of(element.get("PrimaryAttribute"))), payload));
                }
                other => {
                    *file.elements.entry(other.to_owned()).or_default() += 1;
                    if other == "SO" {
                        file.options = payload;
                    }
                }
            }
        }
        if file.questions.len() > MAX_QUESTIONS {
            return Err(ImportRefusal::TooManyQuestions(MAX_QUESTIONS));
        }
        file.by_id = file.questions.iter().enumerate().map(|(place, (id, _))| (id.clone(), place)).collect();
        Ok(file)
    }

    pub fn question(&self, id: &str) -> Option<&Value> {
        self.by_id.get(id).and_then(|place| self.questions.get(*place)).map(|(_, payload)| payload)
    }

    pub fn block(&self, id: &str) -> Option<&FileBlock> {
        self.blocks.iter().find(|block| block.id == id)
    }

    /// The blocks that the flow names, each once, in the order of the flow.
    pub fn live_blocks(&self) -> Vec<&FileBlock> {
        let mut ids = Vec::new();
        collect(&self.flow, 0, &mut ids);
        let mut seen = HashSet::new();
        let blocks = ids.iter().filter(|id| seen.insert(id.as_str())).filter_map(|id| self.block(id));
        blocks.filter(|block| !block.is_trash).collect()
    }
}

fn collect(node: &Value, depth: usize, ids: &mut Vec<String>) {
    if depth > MAX_DEPTH {
        return;
    }
    if is_block(node) {
        ids.push(text_of(node.get("ID")));
    }
    children(node).iter().for_each(|child| collect(child, depth + 1, ids));
}

/// Of a node of the flow.
pub fn is_block(node: &Value) -> bool {
    matches!(text_of(node.get("Type")).as_str(), "Block" | "Standard" | "Default")
}

pub fn children(node: &Value) -> &[Value] {
    node.get("Flow").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

impl FileBlock {
    fn read(block: &Value) -> Self {
        Self {
            id: text_of(block.get("ID")),
            description: text_of(block.get("Description")),
            is_trash: text_of(block.get("Type")) == "Trash",
            elements: listed(block.get("BlockElements")).into_iter().map(|(_, element)| element.clone()).collect(),
            options: block.get("Options").cloned().unwrap_or_default(),
        }
    }

    /// The ids of its questions, in their order.
    pub fn questions(&self) -> impl Iterator<Item = String> {
        self.elements.iter().filter_map(question_of)
    }
}

/// The question that an element of a block names.
pub fn question_of(element: &Value) -> Option<String> {
    let id = text_of(element.get("QuestionID"));
    (text_of(element.get("Type")) == "Question" && !id.is_empty()).then_some(id)
}

/// A text, or a number as one; else empty.
pub fn text_of(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// A number, or a text that is one.
pub fn number_of(value: Option<&Value>) -> Option<f64> {
    text_of(value).trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// As [`entries`], of what may be missing.
pub fn listed(value: Option<&Value>) -> Vec<(String, &Value)> {
    value.map(entries).unwrap_or_default()
}

/// Of a list: its entries, counted from 1. Of an object: its fields, sorted by their numbers where they are such.
pub fn entries(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Array(items) => items.iter().enumerate().map(|(place, item)| ((place + 1).to_string(), item)).collect(),
        Value::Object(fields) => sorted(fields),
        _ => Vec::new(),
    }
}

fn sorted(fields: &Map<String, Value>) -> Vec<(String, &Value)> {
    let mut fields: Vec<(String, &Value)> = fields.iter().map(|(key, value)| (key.clone(), value)).collect();
    fields.sort_by_key(|(key, _)| key.parse::<u64>().unwrap_or(u64::MAX));
    fields
}

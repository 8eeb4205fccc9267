//! A .qsf file as it is: blocks, flow and questions by id. Qualtrics publishes no specification, so no field is
//! required: what is missing reads as empty.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::orders::FileOrder;
use crate::{ImportRefusal, MAX_QUESTIONS};

/// Maximum depth of the flow, in groups and branches around a node.
pub const MAX_DEPTH: usize = 40;
/// Maximum number of nodes of the flow, with the fields that they set.
const MAX_NODES: usize = 10_000;
/// Maximum number of choices, or labels, of a question.
const MAX_CHOICES: usize = 2_000;
/// Opening of a pipe of a field.
const FIELD: &str = "${e://Field/";

#[derive(Debug, Default)]
pub struct QsfFile {
    pub title: String,
    pub flow: Value,
    /// Blocks in the order of the file.
    pub blocks: Vec<FileBlock>,
    /// Questions in the order of the file, by id.
    pub questions: Vec<(String, Value)>,
    /// Numbers of elements of other kinds.
    pub elements: BTreeMap<String, usize>,
    /// Options of the survey's look: its header and footer.
    pub options: Value,
    /// Scores that answers add up to.
    pub scoring: Value,
    /// Ids of questions that occur more than once; the last one counts.
    pub doubled: Vec<String>,
    /// Language of the texts, e.g. `EN`.
    pub language: String,
    /// Whether the file has no flow, so that its blocks follow each other.
    pub has_no_flow: bool,
    by_id: HashMap<String, usize>,
    blocks_by_id: HashMap<String, usize>,
}

#[derive(Debug, Default)]
pub struct FileBlock {
    pub id: String,
    pub description: String,
    /// Kind of the block: `Standard`, `Default`, `Trash` or another.
    pub kind: String,
    pub is_trash: bool,
    pub elements: Vec<Value>,
    /// Ids of questions that are never shown.
    pub undisplayed: Vec<String>,
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
        let [title, language] = ["SurveyName", "SurveyLanguage"].map(|field| text_of(entry.get(field)));
        let mut file = Self { title, language, ..Self::default() };
        for element in elements {
            let mut payload = element.get("Payload").cloned().unwrap_or_default();
            match text_of(element.get("Element")).as_str() {
                // The payload has all blocks, or a single one.
                "BL" if payload.get("BlockElements").is_some() || payload.get("ID").is_some_and(Value::is_string) => {
                    file.blocks.push(FileBlock::read(&payload));
                }
                "BL" => file.blocks.extend(entries(&payload).into_iter().map(|(_, block)| FileBlock::read(block))),
                "FL" => file.flow = payload,
                "SQ" => {
                    number_lists(&mut payload);
                    let id = Some(text_of(payload.get("QuestionID"))).filter(|id| !id.is_empty());
                    file.questions.push((id.unwrap_or_else(|| text_of(element.get("PrimaryAttribute"))), payload));
                }
                other => {
                    *file.elements.entry(other.to_owned()).or_default() += 1;
                    match other {
                        "SO" => file.options = payload,
                        "SCO" => file.scoring = payload,
                        _ => {}
                    }
                }
            }
        }
        if file.questions.len() > MAX_QUESTIONS {
            return Err(ImportRefusal::TooManyQuestions(MAX_QUESTIONS));
        }
        if children(&file.flow).is_empty() && !file.blocks.is_empty() {
            file.has_no_flow = true;
            let of_block = |block: &FileBlock| json!({ "Type": "Standard", "ID": block.id });
            let blocks = file.blocks.iter().filter(|block| !block.is_trash).map(of_block);
            file.flow = json!({ "Type": "Root", "Flow": blocks.collect::<Vec<_>>() });
        }
        if nodes(&file.flow) > MAX_NODES {
            return Err(ImportRefusal::TooManyNodes(MAX_NODES));
        }
        for (id, payload) in &file.questions {
            let choices =
                ["Choices", "Answers", "ChoiceOrder", "AnswerOrder"].map(|list| payload.get(list).map_or(0, size));
            if choices.into_iter().any(|choices| choices > MAX_CHOICES) {
                return Err(ImportRefusal::TooManyChoices(id.clone(), MAX_CHOICES));
            }
        }
        // Of several blocks with one id the first counts.
        for (place, block) in file.blocks.iter().enumerate() {
            file.blocks_by_id.entry(block.id.clone()).or_insert(place);
        }
        for (place, (id, _)) in file.questions.iter().enumerate() {
            if file.by_id.insert(id.clone(), place).is_some() {
                file.doubled.push(id.clone());
            }
        }
        Ok(file)
    }

    pub fn question(&self, id: &str) -> Option<&Value> {
        self.by_id.get(id).and_then(|place| self.questions.get(*place)).map(|(_, payload)| payload)
    }

    /// Returns the text that is everybody's answer to a question: it is chosen beforehand by a pipe of a field which the flow
    /// sets to one text and nowhere else.
    pub fn constant_answer(&self, id: &str) -> Option<String> {
        let payload = self.question(id).filter(|payload| text_of(payload.get("QuestionType")) == "TE")?;
        let field = piped_field(payload.get("DefaultChoices")?, 1)?;
        let mut values = Vec::new();
        collect_values(&self.flow, &field, 1, &mut values);
        match values.as_slice() {
            [value] if !value.contains("${") => Some(value.trim().to_owned()),
            _ => None,
        }
    }

    pub fn block(&self, id: &str) -> Option<&FileBlock> {
        self.blocks_by_id.get(id).and_then(|place| self.blocks.get(*place))
    }

    /// Returns the blocks that the flow names, each once, in the order of the flow.
    pub fn live_blocks(&self) -> Vec<&FileBlock> {
        let mut ids = Vec::new();
        collect(&self.flow, 0, &mut ids);
        let mut seen = HashSet::new();
        let blocks = ids.iter().filter(|id| seen.insert(id.as_str())).filter_map(|id| self.block(id));
        blocks.filter(|block| !block.is_trash).collect()
    }
}

/// Gives choices in a list the ids that they have as fields of an object, and turns texts that are numbers into texts.
fn number_lists(payload: &mut Value) {
    let Some(fields) = payload.as_object_mut() else { return };
    for (list, order, beside) in [
        ("Choices", "ChoiceOrder", ["RecodeValues", "VariableNaming", "ChoiceDataExportTags"].as_slice()),
        ("Answers", "AnswerOrder", &[]),
    ] {
        // The entries of a list have ids from 0, unless their order says otherwise.
        let ordered: Vec<String> = listed(fields.get(order)).into_iter().map(|(_, id)| text_of(Some(id))).collect();
        let first = usize::from(!ordered.is_empty() && !ordered.iter().any(|id| id == "0"));
        let is_list = fields.get(list).is_some_and(Value::is_array);
        for field in [list].iter().chain(beside.iter().filter(|_| is_list)) {
            let Some(Value::Array(items)) = fields.get_mut(*field).filter(|field| field.is_array()).map(Value::take)
            else {
                continue;
            };
            let numbered = items.into_iter().enumerate().map(|(place, item)| ((first + place).to_string(), item));
            fields.insert((*field).to_owned(), Value::Object(numbered.collect()));
        }
        for choice in fields.get_mut(list).and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
            if let Some(display @ Value::Number(_)) = choice.get_mut("Display") {
                *display = Value::from(display.to_string());
            }
        }
    }
    for column in
        fields.get_mut("AdditionalQuestions").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut)
    {
        number_lists(column);
    }
}

/// Counts the nodes of the flow, with the fields that they set.
fn nodes(node: &Value) -> usize {
    1 + node.get("EmbeddedData").map_or(0, size) + children(node).into_iter().map(nodes).sum::<usize>()
}

fn size(value: &Value) -> usize {
    value.as_array().map_or_else(|| value.as_object().map_or(0, Map::len), Vec::len)
}

fn collect(node: &Value, depth: usize, ids: &mut Vec<String>) {
    if depth > MAX_DEPTH {
        return;
    }
    if is_block(node) {
        ids.push(text_of(node.get("ID")));
    }
    children(node).into_iter().for_each(|child| collect(child, depth + 1, ids));
}

/// The field whose pipe is the only text of a value.
fn piped_field(given: &Value, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    match given {
        Value::String(text) => {
            let field = text.trim().strip_prefix(FIELD)?.strip_suffix('}')?;
            (!field.contains(['$', '{', '}'])).then(|| field.replace("%20", " "))
        }
        Value::Array(_) | Value::Object(_) => match listed(Some(given)).as_slice() {
            [(_, only)] => piped_field(only, depth + 1),
            _ => None,
        },
        _ => None,
    }
}

fn collect_values(node: &Value, field: &str, depth: usize, values: &mut Vec<String>) {
    if depth > MAX_DEPTH {
        return;
    }
    for (_, set) in listed(node.get("EmbeddedData")) {
        let value = text_of(set.get("Value"));
        if text_of(set.get("Field")) == field && !value.is_empty() {
            values.push(value);
        }
    }
    children(node).into_iter().for_each(|child| collect_values(child, field, depth + 1, values));
}

/// Whether a node of the flow is a block.
pub fn is_block(node: &Value) -> bool {
    matches!(text_of(node.get("Type")).as_str(), "Block" | "Standard" | "Default")
}

pub fn children(node: &Value) -> Vec<&Value> {
    listed(node.get("Flow")).into_iter().map(|(_, child)| child).collect()
}

impl FileBlock {
    fn read(block: &Value) -> Self {
        let kind = text_of(block.get("Type"));
        let options = block.get("Options").cloned().unwrap_or_default();
        let elements = listed(block.get("BlockElements")).into_iter();
        let mut elements: Vec<(String, Value)> =
            elements.map(|(_, element)| (question_of(element).unwrap_or_default(), element.clone())).collect();
        let mut undisplayed = Vec::new();
        let order = FileOrder::read_block(&options);
        if !order.is_as_written() {
            // Page breaks are not in the order.
            let (questions, others): (Vec<_>, Vec<_>) = elements.into_iter().partition(|(qid, _)| !qid.is_empty());
            undisplayed.extend(questions.iter().map(|(qid, _)| qid.clone()));
            elements = order.arranged(questions);
            undisplayed.retain(|qid| !elements.iter().any(|(shown, _)| shown == qid));
            elements.extend(others);
        }
        Self {
            id: text_of(block.get("ID")),
            description: text_of(block.get("Description")),
            is_trash: kind == "Trash",
            kind,
            elements: elements.into_iter().map(|(_, element)| element).collect(),
            undisplayed,
            options,
        }
    }

    /// Ids of the block's questions, in their order.
    pub fn questions(&self) -> impl Iterator<Item = String> {
        self.elements.iter().filter_map(question_of)
    }
}

/// Returns the question that an element of a block names.
pub fn question_of(element: &Value) -> Option<String> {
    let id = text_of(element.get("QuestionID"));
    (text_of(element.get("Type")) == "Question" && !id.is_empty()).then_some(id)
}

/// Reads a text, or a number as a text; otherwise an empty one.
pub fn text_of(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// Reads a boolean in any of its spellings.
pub fn is_true(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Bool(is_set)) => *is_set,
        Some(Value::String(word)) => !["", "false", "off", "0"].contains(&word.to_lowercase().as_str()),
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        _ => false,
    }
}

/// Reads a number, or a text that is one.
pub fn number_of(value: Option<&Value>) -> Option<f64> {
    text_of(value).trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// Rounds down to a whole number. `None` if it is less than 1. Callers handle numbers that are too large.
pub fn whole(size: f64) -> Option<u32> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at least 1, and no more than the most"
    )]
    (size >= 1.0).then_some(size as u32)
}

/// Returns the id of the question that a locator or a pipe names, without the turn of a loop before it and the column
/// of a side-by-side question after it.
pub fn located(question: &str) -> String {
    let decoded = question.replace("%23", "#");
    decoded.rsplit_once('_').map_or(decoded.as_str(), |(_, qid)| qid).to_owned()
}

/// Like [`entries`], for a value that may be missing.
pub fn listed(value: Option<&Value>) -> Vec<(String, &Value)> {
    value.map(entries).unwrap_or_default()
}

/// Returns the entries of a list, numbered from 1, or the fields of an object, sorted by number if their names are
/// numbers.
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

//! Converts blocks that are asked several times: for written rows, or for earlier choices.

use std::collections::BTreeMap;

use serde_json::Value;
use survey::condition::{Condition, Left, Operator};
use survey::flow::{If, Loop, Node, Order, Set, Table};
use survey::question::QuestionType;

use super::Importer;
use super::carried::CarriedChoices;
use super::choices::{ChoiceKind, raw_choices};
use super::conditions::{joined, leaf};
use super::file::{FileBlock, QsfFile, listed, number_of, text_of, whole};
use super::texts::TextPlace;
use crate::{LossCode, LossSeverity, ReportList};

/// Maximum number of fields of a row.
const MAX_FIELDS: usize = 100;
/// The column of a table with the choice that a row is about.
const CHOICE: &str = "choice";
/// Maximum number of turns of a loop that is asked as often as a number says.
const MAX_TURNS: u32 = 100;
/// Maximum number of rows of which a loop draws some.
const MAX_ROWS: u32 = 10_000;

pub fn is_looped(block: &FileBlock) -> bool {
    !matches!(text_of(block.options.get("Looping")).as_str(), "" | "None")
}

/// Number of fields that the block's texts can read.
pub fn width(block: &FileBlock) -> usize {
    if !is_looped(block) {
        return 0;
    }
    let written = written_rows(block).into_iter().flat_map(|(_, row)| fields(row)).map(|(number, _)| number);
    // A turn has at least one field: its choice or its number.
    written.max().unwrap_or_default().max(1)
}

/// A loop that is asked as often as the answer to a question says.
struct CountedLoop {
    qid: String,
    /// Maximum number of turns. `None` if the file has none.
    most: Option<u32>,
    /// Whether the number is the same for everybody, because the answer is given beforehand.
    is_constant: bool,
    /// Maximum number of rows of its table.
    limit: u32,
}

impl CountedLoop {
    /// Reads the loop. `None` if it is of another kind.
    fn read(file: &QsfFile, block: &FileBlock) -> Option<Self> {
        let locator = text_of(block.options.pointer("/LoopingOptions/Locator"));
        let (path, query) = locator.split_once('?').unwrap_or((&locator, ""));
        let qid = path.strip_prefix("q://")?.strip_suffix("/LoopAndMerge/MergeOnNumericResponse")?.to_owned();
        let said = query.split('&').find_map(|part| part.strip_prefix("v=")?.parse().ok());
        let rows = listed(block.options.pointer("/LoopingOptions/Static")).len();
        let settings = file.question(&qid).and_then(|question| question.pointer("/Validation/Settings"));
        let highest = ["/ValidNumber/Max", "/Max"].into_iter().find_map(|field| number_of(settings?.pointer(field)));
        let given: Option<u32> = file.constant_answer(&qid).and_then(|answer| answer.parse().ok());
        // A draw bounds the turns, so the table may be longer.
        let limit = if given.is_some() && subset(block).is_some() { MAX_ROWS } else { MAX_TURNS };
        let most = given.or(said).or_else(|| u32::try_from(rows).ok().filter(|rows| *rows > 0));
        let most = most.or_else(|| highest.and_then(whole)).filter(|most| *most > 0);
        Some(Self { qid, most, is_constant: given.is_some(), limit })
    }
}

/// Returns the question whose choices the loop goes over.
fn source(block: &FileBlock) -> Option<CarriedChoices> {
    let of = |field: &str| text_of(block.options.pointer(&format!("/LoopingOptions/{field}")));
    if text_of(block.options.get("Looping")) != "Question" || of("Locator").contains("/LoopAndMerge/") {
        return None;
    }
    let located = ["Locator", "ChoiceGroupLocator"].into_iter().find_map(|field| CarriedChoices::at(&of(field)));
    let selected = |qid| CarriedChoices { qid, group: "SelectedChoices".into(), answer: None };
    located.or_else(|| Some(of("QID")).filter(|qid| !qid.is_empty()).map(selected))
}

fn written_rows(block: &FileBlock) -> Vec<(String, &Value)> {
    let rows = listed(block.options.pointer("/LoopingOptions/Static"));
    rows.into_iter().filter(|(_, row)| row.is_object() || row.is_array()).collect()
}

/// Fields of a row, by their numbers from 1.
fn fields(row: &Value) -> impl Iterator<Item = (usize, &Value)> {
    let numbered = listed(Some(row)).into_iter().filter_map(|(key, field)| Some((key.trim().parse().ok()?, field)));
    numbered.filter(|(number, _)| (1..=MAX_FIELDS).contains(number))
}

impl Importer<'_> {
    /// Returns the block's nodes, asked once for each row.
    pub fn looped(&mut self, block: &FileBlock, flow: Vec<Node>, place: &TextPlace<'_>) -> Vec<Node> {
        let file = self.file;
        let kind = text_of(block.options.get("Looping"));
        let written = written_rows(block);
        let source = source(block);
        let choices = source.as_ref().and_then(|source| file.question(&source.qid));
        let choices = choices.map(|question| raw_choices(file, question, ChoiceKind::Options)).unwrap_or_default();
        let counted = CountedLoop::read(file, block);
        let ids: Vec<String> = match (counted.as_ref().and_then(|counted| counted.most), choices.is_empty()) {
            (Some(most), _) => {
                let limit = counted.as_ref().map_or(MAX_TURNS, |counted| counted.limit);
                (1..=most.min(limit)).map(|turn| turn.to_string()).collect()
            }
            (None, true) => written.iter().map(|(id, _)| id.clone()).collect(),
            (None, false) => choices.iter().map(|(id, _)| id.clone()).collect(),
        };
        if ids.is_empty() {
            let was = said(&kind, counted.is_some());
            self.note(place, ReportList::Lost, LossCode::Loop, LossSeverity::Error, &was, "asked once");
            return flow;
        }
        // The condition of each row, if the loop goes over earlier choices.
        let asked = source.as_ref().filter(|_| !choices.is_empty()).filter(|source| !source.is_all());
        let asked: Option<Vec<Condition>> =
            asked.and_then(|source| ids.iter().map(|id| self.is_chosen(source, id)).collect());
        let asked = match &counted {
            Some(counted) => self.turns_up_to(counted, ids.len(), place),
            None => asked,
        };
        let is_constant = counted.as_ref().is_some_and(|counted| counted.is_constant);
        if kind != "Static" && !is_constant && asked.is_none() && !source.as_ref().is_some_and(CarriedChoices::is_all) {
            let was = said(&kind, counted.is_some());
            self.note(place, ReportList::Lost, LossCode::Loop, LossSeverity::Warning, &was, "asked of every row");
        }
        let table = self.nodes.name_after(&block.description, &block.id, "loop");
        if !self.tables.iter().any(|(name, _)| *name == table) {
            let width = width(block);
            let mut columns: Vec<String> = (1..=width).map(|column| format!("field_{column}")).collect();
            columns.extend(asked.is_some().then(|| CHOICE.to_owned()));
            let row = |id: &String, this: &mut Self| {
                let mut cells = vec![String::new(); width];
                let row = written.iter().find(|(known, _)| known == id).map(|(_, row)| *row);
                let label = choices.iter().find(|(known, _)| known == id).and_then(|(_, choice)| choice.get("Display"));
                let number = counted.is_some().then(|| Value::from(id.as_str()));
                // The first field of a turn is its number, unless the file gives it a text.
                let written = row.into_iter().flat_map(fields).filter(|(_, text)| !text_of(Some(*text)).is_empty());
                let number = number.iter().map(|number| (1, number));
                let texts = number.chain(written).chain(label.map(|label| (1, label)));
                for (number, text) in texts {
                    if let Some(cell) = cells.get_mut(number - 1) {
                        *cell = this.cell_text(&text_of(Some(text)), place);
                    }
                }
                cells.extend(asked.is_some().then(|| id.clone()));
                cells
            };
            let rows = ids.iter().map(|id| row(id, self)).collect();
            self.tables.push((table.clone(), Table { columns, rows, row_ids: Some(ids.clone()) }));
            let of_what = match (&asked, &counted) {
                (Some(_), Some(_)) => ", its first rows asked, as many as were answered",
                (Some(_), None) => ", each row asked where it was chosen",
                (None, _) => "",
            };
            let (was, now) =
                ("a block that is asked several times", format!("a loop over the table {table:?}{of_what}"));
            self.note(place, ReportList::Changed, LossCode::Looped, LossSeverity::Note, was, &now);
        }
        let flow = match asked {
            Some(asked) => self.where_chosen(block, &ids, asked, flow),
            None => flow,
        };
        let take = subset(block).filter(|size| usize::try_from(*size).is_ok_and(|size| size < ids.len()));
        vec![Node::Loop(Loop { table, take, order: is_drawn(block).then_some(Order::Random), flow })]
    }

    /// Returns the condition of each turn: the answered number is at least the number of the turn. `None` if there is
    /// no such answer.
    fn turns_up_to(&mut self, counted: &CountedLoop, turns: usize, place: &TextPlace<'_>) -> Option<Vec<Condition>> {
        if counted.most.is_some_and(|most| most > counted.limit) {
            let (was, now) =
                (format!("more than {} turns of a loop", counted.limit), format!("at most {}", counted.limit));
            self.note(place, ReportList::Lost, LossCode::Loop, LossSeverity::Error, &was, &now);
        }
        if counted.is_constant {
            return None;
        }
        let part = self.parts.get(&counted.qid)?.first()?;
        let is_number = matches!(part.kind, QuestionType::Number | QuestionType::Slider | QuestionType::Range);
        let question = Some(part.name.clone()).filter(|_| is_number || part.kind == QuestionType::TextEntry)?;
        let left = Left::Answer { question, row: None };
        Some((1..=turns).map(|turn| leaf(left.clone(), Operator::Ge(Value::from(turn)))).collect())
    }

    /// Returns the nodes of a turn whose row was chosen. A field holds the choice.
    fn where_chosen(&mut self, block: &FileBlock, ids: &[String], asked: Vec<Condition>, flow: Vec<Node>) -> Vec<Node> {
        let field = self.fields.name_after(&format!("{}_choice", block.description), &block.id, "loop_choice");
        let of_row = |(id, asked): (&String, Condition)| {
            let is_row = leaf(Left::Field(field.clone()), Operator::Is(Value::from(id.as_str())));
            joined(vec![is_row, asked], Condition::All)
        };
        let condition = joined(ids.iter().zip(asked).map(of_row).collect(), Condition::Any);
        let set = BTreeMap::from([(field.clone(), format!("{{{{loop:{CHOICE}}}}}"))]);
        vec![Node::Set(Set { set }), Node::If(If { condition, then: flow, otherwise: None })]
    }
}

/// Describes what a loop goes over that is not supported.
fn said(kind: &str, is_counted: bool) -> String {
    match kind {
        kind if is_counted || kind.contains("Numeric") => {
            "a loop that is asked as often as a number that was answered".to_owned()
        }
        "Question" => "a loop over what was chosen in another question".to_owned(),
        other => format!("a loop of kind {other}"),
    }
}

fn is_drawn(block: &FileBlock) -> bool {
    match block.options.pointer("/LoopingOptions/Randomization") {
        Some(Value::String(word)) => !["None", ""].contains(&word.as_str()),
        Some(Value::Object(_) | Value::Bool(true)) => true,
        _ => false,
    }
}

/// Returns how many of the rows are asked.
fn subset(block: &FileBlock) -> Option<u32> {
    let options = block.options.get("LoopingOptions")?;
    ["TotalRandSubset", "RandomSubSet", "Subset"].into_iter().find_map(|key| {
        let of = |value: &Value| number_of(value.get(key)).and_then(whole);
        of(options).or_else(|| options.get("Randomization").and_then(of))
    })
}

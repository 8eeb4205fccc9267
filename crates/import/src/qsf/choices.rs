//! The choices of a question: options, rows and labels with their ids, codes and orders.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::Importer;
use super::carried::CarriedChoices;
use super::file::{QsfFile, entries, is_true, listed, text_of};
use super::orders::FileOrder;
use super::texts::{TextPlace, escaped};
use crate::text::plain;
use crate::{LossCode, LossSeverity, ReportList};

/// Maximum number of options, rows or labels of one question.
const MAX_CHOICES: usize = 200;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileChoice {
    pub id: String,
    /// The text as the design has it, with its pipes.
    pub text: String,
    /// Whether the choice excludes all others.
    pub is_exclusive: bool,
}

/// A list of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceKind {
    Options,
    Rows,
    Labels,
}

impl Importer<'_> {
    /// Returns the choices in the order of the file. Their texts are not blank and unique.
    pub fn choices(&mut self, payload: &Value, of: ChoiceKind, place: &TextPlace<'_>) -> Vec<FileChoice> {
        let file = self.file;
        let mut choices: Vec<FileChoice> = Vec::new();
        for (number, (id, choice)) in (1..).zip(raw_choices(file, payload, of)) {
            if number > MAX_CHOICES {
                self.note(
                    place,
                    ReportList::Lost,
                    LossCode::TooManyOptions,
                    LossSeverity::Error,
                    "more than 200 choices",
                    "the first 200",
                );
                break;
            }
            let display = choice.get("Display").or(Some(choice)).and_then(Value::as_str).unwrap_or_default();
            let mut text = self.choice_text(display, place);
            if let Some(image) = choice.get("Image").filter(|image| image.is_object() || image.is_string()) {
                let described = ["ImageLocation", "Description", "Display"]
                    .into_iter()
                    .find_map(|key| Some(text_of(image.get(key))).filter(|text| !text.is_empty()));
                let described = described.unwrap_or_else(|| text_of(Some(image)));
                self.note(
                    place,
                    ReportList::Lost,
                    LossCode::Image,
                    LossSeverity::Warning,
                    &described,
                    "its description",
                );
                if text.is_empty() {
                    text = format!("[image: {}]", escaped(described.trim()));
                }
            }
            if of == ChoiceKind::Rows && text_of(payload.get("Selector")) == "Bipolar" {
                text = text.replacen(':', " .. ", 1);
            }
            if text.is_empty() {
                text = if of == ChoiceKind::Labels { number.to_string() } else { format!("(blank {number})") };
                let was = format!("choice {id} without a text");
                self.note(place, ReportList::Changed, LossCode::BlankText, LossSeverity::Note, &was, &text);
            }
            if choices.iter().any(|other| other.text == text) {
                let was = text.clone();
                let mut copy = 2;
                while choices.iter().any(|other| other.text == text) {
                    text = format!("{was} ({copy})");
                    copy += 1;
                }
                self.note(place, ReportList::Changed, LossCode::EqualText, LossSeverity::Note, &was, &text);
            }
            if is_true(choice.get("TextEntry")) {
                self.note(
                    place,
                    ReportList::Lost,
                    LossCode::OtherText,
                    LossSeverity::Note,
                    &format!("a field for text at {text:?}"),
                    "the option",
                );
            }
            let is_exclusive = is_true(choice.get("ExclusiveAnswer"));
            // Multiple choices support exclusive options, so nothing is lost.
            if is_exclusive && of != ChoiceKind::Options {
                let was = format!("{text:?} excludes the others");
                self.note(
                    place,
                    ReportList::Lost,
                    LossCode::ExclusiveOption,
                    LossSeverity::Note,
                    &was,
                    "an option like others",
                );
            }
            choices.push(FileChoice { id, text, is_exclusive });
        }
        choices
    }

    /// Reports what a list has besides the choices: choices that are never shown, groups, and names for files.
    pub fn note_lists(&mut self, payload: &Value, of: ChoiceKind, place: &TextPlace<'_>) {
        let shown: HashSet<String> = raw_choices(self.file, payload, of).into_iter().map(|(id, _)| id).collect();
        for (id, choice) in listed(payload.get(of.fields().0)) {
            if !shown.contains(&id) {
                let display = choice.get("Display").and_then(Value::as_str).unwrap_or_default();
                let was = format!("choice {id}, which is never shown: {}", plain(display).text);
                self.note(place, ReportList::Dropped, LossCode::NeverShown, LossSeverity::Note, &was, "nothing");
            }
        }
        let order = FileOrder::read_choices(payload, of);
        if let Some(unknown) = &order.unknown {
            let was = format!("an order of kind {unknown:?}");
            self.note(place, ReportList::Lost, LossCode::Order, LossSeverity::Warning, &was, "as written");
        }
        if order.is_mixed {
            let (was, now) = ("some that are always shown among those drawn", "as many of all, drawn");
            self.note(place, ReportList::Lost, LossCode::Order, LossSeverity::Warning, was, now);
        }
        if of == ChoiceKind::Labels {
            return;
        }
        let groups = listed(payload.get("ChoiceGroups")).into_iter();
        let groups: Vec<String> =
            groups.filter_map(|(_, group)| Some(plain(group.get("GroupLabel")?.as_str()?).text)).collect();
        if !groups.is_empty() {
            let was = format!("groups of choices: {}", groups.join(", "));
            self.note(place, ReportList::Lost, LossCode::ChoiceGroups, LossSeverity::Warning, &was, "one list");
        }
        let given = listed(payload.get("VariableNaming")).into_iter().map(|(id, name)| (id, text_of(Some(name))));
        let all = [payload.get("Choices"), payload.get("Answers")].map(listed).concat();
        let differs = |id: &String, name: &String| {
            let display =
                all.iter().find(|(known, _)| known == id).and_then(|(_, choice)| choice.get("Display")?.as_str());
            !name.is_empty() && display.is_some_and(|display| plain(display).text != *name)
        };
        let names: Vec<String> = given.filter(|(id, name)| differs(id, name)).map(|(_, name)| name).collect();
        if !names.is_empty() {
            let was = format!("names of choices for files: {}", names.join(", "));
            self.note(place, ReportList::Lost, LossCode::Codes, LossSeverity::Note, &was, "their texts");
        }
    }

    /// Returns the codes of the choices if they are not 1, 2, 3: their ids, unless the file gives them other codes.
    pub fn codes(&mut self, payload: &Value, choices: &[FileChoice], place: &TextPlace<'_>) -> Option<Vec<i64>> {
        let recoded = payload.get("RecodeValues").filter(|codes| !entries(codes).is_empty());
        let code = |choice: &FileChoice| {
            let given = recoded.map(|codes| text_of(codes.get(&choice.id))).filter(|code| !code.trim().is_empty());
            // A carried choice has an `x` before the id that it has in its own question.
            given.as_deref().unwrap_or(choice.id.trim_start_matches('x')).trim().parse::<i64>().ok()
        };
        let codes: Option<Vec<i64>> = choices.iter().map(code).collect();
        let Some(codes) = codes.filter(|codes| {
            let mut different = codes.clone();
            different.sort_unstable();
            different.dedup();
            different.len() == codes.len()
        }) else {
            if recoded.is_some() {
                let was = "codes that are no whole numbers, missing or equal";
                self.note(place, ReportList::Lost, LossCode::Codes, LossSeverity::Note, was, "1, 2, 3");
            }
            return None;
        };
        let is_default = codes.iter().zip(1..).all(|(code, place)| *code == place);
        (!is_default).then_some(codes)
    }
}

impl ChoiceKind {
    /// Names of the fields with the choices and with their order.
    fn fields(self) -> (&'static str, &'static str) {
        match self {
            Self::Options | Self::Rows => ("Choices", "ChoiceOrder"),
            Self::Labels => ("Answers", "AnswerOrder"),
        }
    }
}

/// Returns the choices in the order shown, including those that are carried forward.
pub fn raw_choices<'v>(file: &'v QsfFile, payload: &'v Value, of: ChoiceKind) -> Vec<(String, &'v Value)> {
    let (field, order) = of.fields();
    let mut all = Vec::new();
    if of != ChoiceKind::Labels {
        all.extend(CarriedChoices::read(payload).map(|carried| carried.choices(file, 0)).unwrap_or_default());
    }
    let carried = all.len();
    all.extend(listed(payload.get(field)));
    let by_id: HashMap<String, &Value> = all.iter().rev().cloned().collect();
    let written: Vec<(String, &Value)> = (listed(payload.get(order)).into_iter())
        .filter_map(|(_, id)| by_id.get_key_value(&text_of(Some(id))).map(|(id, choice)| (id.clone(), *choice)))
        .collect();
    let ids: HashSet<&String> = written.iter().map(|(id, _)| id).collect();
    let is_written = |id: &String| ids.contains(id);
    let ordered = if written.is_empty() {
        all
    } else {
        // CarriedChoices choices that are not in the order come first.
        let first = all.iter().take(carried).filter(|(id, _)| !is_written(id));
        first.chain(&written).cloned().collect()
    };
    FileOrder::read_choices(payload, of).arranged(ordered)
}

/// Ids of options or rows, in the order shown.
pub fn ids(file: &QsfFile, payload: &Value) -> Vec<String> {
    raw_choices(file, payload, ChoiceKind::Rows).into_iter().map(|(id, _)| id).collect()
}

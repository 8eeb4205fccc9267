//! Choices that a question carries forward from an earlier one.

use serde_json::Value;
use survey::condition::Condition;

use super::Importer;
use super::choices::{ChoiceKind, raw_choices};
use super::file::{QsfFile, text_of};
use super::shapes::QuestionPart;
use super::texts::TextPlace;
use crate::{LossCode, LossSeverity, ReportList};

/// Maximum length of a chain of questions that carry choices forward.
const MAX_CHAIN: usize = 5;

/// The source of carried choices, e.g. `q://QID7/ChoiceGroup/SelectedChoices`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedChoices {
    pub qid: String,
    /// The group of choices: `SelectedChoices`, `UnselectedChoices`, `AllChoices` and so on.
    pub group: String,
    /// The label that the rows of a matrix were given.
    pub answer: Option<String>,
}

impl CarriedChoices {
    /// Reads the source of a question's choices. `None` if it carries none forward, or not from a question.
    pub fn read(payload: &Value) -> Option<Self> {
        Self::at(&text_of(payload.get("DynamicChoices")?.get("Locator")))
    }

    pub fn at(locator: &str) -> Option<Self> {
        let path = locator.split('?').next()?.strip_prefix("q://")?;
        let mut parts = path.split('/');
        let (qid, _, group) = (parts.next()?, parts.next().filter(|part| *part == "ChoiceGroup")?, parts.next()?);
        Some(Self { qid: qid.to_owned(), group: group.to_owned(), answer: parts.next().map(str::to_owned) })
    }

    /// Returns the choices of the source question, under the ids that Qualtrics gives them here.
    pub fn choices<'v>(&self, file: &'v QsfFile, depth: usize) -> Vec<(String, &'v Value)> {
        let Some(source) = file.question(&self.qid).filter(|_| depth < MAX_CHAIN) else { return Vec::new() };
        let mut choices = Vec::new();
        match Self::read(source) {
            Some(further) => {
                choices.extend(further.choices(file, depth + 1));
                let own = super::file::listed(source.get("Choices"));
                choices.extend(own);
            }
            None => choices.extend(raw_choices(file, source, ChoiceKind::Options)),
        }
        choices.into_iter().map(|(id, choice)| (format!("x{id}"), choice)).collect()
    }

    /// Whether all choices are carried, whatever was answered.
    pub fn is_all(&self) -> bool {
        ["AllChoices", "DisplayedChoices", "AllChoicesTextEntry"].contains(&self.group.as_str())
    }
}

impl Importer<'_> {
    /// Returns the condition under which each carried choice is shown, by its id here. Empty if all are shown.
    pub fn carried_where(&mut self, payload: &Value, place: &TextPlace<'_>) -> Vec<(String, Condition)> {
        let file = self.file;
        let locator = text_of(payload.get("DynamicChoices").and_then(|dynamic| dynamic.get("Locator")));
        if locator.is_empty() {
            return Vec::new();
        }
        let Some(carried) = CarriedChoices::read(payload) else {
            let was = format!("choices from {locator}");
            self.note(place, ReportList::Lost, LossCode::CarriedForward, LossSeverity::Warning, &was, "nothing");
            return Vec::new();
        };
        let ids: Vec<String> = carried.choices(file, 0).into_iter().map(|(id, _)| id).collect();
        let shown: Option<Vec<(String, Condition)>> =
            ids.iter().map(|id| Some((id.clone(), self.is_chosen(&carried, id.strip_prefix('x')?)?))).collect();
        let name = self.parts.get(&carried.qid).and_then(|parts| parts.first()).map(|part| part.name.clone());
        let was = format!("{} of {}", carried.group, name.unwrap_or_else(|| carried.qid.clone()));
        let (list, severity, now) = match (&shown, carried.is_all()) {
            _ if ids.is_empty() => (ReportList::Lost, LossSeverity::Warning, "nothing: there are none in the file"),
            (_, true) => (ReportList::Changed, LossSeverity::Note, "its choices"),
            (Some(_), false) => (ReportList::Changed, LossSeverity::Note, "its choices, each shown by that answer"),
            (None, false) => (ReportList::Lost, LossSeverity::Warning, "all its choices"),
        };
        self.note(place, list, LossCode::CarriedForward, severity, &was, now);
        if carried.is_all() { Vec::new() } else { shown.unwrap_or_default() }
    }

    /// Returns the condition that a choice of the source question is in the group. `None` if it cannot be expressed.
    pub fn is_chosen(&self, carried: &CarriedChoices, choice: &str) -> Option<Condition> {
        let parts = self.parts.get(&carried.qid)?;
        let part: &QuestionPart = parts.first()?;
        let operator = match carried.group.as_str() {
            "SelectedChoices" | "SelectedChoicesTextEntry" => "Selected",
            "UnselectedChoices" | "NonSelectedChoices" | "NotSelectedChoices" => "NotSelected",
            _ => return None,
        };
        match &carried.answer {
            None => self.selected(&carried.qid, part, None, choice, operator).filter(|_| !part.kind.is_matrix()),
            Some(answer) => {
                let row = self.rows.get(&carried.qid)?.iter().position(|row| row.id == choice)?;
                self.selected(&carried.qid, part, Some(row + 1), answer, operator)
            }
        }
    }
}

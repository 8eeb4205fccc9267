//! `run/validation.json`: results of the newest validation with the run's twins, text, model and temperature.

use chrono::{DateTime, Utc};
use evidence::intervals::Estimate;
use export::number;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Decimals of figures in words.
const DIGITS: usize = 2;

/// A figure with the ends of its interval, if there is one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedFigure {
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl From<&Estimate> for RecordedFigure {
    fn from(of: &Estimate) -> Self {
        Self { value: of.value, low: of.low, high: of.high }
    }
}

impl RecordedFigure {
    /// Formats as `.72 (95 % CI .71 to .73)`.
    pub fn in_words(&self) -> String {
        let interval = self.low.zip(self.high);
        let interval = interval
            .map(|(low, high)| format!(" (95 % CI {} to {})", number::short(low, DIGITS), number::short(high, DIGITS)));
        format!("{}{}", number::short(self.value, DIGITS), interval.unwrap_or_default())
    }
}

/// Result of a completed validation for twins with the run's text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ValidationRecord {
    pub study_id: Uuid,
    pub created_at: DateTime<Utc>,
    /// `all` or `quick`.
    pub items: String,
    pub people: usize,
    /// Whether the people and their answers are invented.
    pub synthetic: bool,
    /// Variant of the twins' text.
    pub arm: String,
    /// Agreement of the twins with the people's first answers.
    pub accuracy: Option<RecordedFigure>,
    pub ceiling: Option<RecordedFigure>,
    pub of_ceiling: Option<RecordedFigure>,
    pub r: Option<RecordedFigure>,
    pub sd_ratio: Option<RecordedFigure>,
    /// Verdicts that follow from the figures by fixed rules.
    pub verdicts: Vec<String>,
    /// Findings of the leak guard; if there are any, there are no verdicts.
    pub leaks: Vec<String>,
}

impl ValidationRecord {
    /// The result in one paragraph.
    pub fn in_words(&self) -> String {
        let items = if self.items == "quick" { "24 questions" } else { "all questions" };
        let figures = [
            ("accuracy", &self.accuracy),
            ("the people themselves weeks later", &self.ceiling),
            ("share of that ceiling", &self.of_ceiling),
            ("r", &self.r),
            ("SD ratio", &self.sd_ratio),
        ];
        let figures = figures.iter().filter_map(|(name, of)| Some(format!("{name} {}", of.as_ref()?.in_words())));
        let figures = figures.collect::<Vec<_>>().join(", ");
        let found = match self.leaks.as_slice() {
            [] => self.verdicts.iter().map(|verdict| format!(" {verdict}")).collect::<String>(),
            leaks => format!(" A leak was found, so nothing follows from it: {}", leaks.join(" ")),
        };
        let invented = if self.synthetic {
            " Invented people with invented answers: it shows how a validation works and says nothing about models."
        } else {
            ""
        };
        format!(
            "Twins of the same set, text ({arm}), model and temperature were asked {items} that {people} people had answered \
             twice and that the twins do not know (validation {study}, {date}): {figures}.{found}{invented}",
            arm = self.arm,
            people = self.people,
            study = self.study_id,
            date = self.created_at.format("%Y-%m-%d"),
        )
    }
}

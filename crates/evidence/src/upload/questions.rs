use serde::{Deserialize, Serialize};

use crate::compare::{Item, ItemKind};
use crate::metrics::Scale;

/// A question of the survey.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub name: String,
    /// Qualtrics' id such as `QID7`, if the survey was imported from there.
    pub import_id: Option<String>,
    /// Qualtrics' ids of its rows, or of its choices if several can be chosen, in their order. Empty if they are not known.
    pub part_ids: Vec<String>,
    pub text: String,
    pub kind: QuestionKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum QuestionKind {
    /// One of the choices, which may have an order.
    Single { choices: Vec<Choice>, is_ordered: bool },
    /// Any number of the choices.
    Multiple { choices: Vec<Choice> },
    /// One of the choices for each row.
    Matrix { rows: Vec<String>, choices: Vec<Choice>, is_ordered: bool },
    /// A number.
    Number { scale: Scale },
}

/// An option and its code in files.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub label: String,
    pub code: i64,
}

/// How a question with options is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ScoredAs {
    /// The share of each option counts.
    Nominal,
    /// The options count in their order: means, ranks and correlations.
    Ordinal,
    /// The options are ordinal and have equal distances.
    Interval,
}

/// Returns the items to compare: each question, or each row of a matrix as `name_1`, `name_2` and so on.
pub fn items(questions: &[Question]) -> Vec<Item> {
    questions.iter().flat_map(Question::items).collect()
}

impl Question {
    pub(super) fn items(&self) -> Vec<Item> {
        let labels = |choices: &[Choice]| choices.iter().map(|choice| choice.label.clone()).collect::<Vec<_>>();
        let single = |choices: &[Choice], is_ordered: bool| {
            let categories = choices.len();
            let scale = if is_ordered { Scale::Ordinal { categories } } else { Scale::Nominal { categories } };
            ItemKind::Single { scale, labels: labels(choices) }
        };
        let item = |name: String, text: String, kind| Item { name, text, kind, scores: self.scores() };
        let alone = |kind| vec![item(self.name.clone(), self.text.clone(), kind)];
        match &self.kind {
            QuestionKind::Single { choices, is_ordered } => alone(single(choices, *is_ordered)),
            QuestionKind::Multiple { choices } => alone(ItemKind::Multiple { labels: labels(choices) }),
            QuestionKind::Number { scale } => alone(ItemKind::Single { scale: *scale, labels: Vec::new() }),
            // A matrix without rows is its own only row.
            QuestionKind::Matrix { rows, choices, is_ordered } if rows.is_empty() => {
                alone(single(choices, *is_ordered))
            }
            QuestionKind::Matrix { rows, choices, is_ordered } => {
                let of_row = |(row, text): (usize, &String)| {
                    let name = part_name(&self.name, row + 1);
                    item(name, format!("{} - {text}", self.text), single(choices, *is_ordered))
                };
                rows.iter().enumerate().map(of_row).collect()
            }
        }
    }

    /// The numbers of its ordered choices in means: their codes if these rise or fall with the order, as Qualtrics' recode
    /// values do. Empty if these are the positions.
    fn scores(&self) -> Vec<f64> {
        let (QuestionKind::Single { choices, is_ordered: true }
        | QuestionKind::Matrix { choices, is_ordered: true, .. }) = &self.kind
        else {
            return Vec::new();
        };
        let codes: Vec<i64> = choices.iter().map(|choice| choice.code).collect();
        let pairs = || codes.windows(2);
        let is_told = pairs().all(|pair| pair[0] < pair[1]) || pairs().all(|pair| pair[0] > pair[1]);
        let is_default = codes.iter().zip(1..).all(|(code, place)| *code == place);
        if is_default || !is_told { Vec::new() } else { codes.into_iter().map(|code| code as f64).collect() }
    }

    /// The choices of its items; empty for numbers.
    pub(super) fn choices(&self) -> &[Choice] {
        match &self.kind {
            QuestionKind::Single { choices, .. }
            | QuestionKind::Multiple { choices }
            | QuestionKind::Matrix { choices, .. } => choices,
            QuestionKind::Number { .. } => &[],
        }
    }
}

/// The name of a part of a question in files and statistics: a row of a matrix or an option, by its 1-based number.
pub fn part_name(question: &str, number: usize) -> String {
    format!("{question}_{number}")
}

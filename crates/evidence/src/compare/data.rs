use std::collections::BTreeMap;

use super::CompareRefused;
use crate::metrics::Scale;

/// A question, or a row of a matrix, with one answer from each respondent.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub name: String,
    pub text: String,
    pub kind: ItemKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// One value. The labels of its categories in order; empty for numbers.
    Single { scale: Scale, labels: Vec<String> },
    /// Any number of these options.
    Multiple { labels: Vec<String> },
}

impl Item {
    pub fn single(name: &str, scale: Scale) -> Self {
        Self { name: name.into(), text: String::new(), kind: ItemKind::Single { scale, labels: Vec::new() } }
    }
}

/// One item's answers, respondent by respondent; `None` where it was not answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// A number, or a category from 1.
    Numbers(Vec<Option<f64>>),
    /// For each option whether it was chosen.
    Selections(Vec<Option<Vec<bool>>>),
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Selections(values) => values.len(),
        }
    }
}

/// The answers of one side. All lists are as long as `ids`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Respondents {
    /// Who answered; a twin has its person's id.
    pub ids: Vec<String>,
    pub weights: Option<Vec<f64>>,
    /// The arm of an experiment.
    pub arms: Option<Vec<String>>,
    /// Attributes by name, as gender.
    pub attributes: BTreeMap<String, Vec<Option<String>>>,
    /// Answers by the item's name.
    pub answers: BTreeMap<String, Column>,
}

impl Respondents {
    pub(super) fn check(&self, side: &'static str) -> Result<(), CompareRefused> {
        let lists = (self.weights.iter().map(|weights| ("the weights", weights.len())))
            .chain(self.arms.iter().map(|arms| ("the arms", arms.len())))
            .chain(self.attributes.iter().map(|(name, levels)| (name.as_str(), levels.len())))
            .chain(self.answers.iter().map(|(name, column)| (name.as_str(), column.len())));
        for (what, found) in lists {
            if found != self.ids.len() {
                return Err(CompareRefused::Length { side, what: what.to_owned(), found, expected: self.ids.len() });
            }
        }
        Ok(())
    }

    pub(super) fn weight(&self, place: usize) -> f64 {
        self.weights.as_ref().and_then(|weights| weights.get(place)).copied().unwrap_or(1.0)
    }

    pub(crate) fn number(&self, item: &str, place: usize) -> Option<f64> {
        match self.answers.get(item)? {
            Column::Numbers(values) => *values.get(place)?,
            Column::Selections(_) => None,
        }
    }

    pub(crate) fn selection(&self, item: &str, place: usize) -> Option<&Vec<bool>> {
        match self.answers.get(item)? {
            Column::Selections(values) => values.get(place)?.as_ref(),
            Column::Numbers(_) => None,
        }
    }
}

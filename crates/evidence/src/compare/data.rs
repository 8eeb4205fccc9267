use std::collections::BTreeMap;

use super::CompareRefused;
use crate::metrics::Scale;
use crate::quantiles::QuantileCorners;

/// A question, or a row of a matrix, with one answer from each respondent.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub name: String,
    pub text: String,
    pub kind: ItemKind,
    /// The numbers that its ordered categories count as in means, in their order. Empty: 1, 2, 3 and so on.
    pub scores: Vec<f64>,
}

impl Item {
    /// The number that an answer counts as in means: the score of a category.
    pub fn score(&self, value: f64) -> f64 {
        score(&self.scores, value)
    }

    /// Whether the answer is one of several categories without an order.
    pub fn is_only_named(&self) -> bool {
        matches!(&self.kind, ItemKind::Single { scale, .. } if scale.is_only_named())
    }
}

/// The score of a category; the value itself without scores.
pub(super) fn score(scores: &[f64], value: f64) -> f64 {
    // Categories are whole numbers from 1, so nothing is cut off.
    let place = (value as usize).checked_sub(1);
    place.and_then(|place| scores.get(place)).copied().unwrap_or(value)
}

#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// One value. `labels` are those of its categories in order, and empty for numbers.
    Single { scale: Scale, labels: Vec<String> },
    /// Any number of these options.
    Multiple { labels: Vec<String> },
}

impl Item {
    pub fn single(name: &str, scale: Scale) -> Self {
        let kind = ItemKind::Single { scale, labels: Vec::new() };
        Self { name: name.into(), text: String::new(), kind, scores: Vec::new() }
    }
}

/// One item's answers, by respondent. `None` where the item was not answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Numbers, or 1-based categories.
    Numbers(Vec<Option<f64>>),
    /// Whether each option was chosen.
    Selections(Vec<Option<Vec<bool>>>),
}

impl Column {
    /// Returns a column of the same kind without answers.
    fn missing(&self, rows: usize) -> Self {
        match self {
            Self::Numbers(_) => Self::Numbers(vec![None; rows]),
            Self::Selections(_) => Self::Selections(vec![None; rows]),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Selections(values) => values.len(),
        }
    }
}

/// The distribution that a twin gave of its answer.
#[derive(Clone, Debug, PartialEq)]
pub enum GivenDistribution {
    /// Probabilities of the options in their order.
    Options(Vec<f64>),
    Numbers(QuantileCorners),
}

/// The id of a row and its arm, which is empty if arms do not count.
pub(crate) type RowKey<'a> = (&'a str, &'a str);

/// The answers of one side. All lists are as long as `ids`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Respondents {
    /// Ids of the respondents. A twin has its person's id.
    pub ids: Vec<String>,
    pub weights: Option<Vec<f64>>,
    /// Probability with which each person was drawn from the persons of the twins: above 0 and at most 1.
    pub probabilities: Option<Vec<f64>>,
    /// The arm of an experiment.
    pub arms: Option<Vec<String>>,
    /// Attributes by name, e.g. gender.
    pub attributes: BTreeMap<String, Vec<Option<String>>>,
    /// The arm of each random node by the node's name; empty for none.
    pub experiments: BTreeMap<String, Vec<String>>,
    /// Answers by the item's name.
    pub answers: BTreeMap<String, Column>,
    /// Distributions by the item's name, of twins that gave them.
    pub forecasts: BTreeMap<String, Vec<Option<GivenDistribution>>>,
}

impl Respondents {
    /// Appends other respondents. What only one side has is missing in the rows of the other; missing weights are 1,
    /// missing arms empty.
    pub fn append(&mut self, below: Self) {
        let (own, more) = (self.ids.len(), below.ids.len());
        self.ids.extend(below.ids);
        self.weights = lists(self.weights.take(), below.weights, own, more, &1.0);
        self.probabilities = lists(self.probabilities.take(), below.probabilities, own, more, &1.0);
        self.arms = lists(self.arms.take(), below.arms, own, more, &String::new());
        let mut attributes = below.attributes;
        for name in self.attributes.keys() {
            attributes.entry(name.clone()).or_insert_with(|| vec![None; more]);
        }
        for (name, levels) in attributes {
            self.attributes.entry(name).or_insert_with(|| vec![None; own]).extend(levels);
        }
        let mut experiments = below.experiments;
        for name in self.experiments.keys() {
            experiments.entry(name.clone()).or_insert_with(|| vec![String::new(); more]);
        }
        for (name, arms) in experiments {
            self.experiments.entry(name).or_insert_with(|| vec![String::new(); own]).extend(arms);
        }
        let mut forecasts = below.forecasts;
        for name in self.forecasts.keys() {
            forecasts.entry(name.clone()).or_insert_with(|| vec![None; more]);
        }
        for (name, given) in forecasts {
            self.forecasts.entry(name).or_insert_with(|| vec![None; own]).extend(given);
        }
        let mut answers = below.answers;
        for (name, column) in &self.answers {
            answers.entry(name.clone()).or_insert_with(|| column.missing(more));
        }
        for (name, column) in answers {
            let above = self.answers.entry(name).or_insert_with(|| column.missing(own));
            match (above, column) {
                (Column::Numbers(above), Column::Numbers(values)) => above.extend(values),
                (Column::Selections(above), Column::Selections(values)) => above.extend(values),
                // All answers of an item have one kind; others count as missing.
                (Column::Numbers(above), Column::Selections(_)) => above.resize(own + more, None),
                (Column::Selections(above), Column::Numbers(_)) => above.resize(own + more, None),
            }
        }
    }

    /// Makes the arms of a random node those of the comparison.
    pub fn take_arms(&mut self, node: &str) {
        self.arms = self.experiments.get(node).cloned();
    }

    pub(crate) fn check(&self, side: &'static str) -> Result<(), CompareRefused> {
        let lists = (self.weights.iter().map(|weights| ("the weights", weights.len())))
            .chain(self.probabilities.iter().map(|all| ("the probabilities", all.len())))
            .chain(self.arms.iter().map(|arms| ("the arms", arms.len())))
            .chain(self.attributes.iter().map(|(name, levels)| (name.as_str(), levels.len())))
            .chain(self.experiments.iter().map(|(name, arms)| (name.as_str(), arms.len())))
            .chain(self.forecasts.iter().map(|(name, given)| (name.as_str(), given.len())))
            .chain(self.answers.iter().map(|(name, column)| (name.as_str(), column.len())));
        for (what, found) in lists {
            if found != self.ids.len() {
                return Err(CompareRefused::Length { side, what: what.to_owned(), found, expected: self.ids.len() });
            }
        }
        Ok(())
    }

    pub(crate) fn key(&self, row: usize, with_arms: bool) -> RowKey<'_> {
        let arm = self.arms.as_ref().filter(|_| with_arms).and_then(|arms| arms.get(row));
        (self.ids[row].as_str(), arm.map_or("", String::as_str))
    }

    /// Returns the rows by their keys. Fails if two rows have the same key.
    pub(crate) fn rows(
        &self,
        side: &'static str,
        with_arms: bool,
    ) -> Result<BTreeMap<RowKey<'_>, usize>, CompareRefused> {
        let mut rows = BTreeMap::new();
        for row in 0..self.ids.len() {
            if rows.insert(self.key(row, with_arms), row).is_some() {
                return Err(CompareRefused::Doubled { side, id: self.ids[row].clone() });
            }
        }
        Ok(rows)
    }

    pub(crate) fn weight(&self, place: usize) -> f64 {
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

/// Joins two optional lists. `None` if neither is there.
fn lists<T: Clone>(
    first: Option<Vec<T>>,
    second: Option<Vec<T>>,
    own: usize,
    more: usize,
    usual: &T,
) -> Option<Vec<T>> {
    if first.is_none() && second.is_none() {
        return None;
    }
    let mut all = first.unwrap_or_else(|| vec![usual.clone(); own]);
    all.extend(second.unwrap_or_else(|| vec![usual.clone(); more]));
    Some(all)
}

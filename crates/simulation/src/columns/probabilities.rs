//! Columns of the distributions that twins gave: the probability of each option, and the quantiles of numbers.

use export::table::{Cell, Column, Values};
use survey::answer::yes_or_no;
use survey::distribution::{Distribution, LEVELS, PartDistribution};
use survey::question::names::QuestionNames;

use crate::answers::RequestOutcome;
use crate::run::Run;

/// The part of a distribution that a column holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProbabilitySource {
    /// Place of the question among those that take an answer.
    pub(super) place: usize,
    row: Option<String>,
    of: Outcome,
}

#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    /// The probability of an option or label.
    Option(String),
    /// The quantile at this place of [`LEVELS`].
    Quantile(usize),
}

/// The distribution of an answer in a run that asks for one.
pub(super) fn given_distribution(outcome: &RequestOutcome) -> Option<Distribution> {
    let RequestOutcome::Answered(given, _) = outcome else { return None };
    given.distribution.as_ref()?.parse().ok()
}

/// Columns of the probability of each option, or of the quantiles of a number.
pub(super) fn of_distribution(names: &mut QuestionNames, place: usize, run: &Run) -> Vec<(Column, ProbabilitySource)> {
    let (question, text) = (&run.questions[place], &run.labels[place]);
    let yes_and_no = [true, false].map(|yes| yes_or_no(yes).to_owned());
    let options = if question.choices().is_empty() { &yes_and_no[..] } else { question.choices() };
    let outcomes: Vec<(String, String, Outcome)> = match question.question_type.is_number() {
        true => (LEVELS.iter().enumerate())
            .map(|(at, level)| {
                let percent = (level * 100.0).round();
                (format!("__q{percent}"), format!("quantile at {percent} %"), Outcome::Quantile(at))
            })
            .collect(),
        false => (1..)
            .zip(options)
            .map(|(number, option)| {
                let label = format!("probability of {}", run.label(option));
                (format!("__p{number}"), label, Outcome::Option(option.clone()))
            })
            .collect(),
    };
    let rows: Vec<(String, Option<&String>)> = match question.question_type.is_matrix() {
        true => (1..).zip(question.rows()).map(|(number, row)| (format!("_{number}"), Some(row))).collect(),
        false => vec![(String::new(), None)],
    };
    let mut columns = Vec::new();
    for (number, row) in rows {
        for (suffix, label, of) in &outcomes {
            let name = names.free(&question.name, &format!("{number}{suffix}"));
            let row_label = row.map(|row| format!("{}: ", run.label(row))).unwrap_or_default();
            let column = Column {
                name,
                label: format!("{text}: {row_label}{label}"),
                kind: Column::PROBABILITY,
                values: Values::Number,
                is_indicator: false,
            };
            let source = ProbabilitySource { place, row: row.cloned(), of: of.clone() };
            columns.push((column, source));
        }
    }
    columns
}

impl ProbabilitySource {
    pub(super) fn cell(&self, distribution: Option<&Distribution>) -> Cell {
        let part = distribution.and_then(|distribution| distribution.part(self.row.as_deref()));
        let number = match (part, &self.of) {
            (Some(PartDistribution::Options(options)), Outcome::Option(option)) => options.get(option).copied(),
            (Some(PartDistribution::Quantiles(quantiles)), Outcome::Quantile(at)) => quantiles.0.get(*at).copied(),
            _ => None,
        };
        number.map_or(Cell::Missing, Cell::Number)
    }
}

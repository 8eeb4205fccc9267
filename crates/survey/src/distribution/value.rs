//! The stored distribution of a twin's answer to a question.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use random::uniform;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::quantiles::Quantiles;
use crate::answer::{Answer, AnswerValue, Parts, ValueKind, yes_or_no};
use crate::question::Question;

/// Probability of each option; they add up to 1.
pub type Probabilities = BTreeMap<String, f64>;

/// The distribution of a twin's answer. Options, labels and rows have the texts that the twin saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// Probabilities of one choice, or of yes or no.
    Options(Probabilities),
    /// Probabilities of the label of each row.
    Rows(BTreeMap<String, Probabilities>),
    /// Quantiles of a number.
    Quantiles(Quantiles),
}

/// The distribution of a part of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartDistribution<'a> {
    Options(&'a Probabilities),
    Quantiles(&'a Quantiles),
}

/// Decimals of drawn numbers, at most.
const MAX_DECIMALS: i32 = 6;

impl Distribution {
    /// The shares of these answers to a question, or the quantiles of their numbers. `None`: there is no answer, or their
    /// type has no distribution.
    pub fn of_answers(question: &Question, answers: &[Answer]) -> Option<Self> {
        let each = 1.0 / answers.len() as f64;
        let values = || answers.iter().flat_map(Answer::parts);
        match question.layout().filter(|_| !answers.is_empty())? {
            (Parts::Whole, ValueKind::Number) => {
                let number = |(_, value)| if let AnswerValue::Number(number) = value { Some(number) } else { None };
                Quantiles::of_numbers(&values().filter_map(number).collect::<Vec<_>>()).map(Self::Quantiles)
            }
            (Parts::Whole, ValueKind::Choice | ValueKind::YesNo) => {
                let mut shares = none_yet(question);
                for (_, value) in values() {
                    *shares.entry(value.text()).or_default() += each;
                }
                Some(Self::Options(shares))
            }
            (Parts::Rows, ValueKind::Choice) => {
                let rows = question.rows().iter().map(|row| (row.clone(), none_yet(question)));
                let mut rows: BTreeMap<String, Probabilities> = rows.collect();
                for (row, value) in values() {
                    let shares = rows.entry(row.unwrap_or_default().to_owned()).or_default();
                    *shares.entry(value.text()).or_default() += each;
                }
                Some(Self::Rows(rows))
            }
            _ => None,
        }
    }

    /// The distributions of its parts, with the rows' names; that of the whole question has no name.
    pub fn parts(&self) -> Vec<(Option<&str>, PartDistribution<'_>)> {
        match self {
            Self::Options(options) => vec![(None, PartDistribution::Options(options))],
            Self::Quantiles(quantiles) => vec![(None, PartDistribution::Quantiles(quantiles))],
            Self::Rows(rows) => {
                rows.iter().map(|(row, options)| (Some(row.as_str()), PartDistribution::Options(options))).collect()
            }
        }
    }

    /// The distribution of a part; `None` as its name is the whole question.
    pub fn part(&self, name: Option<&str>) -> Option<PartDistribution<'_>> {
        self.parts().into_iter().find(|(own, _)| *own == name).map(|(_, part)| part)
    }

    /// Draws an answer to the question. `None`: the question takes no such answers.
    pub fn draw(&self, question: &Question, random: &mut ChaCha8Rng) -> Option<Answer> {
        let rows = match self {
            Self::Quantiles(quantiles) if question.question_type.is_number() => {
                let bounds = (question.min_value, question.max_value);
                let number = quantiles.at(uniform(random), bounds);
                let number = within(rounded_like(number, &quantiles.0), bounds);
                return Answer::decode(question, &Value::from(number)).ok();
            }
            Self::Quantiles(_) => return None,
            Self::Options(options) => [(String::new(), pick(options, random)?)].into(),
            Self::Rows(rows) => {
                rows.iter().map(|(row, options)| Some((row.clone(), pick(options, random)?))).collect::<Option<_>>()?
            }
        };
        answer_in_words(question, rows)
    }

    /// Whether it can be that of an answer to the question: options and rows are the question's, probabilities add up to 1,
    /// and quantiles do not decrease.
    pub fn is_of(&self, question: &Question) -> bool {
        let is_whole = |options: &Probabilities| {
            let sum: f64 = options.values().sum();
            (sum - 1.0).abs() < 1e-6 && options.values().all(|probability| (0.0..=1.0 + 1e-9).contains(probability))
        };
        let knows = |options: &Probabilities| options.keys().all(|option| question.choices().contains(option));
        match (self, question.layout()) {
            (Self::Options(options), Some((Parts::Whole, ValueKind::Choice))) => is_whole(options) && knows(options),
            (Self::Options(options), Some((Parts::Whole, ValueKind::YesNo))) => {
                is_whole(options)
                    && options.keys().all(|option| [true, false].map(yes_or_no).contains(&option.as_str()))
            }
            (Self::Rows(rows), Some((Parts::Rows, ValueKind::Choice))) => {
                rows.keys().all(|row| question.rows().contains(row))
                    && rows.values().all(|options| is_whole(options) && knows(options))
            }
            (Self::Quantiles(Quantiles(numbers)), Some((Parts::Whole, ValueKind::Number))) => {
                numbers.is_sorted() && numbers.iter().all(|number| number.is_finite())
            }
            _ => false,
        }
    }
}

/// The answer that has this option, or these labels by row. `None`: answers to the question are no such choices.
pub(super) fn answer_in_words(question: &Question, mut rows: BTreeMap<String, String>) -> Option<Answer> {
    let value = match question.layout()? {
        (Parts::Rows, ValueKind::Choice) => rows.into_iter().map(|(row, label)| (row, Value::from(label))).collect(),
        (Parts::Whole, ValueKind::Choice) => Value::from(rows.pop_first()?.1),
        (Parts::Whole, ValueKind::YesNo) => Value::from(rows.pop_first()?.1 == yes_or_no(true)),
        _ => return None,
    };
    Answer::decode(question, &value).ok()
}

/// No probability for any option of the question.
fn none_yet(question: &Question) -> Probabilities {
    match question.layout() {
        Some((_, ValueKind::YesNo)) => [true, false].map(|yes| (yes_or_no(yes).to_owned(), 0.0)).into(),
        _ => question.choices().iter().map(|option| (option.clone(), 0.0)).collect(),
    }
}

/// Draws an option by its probability. `None`: no option has any.
fn pick(options: &Probabilities, random: &mut ChaCha8Rng) -> Option<String> {
    let sum: f64 = options.values().sum();
    let mut left = uniform(random) * sum;
    let mut last = None;
    for (option, probability) in options.iter().filter(|(_, probability)| **probability > 0.0) {
        if left < *probability {
            return Some(option.clone());
        }
        left -= probability;
        last = Some(option);
    }
    last.cloned()
}

/// Rounds a number to as many decimals as the quantiles have.
fn rounded_like(number: f64, quantiles: &[f64]) -> f64 {
    let is_exact = |decimals: i32| {
        let scale = 10_f64.powi(decimals);
        quantiles.iter().all(|quantile| ((quantile * scale).round() / scale - quantile).abs() <= quantile.abs() * 1e-12)
    };
    let scale = 10_f64.powi((0..MAX_DECIMALS).find(|decimals| is_exact(*decimals)).unwrap_or(MAX_DECIMALS));
    let rounded = (number * scale).round() / scale;
    if rounded.is_finite() { rounded } else { number }
}

/// The number, or the bound that it is beyond by rounding.
fn within(number: f64, (min, max): (Option<f64>, Option<f64>)) -> f64 {
    number.max(min.unwrap_or(f64::MIN)).min(max.unwrap_or(f64::MAX))
}

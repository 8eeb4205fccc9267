//! Counted answers to a question.

use std::collections::HashMap;

use survey::answer::Answer;

use super::numbers::Numbers;

/// The answers of some personas to one question.
#[derive(Clone, Debug, Default)]
pub struct GivenAnswers {
    /// Number of personas who answered.
    pub n: i64,
    /// Frequency of each label, by the row of a matrix. Options with a number or a rank are the rows; for a best and
    /// worst choice, the labels are these two words. Empty for other questions.
    pub times: HashMap<(Option<String>, String), i64>,
    /// Number of personas by row.
    pub of_row: HashMap<String, i64>,
}

impl GivenAnswers {
    /// Adds an answer that `times` personas gave. `None`: free text, or an answer that cannot be read.
    pub fn add(&mut self, answer: Option<&Answer>, times: i64) {
        self.n += times;
        for (row, value) in answer.into_iter().flat_map(Answer::parts) {
            if let Some(row) = row {
                *self.of_row.entry(row.to_owned()).or_default() += times;
            }
            value.labels().iter().for_each(|label| self.count(row, label, times));
        }
    }

    fn count(&mut self, row: Option<&str>, label: &str, times: i64) {
        *self.times.entry((row.map(str::to_owned), label.to_owned())).or_default() += times;
    }

    /// The numbers given to this row.
    pub fn numbers_of(&self, row: &str) -> Numbers {
        let of_row = self.times.iter().filter(|((given, _), _)| given.as_deref() == Some(row));
        Numbers::new(of_row.filter_map(|((_, number), times)| Some((number.parse().ok()?, *times))).collect())
    }

    /// The numbers among the answers.
    pub fn numbers(&self) -> Numbers {
        let parsed = self.times.iter().filter_map(|((_, number), times)| Some((number.parse().ok()?, *times)));
        Numbers::new(parsed.collect())
    }

    /// Number of personas who answered for this row.
    pub fn of_row(&self, row: &str) -> i64 {
        self.of_row.get(row).copied().unwrap_or_default()
    }

    pub fn times(&self, row: Option<&str>, label: &str) -> i64 {
        self.times.get(&(row.map(str::to_owned), label.to_owned())).copied().unwrap_or_default()
    }
}

//! The outcomes of a question, for which a distribution of its answers has probabilities.

/// What an answer can be, as far as it has a probability.
#[derive(Clone, Debug, PartialEq)]
pub enum PossibleAnswers<'a> {
    /// Lists, rankings and texts have no distribution.
    None,
    /// One of these options, in the order shown.
    Options(Vec<&'a str>),
    /// One of these labels for each row, in the order shown.
    Rows { rows: &'a [String], labels: Vec<&'a str> },
    /// A number between these bounds.
    Numbers { min: Option<f64>, max: Option<f64> },
}

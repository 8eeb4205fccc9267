//! What attributes make of answers, among people and among their twins.

use evidence::compare::{Coefficient, ItemRegression};
use serde::Serialize;
use utoipa::ToSchema;

/// A level of an attribute against the attribute's first one.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RegressionTerm {
    #[schema(example = "Gender: Male")]
    term: String,
    /// Coefficients, in the question's unit, with HC2 standard errors.
    people: f64,
    people_error: f64,
    twins: f64,
    twins_error: f64,
    /// Of their difference.
    p: f64,
}

impl From<&Coefficient> for RegressionTerm {
    fn from(Coefficient { term, people, people_error, twins, twins_error, p }: &Coefficient) -> Self {
        let (people, people_error, twins, twins_error) = (*people, *people_error, *twins, *twins_error);
        Self { term: term.clone(), people, people_error, twins, twins_error, p: *p }
    }
}

/// Least squares of a question on attributes together.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct QuestionRegression {
    #[schema(example = "fair")]
    name: String,
    text: String,
    pairs: usize,
    /// Share of the coefficients that differ at 5 %, and of those with the other sign.
    differ: f64,
    flip_sign: f64,
    terms: Vec<RegressionTerm>,
}

impl From<&ItemRegression> for QuestionRegression {
    fn from(of: &ItemRegression) -> Self {
        Self {
            name: of.item.clone(),
            text: of.text.clone(),
            pairs: of.pairs,
            differ: of.differ,
            flip_sign: of.flip_sign,
            terms: of.coefficients.iter().map(RegressionTerm::from).collect(),
        }
    }
}

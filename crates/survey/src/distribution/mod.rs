//! Distributions of answers: what a twin would answer with which probability.
//!
//! A question is asked in an [`AnswerForm`]: for its answer, for the probabilities of its outcomes in percent, or for the
//! code of an option, whose probability the model server gives. The [`Distribution`] is stored beside the answer that is
//! drawn from it.

mod codes;
mod form;
mod quantiles;
mod stated;
#[cfg(test)]
mod tests;
mod value;

pub use codes::{CodePart, MAX_CODES, code_parts, code_place, of_codes};
pub use form::{AnswerForm, FormReply, has_distribution};
pub use quantiles::{LEVELS, Quantiles};
pub use value::{Distribution, PartDistribution, Probabilities};

//! Diagnoses known pitfalls of answers of language models, in one pass over the answers of a run.

mod collected;
mod scales;

pub use self::collected::{AnswerKey, CollectedAnswers};
pub use self::scales::scales;

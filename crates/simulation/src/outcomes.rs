//! How the requests of an interview ended.

use crate::answers::{AskedPersona, RequestOutcome};
use crate::dealt::Dealt;

/// One persona's part of the run: an outcome for each question, in survey order.
#[derive(Clone, Debug)]
pub struct InterviewOutcomes {
    pub persona: AskedPersona,
    pub outcomes: Vec<RequestOutcome>,
    /// The assignment and the questions shown. `None` for a plain survey.
    pub dealt: Option<Dealt>,
}

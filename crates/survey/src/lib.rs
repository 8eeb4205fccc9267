//! Surveys with designs: questions, answers, and what each twin is dealt and asked.
//!
//! The crate has no database, clock or network. It is used in this order:
//!
//! - A [`Document`](document::Document) is a survey with its design as one JSON object: the questions as
//!   [`item::Item`]s, each with its [`logic`], and the [`flow`] over them. [`canonical`] gives its bytes for hashes.
//! - [`check::check`] reports errors and warnings, each [`finding`] with its place; what each arm can be asked; and the
//!   maximum of requests for one twin. It needs the names of the twins' attributes to check strata.
//! - [`plan::Plan::new`] makes a design ready for use: loops unrolled into slots (`Q7#1`), names resolved, texts
//!   parsed. One plan serves a whole run and is not changed by it. A survey without a design has a
//!   [plain](plan::Plan::is_plain) plan. Answers are found by `question.id`, so the slots are stored as questions
//!   first; a preview without a database numbers them instead.
//! - [`assign::assign`] deals arms, orders and rows to all twins at the start of a run, in the frozen order of the
//!   twins. The same plan, seed and twins give the same assignments; the engine stores them, and `verify` recomputes
//!   them. [`assign::assign_cell`] puts all twins into given arms, and [`assign::combinations`] lists the combinations
//!   of arms.
//! - [`walk::reachable`] returns the requests that a twin's assignment can reach, for which credits are held.
//! - [`walk::next`] takes an assignment, the stored answers and the failures. It returns the next call as a whole with
//!   its open questions; what is skipped and why; and what depends on a failure. It keeps no state: after every call,
//!   crash or retry it is called again and finds the same calls.
//! - [`distribution`] asks for probabilities instead of an answer, reads them, and draws the answer from them.
//! - [`rename`] changes a name wherever it is read, in the questions and in the flow.
//! - [`scales`] tells whether the options of a question are degrees of one scale.
//! - [`rehearsal`] walks with invented answers, for previews and tests.

pub mod answer;
pub mod arm_texts;
pub mod assign;
pub mod canonical;
pub mod check;
pub mod condition;
mod deck;
pub mod distribution;
pub mod document;
pub mod finding;
pub mod flow;
mod given;
pub mod hex;
pub mod import_report;
pub mod item;
pub mod json;
pub mod logic;
pub mod number;
mod outline;
pub mod pipe;
pub mod plan;
pub mod question;
pub mod rehearsal;
pub mod rename;
#[cfg(any(test, feature = "samples"))]
pub mod samples;
pub mod scales;
pub mod schema;
#[cfg(feature = "diesel")]
mod sql;
pub mod twin;
pub mod types;
pub mod walk;
pub mod williams;

#[cfg(test)]
mod tests;

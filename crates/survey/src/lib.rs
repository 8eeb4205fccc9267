//! Experiments: what a survey asks beside its questions, and what each twin is dealt and asked.
//!
//! Pure: no query, no clock, no network. Questions carry their [`logic`], surveys and runs a design. The way through it:
//!
//! - A [`Document`](document::Document) is a survey with its design as one JSON object: the questions as [`item::Item`]s,
//!   each with its [`logic`], and the [`flow`] over them. [`canonical`] gives its bytes for hashes.
//! - [`check::check`] says what is wrong or doubtful about it, each [`finding`] with its place, what each arm can be asked,
//!   and the most requests of one twin. It needs the names of the twins' attributes to check strata.
//! - [`plan::Plan::new`] makes a design ready: loops unrolled into slots (`Q7#1`), names resolved, texts parsed. One plan
//!   serves a whole run and is not changed by it. A survey without a design gives a plan that [is
//!   plain](plan::Plan::is_plain). Answers are found by `question.id`, so the slots are stored as questions first; a
//!   preview without a database numbers them instead.
//! - [`assign::assign`] deals arms, orders and rows to all twins at the start of a run, in the frozen order of the twins.
//!   The same plan, seed and twins give the same assignments; the engine stores them, and `verify` can recompute them.
//!   [`assign::assign_cell`] puts all twins into given arms, and [`assign::combinations`] says which there are.
//! - [`walk::reachable`] says what a twin's assignment can reach: its requests, and what is held for it.
//! - [`walk::next`] takes an assignment and the stored answers and failures, and gives the next call as a whole, with what
//!   is open in it; what is skipped and why; and what depends on a failure. It keeps no state: it is called again after
//!   every call, crash and retry, and finds the same calls.
//! - [`rehearsal`] walks with invented answers, for previews and tests.

pub mod answer;
pub mod arm_texts;
pub mod assign;
pub mod canonical;
pub mod check;
pub mod condition;
mod deck;
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
#[cfg(any(test, feature = "samples"))]
pub mod samples;
pub mod schema;
#[cfg(feature = "diesel")]
mod sql;
pub mod twin;
pub mod types;
pub mod walk;
pub mod williams;

#[cfg(test)]
mod tests;

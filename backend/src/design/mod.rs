//! Experiments: what a survey asks beside its questions, and what each twin is dealt and asked.
//!
//! Pure: no database, no clock, no network. [`flow`] is the design as it is written, [`check`] says what is wrong with
//! it, a [`plan`] is a design made ready, [`assign`] deals it to the twins of a run, and [`walk`] says what one of them
//! is asked next.

pub mod assign;
pub mod canonical;
pub mod check;
pub mod condition;
mod deck;
pub mod document;
pub mod finding;
pub mod flow;
mod given;
pub mod item;
pub mod logic;
mod outline;
pub mod pipe;
pub mod plan;
mod random;
pub mod rehearsal;
pub mod twin;
pub mod walk;
mod williams;

#[cfg(test)]
mod tests;

//! Runs: their list, their start, what may be done to them, how far they are, and the queue that they wait in.

pub mod assignments;
pub mod control;
pub mod events;
pub mod list;
pub mod names;
pub mod of_survey;
pub mod passes;
pub mod personas;
pub mod progress;
pub mod prompt;
pub mod queue;
pub mod shares;
pub mod show;
pub mod start;

//! Runs over the API: start, control, progress and notices.

mod control;
mod events;
mod lists;
mod notices;
mod progress;
mod shares;
mod start;

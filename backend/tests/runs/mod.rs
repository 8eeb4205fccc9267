//! Runs over the API: started, controlled, watched, and told of.

mod control;
mod events;
mod lists;
mod notices;
mod progress;
mod shares;
mod start;

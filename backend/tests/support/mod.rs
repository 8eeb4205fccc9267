//! What every test needs: a database of its own, the program itself, and an engine at work.

mod data_dir;
mod database;
pub mod lab;
mod program;
pub mod sample;
mod simulate;

pub use data_dir::{DataDir, is_root, wait_for_end};
pub use database::Database;
pub use program::{Outcome, Serving, twinlab};
pub use simulate::Simulate;

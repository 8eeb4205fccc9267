//! What every test needs: a database of its own, and the program itself.

mod database;
pub mod laboratory;
mod program;
pub mod sample;

pub use database::Database;
pub use program::{Outcome, Serving, twinlab};

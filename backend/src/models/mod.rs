//! A file a table: its row, its new row, its queries.

pub mod questions;
pub mod simulations;
pub mod survey_file;
pub mod users;

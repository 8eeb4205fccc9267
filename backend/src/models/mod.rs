//! A file a table: its row, its new row, its queries.

pub mod persona_import;
pub mod personas;
pub mod questions;
pub mod settlement;
pub mod simulations;
pub mod survey_file;
pub mod users;
pub mod workers;

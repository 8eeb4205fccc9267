//! A file a table: its row, its new row, its queries.

pub mod group_members;
pub mod groups;
pub mod ledger_check;
pub mod persona_import;
pub mod personas;
pub mod questions;
pub mod request_failures;
pub mod responses;
pub mod settlement;
pub mod simulation_personas;
pub mod simulations;
pub mod summaries;
pub mod survey_file;
pub mod surveys;
pub mod transactions;
pub mod users;
pub mod workers;

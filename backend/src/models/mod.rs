//! A file a table: its row, its new row, its queries.

pub mod access_requests;
pub mod audit_log;
pub mod erasure;
pub mod group_members;
pub mod groups;
pub mod idempotency_keys;
pub mod ledger_check;
pub mod login;
pub mod mails;
pub mod persona_import;
pub mod personal_data;
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
pub mod user_photos;
pub mod user_settings;
pub mod users;
pub mod workers;

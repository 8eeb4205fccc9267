//! Reads persona files row by row, and invents synthetic profiles.
//!
//! A persona file is a table in CSV, JSON Lines, parquet or a workbook; its first bytes decide the format ([`table`]).
//! [`columns`] decides what a column means, and [`profiles`] turns rows into
//! [`NewPersona`](crate::models::personas::NewPersona)s. Errors name file, row and column.

mod columns;
mod csv;
mod demographics;
mod jsonl;
mod parquet;
mod profiles;
mod questionnaire;
mod quotes;
mod record;
mod synthetic;
mod table;
mod text;
mod xlsx;

pub use columns::ImportOptions;
pub use profiles::{Profiles, open, open_named};
pub use record::{RecordPlace, RowRejection, Unreadable};
pub use synthetic::{source as synthetic_source, synthesize};

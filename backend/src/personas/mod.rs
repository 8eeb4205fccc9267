//! Twins before they are rows: persona files read row by row, and invented profiles.
//!
//! A persona file is a table: CSV, JSON Lines or parquet, told apart by its first bytes. [`columns`] decides what a
//! column means, [`profiles`] turns rows into [`NewPersona`](crate::models::personas::NewPersona)s, and whatever does
//! not fit stops the import with one line naming file, row and column.

mod columns;
mod csv;
mod demographics;
mod jsonl;
mod parquet;
mod profiles;
mod record;
mod synthetic;
mod table;

pub use columns::ImportVariant;
pub use profiles::{Profiles, open, open_named};
pub use record::{Place, Rejection, Unreadable};
pub use synthetic::{source as synthetic_source, synthesize};

//! A run's answers as tables: a row for each request, or for each twin.

pub mod jsonl;
pub mod long_csv;
pub mod long_parquet;
pub mod qualtrics;
pub mod read_me;
pub mod statistics;
pub mod wide;

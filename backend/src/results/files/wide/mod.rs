//! A run's answers as a table with a row a twin: its columns and cells, and the files that [`export`] writes of them.

pub mod columns;
mod encoder;
pub mod statistics;

pub use encoder::Encoder;

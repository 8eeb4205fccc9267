//! A run's answers wide, for statistics programs: a row for each twin, a column for each attribute, question, row of a
//! matrix and option of a multiple choice; and what tells these columns apart.

pub mod codebook;
pub mod columns;
pub mod parquet;
pub mod scripts;
pub mod table;
pub mod text;

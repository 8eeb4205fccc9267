//! Answers and figures as files. Knows no database and no server: what is written comes as columns and cells, figures, or a
//! folder.
//!
//! - [`table`] is a table with a row a person: its columns, their codes, and what reads them. Each format has a file there.
//! - [`statistics`] writes such a table for SPSS and Stata, [`program`] makes names that they take.
//! - [`archive`] packs a folder into a sealed zip with a manifest, and opens it.
//! - [`csv`], [`parquet`] and [`xml`] write a format, [`figures`] the rows of a comparison, [`number`] rounds figures.

pub mod archive;
pub mod csv;
pub mod figures;
pub mod number;
pub mod parquet;
pub mod program;
pub mod statistics;
pub mod table;
pub mod xml;

use std::io;

use ::parquet::errors::ParquetError;

/// Why a file was not written or not read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The content is more than the format holds.
    #[error("{0}")]
    TooLarge(String),
    /// The given file is not what it should be.
    #[error("{0}")]
    Invalid(String),
    #[error("a parquet file: {0}")]
    Parquet(#[from] ParquetError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

pub type Result<T> = std::result::Result<T, Error>;

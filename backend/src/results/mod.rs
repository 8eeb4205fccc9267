//! The read model of a simulation: its answers by page, as rows, as a matrix and as files, and its progress.

pub mod diagnostics;
pub mod files;
pub mod group_tests;
pub mod list;
pub mod matched;
pub mod matrix;
pub mod pages;
pub mod people;
pub mod progress;
pub mod prompt;
pub mod runs;
pub mod single_flight;
pub mod stream;
pub mod twin_order;

//! The read model of a simulation: its answers by page, as rows, as a matrix and as files, and its progress.

pub mod applied_rule;
pub mod dealt;
pub mod diagnostics;
pub mod files;
pub mod group_tests;
pub mod list;
pub mod markdown;
pub mod matched;
pub mod matrix;
pub mod pages;
pub mod people;
pub mod plans;
pub mod progress;
pub mod prompt;
pub mod rows;
pub mod run;
pub mod single_flight;
pub mod stream;
pub mod studies;
pub mod twin_order;

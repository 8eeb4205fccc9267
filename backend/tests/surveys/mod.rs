//! Surveys over the API: their lists, their locks, their questions, their files.

mod bad_input;
mod designs;
mod files;
mod lists;
mod locks;
mod plain;
mod qualtrics;
mod questions;
mod renaming;
mod trials;

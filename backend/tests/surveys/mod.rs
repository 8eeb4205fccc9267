//! Surveys over the API: their lists, their locks, their questions, their files.

mod designs;
mod files;
mod lists;
mod locks;
mod questions;

//! Plans of studies: what a researcher commits to, what a frozen plan names, and how a study differs from it.

pub mod content;
pub mod deviation;
pub mod differences;
pub mod document;
pub mod markdown;
pub mod not_found;
pub mod planned;

//! The digital twins of the current set: read by everyone who is signed in, changed by super administrators.

pub mod edits;
pub mod import;
pub mod lists;
pub mod quotas;

//! Who calls, and what they may do.

pub mod codes;
pub mod rules;
pub mod token;

//! Who calls, and what they may do.

pub mod access_token;
pub mod codes;
pub mod rules;
pub mod token;
pub mod uploads;

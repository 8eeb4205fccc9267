//! Signing in and out, tokens, and what is someone's own: profile, photo, settings, data, account.

pub mod account;
pub mod photo;
pub mod profile;
pub mod settings;
pub mod sign_in;
pub mod sign_out;
pub mod tokens;

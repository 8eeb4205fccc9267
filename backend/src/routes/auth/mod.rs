//! Signing in, and what is someone's own: profile, photo, settings, data, account.

pub mod profile;

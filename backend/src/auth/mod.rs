//! Authentication and access rules.

pub mod access_token;
pub mod codes;
mod hmac_sha256;
pub mod key_vault;
pub mod rules;
pub mod session_secret;
pub mod token;

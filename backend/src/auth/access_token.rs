//! Personal access tokens: what scripts sign in with. Only a hash is stored; 40 random letters and digits need no slow one.

use rand::RngExt;
use rand::distr::Alphanumeric;
use sha2::{Digest, Sha256};

/// What every token begins with, so that scanners of leaked secrets know it.
const PREFIX: &str = "twl_";
/// Random characters after it, about 238 bits.
const RANDOM_CHARS: usize = 40;
/// Characters by which the owner knows a token again.
const SHOWN_CHARS: usize = 12;

/// A new token. It is shown once.
pub struct NewToken(String);

impl NewToken {
    pub fn make() -> Self {
        let random = rand::rng().sample_iter(Alphanumeric).take(RANDOM_CHARS).map(char::from);
        Self(PREFIX.chars().chain(random).collect())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn shown(&self) -> &str {
        &self.0[..SHOWN_CHARS]
    }
}

/// Whether a bearer is meant as a personal access token.
pub fn is_one(bearer: &str) -> bool {
    bearer.starts_with(PREFIX)
}

/// What is stored of a token.
pub fn hash(token: &str) -> Vec<u8> {
    Sha256::digest(token).to_vec()
}

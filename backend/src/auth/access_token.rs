//! Personal access tokens, which scripts sign in with, and the tokens of read-only links. Only a hash is stored; 40 random
//! letters and digits need no slow one.

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
        Self::beginning_with(PREFIX)
    }

    /// For a link. Nobody can sign in with it.
    pub fn for_link() -> Self {
        Self::beginning_with("")
    }

    fn beginning_with(prefix: &str) -> Self {
        let random = rand::rng().sample_iter(Alphanumeric).take(RANDOM_CHARS).map(char::from);
        Self(prefix.chars().chain(random).collect())
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

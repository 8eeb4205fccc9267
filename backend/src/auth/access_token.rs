//! Personal access tokens, with which scripts sign in, and the tokens of read-only links. Only a hash is stored; for 40
//! random letters and digits a fast one is enough.

use rand::RngExt;
use rand::distr::Alphanumeric;
use sha2::{Digest, Sha256};

/// Prefix of every token, so that scanners of leaked secrets recognise it.
const PREFIX: &str = "twl_";
/// Number of random characters after it, about 238 bits.
const RANDOM_CHARS: usize = 40;
/// Number of stored characters by which the owner recognises a token.
const SHOWN_CHARS: usize = 12;

/// A new token, which is shown once.
pub struct NewToken(String);

impl NewToken {
    pub fn make() -> Self {
        Self::beginning_with(PREFIX)
    }

    /// Makes a token for a link. Nobody can sign in with it.
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

/// Whether a bearer looks like a personal access token.
pub fn is_one(bearer: &str) -> bool {
    bearer.starts_with(PREFIX)
}

/// The hash that is stored of a token.
pub fn hash(token: &str) -> Vec<u8> {
    Sha256::digest(token).to_vec()
}

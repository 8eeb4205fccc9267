//! Sign-in codes: six digits, stored only as a hash keyed with the session secret. The links with them cannot be voided
//! by guessing.

use hmac::{Hmac, KeyInit, Mac};
use rand::RngExt;
use sha2::Sha256;

use crate::config::Secret;

/// Length of a link's key in letters. It has no digits, so that nobody takes a part of it for the code in the same
/// mail.
pub const KEY_LENGTH: usize = 32;

/// Makes and checks codes, and the keys of the links in the same mails.
pub struct Codes {
    key: Secret,
}

impl Codes {
    pub fn new(secret: &Secret) -> Self {
        Self { key: secret.clone() }
    }

    /// Draws six random digits.
    pub fn make(&self) -> String {
        format!("{:06}", rand::rng().random_range(0..1_000_000))
    }

    /// The hash that is stored of a code. It is keyed: otherwise a million guesses would reveal the codes of a stolen
    /// table.
    pub fn hash(&self, user_id: i64, code: &str) -> Vec<u8> {
        self.mac(user_id, code).finalize().into_bytes().to_vec()
    }

    /// Compares in constant time.
    pub fn matches(&self, user_id: i64, code: &str, hash: &[u8]) -> bool {
        self.mac(user_id, code).verify_slice(hash).is_ok()
    }

    /// The key of the link for a stored code: 128 bits that only this program can compute.
    pub fn key(&self, user_id: i64, code_id: i64) -> String {
        let mac = self.mac(user_id, &format!("link {code_id}")).finalize().into_bytes();
        mac.iter()
            .take(KEY_LENGTH / 2)
            .flat_map(|byte| [byte >> 4, byte & 15])
            .map(|half| char::from(b'a' + half))
            .collect()
    }

    /// Compares in constant time.
    pub fn key_matches(&self, user_id: i64, code_id: i64, key: &str) -> bool {
        let half = |letter: &u8| letter.checked_sub(b'a').filter(|half| *half < 16);
        let bytes = key.as_bytes().chunks(2).map(|pair| match pair {
            [first, second] => Some(half(first)? << 4 | half(second)?),
            _ => None,
        });
        let Some(key) = bytes.collect::<Option<Vec<u8>>>().filter(|key| key.len() == KEY_LENGTH / 2) else {
            return false;
        };
        self.mac(user_id, &format!("link {code_id}")).verify_truncated_left(&key).is_ok()
    }

    fn mac(&self, user_id: i64, code: &str) -> Hmac<Sha256> {
        let key = self.key.expose().as_bytes();
        Hmac::<Sha256>::new_from_slice(key)
            .expect("HMAC takes keys of any length")
            .chain_update(b"sign-in code")
            .chain_update(user_id.to_be_bytes())
            .chain_update(code.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_six_digits_and_opens_one_account_alone() {
        let codes = Codes::new(&Secret::new("a secret that is as long as it takes"));
        let code = codes.make();
        assert!(code.len() == 6 && code.bytes().all(|digit| digit.is_ascii_digit()), "{code}");
        let hash = codes.hash(1, &code);
        assert!(codes.matches(1, &code, &hash));
        assert!(!codes.matches(2, &code, &hash));
        assert!(!codes.matches(1, "none", &hash));
    }

    #[test]
    fn a_key_opens_one_account_by_one_code_alone() {
        let codes = Codes::new(&Secret::new("a secret that is as long as it takes"));
        let key = codes.key(1, 2);
        assert!(key.len() == KEY_LENGTH && key.bytes().all(|letter| letter.is_ascii_lowercase()), "{key}");
        assert!(codes.key_matches(1, 2, &key));
        for (user, code, key) in [(2, 2, &*key), (1, 3, &*key), (1, 2, ""), (1, 2, &"a".repeat(KEY_LENGTH))] {
            assert!(!codes.key_matches(user, code, key), "{user} {code} {key}");
        }
    }
}

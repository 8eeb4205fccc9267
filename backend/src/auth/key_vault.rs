//! Keys of groups for model servers. They are stored encrypted only, with a key that follows from the session secret, and no
//! call of the API gives them out.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use hkdf::Hkdf;
use rand::RngExt;
use sha2::Sha256;

use crate::config::Secret;

/// Distinguishes the derived key from all others that follow from the secret.
const PURPOSE: &[u8] = b"twinlab: keys of groups for model servers";
const NONCE_BYTES: usize = 24;
/// Fewest characters of a key. The last ones of it are shown.
const MIN_CHARS: usize = 8;
const MAX_CHARS: usize = 1_000;
/// Characters that are shown of a long key. Of a short one a quarter is shown.
const SHOWN_CHARS: usize = 4;

/// Encrypts and decrypts keys. Each is bound to its group and its server.
pub struct KeyVault(XChaCha20Poly1305);

impl KeyVault {
    pub fn new(secret: &Secret) -> Self {
        let mut derived = [0; 32];
        Hkdf::<Sha256>::new(None, secret.expose().as_bytes())
            .expand(PURPOSE, &mut derived)
            .expect("HKDF gives as many bytes as a key has");
        Self(XChaCha20Poly1305::new(&Key::from(derived)))
    }

    /// Encrypts the group's key for this server. Returns nonce and ciphertext.
    pub fn seal(&self, group_id: i64, server: &str, key: &Secret) -> Vec<u8> {
        let nonce: [u8; NONCE_BYTES] = rand::rng().random();
        let aad = place(group_id, server);
        let message = Payload { msg: key.expose().as_bytes(), aad: &aad };
        let sealed = self.0.encrypt(&XNonce::from(nonce), message).expect("a key is short");
        [nonce.as_slice(), &sealed].concat()
    }

    /// Decrypts what [`seal`](Self::seal) returned. `None`: it was sealed with another secret, or for another place.
    pub fn open(&self, group_id: i64, server: &str, sealed: &[u8]) -> Option<Secret> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>()?;
        let aad = place(group_id, server);
        let key = self.0.decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: &aad }).ok()?;
        String::from_utf8(key).ok().map(Secret::new)
    }
}

/// Group and server that a sealed key is bound to.
fn place(group_id: i64, server: &str) -> Vec<u8> {
    format!("{group_id} {server}").into_bytes()
}

/// Checks a key that a person gave, and trims it. Messages do not contain it.
pub fn checked_key(text: &str) -> Result<Secret, String> {
    let key = text.trim();
    // It becomes an HTTP header.
    if !key.chars().all(|c| c.is_ascii_graphic()) {
        return Err("holds a blank, a line break or another character that no key has".to_owned());
    }
    if !(MIN_CHARS..=MAX_CHARS).contains(&key.len()) {
        return Err(format!("takes {MIN_CHARS} to {MAX_CHARS} characters"));
    }
    Ok(Secret::new(key))
}

/// The last characters of a checked key, by which people know it.
pub fn last_characters(key: &Secret) -> &str {
    let key = key.expose();
    &key[key.len() - SHOWN_CHARS.min(key.len() / 4)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault(secret: &str) -> KeyVault {
        KeyVault::new(&Secret::new(secret))
    }

    #[test]
    fn a_sealed_key_is_opened_with_the_same_secret_at_its_own_place_only() {
        let key = Secret::new("sk-marker-of-the-group");
        let vault_of_today = vault("0123456789abcdef0123456789abcdef");
        let sealed = vault_of_today.seal(4, "openai", &key);
        assert!(!sealed.windows(9).any(|bytes| bytes == b"sk-marker"));
        assert_ne!(sealed, vault_of_today.seal(4, "openai", &key), "each has a nonce of its own");
        assert_eq!(vault("0123456789abcdef0123456789abcdef").open(4, "openai", &sealed), Some(key));
        assert_eq!(vault_of_today.open(5, "openai", &sealed), None);
        assert_eq!(vault_of_today.open(4, "gpu", &sealed), None);
        assert_eq!(vault("another secret that is as long as it takes").open(4, "openai", &sealed), None);
        for broken in [&sealed[..10], &sealed[..30], &[], &[&sealed[..], &[0]].concat()] {
            assert_eq!(vault_of_today.open(4, "openai", broken), None);
        }
    }

    #[test]
    fn a_key_is_trimmed_and_refused_without_being_repeated() {
        let checked = |text: &str| checked_key(text).map(|key| key.expose().to_owned());
        assert_eq!(checked(" sk-0123456789abcdef\n"), Ok("sk-0123456789abcdef".to_owned()));
        for refused in ["", "short", "sk-marker with-a-blank", "sk-märker-0123", &"k".repeat(1_001)] {
            let reason = checked(refused).expect_err(refused);
            assert!(refused.is_empty() || !reason.contains(refused), "{reason}");
        }
        let shown = |text: &str| last_characters(&checked_key(text).expect("a key")).to_owned();
        assert_eq!((shown("sk-0123456789abcdef").as_str(), shown("sk-01234").as_str()), ("cdef", "34"));
    }
}

//! E-mail addresses, checked and lower-cased once, where they enter the program.

use std::fmt;

use serde::Serialize;

/// A valid address in lower case, as the database requires it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Email(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not an e-mail address")]
pub struct NotAnEmail;

impl Email {
    /// Trims and lower-cases the text. Fails unless it is `name@domain` in ASCII.
    pub fn parse(text: &str) -> Result<Self, NotAnEmail> {
        let email = text.trim().to_ascii_lowercase();
        let (local, domain) = email.rsplit_once('@').ok_or(NotAnEmail)?;
        let local_holds = (1..=64).contains(&local.len())
            && local.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&b))
            && !local.starts_with('.')
            && !local.ends_with('.')
            && !local.contains("..");
        let domain_holds = domain.len() <= 253
            && domain.split('.').all(|label| {
                (1..=63).contains(&label.len())
                    && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
                    && !label.starts_with('-')
                    && !label.ends_with('-')
            });
        if local_holds && domain_holds { Ok(Self(email)) } else { Err(NotAnEmail) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Email;

    #[test]
    fn an_address_is_kept_trimmed_and_in_lower_case() {
        assert_eq!(
            Email::parse(" Ada.Lovelace+1@Example.ORG\n").map(|e| e.to_string()),
            Ok("ada.lovelace+1@example.org".into())
        );
    }

    #[test]
    fn what_cannot_be_written_to_is_refused() {
        for text in [
            "",
            "ada",
            "@example.org",
            "ada@",
            "a b@example.org",
            "a@b@c",
            "a@ex..org",
            ".a@b.c",
            "a@-b.c",
            "a\0@b.c",
            "é@b.c",
        ] {
            assert!(Email::parse(text).is_err(), "{text:?} was accepted");
        }
    }
}

//! Names that other people read in mails: of groups and of persons.

use super::error::{ApiError, Result};

/// Refuses what would turn a mail into an advertisement, or a header into two.
pub fn check(what: &str, name: &str) -> Result<()> {
    let is_link = |word: &str| {
        let word = word.to_lowercase();
        word.contains("://") || word.contains("www.") || (word.contains('.') && word.contains('/'))
    };
    if name.contains(char::is_control) || name.split_whitespace().any(is_link) {
        return Err(ApiError::Invalid(format!("{what} must not hold web addresses or control characters")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_control_characters_are_no_part_of_a_name() {
        for name in ["Dept. of A.I.", "R&D and/or UX", "Café 東京", "v2.0 testers", "O\u{2019}Neill, Ph.D."] {
            assert!(check("name", name).is_ok(), "{name}");
        }
        for name in ["see http://evil.example/login", "WWW.evil.example", "evil.example/login", "a\r\nBcc: b", "a\u{7}"]
        {
            let refused = check("name", name).expect_err(name);
            assert_eq!(refused.to_string(), "name must not hold web addresses or control characters");
        }
    }
}

//! Names that other people read in mails: of groups, surveys and persons.

use std::net::Ipv4Addr;

use unicode_normalization::UnicodeNormalization;

use super::error::{ApiError, Result};

/// Beginnings of addresses that mail programs turn into links, also without `//`.
const SCHEMES: [&str; 14] = [
    "callto",
    "data",
    "facetime",
    "file",
    "ftp",
    "ftps",
    "http",
    "https",
    "javascript",
    "mailto",
    "skype",
    "sms",
    "tel",
    "xmpp",
];
/// Letters of the shortest top-level domain.
const MIN_TLD_LETTERS: usize = 2;

/// Refuses what would turn a mail into an advertisement, or a header into two. `what` is the name's field.
pub fn check(what: &str, name: &str) -> Result<()> {
    if name.contains(char::is_control) {
        return Err(ApiError::Invalid(format!("{what} must not hold control characters")));
    }
    match name.split_whitespace().find(|word| is_link(word)) {
        None => Ok(()),
        Some(word) => Err(ApiError::Invalid(format!(
            "{what} must not hold web addresses: mail programs make a link of \"{word}\". If it is none, write a space after \
             its dots and colons"
        ))),
    }
}

/// [`check`] of a name that is to replace another one: what stays as it was is not checked.
pub fn check_change(what: &str, before: Option<&str>, name: &str) -> Result<()> {
    if before == Some(name) { Ok(()) } else { check(what, name) }
}

/// Whether mail programs make a link of the word, or of a part of it.
fn is_link(word: &str) -> bool {
    let word: String = word.chars().filter(|letter| !is_invisible(*letter)).nfkc().collect();
    // Browsers take the ideographic full stop, which NFKC keeps, for a dot.
    let word = word.to_lowercase().replace('\u{3002}', ".");
    word.contains("://")
        || word.contains("www.")
        || has_scheme(&word)
        || word.match_indices('.').any(|(dot, _)| is_domain(&word[..dot], &word[dot + 1..]))
        || word.split(|c: char| !c.is_ascii_digit() && c != '.').any(|part| part.parse::<Ipv4Addr>().is_ok())
}

fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Whether something follows a scheme and its colon.
fn has_scheme(word: &str) -> bool {
    word.match_indices(':').any(|(colon, _)| {
        let scheme = word[..colon].rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        colon + 1 < word.len() && SCHEMES.contains(&scheme)
    })
}

/// Whether a label stands before the dot and a top-level domain behind it.
fn is_domain(before: &str, behind: &str) -> bool {
    let label = before.chars().next_back().is_some_and(char::is_alphanumeric);
    let end = behind.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(behind.len());
    let tld = behind[..end].trim_end_matches('-');
    label
        && (tld.starts_with("xn--") || (tld.chars().count() >= MIN_TLD_LETTERS && tld.chars().all(char::is_alphabetic)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_are_taken() {
        for name in [
            "Dr. Smith",
            "Version 2.0",
            "v2.0beta testers",
            "e.g. pilots",
            "Dept. of A.I.",
            "U.S.A. panel",
            "R&D and/or UX",
            "Café 東京",
            "O\u{2019}Neill, Ph.D.",
            "Wave 3: e-mail @ home",
            "Group:A",
            "Wait ... what",
            "Ratio 1:2, 3.5 %",
            "نتایج\u{200c}ها",
        ] {
            assert!(check("name", name).is_ok(), "{name}");
        }
    }

    #[test]
    fn what_mail_programs_link_is_refused_and_the_message_says_which_part() {
        for (name, part) in [
            ("see http://evil.example/login", "http://evil.example/login"),
            ("WWW.evil.example", "WWW.evil.example"),
            ("evil.example/login", "evil.example/login"),
            ("FREE MONEY at evil.example", "evil.example"),
            ("evil.example:8080", "evil.example:8080"),
            ("evil.example\\login", "evil.example\\login"),
            ("a\u{3000}evil\u{3002}example/login", "evil\u{3002}example/login"),
            ("evil\u{ff0e}example\u{ff0f}login", "evil\u{ff0e}example\u{ff0f}login"),
            ("evil\u{ff61}example", "evil\u{ff61}example"),
            ("evil\u{200b}.exam\u{ad}ple", "evil\u{200b}.exam\u{ad}ple"),
            ("(evil.example)", "(evil.example)"),
            ("evil.xn--p1ai", "evil.xn--p1ai"),
            ("пример.рф", "пример.рф"),
            ("Mail a@b.example now", "a@b.example"),
            ("mailto:a@b", "mailto:a@b"),
            ("Call tel:123", "tel:123"),
            ("go to 192.0.2.1:80", "192.0.2.1:80"),
            ("St.Gallen", "St.Gallen"),
        ] {
            let refused = check("Name", name).expect_err(name).to_string();
            let start =
                format!("Name must not hold web addresses: mail programs make a link of \"{part}\". If it is none");
            assert!(refused.starts_with(&start), "{refused}");
        }
    }

    #[test]
    fn control_characters_are_refused_and_what_stays_as_it_was_is_not_checked() {
        for name in ["a\r\nBcc: b", "a\u{7}"] {
            let refused = check("Name", name).expect_err(name);
            assert_eq!(refused.to_string(), "Name must not hold control characters");
        }
        assert!(check_change("Name", Some("evil.example"), "evil.example").is_ok());
        assert!(check_change("Name", Some("evil.example"), "evil.example 2").is_err());
        assert!(check_change("Name", None, "evil.example").is_err());
    }
}

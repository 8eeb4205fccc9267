use super::normal_forms::normal_within;
use super::table::Unreadable;

/// Maximum length of the normal form of a known encoding's name, in bytes.
const MAX_ENCODING_NAME_BYTES: usize = 20;

/// The encoding of texts in an SPSS or Stata file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TextEncoding {
    Utf8,
    Windows1252,
    /// Not stated by the file: UTF-8 if the text is valid UTF-8, otherwise windows-1252.
    Unsaid,
    /// An encoding that is not supported. Only ASCII texts can be read.
    Other(String),
}

/// The characters of windows-1252 from 0x80. From 0xa0 on they have Unicode's numbers.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

impl TextEncoding {
    pub fn named(name: &str) -> Self {
        match normal_within(name, MAX_ENCODING_NAME_BYTES).as_deref() {
            Some("") => Self::Unsaid,
            Some("utf8") => Self::Utf8,
            // Windows-1252 contains all printable characters of Latin-1.
            Some("windows1252" | "cp1252" | "1252" | "iso88591" | "latin1" | "usascii" | "ascii") => Self::Windows1252,
            _ => Self::Other(name.to_owned()),
        }
    }

    /// Returns the encoding for SPSS' number of a character code.
    pub fn of_code_page(number: i32) -> Self {
        match number {
            1 => Self::Other("EBCDIC".to_owned()),
            // Such texts are mostly ASCII.
            0 | 2 | 3 => Self::Unsaid,
            1252 | 28_591 => Self::Windows1252,
            65_001 => Self::Utf8,
            other => Self::Other(format!("of code page {other}")),
        }
    }

    /// Decodes a text without the blanks and NULs that pad its field. Invalid UTF-8, e.g. a character that was cut at a
    /// field's end, becomes U+FFFD.
    pub fn text(&self, bytes: &[u8]) -> Result<String, Unreadable> {
        let end = bytes.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |last| last + 1);
        let bytes = &bytes[..end];
        let text = match (self, std::str::from_utf8(bytes)) {
            (Self::Utf8 | Self::Unsaid, Ok(text)) => text.to_owned(),
            (Self::Utf8, Err(_)) => String::from_utf8_lossy(bytes).into_owned(),
            (_, Ok(text)) if text.is_ascii() => text.to_owned(),
            (Self::Windows1252 | Self::Unsaid, _) => bytes.iter().copied().map(windows_1252).collect(),
            (Self::Other(name), _) => return Err(Unreadable::Encoding { name: name.clone() }),
        };
        // Cells of CSV are trimmed too.
        let trimmed = text.trim();
        Ok(if trimmed.len() == text.len() { text } else { trimmed.to_owned() })
    }
}

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

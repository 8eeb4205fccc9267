//! CSV by RFC 4180, in UTF-8 with a byte order mark, by which spreadsheets recognise it.

use std::borrow::Cow;
use std::io::{self, Write};

use evidence::intervals::Interval;
use serde_json::Value;

use crate::number::figure;

pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// A cell of a row.
pub enum TableCell<'a> {
    Words(&'a str),
    /// A number as JSON writes it; empty where it is null.
    Value(Value),
}

/// The ends of an interval; empty cells where there is none.
pub fn ends(interval: Option<Interval>) -> [TableCell<'static>; 2] {
    [interval.map(|of| of.low), interval.map(|of| of.high)].map(number)
}

/// A figure, rounded; an empty cell where there is none.
pub fn number(value: Option<f64>) -> TableCell<'static> {
    TableCell::Value(figure(value))
}

/// Writes a row for spreadsheets.
pub fn line<'a>(out: &mut impl Write, cells: impl Iterator<Item = TableCell<'a>>) -> io::Result<()> {
    let mut bytes = Vec::new();
    for cell in cells {
        match cell {
            TableCell::Words(words) => text(&mut bytes, words, false),
            TableCell::Value(Value::Null) => {}
            TableCell::Value(value) => bytes.extend_from_slice(value.to_string().as_bytes()),
        }
        bytes.push(b',');
    }
    // In the place of the last comma.
    bytes.pop();
    bytes.extend_from_slice(b"\r\n");
    out.write_all(&bytes)
}

/// Returns the first line of a file, with the byte order mark. The names need no quotes.
pub fn head(columns: &[&str]) -> Vec<u8> {
    format!("{BYTE_ORDER_MARK}{}\r\n", columns.join(",")).into_bytes()
}

/// Appends a cell of text. Unless `raw`, an apostrophe stands before what a spreadsheet would run as a formula.
pub fn text(out: &mut Vec<u8>, text: &str, raw: bool) {
    let quoted = must_be_quoted(text);
    if quoted {
        out.push(b'"');
    }
    if !raw && runs_as_formula(text) {
        out.push(b'\'');
    }
    match text.contains('"') {
        true => out.extend_from_slice(text.replace('"', "\"\"").as_bytes()),
        false => out.extend_from_slice(text.as_bytes()),
    }
    if quoted {
        out.push(b'"');
    }
}

/// Returns the text as a cell for spreadsheets holds it, without the quotes around it.
pub fn guarded(text: &str) -> Cow<'_, str> {
    if runs_as_formula(text) { format!("'{text}").into() } else { text.into() }
}

/// Returns the text that was [`guarded`].
pub fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| runs_as_formula(text)).unwrap_or(cell)
}

/// Whether the cell needs quotes: by RFC 4180, with a blank at an end, or with a byte order mark.
fn must_be_quoted(text: &str) -> bool {
    text.starts_with(' ') || text.ends_with(' ') || text.contains(['"', ',', '\r', '\n', BYTE_ORDER_MARK])
}

/// Whether a spreadsheet would run the text as a formula: its first character says so, and it is no plain number.
fn runs_as_formula(text: &str) -> bool {
    const FIRST: [char; 10] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r'];
    let number = || {
        text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
            && text.parse::<f64>().is_ok()
    };
    text.trim_start_matches(BYTE_ORDER_MARK).starts_with(FIRST) && !number()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(of: &str, raw: bool) -> String {
        let mut out = Vec::new();
        text(&mut out, of, raw);
        String::from_utf8(out).expect("it is UTF-8")
    }

    #[test]
    fn text_that_a_spreadsheet_would_run_gets_an_apostrophe_and_a_number_none() {
        for runs in ["=1+1", "+x", "-x", "@x", "＝1+1", "＋1", "－1", "＠x", "\tx", "\u{feff}=1+1", "-1-2", "+", "-inf"]
        {
            assert!(cell(runs, false).trim_start_matches('"').starts_with('\''), "{runs:?}");
            assert!(!cell(runs, true).contains('\''), "{runs:?}");
        }
        for plain in ["-5", "+3", "-2.2", "-1e-7", "5", "a=b", "", "'=1", "{\"a\":\"=1\"}"] {
            assert!(!runs_as_formula(plain), "{plain:?}");
        }
    }

    #[test]
    fn cells_are_quoted_where_papaparse_quotes_them() {
        for (text, written) in [
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            (" a", "\" a\""),
            ("a ", "\"a \""),
            ("a\nb", "\"a\nb\""),
            ("\ra", "\"'\ra\""),
            ("a\u{feff}", "\"a\u{feff}\""),
            ("a b", "a b"),
            ("", ""),
        ] {
            assert_eq!(cell(text, false), written);
        }
    }
}

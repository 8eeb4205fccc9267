//! The codebook of a run's wide files.

use super::columns::{Columns, Values};
use crate::results::files::csv;

/// The columns of the codebook.
pub const HEADER: [&str; 5] = ["variable", "questionText", "type", "code", "label"];

/// A line for each code of a variable, or one without a code.
pub fn lines(columns: &Columns) -> impl Iterator<Item = [String; 5]> {
    columns.0.iter().flat_map(|column| {
        let line = |code: String, label: String| {
            [column.name.clone(), column.label.clone(), column.kind.to_owned(), code, label]
        };
        match &column.values {
            Values::Coded(codes) => codes.iter().map(|(code, label)| line(code.to_string(), label.clone())).collect(),
            Values::Text | Values::Number => vec![line(String::new(), String::new())],
        }
    })
}

/// As CSV, in UTF-8 with a byte order mark.
pub fn csv(columns: &Columns) -> Vec<u8> {
    let mut out = csv::head(&HEADER);
    for line in lines(columns) {
        for (place, cell) in line.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            csv::text(&mut out, cell, false);
        }
        out.extend_from_slice(b"\r\n");
    }
    out
}

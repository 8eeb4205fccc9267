//! The codebook of a run's wide files.

use super::columns::{Columns, Form, Values};
use super::table::WideTable;
use crate::results::files::csv;
use crate::results::files::statistics::{Program, names};

/// The columns of the codebook.
pub const HEADER: [&str; 7] = ["variable", "questionText", "type", "code", "label", "spssName", "stataName"];

/// A line for each code of a variable, or one without a code.
pub fn lines(columns: &Columns) -> impl Iterator<Item = [String; 7]> {
    let table = WideTable::new(columns.clone(), Form::Codes);
    let names = [Program::Spss, Program::Stata].map(|program| names::legal(table.header(), program));
    let [spss, stata] = names;
    columns.0.iter().zip(spss.into_iter().zip(stata)).flat_map(|(column, (spss, stata))| {
        let line = |code: String, label: String| {
            let (spss, stata) = (spss.clone(), stata.clone());
            [column.name.clone(), column.label.clone(), column.kind.to_owned(), code, label, spss, stata]
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

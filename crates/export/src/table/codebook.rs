//! The codebook of a table.

use super::{Column, Form, Values, WideTable};
use crate::csv;
use crate::program::{Program, legal_names};

/// The columns of the codebook.
pub const HEADER: [&str; 7] = ["variable", "questionText", "type", "code", "label", "spssName", "stataName"];

/// Returns a line for each code of a variable, or one without a code.
pub fn lines(columns: &[Column]) -> impl Iterator<Item = [String; 7]> {
    let table = WideTable::new(columns.to_vec(), Form::Codes);
    let names = [Program::Spss, Program::Stata].map(|program| legal_names(table.header(), program));
    let [spss, stata] = names;
    columns.iter().zip(spss.into_iter().zip(stata)).flat_map(|(column, (spss, stata))| {
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

/// Writes the codebook as CSV, in UTF-8 with a byte order mark.
pub fn csv(columns: &[Column]) -> Vec<u8> {
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

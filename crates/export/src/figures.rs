//! Figures as rows of CSV.

use evidence::rows::FigureRow;

use crate::csv;
use crate::number::rounded;

/// Columns of a figure: name, type of Data Package, and content.
pub const COLUMNS: [(&str, &str, &str); 9] = [
    ("question", "string", "The question's name, or a row of a matrix; empty: over all questions"),
    ("arm", "string", "The arm that the figure is about; empty: all arms"),
    ("option", "string", "The option, level or subgroup that the figure is about"),
    ("metric", "string", "What docs/evidence.md calls the figure"),
    ("value", "number", "The figure; of differences the second side less the first"),
    ("low", "number", "Lower end of the 95 % interval"),
    ("high", "number", "Upper end of the 95 % interval"),
    ("n", "integer", "Answers, twins or questions that the figure stands on"),
    ("note", "string", "Why there is no interval, or what else to know"),
];

/// Returns the first line of a table, with these columns before those of the figures.
pub fn head(before: &[&str]) -> Vec<u8> {
    let names = COLUMNS.iter().map(|(name, ..)| *name);
    csv::head(&before.iter().copied().chain(names).collect::<Vec<_>>())
}

/// Appends a row, with these cells before those of the figure.
pub fn line(out: &mut Vec<u8>, before: &[&str], row: &FigureRow) {
    let number = |value: Option<f64>| {
        value.filter(|value| value.is_finite()).map_or_else(String::new, |value| rounded(value).to_string())
    };
    for text in before.iter().copied().chain([row.question.as_str(), &row.arm, &row.option, &row.metric]) {
        csv::text(out, text, false);
        out.push(b',');
    }
    let n = row.n.map_or_else(String::new, |n| n.to_string());
    for cell in [number(Some(row.value)), number(row.low), number(row.high), n] {
        out.extend_from_slice(cell.as_bytes());
        out.push(b',');
    }
    csv::text(out, row.note.as_deref().unwrap_or_default(), false);
    out.extend_from_slice(b"\r\n");
}

//! Reads CSV, and the header rows of Qualtrics.

use serde::Deserialize;

use super::cells::Rows;
use super::table::{MAX_COLUMNS, Table, Unreadable};

#[derive(Deserialize)]
struct ImportId {
    #[serde(rename = "ImportId")]
    id: String,
    #[serde(rename = "choiceId")]
    choice: Option<String>,
}

/// Reads a table. The delimiter (comma, semicolon or tab) is the one that the first row has most of. A third row of
/// `{"ImportId":..}` shows that Qualtrics wrote the file; so does a second row in which `is_label` knows at least one
/// text.
pub fn parse(bytes: &[u8], is_label: impl Fn(&str) -> bool) -> Result<Table, Unreadable> {
    let text = std::str::from_utf8(bytes).map_err(|_| Unreadable::NotUtf8)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let delimiter = delimiter(text);
    // Checked before any cell takes memory: an empty cell takes one byte of the file, but some 50 here.
    let is_too_wide = |line: &[u8]| line.iter().filter(|byte| **byte == delimiter).count() >= MAX_COLUMNS;
    if text.as_bytes().split(|byte| matches!(byte, b'\n' | b'\r')).any(is_too_wide) {
        return Err(Unreadable::TooMany { most: MAX_COLUMNS, what: "columns" });
    }
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text.as_bytes());
    let mut records = reader.records().map(|record| {
        let record = record.map_err(|error| Unreadable::Row {
            row: error.position().map_or(0, csv::Position::record) + 1,
            reason: error.to_string(),
        })?;
        Ok(record.iter().map(|cell| cell.trim().to_owned()).collect::<Vec<_>>())
    });
    let mut table = Table { names: records.next().ok_or(Unreadable::Empty)??, ..Table::default() };
    let width = table.names.len();
    let mut first = records.by_ref().take(2).collect::<Result<Vec<_>, _>>()?;
    let mut number = 1;
    if first.get(1).is_some_and(|row| row.iter().any(|cell| import_id(cell).is_some())) {
        table.labels = first.remove(0);
        table.import_ids = first.remove(0).iter().map(|cell| import_id(cell).unwrap_or_default()).collect();
        number = 3;
    } else if first.first().is_some_and(|row| row.iter().any(|cell| is_label(cell))) {
        table.labels = first.remove(0);
        number = 2;
    }
    let mut rows = Rows::default();
    for row in first.into_iter().map(Ok).chain(records) {
        let mut row = row?;
        number += 1;
        if row.len() > width && row[width..].iter().any(|cell| !cell.is_empty()) {
            return Err(Unreadable::Row { row: number, reason: format!("{} cells for {width} columns", row.len()) });
        }
        row.resize(width, String::new());
        rows.push(width, row.into_iter().map(Ok))?;
    }
    table.rows = rows.into_rows();
    Ok(table)
}

/// Returns `QID7` or, for a choice of a question with several answers, `QID7_3`.
fn import_id(cell: &str) -> Option<String> {
    let ImportId { id, choice } = serde_json::from_str(cell).ok()?;
    Some(choice.map_or_else(|| id.clone(), |choice| format!("{id}_{choice}")))
}

fn delimiter(text: &str) -> u8 {
    let mut is_quoted = false;
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    for byte in text.bytes() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' if !is_quoted => break,
            _ if !is_quoted => counts.iter_mut().filter(|(of, _)| *of == byte).for_each(|(_, count)| *count += 1),
            _ => {}
        }
    }
    // Of equal counts the comma wins, because a file with one column has no delimiter.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(of, _)| *of)
}

use serde::Deserialize;

/// A CSV file with what Qualtrics writes above the answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub names: Vec<String>,
    /// Qualtrics' second row: the question's text for each column. Empty without it.
    pub labels: Vec<String>,
    /// Qualtrics' third row: `QID7`, `QID7_3`. Empty without it.
    pub import_ids: Vec<String>,
    /// Each as long as `names`.
    pub rows: Vec<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unreadable {
    #[error("the file is not text in UTF-8; save it as \"CSV UTF-8\"")]
    NotUtf8,
    #[error("the file is empty")]
    Empty,
    #[error("row {row}: {reason}")]
    Row { row: u64, reason: String },
}

#[derive(Deserialize)]
struct ImportId {
    #[serde(rename = "ImportId")]
    id: String,
    #[serde(rename = "choiceId")]
    choice: Option<String>,
}

/// Reads commas, semicolons or tabs, whichever the first row has most of. A third row of `{"ImportId":..}` shows that
/// Qualtrics wrote the file; so does a second row in which `is_label` knows at least one text.
pub fn parse(bytes: &[u8], is_label: impl Fn(&str) -> bool) -> Result<Table, Unreadable> {
    let text = std::str::from_utf8(bytes).map_err(|_| Unreadable::NotUtf8)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| Unreadable::Row {
            row: error.position().map_or(0, csv::Position::record) + 1,
            reason: error.to_string(),
        })?;
        rows.push(record.iter().map(|cell| cell.trim().to_owned()).collect::<Vec<_>>());
    }
    let mut rows = rows.into_iter();
    let mut table = Table { names: rows.next().ok_or(Unreadable::Empty)?, ..Table::default() };
    let mut rows: Vec<Vec<String>> = rows.collect();
    if rows.get(1).is_some_and(|row| row.iter().any(|cell| import_id(cell).is_some())) {
        table.labels = rows.remove(0);
        table.import_ids = rows.remove(0).iter().map(|cell| import_id(cell).unwrap_or_default()).collect();
    } else if rows.first().is_some_and(|row| row.iter().any(|cell| is_label(cell))) {
        table.labels = rows.remove(0);
    }
    let width = table.names.len();
    for (place, row) in rows.iter_mut().enumerate() {
        if row.len() > width && row[width..].iter().any(|cell| !cell.is_empty()) {
            let row_number = place as u64 + 2;
            return Err(Unreadable::Row {
                row: row_number,
                reason: format!("{} cells for {width} columns", row.len()),
            });
        }
        row.resize(width, String::new());
    }
    rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    table.rows = rows;
    Ok(table)
}

/// `QID7` or, for a choice of a question with several answers, `QID7_3`.
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
    // Of equal counts the first: a file with one column has commas.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(of, _)| *of)
}

use super::normal_forms::{MAX_HEADER_LETTERS, expanded};
use super::table::{MAX_COLUMNS, Table, Unreadable};
use super::{delimited, display_orders, dta, sav};

/// Reads CSV, an SPSS file (`.sav`) or a Stata file (`.dta`), which its first bytes tell apart. In CSV, a second row in
/// which `is_label` knows at least one text holds labels.
pub fn parse(bytes: &[u8], is_label: impl Fn(&str) -> bool) -> Result<Table, Unreadable> {
    let table = if sav::is_one(bytes) {
        sav::parse(bytes)?
    } else if dta::is_one(bytes) {
        dta::parse(bytes)?
    } else {
        delimited::parse(bytes, is_label)?
    };
    if table.names.len() > MAX_COLUMNS {
        return Err(Unreadable::TooMany { most: MAX_COLUMNS, what: "columns" });
    }
    let header = table.names.iter().chain(&table.labels).map(String::as_str);
    if expanded(header, MAX_HEADER_LETTERS) > MAX_HEADER_LETTERS {
        let what = "letters in the names and labels of its columns";
        return Err(Unreadable::TooMany { most: MAX_HEADER_LETTERS, what });
    }
    Ok(display_orders::added(table))
}

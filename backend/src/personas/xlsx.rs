//! Workbooks: the first sheet, whose first row is the header.

use std::fs::File;
use std::io::BufReader;

use calamine::{Data, ExcelDateTime, Range, Reader, Xlsx};

use super::record::{Record, RecordPlace};
use crate::error::{Error, Result};

pub struct XlsxTable {
    header: Vec<String>,
    cells: Range<Data>,
}

impl XlsxTable {
    /// Reads the whole sheet: a cell holds 32,767 characters at most, so sheets of twins are small.
    pub fn open(name: &str, file: File) -> Result<Self> {
        let damaged = |reason: String| {
            Error::bad_input(format!("{name}: no workbook that can be read: {}", reason.replace(['\n', '\r'], " ")))
        };
        let mut workbook = Xlsx::new(BufReader::new(file)).map_err(|error| damaged(error.to_string()))?;
        let sheet = workbook.worksheet_range_at(0).ok_or_else(|| damaged("it has no sheet".to_owned()))?;
        let cells = sheet.map_err(|error| damaged(error.to_string()))?;
        let first = cells.rows().next().ok_or_else(|| Error::bad_input(format!("{name}: the file is empty")))?;
        Ok(Self { header: first.iter().map(|cell| text(cell).unwrap_or_default()).collect(), cells })
    }

    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The rows below the header, without blank ones.
    pub fn records(self, columns: Vec<usize>) -> impl Iterator<Item = Record> {
        // Blank rows above the header are not in the range.
        let above = self.cells.start().map_or(0, |(row, _)| u64::from(row));
        let rows = 1..self.cells.height();
        rows.filter_map(move |row| {
            let cells = &self.cells[row];
            let blank = cells.iter().all(|cell| matches!(cell, Data::Empty));
            let record = || Record {
                place: RecordPlace::Row(above + row as u64 + 1),
                cells: columns.iter().map(|&column| text(&cells[column])).collect(),
            };
            (!blank).then(record)
        })
    }
}

fn text(cell: &Data) -> Option<String> {
    match cell {
        Data::Empty => None,
        Data::DateTime(moment) => Some(date(moment)),
        cell => Some(cell.to_string()),
    }
}

fn date(moment: &ExcelDateTime) -> String {
    if !moment.is_datetime() {
        return moment.to_string();
    }
    match moment.to_ymd_hms_milli() {
        (year, month, day, 0, 0, 0, 0) => format!("{year}-{month:02}-{day:02}"),
        (year, month, day, hour, minute, second, _) => {
            format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
        }
    }
}

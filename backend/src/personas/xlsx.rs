//! Reads workbooks: the first sheet, whose first row is the header.

use std::fs::File;
use std::io::{self, BufReader, Read};

use calamine::{Cell, Data, DataRef, ExcelDateTime, Reader, Xlsx};
use zip::ZipArchive;

use super::record::{Record, RecordPlace};
use crate::error::{Error, Result};

/// Size limit of the file in bytes. Each part that it lists takes some hundred bytes of memory before anything is read.
const MAX_FILE_BYTES: u64 = 32 << 20;
/// Size limit of all parts when unpacked, in bytes.
const MAX_UNPACKED_BYTES: u64 = 256 << 20;
/// Size limit of the part with the cells' texts when unpacked, in bytes.
const MAX_SHARED_TEXT_BYTES: u64 = 96 << 20;
/// Upper limit of texts in that part.
const MAX_SHARED_TEXTS: usize = 1_000_000;
/// Number of columns of an Excel sheet.
const MAX_COLUMNS: usize = 16_384;
/// Upper limit of rows times columns.
const MAX_CELLS: usize = 2_000_000;
/// Size limit of the cells as texts, in bytes. Many cells may share one text of the file.
const MAX_TEXT_BYTES: usize = 96 << 20;

pub struct XlsxTable {
    name: String,
    workbook: Box<Xlsx<BufReader<File>>>,
    sheet: String,
    /// Row of the header, from 0.
    header_row: u32,
    header_column: u32,
    header: Vec<String>,
}

impl XlsxTable {
    /// Opens the workbook and reads the first row that is not blank.
    pub fn open(name: String, file: File) -> Result<Self> {
        check(&name, &file)?;
        let workbook = Box::new(Xlsx::new(BufReader::new(file)).map_err(|error| damaged(&name, &error))?);
        let sheet = workbook.sheet_names().first().cloned().ok_or_else(|| damaged(&name, &"it has no sheet"))?;
        let mut table = Self { name, workbook, sheet, header_row: 0, header_column: 0, header: Vec::new() };
        table.read_header()?;
        Ok(table)
    }

    fn read_header(&mut self) -> Result<()> {
        let name = &self.name;
        let reader = self.workbook.worksheet_cells_reader(&self.sheet);
        let mut cells = reader.map_err(|error| damaged(name, &error))?;
        while let Some(cell) = cells.next_cell().map_err(|error| damaged(name, &error))? {
            let (row, column) = cell.get_position();
            let Some(text) = text(&cell) else { continue };
            if self.header.is_empty() {
                (self.header_row, self.header_column) = (row, column);
            } else if row != self.header_row {
                break;
            }
            let place = column.checked_sub(self.header_column).map(|place| place as usize);
            let place = place.filter(|place| *place < MAX_COLUMNS);
            let place = place.ok_or_else(|| damaged(name, &format!("row {} has no such columns", row + 1)))?;
            self.header.resize(self.header.len().max(place + 1), String::new());
            self.header[place] = text;
        }
        if self.header.is_empty() {
            return Err(Error::bad_input(format!("{name}: the file is empty")));
        }
        Ok(())
    }

    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Reads the rows below the header, without blank ones. Cells outside the header's columns are ignored: people
    /// leave notes and formats next to and below their tables.
    pub fn records(mut self, columns: Vec<usize>) -> impl Iterator<Item = Result<Record>> {
        let (records, error) = match self.read(&columns) {
            Ok(records) => (records, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        records.into_iter().map(Ok).chain(error.map(Err))
    }

    fn read(&mut self, columns: &[usize]) -> Result<Vec<Record>> {
        let name = &self.name;
        let mut place_of = vec![None; self.header.len()];
        for (place, column) in columns.iter().enumerate() {
            place_of[*column] = Some(place);
        }
        let reader = self.workbook.worksheet_cells_reader(&self.sheet);
        let mut cells = reader.map_err(|error| damaged(name, &error))?;
        let mut records: Vec<Record> = Vec::new();
        let mut text_bytes = 0;
        while let Some(cell) = cells.next_cell().map_err(|error| damaged(name, &error))? {
            let (row, column) = cell.get_position();
            let column = column.checked_sub(self.header_column).map(|column| column as usize);
            let Some(&place) = column.and_then(|column| place_of.get(column)) else { continue };
            if row <= self.header_row || matches!(cell.get_value(), DataRef::Empty) {
                continue;
            }
            let of_row = RecordPlace::Row(u64::from(row) + 1);
            if records.last().is_none_or(|record| record.place != of_row) {
                if (records.len() + 1) * columns.len() > MAX_CELLS {
                    return Err(too_large(name, &format!("{MAX_CELLS} cells")));
                }
                records.push(Record { place: of_row, cells: vec![None; columns.len()] });
            }
            if let (Some(record), Some(place), Some(text)) = (records.last_mut(), place, text(&cell)) {
                text_bytes += text.len();
                if text_bytes > MAX_TEXT_BYTES {
                    return Err(too_large(name, &format!("{} MiB of text", MAX_TEXT_BYTES >> 20)));
                }
                record.cells[place] = Some(text);
            }
        }
        Ok(records)
    }
}

/// Refuses a workbook that takes too much memory. Reads each part to its end, because the sizes that a file states may
/// be false.
fn check(name: &str, file: &File) -> Result<()> {
    let bytes = file.metadata().map_err(|error| damaged(name, &error))?.len();
    if bytes > MAX_FILE_BYTES {
        return Err(too_large(name, &format!("{} MiB", MAX_FILE_BYTES >> 20)));
    }
    let mut parts = ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(name, &error))?;
    let mut room = MAX_UNPACKED_BYTES;
    for place in 0..parts.len() {
        let mut part = parts.by_index(place).map_err(|error| damaged(name, &error))?;
        let path = part.name().map_err(|error| damaged(name, &error))?.to_lowercase();
        let read = if path.ends_with("sharedstrings.xml") {
            let mut texts = Vec::new();
            let read = part.take(MAX_SHARED_TEXT_BYTES + 1).read_to_end(&mut texts);
            check_shared_texts(name, &texts)?;
            read.map(|read| read as u64)
        } else {
            io::copy(&mut part.by_ref().take(room + 1), &mut io::sink())
        };
        let read = read.map_err(|error| damaged(name, &error))?;
        let left = room.checked_sub(read);
        room = left.ok_or_else(|| too_large(name, &format!("{} MiB when unpacked", MAX_UNPACKED_BYTES >> 20)))?;
    }
    Ok(())
}

/// Refuses more texts than fit in memory. calamine reserves memory for as many as `uniqueCount` states.
fn check_shared_texts(name: &str, xml: &[u8]) -> Result<()> {
    if xml.len() as u64 > MAX_SHARED_TEXT_BYTES {
        return Err(too_large(name, &format!("{} MiB of text", MAX_SHARED_TEXT_BYTES >> 20)));
    }
    let after = |word: &'static [u8]| {
        let starts = xml.windows(word.len()).enumerate().filter(move |(_, window)| *window == word);
        starts.map(move |(start, _)| &xml[start + word.len()..])
    };
    let stated = after(b"uniqueCount").map(|rest| {
        let digits = rest.iter().skip_while(|byte| !byte.is_ascii_digit() && **byte != b'>');
        digits
            .take_while(|byte| byte.is_ascii_digit())
            .fold(0, |number: usize, digit| number.saturating_mul(10).saturating_add(usize::from(digit - b'0')))
    });
    let texts = after(b"<si").count();
    if stated.chain([texts]).any(|texts| texts > MAX_SHARED_TEXTS) {
        return Err(too_large(name, &format!("{MAX_SHARED_TEXTS} different texts")));
    }
    Ok(())
}

fn damaged(name: &str, reason: &dyn std::fmt::Display) -> Error {
    let reason = reason.to_string().replace(['\n', '\r'], " ");
    Error::bad_input(format!("{name}: no workbook that can be read: {reason}"))
}

fn too_large(name: &str, most: &str) -> Error {
    Error::bad_input(format!("{name}: a workbook of more than {most} is not read; save it as CSV"))
}

fn text(cell: &Cell<DataRef<'_>>) -> Option<String> {
    match Data::from(cell.get_value().clone()) {
        Data::Empty => None,
        Data::DateTime(moment) => Some(date(&moment)),
        value => Some(value.to_string()),
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

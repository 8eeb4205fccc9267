//! Comma-separated tables (RFC 4180), UTF-8 with or without a byte order mark.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};

use super::record::{MAX_CELL_BYTES, Place, Record, Rejection, Unreadable};
use crate::error::{Error, Result};

/// Without a limit, a quote that is never closed would read the rest of the file as one cell.
const MAX_RECORD_BYTES: u64 = 2 * MAX_CELL_BYTES as u64;

pub struct CsvTable {
    name: String,
    header: Vec<String>,
    reader: Reader<CountingReader>,
    counts: Rc<Counts>,
}

impl CsvTable {
    pub fn open(name: String, path: &Path) -> Result<Self> {
        let counts = Rc::new(Counts::default());
        let file = File::open(path).map_err(|error| Error::bad_input(format!("{name}: cannot be read: {error}")))?;
        let counting = CountingReader { file, counts: counts.clone() };
        let mut reader = ReaderBuilder::new().buffer_capacity(1 << 16).from_reader(counting);
        let header = reader.byte_headers().map_err(|error| broken(&name, error))?;
        let header = header
            .iter()
            .map(|cell| String::from_utf8(cell.to_vec()))
            .collect::<Result<_, _>>()
            .map_err(|_| Error::bad_input(format!("{name}: line 1: the header is not UTF-8")))?;
        Ok(Self { name, header, reader, counts })
    }

    pub fn header(&self) -> &[String] {
        &self.header
    }

    pub fn records(mut self, columns: Vec<usize>) -> impl Iterator<Item = Result<Record, Unreadable>> {
        let mut bytes = ByteRecord::new();
        let mut started = 1;
        let mut failed = false;
        std::iter::from_fn(move || {
            if failed {
                return None;
            }
            self.counts.unfinished.set(0);
            let record = match self.reader.read_byte_record(&mut bytes) {
                Ok(true) => {
                    started = bytes.position().map_or(started, csv::Position::line);
                    self.record(&bytes, started, &columns)
                }
                Ok(false) => return None,
                Err(error) => Err(unreadable(&self.name, error)),
            };
            failed = matches!(record, Err(Unreadable::File(_)));
            Some(record)
        })
    }

    fn record(&self, bytes: &ByteRecord, line: u64, columns: &[usize]) -> Result<Record, Unreadable> {
        let place = Place::Line(line);
        // A single quote inside an unquoted cell is harmless, unlike one that took in the lines after it.
        if self.counts.ended.get() && self.counts.quotes.get() % 2 == 1 {
            let swallowed = bytes.iter().any(|cell| cell.contains(&b'\n'));
            if swallowed {
                let message = format!("{}: {place}: a quote is opened and never closed", self.name);
                return Err(Error::bad_input(message).into());
            }
        }
        let cell = |&column: &usize| match std::str::from_utf8(&bytes[column]) {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(error) => Err(Unreadable::Row(Rejection {
                place,
                column: Some(self.header[column].clone()),
                reason: format!("not UTF-8 at byte {} of the cell", error.valid_up_to() + 1),
            })),
        };
        Ok(Record { place, cells: columns.iter().map(cell).collect::<Result<_, Unreadable>>()? })
    }
}

fn unreadable(name: &str, error: csv::Error) -> Unreadable {
    match error.kind() {
        ErrorKind::UnequalLengths { pos, expected_len, len } => Unreadable::Row(Rejection {
            place: Place::Line(pos.as_ref().map_or(0, csv::Position::line)),
            column: None,
            reason: format!("{len} cells where the header has {expected_len}"),
        }),
        _ => Unreadable::File(broken(name, error)),
    }
}

fn broken(name: &str, error: csv::Error) -> Error {
    Error::bad_input(match error.into_kind() {
        ErrorKind::Io(error) => format!("{name}: {error}"),
        _ => format!("{name}: not a CSV file"),
    })
}

/// Counts what the reader has read, to find two mistakes that the csv crate accepts.
#[derive(Default)]
struct Counts {
    /// Bytes read since the last whole record.
    unfinished: Cell<u64>,
    quotes: Cell<u64>,
    ended: Cell<bool>,
}

struct CountingReader {
    file: File,
    counts: Rc<Counts>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        let counts = &self.counts;
        counts.ended.set(read == 0);
        counts.quotes.set(counts.quotes.get() + buffer[..read].iter().filter(|&&byte| byte == b'"').count() as u64);
        counts.unfinished.set(counts.unfinished.get() + read as u64);
        if counts.unfinished.get() > MAX_RECORD_BYTES {
            return Err(io::Error::other(format!(
                "a record is longer than {} MB: is a quote left open?",
                MAX_RECORD_BYTES >> 20
            )));
        }
        Ok(read)
    }
}

//! Reads tables separated by commas (RFC 4180), semicolons or tabs.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};

use super::quotes::Quotes;
use super::record::{MAX_CELL_BYTES, Record, RecordPlace, RowRejection, Unreadable};
use super::text;
use crate::error::{Error, Result};

/// Length limit of a record in bytes. Without it, a quote that is never closed would read the rest of the file as one
/// cell.
const MAX_RECORD_BYTES: u64 = 2 * MAX_CELL_BYTES as u64;

pub struct CsvTable {
    name: String,
    header: Vec<String>,
    reader: Reader<CountingReader>,
    counts: Rc<Counts>,
}

impl CsvTable {
    /// Opens the file; `start` is the beginning of its text.
    pub fn open(name: String, path: &Path, start: &[u8]) -> Result<Self> {
        let delimiter = delimiter(start);
        let counts = Rc::new(Counts { unfinished: Cell::new(0), quotes: RefCell::new(Quotes::new(delimiter)) });
        let text = text::open(path).map_err(|error| Error::bad_input(format!("{name}: cannot be read: {error}")))?;
        let counting = CountingReader { text, counts: counts.clone() };
        let mut reader = ReaderBuilder::new().delimiter(delimiter).buffer_capacity(1 << 16).from_reader(counting);
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
        let place = RecordPlace::Line(line);
        let cell = |&column: &usize| match std::str::from_utf8(&bytes[column]) {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(error) => Err(Unreadable::Row(RowRejection {
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
        ErrorKind::UnequalLengths { pos, expected_len, len } => Unreadable::Row(RowRejection {
            place: RecordPlace::Line(pos.as_ref().map_or(0, csv::Position::line)),
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

/// The separator of the header: the most frequent of the three in its first line outside quotes, else the comma.
fn delimiter(start: &[u8]) -> u8 {
    let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let count = |wanted: u8| {
        let outside = line.split(|&byte| byte == b'"').step_by(2);
        outside.flatten().filter(|&&byte| byte == wanted).count()
    };
    // If several are equal, max_by_key takes the last.
    [b'\t', b';', b','].into_iter().max_by_key(|&wanted| count(wanted)).unwrap_or(b',')
}

/// Watches the bytes that the reader reads, to find two mistakes that the csv crate accepts.
struct Counts {
    /// Bytes read since the last whole record.
    unfinished: Cell<u64>,
    quotes: RefCell<Quotes>,
}

struct CountingReader {
    text: Box<dyn Read>,
    counts: Rc<Counts>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(buffer)?;
        let mut quotes = self.counts.quotes.borrow_mut();
        let closed_by_mistake = quotes.read(&buffer[..read]).err();
        if let Some(line) = closed_by_mistake.or(quotes.open().filter(|_| read == 0)) {
            return Err(io::Error::other(format!("line {line}: a quote is opened and never closed")));
        }
        let unfinished = self.counts.unfinished.get() + read as u64;
        self.counts.unfinished.set(unfinished);
        if unfinished > MAX_RECORD_BYTES {
            let (most, line) = (MAX_RECORD_BYTES >> 20, quotes.open());
            let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
            return Err(io::Error::other(format!("{place}a record is longer than {most} MB: is a quote left open?")));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_tells_the_delimiter() {
        for (header, expected) in [
            ("pid,summary\na;b;c;d", b','),
            ("pid;summary;Age, in years", b';'),
            ("pid\tsummary", b'\t'),
            ("summary", b','),
            ("\"a;b;c\",summary", b','),
        ] {
            assert_eq!(delimiter(header.as_bytes()), expected, "{header:?}");
        }
    }
}

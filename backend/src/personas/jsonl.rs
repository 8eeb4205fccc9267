//! Reads JSON Lines: one object a line. The first object's keys are the columns.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;

use super::record::{MAX_CELL_BYTES, Record, RecordPlace};
use super::text;
use crate::error::{Error, Result};

const MAX_LINE_BYTES: u64 = 4 * MAX_CELL_BYTES as u64;

/// Values are decoded when their column is read, since most of a Twin-2K-500 line is not.
type Object<'a> = HashMap<Cow<'a, str>, &'a RawValue>;

pub struct JsonTable {
    name: String,
    header: Vec<String>,
    lines: Lines,
}

impl JsonTable {
    pub fn open(name: String, path: &Path) -> Result<Self> {
        let mut lines = Lines::open(&name, path)?;
        let mut header = Vec::new();
        if let Some((line, number)) = lines.next(&name)? {
            // Sorted for the binary search; the order of keys does not matter.
            header = object(&name, line, number)?.into_keys().map(Cow::into_owned).collect();
            header.sort();
        }
        Ok(Self { lines: Lines::open(&name, path)?, name, header })
    }

    pub fn header(&self) -> &[String] {
        &self.header
    }

    pub fn records(mut self, columns: Vec<usize>) -> impl Iterator<Item = Result<Record>> {
        let mut failed = false;
        std::iter::from_fn(move || {
            if failed {
                return None;
            }
            let record = self.record(&columns).transpose();
            failed = matches!(record, Some(Err(_)));
            record
        })
    }

    fn record(&mut self, columns: &[usize]) -> Result<Option<Record>> {
        let Some((line, number)) = self.lines.next(&self.name)? else { return Ok(None) };
        let object = object(&self.name, line, number)?;
        let place = RecordPlace::Line(number);
        if let Some(key) = object.keys().find(|key| self.header.binary_search_by(|known| known[..].cmp(key)).is_err()) {
            let message = format!("{}: {place}: the key {key:?} is not among those of the first line", self.name);
            return Err(Error::bad_input(message));
        }
        let cell = |&column: &usize| match object.get(self.header[column].as_str()) {
            None => Ok(None),
            Some(raw) => plain(raw).map_err(|error| {
                Error::bad_input(format!("{}: {place}, column {}: {error}", self.name, self.header[column]))
            }),
        };
        Ok(Some(Record { place, cells: columns.iter().map(cell).collect::<Result<_>>()? }))
    }
}

/// Converts the value to text. Lists and objects stay JSON.
fn plain(raw: &RawValue) -> serde_json::Result<Option<String>> {
    Ok(match serde_json::from_str(raw.get())? {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    })
}

fn object<'a>(name: &str, line: &'a [u8], number: u64) -> Result<Object<'a>> {
    serde_json::from_slice(line).map_err(|error| {
        let place = RecordPlace::Line(number);
        if error.is_data() {
            return Error::bad_input(format!("{name}: {place}: not a JSON object"));
        }
        let what = error.to_string();
        // serde_json's line number is always 1, as it gets one line.
        let what = what.split(" at line ").next().unwrap_or_default();
        Error::bad_input(format!("{name}: {place}, character {}: {what}", error.column()))
    })
}

struct Lines {
    reader: BufReader<Box<dyn Read>>,
    line: Vec<u8>,
    /// Number of the line read last, 1-based.
    number: u64,
}

impl Lines {
    fn open(name: &str, path: &Path) -> Result<Self> {
        let text = text::open(path).map_err(|error| Error::bad_input(format!("{name}: cannot be read: {error}")))?;
        Ok(Self { reader: BufReader::with_capacity(1 << 16, text), line: Vec::new(), number: 0 })
    }

    /// Returns the next line that is not blank, with its number.
    fn next(&mut self, name: &str) -> Result<Option<(&[u8], u64)>> {
        loop {
            self.line.clear();
            let read = (&mut self.reader).take(MAX_LINE_BYTES).read_until(b'\n', &mut self.line);
            self.number += 1;
            let read = read.map_err(|error| Error::bad_input(format!("{name}: line {}: {error}", self.number)))?;
            if read == 0 {
                return Ok(None);
            }
            if read as u64 == MAX_LINE_BYTES && !self.line.ends_with(b"\n") {
                let max = MAX_LINE_BYTES >> 20;
                return Err(Error::bad_input(format!("{name}: line {} is longer than {max} MB", self.number)));
            }
            if !self.line.trim_ascii().is_empty() {
                break;
            }
        }
        Ok(Some((&self.line, self.number)))
    }
}

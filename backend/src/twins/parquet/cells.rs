//! A column of texts or numbers, cell by cell, in memory that a page's size does not touch.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;
use parquet::basic::{Compression, Encoding, Type};
use parquet::file::metadata::ColumnChunkMetaData;
use tempfile::SpooledTempFile;

use super::levels::Hybrid;
use super::page::{PageHeader, PageKind, damaged};
use super::snappy::Snappy;
use crate::twins::table::LONGEST_CELL;

/// Bytes read from the file at once.
const BUFFERED: usize = 1 << 16;
/// A dictionary up to this many bytes stays in memory; a larger one goes to a temporary file.
const DICTIONARY_IN_MEMORY: usize = 8 << 20;
/// Levels or positions of one page, in bytes.
const LONGEST_LEVELS: usize = 64 << 20;

/// Whether [`Cells`] reads this column: texts and numbers as every common writer stores them.
pub fn reads(chunk: &ColumnChunkMetaData) -> bool {
    let known = [Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY, Encoding::PLAIN_DICTIONARY];
    Kind::of(chunk.column_type()).is_some()
        && chunk.column_descr().max_rep_level() == 0
        && chunk.column_descr().max_def_level() <= 1
        && chunk.encodings().all(|encoding| known.contains(&encoding))
        && Codec::of(chunk.compression()).is_some()
}

#[derive(Clone, Copy)]
enum Codec {
    None,
    Snappy,
    Gzip,
    Zstd,
}

impl Codec {
    fn of(compression: Compression) -> Option<Self> {
        match compression {
            Compression::UNCOMPRESSED => Some(Self::None),
            Compression::SNAPPY => Some(Self::Snappy),
            Compression::GZIP(_) => Some(Self::Gzip),
            Compression::ZSTD(_) => Some(Self::Zstd),
            _ => None,
        }
    }

    fn open(self, stored: BufReader<Stretch>) -> Result<Box<dyn Read>> {
        Ok(match self {
            Self::None => Box::new(stored),
            Self::Snappy => Box::new(Snappy::new(stored)?),
            Self::Gzip => Box::new(BufReader::with_capacity(BUFFERED, MultiGzDecoder::new(stored))),
            Self::Zstd => {
                let decoder = zstd::stream::read::Decoder::with_buffer(stored)?;
                Box::new(BufReader::with_capacity(BUFFERED, decoder))
            }
        })
    }
}

/// How a value is stored.
#[derive(Clone, Copy)]
enum Kind {
    /// Its length in four bytes, then UTF-8.
    Text,
    Int32,
    Int64,
    Float,
    Double,
}

impl Kind {
    fn of(kind: Type) -> Option<Self> {
        match kind {
            Type::BYTE_ARRAY => Some(Self::Text),
            Type::INT32 => Some(Self::Int32),
            Type::INT64 => Some(Self::Int64),
            Type::FLOAT => Some(Self::Float),
            Type::DOUBLE => Some(Self::Double),
            _ => None,
        }
    }

    fn read(self, source: &mut impl Read) -> Result<String> {
        fn number<const N: usize>(source: &mut impl Read) -> Result<[u8; N]> {
            let mut bytes = [0; N];
            source.read_exact(&mut bytes)?;
            Ok(bytes)
        }
        Ok(match self {
            Self::Text => {
                let len = length(source)?;
                String::from_utf8(exactly(source, len, LONGEST_CELL)?).map_err(|_| damaged("not UTF-8"))?
            }
            Self::Int32 => i32::from_le_bytes(number(source)?).to_string(),
            Self::Int64 => i64::from_le_bytes(number(source)?).to_string(),
            Self::Float => f32::from_le_bytes(number(source)?).to_string(),
            Self::Double => f64::from_le_bytes(number(source)?).to_string(),
        })
    }
}

/// One column of one row group.
pub struct Cells {
    file: Arc<File>,
    at: u64,
    end: u64,
    codec: Codec,
    kind: Kind,
    /// Cells may be missing.
    optional: bool,
    dictionary: Option<Dictionary>,
    page: Option<Page>,
}

struct Page {
    left: usize,
    /// 1 where there is a value, 0 where there is none.
    levels: Option<Hybrid>,
    values: Values,
}

enum Values {
    Plain(Box<dyn Read>),
    /// Positions in the dictionary.
    Indexed(Hybrid),
}

impl Cells {
    /// `range`: where the column's pages stand in the file.
    pub fn new(file: Arc<File>, chunk: &ColumnChunkMetaData, range: std::ops::Range<u64>) -> Result<Self> {
        let codec = Codec::of(chunk.compression()).ok_or_else(|| damaged("an unknown compression"))?;
        let kind = Kind::of(chunk.column_type()).ok_or_else(|| damaged("an unknown type"))?;
        let optional = chunk.column_descr().max_def_level() == 1;
        Ok(Self { file, at: range.start, end: range.end, codec, kind, optional, dictionary: None, page: None })
    }

    /// The next cell: `None` where the file has no value. Past the last cell it is an error.
    pub fn next(&mut self) -> Result<Option<String>> {
        let page = loop {
            match &mut self.page {
                Some(page) if page.left > 0 => break page,
                _ => self.next_page()?,
            }
        };
        page.left -= 1;
        if let Some(levels) = &mut page.levels
            && levels.next()? == 0
        {
            return Ok(None);
        }
        match (&mut page.values, &mut self.dictionary) {
            (Values::Plain(source), _) => self.kind.read(source).map(Some),
            (Values::Indexed(positions), Some(dictionary)) => dictionary.get(positions.next()?).map(Some),
            (Values::Indexed(_), None) => Err(damaged("a page without its dictionary")),
        }
    }

    fn next_page(&mut self) -> Result<()> {
        self.page = None;
        if self.at >= self.end {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let mut start = self.stretch(self.at, self.end, 512);
        let header = PageHeader::read(&mut start)?;
        let body = start.get_ref().at - start.buffer().len() as u64;
        self.at = body + header.stored_len as u64;
        let mut stored = self.stretch(body, self.at.min(self.end), BUFFERED);
        match header.kind {
            PageKind::Dictionary { values } => {
                self.dictionary = Some(Dictionary::read(&mut self.codec.open(stored)?, values, self.kind)?);
            }
            PageKind::Data { values, encoding } => {
                let mut source = self.codec.open(stored)?;
                let levels = match self.optional {
                    true => {
                        let len = length(&mut source)?;
                        Some(Hybrid::new(exactly(&mut source, len, LONGEST_LEVELS)?, 1)?)
                    }
                    false => None,
                };
                self.page = Some(Page { left: values, levels, values: Values::new(source, encoding)? });
            }
            PageKind::DataV2 { values, encoding, repetition_len, definition_len, compressed } => {
                exactly(&mut stored, repetition_len, LONGEST_LEVELS)?;
                let levels = exactly(&mut stored, definition_len, LONGEST_LEVELS)?;
                let levels = if self.optional { Some(Hybrid::new(levels, 1)?) } else { None };
                let source = if compressed { self.codec.open(stored)? } else { Box::new(stored) };
                self.page = Some(Page { left: values, levels, values: Values::new(source, encoding)? });
            }
            PageKind::Other => {}
        }
        Ok(())
    }

    fn stretch(&self, at: u64, end: u64, buffered: usize) -> BufReader<Stretch> {
        BufReader::with_capacity(buffered, Stretch { file: self.file.clone(), at, end })
    }
}

impl Values {
    fn new(mut source: Box<dyn Read>, encoding: i64) -> Result<Self> {
        match encoding {
            0 => Ok(Self::Plain(source)),
            2 | 8 => {
                let width = exactly(&mut source, 1, 1)?[0];
                let mut positions = Vec::new();
                source.take(LONGEST_LEVELS as u64).read_to_end(&mut positions)?;
                Ok(Self::Indexed(Hybrid::new(positions, width)?))
            }
            _ => Err(damaged("a page in an encoding that its column does not name")),
        }
    }
}

/// Distinct values of a column, as text, which its pages point into in any order.
struct Dictionary {
    file: SpooledTempFile,
    /// Where each value starts, and where the last one ends.
    bounds: Vec<u64>,
}

impl Dictionary {
    fn read(source: &mut impl Read, values: usize, kind: Kind) -> Result<Self> {
        let mut file = SpooledTempFile::new(DICTIONARY_IN_MEMORY);
        let mut bounds = vec![0];
        let mut end = 0;
        for _ in 0..values {
            let value = kind.read(source)?;
            file.write_all(value.as_bytes())?;
            end += value.len() as u64;
            bounds.push(end);
        }
        Ok(Self { file, bounds })
    }

    fn get(&mut self, position: u32) -> Result<String> {
        let position = position as usize;
        let Some(&[start, end]) = self.bounds.get(position..position + 2) else {
            return Err(damaged("a cell that is not in its dictionary"));
        };
        self.file.seek(SeekFrom::Start(start))?;
        let value = exactly(&mut self.file, (end - start) as usize, LONGEST_CELL)?;
        String::from_utf8(value).map_err(|_| damaged("not UTF-8"))
    }
}

fn length(source: &mut impl Read) -> Result<usize> {
    let mut len = [0; 4];
    source.read_exact(&mut len)?;
    Ok(u32::from_le_bytes(len) as usize)
}

/// `len` bytes, which may not be more than `most`.
fn exactly(source: &mut impl Read, len: usize, most: usize) -> Result<Vec<u8>> {
    if len > most {
        return Err(damaged("a length beyond all measure"));
    }
    let mut bytes = Vec::with_capacity(len.min(1 << 20));
    source.take(len as u64).read_to_end(&mut bytes)?;
    if bytes.len() < len {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

/// Bytes `at..end` of a file that several columns read at once.
struct Stretch {
    file: Arc<File>,
    at: u64,
    end: u64,
}

impl Read for Stretch {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let left = self.end.saturating_sub(self.at).min(buffer.len() as u64) as usize;
        let read = self.file.read_at(&mut buffer[..left], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

//! A column of texts or numbers, cell by cell, in memory that a page's size does not touch.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Result};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::ColumnChunkMetaData;

use super::levels::Hybrid;
use super::page::{PageHeader, PageKind, damaged};
use super::snappy::Snappy;
use super::values::{Dictionary, Kind, exactly, length};

/// Bytes read from the file at once.
const BUFFERED: usize = 1 << 16;
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

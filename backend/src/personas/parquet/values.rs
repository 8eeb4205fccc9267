//! Values as a page stores them, and the dictionaries that pages point into.

use std::io::{ErrorKind, Read, Result, Seek, SeekFrom, Write};

use parquet::basic::Type;
use tempfile::SpooledTempFile;

use super::page::damaged;
use crate::personas::table::LONGEST_CELL;

/// A dictionary up to this many bytes stays in memory; a larger one goes to a temporary file.
const DICTIONARY_IN_MEMORY: usize = 8 << 20;

/// How a value is stored.
#[derive(Clone, Copy)]
pub enum Kind {
    /// Its length in four bytes, then UTF-8.
    Text,
    Int32,
    Int64,
    Float,
    Double,
}

impl Kind {
    pub fn of(kind: Type) -> Option<Self> {
        match kind {
            Type::BYTE_ARRAY => Some(Self::Text),
            Type::INT32 => Some(Self::Int32),
            Type::INT64 => Some(Self::Int64),
            Type::FLOAT => Some(Self::Float),
            Type::DOUBLE => Some(Self::Double),
            _ => None,
        }
    }

    pub fn read(self, source: &mut impl Read) -> Result<String> {
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

/// Distinct values of a column, as text, which its pages point into in any order.
pub struct Dictionary {
    file: SpooledTempFile,
    /// Where each value starts, and where the last one ends.
    bounds: Vec<u64>,
}

impl Dictionary {
    pub fn read(source: &mut impl Read, values: usize, kind: Kind) -> Result<Self> {
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

    pub fn get(&mut self, position: u32) -> Result<String> {
        let position = position as usize;
        let Some(&[start, end]) = self.bounds.get(position..position + 2) else {
            return Err(damaged("a cell that is not in its dictionary"));
        };
        self.file.seek(SeekFrom::Start(start))?;
        let value = exactly(&mut self.file, (end - start) as usize, LONGEST_CELL)?;
        String::from_utf8(value).map_err(|_| damaged("not UTF-8"))
    }
}

/// Four bytes, lowest first.
pub fn length(source: &mut impl Read) -> Result<usize> {
    let mut len = [0; 4];
    source.read_exact(&mut len)?;
    Ok(u32::from_le_bytes(len) as usize)
}

/// `len` bytes, which may not be more than `most`.
pub fn exactly(source: &mut impl Read, len: usize, most: usize) -> Result<Vec<u8>> {
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

//! Page headers: Thrift's compact protocol, as much of it as a page header uses.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Read, Result};

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    Dictionary {
        values: usize,
    },
    /// Its levels stand at the start of the compressed bytes.
    Data {
        values: usize,
        encoding: i64,
    },
    /// Its levels stand uncompressed before the rest.
    DataV2 {
        values: usize,
        encoding: i64,
        repetition_len: usize,
        definition_len: usize,
        compressed: bool,
    },
    /// An index page: skipped.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageHeader {
    pub kind: PageKind,
    /// Bytes that the page takes in the file, after its header.
    pub stored_len: usize,
}

impl PageHeader {
    pub fn read(source: &mut impl Read) -> Result<Self> {
        let mut numbers = Numbers::new();
        read_struct(source, 0, 0, &mut numbers)?;
        // Keys are (field of the header, field of the struct in it); 0 for the header's own numbers.
        let size = |field, inner| {
            let number =
                numbers.get(&(field, inner)).copied().ok_or_else(|| damaged("a page header lacks a number"))?;
            usize::try_from(number).map_err(|_| damaged("a page header holds a negative size"))
        };
        let kind = match size(0, 1)? {
            0 => PageKind::Data { values: size(5, 1)?, encoding: size(5, 2)? as i64 },
            2 => PageKind::Dictionary { values: size(7, 1)? },
            3 => PageKind::DataV2 {
                values: size(8, 1)?,
                encoding: size(8, 4)? as i64,
                definition_len: size(8, 5)?,
                repetition_len: size(8, 6)?,
                compressed: numbers.get(&(8, 7)) != Some(&0),
            },
            _ => PageKind::Other,
        };
        Ok(Self { kind, stored_len: size(0, 3)? })
    }
}

pub fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

type Numbers = BTreeMap<(i16, i16), i64>;

/// Structs lie in a header at most this deep; a damaged file may claim more.
const DEEPEST: u8 = 8;

fn read_struct(source: &mut impl Read, parent: i16, depth: u8, numbers: &mut Numbers) -> Result<()> {
    if depth > DEEPEST {
        return Err(damaged("a page header is nested too deep"));
    }
    let mut field: i16 = 0;
    loop {
        let head = byte(source)?;
        let (step, kind) = (head >> 4, head & 0x0f);
        if kind == 0 {
            return Ok(());
        }
        field = match step {
            0 => zigzag(varint(source)?) as i16,
            step => field.wrapping_add(i16::from(step)),
        };
        match kind {
            1 | 2 => drop(numbers.insert((parent, field), i64::from(kind == 1))),
            4..=6 => drop(numbers.insert((parent, field), zigzag(varint(source)?))),
            12 if depth == 0 => read_struct(source, field, 1, numbers)?,
            other => skip(source, other, depth)?,
        }
    }
}

fn skip(source: &mut impl Read, kind: u8, depth: u8) -> Result<()> {
    if depth > DEEPEST {
        return Err(damaged("a page header is nested too deep"));
    }
    match kind {
        // In a list, a truth value is a byte of its own.
        1..=3 => drop(byte(source)?),
        4..=6 => drop(varint(source)?),
        7 => drop(std::io::copy(&mut source.take(8), &mut std::io::sink())?),
        8 => {
            let len = varint(source)?;
            if std::io::copy(&mut source.take(len), &mut std::io::sink())? < len {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        9 | 10 => {
            let head = byte(source)?;
            let len = if head >> 4 == 15 { varint(source)? } else { u64::from(head >> 4) };
            for _ in 0..len {
                skip(source, head & 0x0f, depth + 1)?;
            }
        }
        // Its fields are of no interest: their numbers go nowhere.
        12 => read_struct(source, 0, depth + 1, &mut Numbers::new())?,
        _ => return Err(damaged("a page header holds an unknown field")),
    }
    Ok(())
}

fn byte(source: &mut impl Read) -> Result<u8> {
    let mut byte = [0];
    source.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// Seven bits a byte, lowest first.
pub fn varint(source: &mut impl Read) -> Result<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = byte(source)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(damaged("a number longer than 64 bits"))
}

fn zigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_1_header_with_statistics_is_read() {
        // type 0, uncompressed 100, compressed 40, data page {values 3, encoding 8, levels 3 and 3, statistics {max "ab"}}.
        let bytes = [
            0x15, 0x00, 0x15, 0xc8, 0x01, 0x15, 0x50, 0x2c, 0x15, 0x06, 0x15, 0x10, 0x15, 0x06, 0x15, 0x06, 0x1c, 0x18,
            2, b'a', b'b', 0x00, 0x00, 0x00,
        ];
        let mut source = &bytes[..];
        let header = PageHeader::read(&mut source).unwrap();
        assert_eq!(header, PageHeader { kind: PageKind::Data { values: 3, encoding: 8 }, stored_len: 40 });
        assert!(source.is_empty());
    }

    #[test]
    fn a_header_cut_short_or_lying_is_an_error() {
        assert_eq!(PageHeader::read(&mut &[0x15, 0x00][..]).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        assert_eq!(PageHeader::read(&mut &[0x15, 0x00, 0x00][..]).unwrap_err().kind(), ErrorKind::InvalidData);
        // A struct in a struct in a struct ..
        assert_eq!(PageHeader::read(&mut &[0x1c; 64][..]).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}

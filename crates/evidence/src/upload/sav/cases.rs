//! The cases of an SPSS file. A case consists of units of eight bytes: a number or a part of a text. In a compressed
//! file, a byte of bytecode describes each unit; eight such bytes precede the units that they do not replace.

use super::columns::{SavColumn, SavKind};
use super::dictionary::UNIT;
use crate::upload::bytes::ByteReader;
use crate::upload::cells;
use crate::upload::encoding::TextEncoding;
use crate::upload::table::Unreadable;

/// Name of this part, for errors.
pub const PART: &str = "its cases";

const PADDING: u8 = 0;
const END: u8 = 252;
const AS_IT_IS: u8 = 253;
const BLANKS: u8 = 254;
const MISSING: u8 = 255;

#[derive(Clone, Copy, Debug)]
pub enum Compression {
    None,
    Bytecode {
        /// Offset that is added to a number in bytecode.
        bias: f64,
    },
}

enum Unit {
    AsItIs([u8; UNIT]),
    /// A number from bytecode.
    Number(f64),
    Blanks,
    Missing,
}

pub struct Cases<'a> {
    reader: ByteReader<'a>,
    compression: Compression,
    system_missing: f64,
    encoding: &'a TextEncoding,
    /// Bytes of bytecode that are not read yet.
    codes: &'a [u8],
    has_ended: bool,
    text: Vec<u8>,
}

impl<'a> Cases<'a> {
    pub fn new(
        mut reader: ByteReader<'a>,
        compression: Compression,
        system_missing: f64,
        encoding: &'a TextEncoding,
    ) -> Self {
        reader.part = PART;
        Self { reader, compression, system_missing, encoding, codes: &[], has_ended: false, text: Vec::new() }
    }

    /// Whether there is another unit.
    pub fn has_next(&mut self) -> Result<bool, Unreadable> {
        let Compression::Bytecode { .. } = self.compression else { return Ok(!self.reader.rest.is_empty()) };
        loop {
            match self.codes {
                [PADDING, rest @ ..] => self.codes = rest,
                [END, ..] => self.has_ended = true,
                [] if self.reader.rest.is_empty() => return Ok(false),
                [] => self.codes = self.reader.take(UNIT)?,
                _ => return Ok(true),
            }
            if self.has_ended {
                return Ok(false);
            }
        }
    }

    fn unit(&mut self) -> Result<Unit, Unreadable> {
        if !self.has_next()? {
            return Err(self.reader.cut_off());
        }
        let Compression::Bytecode { bias } = self.compression else { return Ok(Unit::AsItIs(self.reader.array()?)) };
        let Some((code, rest)) = self.codes.split_first() else { return Err(self.reader.cut_off()) };
        self.codes = rest;
        Ok(match *code {
            AS_IT_IS => Unit::AsItIs(self.reader.array()?),
            BLANKS => Unit::Blanks,
            MISSING => Unit::Missing,
            number => Unit::Number(f64::from(number) - bias),
        })
    }

    /// Reads the next cell of a column; empty if the value is missing.
    pub fn cell(&mut self, column: &SavColumn) -> Result<String, Unreadable> {
        let cell = match &column.kind {
            SavKind::Number => self.number()?,
            SavKind::Text { widths } => self.text(widths)?,
        };
        Ok(if column.labels.missing.holds(&cell) { String::new() } else { cell })
    }

    fn number(&mut self) -> Result<String, Unreadable> {
        let number = match self.unit()? {
            Unit::AsItIs(bytes) => self.reader.order.f64(bytes),
            Unit::Number(number) => number,
            Unit::Missing => self.system_missing,
            Unit::Blanks => return Err(Unreadable::damaged("a number is blanks")),
        };
        Ok(if number == self.system_missing { String::new() } else { cells::number(number) })
    }

    /// Reads a text in one segment, or in several that follow each other.
    fn text(&mut self, widths: &[usize]) -> Result<String, Unreadable> {
        self.text.clear();
        for width in widths {
            let end = self.text.len() + width;
            for _ in 0..width.div_ceil(UNIT) {
                match self.unit()? {
                    Unit::AsItIs(bytes) => self.text.extend_from_slice(&bytes),
                    Unit::Blanks => self.text.extend_from_slice(&[b' '; UNIT]),
                    Unit::Number(_) | Unit::Missing => return Err(Unreadable::damaged("a text is a number")),
                }
            }
            self.text.truncate(end);
        }
        self.encoding.text(&self.text)
    }
}

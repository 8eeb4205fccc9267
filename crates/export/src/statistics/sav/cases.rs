//! The cases of an SPSS file. A case consists of units of eight bytes, each a number or a part of a text. A byte of bytecode
//! says what each unit is; eight bytes of bytecode precede the units that they do not replace.

use std::io::{self, Write};

use super::limits::{BIAS, MAX_SEGMENT, MAX_TEXT, segments};
use crate::statistics::cut;
use crate::statistics::variables::{FileVariable, VariableKind};
use crate::table::Cell;

const UNIT: usize = 8;
const PADDING: u8 = 0;
const AS_IT_IS: u8 = 253;
const BLANKS: u8 = 254;
const SYSTEM_MISSING: u8 = 255;

pub struct Cases<W> {
    out: W,
    codes: Vec<u8>,
    units: Vec<u8>,
}

impl<W: Write> Cases<W> {
    pub fn new(out: W) -> Self {
        Self { out, codes: Vec::new(), units: Vec::new() }
    }

    pub fn cell(&mut self, variable: &FileVariable, cell: &Cell) -> io::Result<()> {
        match (variable.kind, cell) {
            (VariableKind::Text { bytes }, Cell::Text(text)) => self.text(cut::at(text, MAX_TEXT), bytes),
            (VariableKind::Text { bytes }, _) => self.text("", bytes),
            (_, Cell::Code(code)) => self.number((*code).into()),
            (_, Cell::Number(number)) => self.number(*number),
            (_, cell) => match variable.absence(cell) {
                Some(absence) => self.number(absence.number().into()),
                None => self.unit(SYSTEM_MISSING, &[]),
            },
        }
    }

    fn number(&mut self, number: f64) -> io::Result<()> {
        let code = number + f64::from(BIAS);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole and between them")]
        if number.fract() == 0.0 && (1.0..=251.0).contains(&code) {
            return self.unit(code as u8, &[]);
        }
        self.unit(AS_IT_IS, &number.to_le_bytes())
    }

    /// Writes a text in segments. A segment holds 255 bytes, whatever its width says.
    fn text(&mut self, text: &str, bytes: usize) -> io::Result<()> {
        let mut rest = text.as_bytes();
        for width in segments(bytes) {
            let (mut part, after) = rest.split_at(rest.len().min(MAX_SEGMENT));
            rest = after;
            for _ in 0..width.div_ceil(UNIT) {
                let (unit, after) = part.split_at(part.len().min(UNIT));
                part = after;
                let mut whole = [b' '; UNIT];
                whole[..unit.len()].copy_from_slice(unit);
                match whole {
                    [b' ', b' ', b' ', b' ', b' ', b' ', b' ', b' '] => self.unit(BLANKS, &[])?,
                    _ => self.unit(AS_IT_IS, &whole)?,
                }
            }
        }
        Ok(())
    }

    fn unit(&mut self, code: u8, unit: &[u8]) -> io::Result<()> {
        self.codes.push(code);
        self.units.extend_from_slice(unit);
        if self.codes.len() == UNIT { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.codes)?;
        self.out.write_all(&self.units)?;
        self.codes.clear();
        self.units.clear();
        Ok(())
    }

    pub fn end(mut self) -> io::Result<()> {
        if self.codes.is_empty() {
            return Ok(());
        }
        self.codes.resize(UNIT, PADDING);
        self.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_whole_numbers_and_blanks_are_a_byte_and_the_rest_stands_as_it_is() {
        let mut out = Vec::new();
        let mut cases = Cases::new(&mut out);
        for number in [1.0, -88.0, -99.0, 151.0, 0.5, 152.0] {
            cases.number(number).unwrap();
        }
        cases.text("ab", 9).unwrap();
        cases.end().unwrap();
        let mut expected = vec![101, 12, 1, 251, AS_IT_IS, AS_IT_IS, AS_IT_IS, BLANKS];
        expected.extend_from_slice(&0.5_f64.to_le_bytes());
        expected.extend_from_slice(&152.0_f64.to_le_bytes());
        expected.extend_from_slice(b"ab      ");
        assert_eq!(out, expected);
    }
}

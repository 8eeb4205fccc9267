//! The hybrid of run lengths and packed bits that holds definition levels and dictionary positions.

use std::io::{ErrorKind, Result};

use super::page::{damaged, varint};

pub struct Hybrid {
    bytes: Vec<u8>,
    at: usize,
    /// Bits a value.
    width: u8,
    run: Run,
}

enum Run {
    Repeated { value: u32, left: u64 },
    Packed { bit: usize, left: u64 },
}

impl Hybrid {
    /// `width`: bits a value, at most 32.
    pub fn new(bytes: Vec<u8>, width: u8) -> Result<Self> {
        if width > 32 {
            return Err(damaged("positions wider than 32 bits"));
        }
        Ok(Self { bytes, at: 0, width, run: Run::Repeated { value: 0, left: 0 } })
    }

    pub fn next(&mut self) -> Result<u32> {
        loop {
            match &mut self.run {
                Run::Repeated { value, left } if *left > 0 => {
                    *left -= 1;
                    return Ok(*value);
                }
                Run::Packed { bit, left } if *left > 0 => {
                    *left -= 1;
                    let first = *bit;
                    *bit += usize::from(self.width);
                    return self.bits(first);
                }
                _ => self.start_run()?,
            }
        }
    }

    fn start_run(&mut self) -> Result<()> {
        let mut rest = self.bytes.get(self.at..).unwrap_or_default();
        let before = rest.len();
        let head = varint(&mut rest)?;
        self.at += before - rest.len();
        let width = usize::from(self.width);
        if head & 1 == 0 {
            let len = width.div_ceil(8);
            let stored = rest.get(..len).ok_or(ErrorKind::UnexpectedEof)?;
            let value = stored.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
            self.at += len;
            self.run = Run::Repeated { value, left: head >> 1 };
        } else {
            // Groups of eight values; the last group may be cut after its last value.
            let groups = usize::try_from(head >> 1).map_err(|_| damaged("a run of impossible length"))?;
            let bit = self.at * 8;
            self.at = self.at.saturating_add(groups.saturating_mul(width));
            self.run = Run::Packed { bit, left: (head >> 1).saturating_mul(8) };
        }
        Ok(())
    }

    fn bits(&self, first: usize) -> Result<u32> {
        let mut value = 0;
        for (shift, bit) in (first..first + usize::from(self.width)).enumerate() {
            let byte = self.bytes.get(bit / 8).ok_or(ErrorKind::UnexpectedEof)?;
            value |= u32::from(byte >> (bit % 8) & 1) << shift;
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_packed_groups_follow_each_other() {
        // Four times 2, then eight packed values 0..=7 of three bits.
        let mut hybrid = Hybrid::new(vec![4 << 1, 2, 1 << 1 | 1, 0b1000_1000, 0b1100_0110, 0b1111_1010], 3).unwrap();
        let values: Vec<u32> = (0..12).map(|_| hybrid.next().unwrap()).collect();
        assert_eq!(values, [2, 2, 2, 2, 0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(hybrid.next().is_err(), "nothing is left");
    }
}

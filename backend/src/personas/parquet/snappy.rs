//! Snappy block decompression as a stream.
//!
//! Writers that look at a page's size only every thousand rows make pages of hundreds of megabytes out of long texts.
//! A page is therefore never held whole: what stays is as much of the past as copies may reach back to.

use std::io::{BufRead, Read, Result};

use super::page::{damaged, varint};

/// Bytes of the past that are kept. Every known compressor works on blocks of 64 KiB and copies from within the block.
const WINDOW: usize = 1 << 20;
/// Bytes decoded ahead of the reader at most, apart from one element.
const AHEAD: usize = 1 << 16;

pub struct Snappy<R> {
    source: R,
    /// Bytes still to come, as the stream's own header promises.
    promised: u64,
    /// Bytes of the literal under way that were not copied yet.
    literal: usize,
    /// The window, then what was not read yet.
    out: Vec<u8>,
    read: usize,
}

impl<R: BufRead> Snappy<R> {
    pub fn new(mut source: R) -> Result<Self> {
        let promised = varint(&mut source)?;
        Ok(Self { source, promised, literal: 0, out: Vec::with_capacity(2 * WINDOW + AHEAD), read: 0 })
    }

    fn fill(&mut self) -> Result<()> {
        if self.out.len() >= 2 * WINDOW {
            let past = self.out.len() - WINDOW;
            self.out.drain(..past);
            self.read -= past;
        }
        while self.promised > 0 && self.out.len() - self.read < AHEAD {
            let before = self.out.len();
            match self.literal {
                0 => self.element()?,
                _ => self.copy_literal()?,
            }
            let written = (self.out.len() - before) as u64;
            self.promised = self
                .promised
                .checked_sub(written)
                .ok_or_else(|| damaged("a compressed page is longer than it says"))?;
        }
        Ok(())
    }

    fn element(&mut self) -> Result<()> {
        let [tag] = self.bytes()?;
        let long = usize::from(tag >> 2);
        let (offset, len) = match tag & 3 {
            0 => {
                self.literal = 1 + match long {
                    60 => usize::from(self.bytes::<1>()?[0]),
                    61 => usize::from(u16::from_le_bytes(self.bytes()?)),
                    62 => {
                        let [a, b, c] = self.bytes()?;
                        u32::from_le_bytes([a, b, c, 0]) as usize
                    }
                    63 => u32::from_le_bytes(self.bytes()?) as usize,
                    short => short,
                };
                return Ok(());
            }
            1 => {
                let [low] = self.bytes()?;
                ((long >> 3) << 8 | usize::from(low), 4 + (long & 7))
            }
            2 => (usize::from(u16::from_le_bytes(self.bytes()?)), 1 + long),
            _ => (u32::from_le_bytes(self.bytes()?) as usize, 1 + long),
        };
        if offset == 0 || offset > self.out.len() {
            return Err(damaged("a compressed page refers to bytes that it does not hold"));
        }
        let start = self.out.len() - offset;
        if offset >= len {
            self.out.extend_from_within(start..start + len);
        } else {
            // The copy reads what it writes: the last `offset` bytes again and again.
            for at in start..start + len {
                self.out.push(self.out[at]);
            }
        }
        Ok(())
    }

    fn copy_literal(&mut self) -> Result<()> {
        let part = self.literal.min(AHEAD) as u64;
        let copied = (&mut self.source).take(part).read_to_end(&mut self.out)?;
        if (copied as u64) < part {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        self.literal -= copied;
        Ok(())
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.source.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl<R: BufRead> Read for Snappy<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if self.read == self.out.len() {
            self.fill()?;
        }
        let len = buffer.len().min(self.out.len() - self.read);
        buffer[..len].copy_from_slice(&self.out[self.read..self.read + len]);
        self.read += len;
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        Snappy::new(bytes)?.read_to_end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn literals_and_overlapping_copies_come_out_as_written() {
        // 12 bytes: the literal "ab", then ten bytes copied from two back.
        assert_eq!(decode(&[12, 1 << 2, b'a', b'b', 1 | 6 << 2, 2]).unwrap(), b"abababababab");
    }

    #[test]
    fn damaged_streams_are_errors() {
        assert!(decode(&[12, 1 << 2, b'a']).is_err(), "cut short");
        assert!(decode(&[12, 1 | 6 << 2, 2]).is_err(), "copies from before the start");
        assert!(decode(&[1, 1 << 2, b'a', b'b']).is_err(), "longer than it says");
    }
}

//! Reads numbers and fields of a binary file, never beyond its end.

use super::table::Unreadable;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// Returns the bytes of a number in little-endian order.
    fn lowest_first<const N: usize>(self, mut bytes: [u8; N]) -> [u8; N] {
        if self == Self::Big {
            bytes.reverse();
        }
        bytes
    }

    pub fn u64(self, bytes: [u8; 8]) -> u64 {
        u64::from_le_bytes(self.lowest_first(bytes))
    }

    pub fn f64(self, bytes: [u8; 8]) -> f64 {
        f64::from_bits(self.u64(bytes))
    }
}

/// The rest of a file.
#[derive(Clone, Debug)]
pub(super) struct ByteReader<'a> {
    pub rest: &'a [u8],
    pub order: ByteOrder,
    /// The part that is being read, for the error at the file's end.
    pub part: &'static str,
}

impl<'a> ByteReader<'a> {
    pub fn new(bytes: &'a [u8], order: ByteOrder, part: &'static str) -> Self {
        Self { rest: bytes, order, part }
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Unreadable> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(self.cut_off())?;
        self.rest = rest;
        Ok(taken)
    }

    /// Takes `count` fields of the same size.
    pub fn take_each(&mut self, count: usize, bytes: usize) -> Result<&'a [u8], Unreadable> {
        self.take(count.checked_mul(bytes).ok_or(self.cut_off())?)
    }

    pub fn cut_off(&self) -> Unreadable {
        Unreadable::CutOff { part: self.part }
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Unreadable> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(self.cut_off())?;
        self.rest = rest;
        Ok(*taken)
    }

    fn number<const N: usize>(&mut self) -> Result<[u8; N], Unreadable> {
        Ok(self.order.lowest_first(self.array()?))
    }

    pub fn u8(&mut self) -> Result<u8, Unreadable> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u16(&mut self) -> Result<u16, Unreadable> {
        Ok(u16::from_le_bytes(self.number()?))
    }

    pub fn u32(&mut self) -> Result<u32, Unreadable> {
        Ok(u32::from_le_bytes(self.number()?))
    }

    pub fn u64(&mut self) -> Result<u64, Unreadable> {
        Ok(u64::from_le_bytes(self.number()?))
    }

    pub fn i32(&mut self) -> Result<i32, Unreadable> {
        Ok(i32::from_le_bytes(self.number()?))
    }

    pub fn f64(&mut self) -> Result<f64, Unreadable> {
        Ok(f64::from_le_bytes(self.number()?))
    }

    /// Reads a number of bytes or fields.
    pub fn count(&mut self) -> Result<usize, Unreadable> {
        let count = self.i32()?;
        usize::try_from(count)
            .map_err(|_| Unreadable::damaged(format!("{count} stands for a number of things within {}", self.part)))
    }
}

use super::columns::{Storage, until_nul};
use super::header::DtaFormat;
use super::long_texts::LongTexts;
use crate::upload::bytes::ByteReader;
use crate::upload::cells;
use crate::upload::encoding::TextEncoding;
use crate::upload::table::Unreadable;

/// The highest number of each type that is a value. Those above it are `.` and `.a` to `.z`.
const MAX_BYTE: i8 = 100;
const MAX_INT: i16 = 32_740;
pub const MAX_LONG: i32 = 2_147_483_620;
/// The bits of missing values: from those of `.` to those of the highest positive number.
const FLOAT_MISSING: std::ops::RangeInclusive<u32> = 0x7f00_0000..=0x7fff_ffff;
const DOUBLE_MISSING: std::ops::RangeInclusive<u64> = 0x7fe0_0000_0000_0000..=0x7fff_ffff_ffff_ffff;

/// Reads rows, one value after the other.
pub struct RowReader<'a> {
    pub reader: ByteReader<'a>,
    pub format: &'a DtaFormat,
    pub encoding: &'a TextEncoding,
    pub long_texts: LongTexts<'a>,
    /// Number of bytes of long texts that may still be copied. Any number of rows may refer to the same text.
    pub long_bytes: usize,
}

impl RowReader<'_> {
    /// Reads the next value of a row; empty if it is missing.
    pub fn cell(&mut self, storage: Storage) -> Result<String, Unreadable> {
        let reader = &mut self.reader;
        let whole = |number: i32, is_value: bool| if is_value { number.to_string() } else { String::new() };
        Ok(match storage {
            Storage::Byte => {
                let number = reader.u8()?.cast_signed();
                whole(number.into(), number <= MAX_BYTE)
            }
            Storage::Int => {
                let number = reader.u16()?.cast_signed();
                whole(number.into(), number <= MAX_INT)
            }
            Storage::Long => {
                let number = reader.i32()?;
                whole(number, number <= MAX_LONG)
            }
            Storage::Float => match reader.u32()? {
                bits if FLOAT_MISSING.contains(&bits) => String::new(),
                bits => cells::short_number(f32::from_bits(bits)),
            },
            Storage::Double => match reader.u64()? {
                bits if DOUBLE_MISSING.contains(&bits) => String::new(),
                bits => cells::number(f64::from_bits(bits)),
            },
            Storage::Text(bytes) => self.encoding.text(until_nul(reader.take(bytes)?))?,
            Storage::LongText => self.long_text()?,
        })
    }

    fn long_text(&mut self) -> Result<String, Unreadable> {
        let (variable, row) = self.format.reference(self.reader.array()?, self.reader.order);
        if (variable, row) == (0, 0) {
            return Ok(String::new());
        }
        let text = self.long_texts.get(&(variable, row));
        let text = text.ok_or_else(|| Unreadable::damaged("a row names a long text that is not there"))?;
        let left = self.long_bytes.checked_sub(text.len());
        self.long_bytes = left.ok_or(Unreadable::LongTexts)?;
        self.encoding.text(text)
    }
}

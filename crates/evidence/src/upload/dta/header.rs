use crate::upload::bytes::{ByteOrder, ByteReader};
use crate::upload::encoding::TextEncoding;
use crate::upload::table::Unreadable;

/// The first bytes of a file since Stata 13.
pub const TAGGED: &[u8] = b"<stata_dta>";

/// The differences between the formats: sizes of fields in bytes, and whether parts have tags.
#[derive(Clone, Copy, Debug)]
pub struct DtaFormat {
    pub release: u8,
    /// Size of the name of a variable or of a set of labels, with its final NUL.
    pub name: usize,
    /// Size of the display format of a variable.
    pub display: usize,
    /// Size of a variable's label.
    pub label: usize,
}

pub struct Header<'a> {
    /// Reader behind the header.
    pub reader: ByteReader<'a>,
    pub format: DtaFormat,
    pub columns: usize,
    pub rows: u64,
}

impl DtaFormat {
    fn for_release(release: u8) -> Result<Self, Unreadable> {
        let (name, display, label) = match release {
            113 => (33, 12, 81),
            114 | 115 => (33, 49, 81),
            117 => (33, 49, 81),
            118 | 119 => (129, 57, 321),
            _ => return Err(Unreadable::StataRelease { release: release.to_string() }),
        };
        Ok(Self { release, name, display, label })
    }

    pub fn is_tagged(&self) -> bool {
        self.release >= 117
    }

    pub fn encoding(&self) -> TextEncoding {
        if self.release >= 118 { TextEncoding::Utf8 } else { TextEncoding::Unsaid }
    }

    /// Decodes the reference of a row: the variable and the row of a long text's first use.
    pub fn reference(&self, bytes: [u8; 8], order: ByteOrder) -> (u64, u64) {
        let variable_bits = match self.release {
            117 => 32,
            118 => 16,
            _ => 24,
        };
        let both = order.u64(bytes);
        match order {
            ByteOrder::Little => (both & ((1 << variable_bits) - 1), both >> variable_bits),
            ByteOrder::Big => (both >> (64 - variable_bits), both & (u64::MAX >> variable_bits)),
        }
    }

    /// Reads the tag before a part.
    pub fn open(&self, reader: &mut ByteReader, name: &str) -> Result<(), Unreadable> {
        if self.is_tagged() { tag(reader, &format!("<{name}>")) } else { Ok(()) }
    }

    /// Reads the tag after a part.
    pub fn close(&self, reader: &mut ByteReader, name: &str) -> Result<(), Unreadable> {
        if self.is_tagged() { tag(reader, &format!("</{name}>")) } else { Ok(()) }
    }
}

/// Reads a tag, or fails.
pub fn tag(reader: &mut ByteReader, tag: &str) -> Result<(), Unreadable> {
    if reader.take(tag.len())? == tag.as_bytes() {
        return Ok(());
    }
    Err(Unreadable::damaged(format!("there is no {tag} where it should be")))
}

impl<'a> Header<'a> {
    pub fn read(bytes: &'a [u8]) -> Result<Self, Unreadable> {
        let mut reader = ByteReader::new(bytes, ByteOrder::Little, "its header");
        if bytes.starts_with(TAGGED) { Self::tagged(&mut reader) } else { Self::binary(&mut reader) }
    }

    fn binary(reader: &mut ByteReader<'a>) -> Result<Self, Unreadable> {
        let format = DtaFormat::for_release(reader.u8()?)?;
        reader.order = if reader.u8()? == 1 { ByteOrder::Big } else { ByteOrder::Little };
        let _file_type = reader.take(2)?;
        let columns = reader.u16()?.into();
        let rows = reader.u32()?.into();
        let _label_and_time = reader.take(81 + 18)?;
        Ok(Self { reader: reader.clone(), format, columns, rows })
    }

    fn tagged(reader: &mut ByteReader<'a>) -> Result<Self, Unreadable> {
        tag(reader, "<stata_dta><header><release>")?;
        let release = String::from_utf8_lossy(reader.take(3)?).into_owned();
        let number = release.parse().ok().filter(|number| *number >= 117);
        let format = DtaFormat::for_release(number.ok_or(Unreadable::StataRelease { release })?)?;
        tag(reader, "</release><byteorder>")?;
        reader.order = match reader.take(3)? {
            b"LSF" => ByteOrder::Little,
            b"MSF" => ByteOrder::Big,
            _ => return Err(Unreadable::damaged("its byte order is neither LSF nor MSF")),
        };
        tag(reader, "</byteorder><K>")?;
        let columns = if format.release == 119 { reader.count()? } else { reader.u16()?.into() };
        tag(reader, "</K><N>")?;
        let rows = if format.release == 117 { reader.u32()?.into() } else { reader.u64()? };
        tag(reader, "</N><label>")?;
        let label = if format.release == 117 { reader.u8()?.into() } else { reader.u16()? };
        reader.take(label.into())?;
        tag(reader, "</label><timestamp>")?;
        let time = reader.u8()?;
        reader.take(time.into())?;
        tag(reader, "</timestamp></header>")?;
        Ok(Self { reader: reader.clone(), format, columns, rows })
    }
}

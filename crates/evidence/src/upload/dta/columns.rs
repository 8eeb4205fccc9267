use super::header::{DtaFormat, tag};
use crate::upload::bytes::ByteReader;
use crate::upload::encoding::TextEncoding;
use crate::upload::table::Unreadable;

pub struct DtaColumn {
    pub name: String,
    pub label: String,
    /// Name of the labels of its values; empty without labels.
    pub label_set: String,
    pub storage: Storage,
}

/// How a variable's values are stored in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Byte,
    Int,
    Long,
    Float,
    Double,
    /// A text of this many bytes.
    Text(usize),
    /// A reference to a text after the rows.
    LongText,
}

impl Storage {
    fn from_code(code: u16, is_tagged: bool) -> Option<Self> {
        Some(match (code, is_tagged) {
            (1..=244, false) | (1..=2_045, true) => Self::Text(code.into()),
            (251, false) | (65_530, true) => Self::Byte,
            (252, false) | (65_529, true) => Self::Int,
            (253, false) | (65_528, true) => Self::Long,
            (254, false) | (65_527, true) => Self::Float,
            (255, false) | (65_526, true) => Self::Double,
            (32_768, true) => Self::LongText,
            _ => return None,
        })
    }

    pub fn bytes(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Int => 2,
            Self::Long | Self::Float => 4,
            Self::Double | Self::LongText => 8,
            Self::Text(bytes) => bytes,
        }
    }
}

/// Reads the part between the header and the rows.
pub fn read(
    reader: &mut ByteReader,
    format: &DtaFormat,
    count: usize,
    encoding: &TextEncoding,
) -> Result<Vec<DtaColumn>, Unreadable> {
    reader.part = "the list of its variables";
    let (type_bytes, sort_bytes) = match format.release {
        119 => (2, 4),
        117 | 118 => (2, 2),
        _ => (1, 2),
    };
    if format.is_tagged() {
        part(reader, format, "map", 14, 8)?;
    }
    let types = part(reader, format, "variable_types", count, type_bytes)?;
    let names = part(reader, format, "varnames", count, format.name)?;
    part(reader, format, "sortlist", count + 1, sort_bytes)?;
    part(reader, format, "formats", count, format.display)?;
    let label_sets = part(reader, format, "value_label_names", count, format.name)?;
    let labels = part(reader, format, "variable_labels", count, format.label)?;
    reader.part = "its notes";
    format.open(reader, "characteristics")?;
    if format.is_tagged() {
        tagged_notes(reader)?
    } else {
        binary_notes(reader)?
    };
    format.close(reader, "characteristics")?;
    let mut types = ByteReader::new(types, reader.order, reader.part);
    let fields = names.chunks(format.name).zip(label_sets.chunks(format.name)).zip(labels.chunks(format.label));
    let column = |((name, label_set), label)| {
        let code = if type_bytes == 1 { types.u8()?.into() } else { types.u16()? };
        let unknown = || Unreadable::damaged(format!("{code} is no type of a variable of Stata"));
        Ok(DtaColumn {
            name: encoding.text(until_nul(name))?,
            label: encoding.text(until_nul(label))?,
            label_set: encoding.text(until_nul(label_set))?,
            storage: Storage::from_code(code, format.is_tagged()).ok_or_else(unknown)?,
        })
    };
    fields.map(column).collect()
}

/// Reads `count` fields between their tags.
fn part<'a>(
    reader: &mut ByteReader<'a>,
    format: &DtaFormat,
    name: &str,
    count: usize,
    bytes: usize,
) -> Result<&'a [u8], Unreadable> {
    format.open(reader, name)?;
    let content = reader.take_each(count, bytes)?;
    format.close(reader, name)?;
    Ok(content)
}

fn tagged_notes(reader: &mut ByteReader) -> Result<(), Unreadable> {
    while reader.rest.starts_with(b"<ch>") {
        tag(reader, "<ch>")?;
        let bytes = reader.count()?;
        reader.take(bytes)?;
        tag(reader, "</ch>")?;
    }
    Ok(())
}

/// Skips the notes of binary formats. Each has a kind and a length, both 0 after the last.
fn binary_notes(reader: &mut ByteReader) -> Result<(), Unreadable> {
    loop {
        let kind = reader.u8()?;
        let bytes = reader.count()?;
        if kind == 0 && bytes == 0 {
            return Ok(());
        }
        reader.take(bytes)?;
    }
}

/// Returns a field up to the NUL that ends its text.
pub fn until_nul(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

use std::collections::HashMap;

use super::columns::until_nul;
use super::header::DtaFormat;
use crate::upload::bytes::ByteReader;
use crate::upload::table::Unreadable;

/// Long texts by the variable and the row of their first use, both 1-based.
pub type LongTexts<'a> = HashMap<(u64, u64), &'a [u8]>;

/// The kind of a long text that ends with a NUL. Other kinds are pictures and the like.
const TEXT: u8 = 130;

/// Reads the texts after the rows. Other kinds than texts are empty.
pub fn read<'a>(reader: &mut ByteReader<'a>, format: &DtaFormat) -> Result<LongTexts<'a>, Unreadable> {
    let mut texts = LongTexts::new();
    if !format.is_tagged() {
        return Ok(texts);
    }
    reader.part = "its long texts";
    format.open(reader, "strls")?;
    while let Some(rest) = reader.rest.strip_prefix(b"GSO") {
        reader.rest = rest;
        let variable = reader.u32()?.into();
        let row = if format.release == 117 { reader.u32()?.into() } else { reader.u64()? };
        let kind = reader.u8()?;
        let bytes = reader.count()?;
        let content = reader.take(bytes)?;
        texts.insert((variable, row), if kind == TEXT { until_nul(content) } else { &[] });
    }
    format.close(reader, "strls")?;
    Ok(texts)
}

use std::collections::{BTreeMap, HashMap};

use super::columns::until_nul;
use super::header::DtaFormat;
use super::rows::MAX_LONG;
use crate::upload::bytes::ByteReader;
use crate::upload::encoding::TextEncoding;
use crate::upload::table::{Unreadable, ValueLabels};

const TAG: &[u8] = b"<lbl>";

/// Reads the sets of value labels, by the name that variables refer to. They are last in the file.
pub fn read(
    reader: &mut ByteReader,
    format: &DtaFormat,
    encoding: &TextEncoding,
) -> Result<HashMap<String, ValueLabels>, Unreadable> {
    let mut sets = HashMap::new();
    reader.part = "its labels of values";
    format.open(reader, "value_labels")?;
    while if format.is_tagged() { reader.rest.starts_with(TAG) } else { !reader.rest.is_empty() } {
        format.open(reader, "lbl")?;
        let bytes = reader.count()?;
        let name = encoding.text(until_nul(reader.take(format.name)?))?;
        let _padding = reader.take(3)?;
        let labels = set(ByteReader { rest: reader.take(bytes)?, ..reader.clone() }, encoding)?;
        sets.insert(name, ValueLabels { labels: labels.into(), ..ValueLabels::default() });
        format.close(reader, "lbl")?;
    }
    format.close(reader, "value_labels")?;
    Ok(sets)
}

/// Reads a set of labels: values and, for each, the offset of its label among the texts.
fn set(mut reader: ByteReader, encoding: &TextEncoding) -> Result<BTreeMap<String, String>, Unreadable> {
    let (count, bytes) = (reader.count()?, reader.count()?);
    let mut starts = ByteReader { rest: reader.take_each(count, 4)?, ..reader.clone() };
    let mut values = ByteReader { rest: reader.take_each(count, 4)?, ..reader.clone() };
    let texts = reader.take(bytes)?;
    // Each text ends with a NUL, which the last one may lack.
    let mut left = texts.len() + 1;
    let mut labels = BTreeMap::new();
    for _ in 0..count {
        let (start, value) = (starts.count()?, values.i32()?);
        let text = until_nul(texts.get(start..).ok_or_else(|| Unreadable::damaged("a label is outside of its texts"))?);
        // Each label has a text of its own. Otherwise many labels at one offset would take more memory than the file
        // has bytes.
        left = left.checked_sub(text.len() + 1).ok_or_else(|| Unreadable::damaged("labels of values overlap"))?;
        // Missing values have labels too, but no cell has such a value.
        if value <= MAX_LONG {
            labels.insert(value.to_string(), encoding.text(text)?);
        }
    }
    Ok(labels)
}

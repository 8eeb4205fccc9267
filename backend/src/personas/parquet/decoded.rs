//! Columns of rare types and encodings. The parquet crate decodes them, and panics at some damaged pages.

use std::collections::VecDeque;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::string::FromUtf8Error;

use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{FileReader, SerializedFileReader};

/// Rows decoded at once; their texts are in memory together.
const BATCH: usize = 32;

pub struct Decoded {
    reader: ColumnReader,
    ready: VecDeque<Option<String>>,
}

/// Whether values of this type have one plain spelling.
pub fn reads(kind: Type) -> bool {
    !matches!(kind, Type::INT96 | Type::FIXED_LEN_BYTE_ARRAY)
}

impl Decoded {
    /// The column `leaf` of the row group `group`, both from 0.
    pub fn open(file: &SerializedFileReader<File>, group: usize, leaf: usize) -> Result<Self> {
        let reader = guarded(|| file.get_row_group(group)?.get_column_reader(leaf))?;
        Ok(Self { reader, ready: VecDeque::new() })
    }

    /// The next cell as text: `None` where the file has no value. Past the last cell it is an error.
    pub fn next(&mut self) -> Result<Option<String>> {
        if self.ready.is_empty() {
            self.ready = guarded(|| decode(&mut self.reader))?;
        }
        self.ready.pop_front().ok_or_else(|| ParquetError::EOF("the column ends early".to_owned()))
    }
}

/// After a panic the reader is in no known state: the error ends the import, which drops it.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(ParquetError::General("a damaged page that cannot be decoded".to_owned())))
}

fn decode(reader: &mut ColumnReader) -> Result<VecDeque<Option<String>>> {
    match reader {
        ColumnReader::BoolColumnReader(reader) => batch(reader, |value| Ok(value.to_string())),
        ColumnReader::Int32ColumnReader(reader) => batch(reader, |value| Ok(value.to_string())),
        ColumnReader::Int64ColumnReader(reader) => batch(reader, |value| Ok(value.to_string())),
        ColumnReader::FloatColumnReader(reader) => batch(reader, |value| Ok(value.to_string())),
        ColumnReader::DoubleColumnReader(reader) => batch(reader, |value| Ok(value.to_string())),
        ColumnReader::ByteArrayColumnReader(reader) => batch(reader, |value| String::from_utf8(value.data().to_vec())),
        ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
            Err(ParquetError::NYI("values of this type".to_owned()))
        }
    }
}

fn batch<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    text: impl Fn(&T::T) -> Result<String, FromUtf8Error>,
) -> Result<VecDeque<Option<String>>> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (rows, found, _) = reader.read_records(BATCH, Some(&mut levels), None, &mut values)?;
    let mut texts = values.iter().map(|value| text(value).map_err(|_| ParquetError::General("not UTF-8".to_owned())));
    if found == rows {
        return texts.map(|text| text.map(Some)).collect();
    }
    levels.iter().map(|&level| if level == 0 { Ok(None) } else { texts.next().transpose() }).collect()
}

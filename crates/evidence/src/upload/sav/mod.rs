//! SPSS system files, following PSPP's description of the format: uncompressed or compressed by bytecode, in either
//! byte order.

mod cases;
mod columns;
mod dictionary;

use super::bytes::{ByteOrder, ByteReader};
use super::cells::Rows;
use super::table::{Table, Unreadable};
use cases::{Cases, Compression, PART};
use dictionary::Dictionary;

/// Magic number of a file that is compressed as a whole by zlib.
const ZLIB_MAGIC: &[u8] = b"$FL3";
const ZLIB: i32 = 2;

pub(super) fn is_one(bytes: &[u8]) -> bool {
    bytes.starts_with(b"$FL2") || bytes.starts_with(ZLIB_MAGIC)
}

pub(super) fn parse(bytes: &[u8]) -> Result<Table, Unreadable> {
    let Header { reader, compression, rows: said } = Header::read(bytes)?;
    let dictionary = Dictionary::read(reader)?;
    let (encoding, columns) = columns::read(&dictionary)?;
    if columns.is_empty() {
        return Err(Unreadable::Empty);
    }
    let mut cases = Cases::new(dictionary.cases, compression, dictionary.system_missing, &encoding);
    let mut rows = Rows::default();
    let mut read = 0;
    while said != Some(read) && cases.has_next()? {
        rows.push(columns.len(), columns.iter().map(|column| cases.cell(column)))?;
        read += 1;
    }
    if said.is_some_and(|rows| read < rows) {
        return Err(Unreadable::CutOff { part: PART });
    }
    let mut table = Table { rows: rows.into_rows(), ..Table::default() };
    for column in columns {
        table.names.push(column.name);
        table.labels.push(column.label);
        table.value_labels.push(column.labels);
    }
    Ok(table)
}

struct Header<'a> {
    /// Reader behind the header.
    reader: ByteReader<'a>,
    compression: Compression,
    /// Number of rows. `None` if the file does not state it.
    rows: Option<u64>,
}

impl<'a> Header<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, Unreadable> {
        let mut reader = ByteReader::new(bytes, ByteOrder::Little, "its header");
        let magic = reader.take(4)?;
        let _program = reader.take(60)?;
        // The layout code is 2 or 3 in the file's own byte order.
        reader.order = match reader.clone().u32()? {
            2 | 3 => ByteOrder::Little,
            _ => ByteOrder::Big,
        };
        let layout = reader.u32()?;
        if !matches!(layout, 2 | 3) {
            return Err(Unreadable::damaged("it begins as an SPSS file and has no layout of one"));
        }
        let _units = reader.i32()?;
        let compression = reader.i32()?;
        let _weight = reader.i32()?;
        let rows = u64::try_from(reader.i32()?).ok();
        let bias = reader.f64()?;
        let _date_label_and_padding = reader.take(9 + 8 + 64 + 3)?;
        let compression = match compression {
            _ if magic == ZLIB_MAGIC => return Err(Unreadable::Zsav),
            0 => Compression::None,
            1 => Compression::Bytecode { bias },
            ZLIB => return Err(Unreadable::Zsav),
            other => return Err(Unreadable::damaged(format!("its cases are compressed in an unknown way, {other}"))),
        };
        Ok(Self { reader, compression, rows })
    }
}

//! Persona files in the formats of their publishers.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

pub const HEADER: [&str; 4] = ["pid", "persona_text", "persona_summary", "persona_json"];

/// A person of `full_persona`, with texts of about `size` characters that contain quotes, commas and line breaks.
pub fn person(number: usize, size: usize) -> [String; 4] {
    let essay = |topic: &str| {
        let mut text = String::new();
        for at in 0.. {
            if text.len() >= size {
                break;
            }
            text.push_str(&format!("{topic} {number}.{at}: she said \"yes, no\",\r\nthen \u{1f600} left;\n"));
        }
        text
    };
    let summary = format!(
        "The person's demographics are the following...\nGeographic region: South (TX, OK, AR)\nGender: {}\nAge: 30-49\n\
         Education level: Some college, no degree\nRace: Black\nCitizen of the US: Yes\nMarital status: Married\n\
         Religion: Protestant\nReligious attendance: Once a week\nPolitical affiliation: Independent\n\
         Income: $50,000-$75,000\nPolitical views: Moderate\nHousehold size: 4\n\
         Employment status: Full-time employment\nscore_extraversion = 3.25 (56th percentile)\n\nGender: unknown\n{}",
        if number.is_multiple_of(2) { "Female" } else { "Male" },
        essay("Essay")
    );
    [format!("p{number}"), essay("Question"), summary, format!("[{{\"ElementType\":\"Block {number}\"}}]")]
}

pub fn people(count: usize, size: usize) -> Vec<[String; 4]> {
    (1..=count).map(|number| person(number, size)).collect()
}

pub fn write_csv(path: &Path, header: &[&str], rows: &[Vec<&str>]) {
    let mut writer = csv::Writer::from_path(path).expect("the file can be made");
    writer.write_record(header).expect("the header is written");
    rows.iter().for_each(|row| writer.write_record(row).expect("a row is written"));
    writer.flush().expect("the file is written");
}

/// Writes one object a line, with keys in the header's order.
pub fn json_lines(header: &[&str], rows: &[Vec<&str>]) -> String {
    let object = |row: &Vec<&str>| {
        let pairs = header.iter().zip(row);
        serde_json::Value::Object(pairs.map(|(key, cell)| (key.to_string(), (*cell).into())).collect()).to_string()
    };
    rows.iter().map(|row| object(row) + "\n").collect()
}

pub enum Column<'a> {
    Text(&'a str, Vec<Option<&'a str>>),
    Numbers(&'a str, Vec<i64>),
}

/// Every compression that a writer may choose.
pub fn codecs() -> [Compression; 7] {
    [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
    ]
}

/// The default properties of `pyarrow`: one row group, and a dictionary of any size.
pub fn plain_properties(compression: Compression) -> WriterProperties {
    WriterProperties::builder().set_compression(compression).set_dictionary_page_size_limit(1 << 30).build()
}

pub fn version_2(compression: Compression) -> WriterProperties {
    let properties = WriterProperties::builder().set_compression(compression);
    properties.set_writer_version(WriterVersion::PARQUET_2_0).set_dictionary_enabled(false).build()
}

/// Writes a file with a row group for every `group` rows. Numbers are required, texts optional.
pub fn write_parquet(path: &Path, properties: WriterProperties, group: usize, columns: &[Column<'_>]) {
    let fields = columns.iter().map(|column| match column {
        Column::Text(name, _) => format!("optional binary {name} (UTF8);"),
        Column::Numbers(name, _) => format!("required int64 {name};"),
    });
    let schema = parse_message_type(&format!("message schema {{ {} }}", fields.collect::<String>()));
    let file = File::create(path).expect("the file can be made");
    let mut writer =
        SerializedFileWriter::new(file, Arc::new(schema.expect("the schema is one")), Arc::new(properties))
            .expect("the file can be begun");
    let rows = match &columns[0] {
        Column::Text(_, cells) => cells.len(),
        Column::Numbers(_, cells) => cells.len(),
    };
    for start in (0..rows).step_by(group) {
        let rows = start..rows.min(start + group);
        let mut row_group = writer.next_row_group().expect("a row group");
        for column in columns {
            let mut chunk = row_group.next_column().expect("a column").expect("as many as the schema has");
            match column {
                Column::Text(_, cells) => {
                    let cells = &cells[rows.clone()];
                    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
                    let values: Vec<ByteArray> = cells.iter().flatten().map(|&cell| cell.into()).collect();
                    chunk.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)
                }
                Column::Numbers(_, cells) => chunk.typed::<Int64Type>().write_batch(&cells[rows.clone()], None, None),
            }
            .expect("the column is written");
            chunk.close().expect("the column ends");
        }
        row_group.close().expect("the row group ends");
    }
    writer.close().expect("the file ends");
}

/// The columns of `full_persona`.
pub fn columns(people: &[[String; 4]]) -> Vec<Column<'_>> {
    let text = |at: usize| Column::Text(HEADER[at], people.iter().map(|person| Some(person[at].as_str())).collect());
    (0..HEADER.len()).map(text).collect()
}

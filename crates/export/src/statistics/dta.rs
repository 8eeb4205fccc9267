//! Stata files of release 118 (Stata 14 and later): little-endian, UTF-8. Texts of any length are whole in it.

use std::io::{self, Seek, Write};

use super::description::{Absence, TableDescription};
use super::stage::StagedCells;
use super::variables::{FileVariable, VariableKind};
use super::{cut, notes};
use crate::table::Cell;
use crate::{Error, Result};

/// Limit of variables.
const MAX_VARIABLES: usize = 32_767;
/// Length limit in bytes of a text in its row; a variable with a longer one has its texts (strL) after the rows.
const MAX_FIXED_TEXT: usize = 2_045;
/// Length limit of the label of a variable, in characters.
const MAX_LABEL: usize = 80;
/// Length limit of the label of a code, in bytes.
const MAX_VALUE_LABEL: usize = 32_000;
/// Length limit of a note, in bytes.
const MAX_NOTE: usize = 67_784;
/// Width limit of a text on screen, in characters.
const MAX_DISPLAY_WIDTH: usize = 40;

/// Sizes of fields in bytes, with the NUL at their ends.
const NAME_FIELD: usize = 129;
const LABEL_FIELD: usize = 321;
const FORMAT_FIELD: usize = 57;

/// The value `.` per type; `.a`, `.b` and so on follow it.
const BYTE_MISSING: u8 = 101;
const INT_MISSING: u16 = 32_741;
const LONG_MISSING: i32 = 2_147_483_621;
const DOUBLE_MISSING: u64 = 0x7fe0_0000_0000_0000;

/// Returns how far the value of a missing answer lies after `.`.
fn offset(absence: Absence) -> u8 {
    absence.letter() - b'a' + 1
}

/// How a variable is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Storage {
    Byte,
    Int,
    Double,
    /// A field of so many bytes.
    Text(u16),
    LongText,
}

impl Storage {
    fn of(variable: &FileVariable) -> Self {
        match variable.kind {
            VariableKind::Number { .. } => Self::Double,
            VariableKind::Code if variable.codes.len() <= 100 => Self::Byte,
            VariableKind::Code => Self::Int,
            VariableKind::Text { bytes } if bytes > MAX_FIXED_TEXT => Self::LongText,
            #[expect(clippy::cast_possible_truncation, reason = "it is at most 2,045")]
            VariableKind::Text { bytes } => Self::Text(bytes.max(1) as u16),
        }
    }

    fn code(self) -> u16 {
        match self {
            Self::Byte => 65_530,
            Self::Int => 65_529,
            Self::Double => 65_526,
            Self::Text(bytes) => bytes,
            Self::LongText => 32_768,
        }
    }

    fn format(self) -> String {
        match self {
            Self::Byte | Self::Int => "%8.0g".to_owned(),
            Self::Double => "%10.0g".to_owned(),
            Self::Text(bytes) => format!("%-{}s", usize::from(bytes).min(MAX_DISPLAY_WIDTH)),
            Self::LongText => format!("%-{MAX_DISPLAY_WIDTH}s"),
        }
    }
}

pub fn write(
    out: &mut (impl Write + Seek),
    about: &TableDescription,
    variables: &[FileVariable],
    stage: &StagedCells,
) -> Result<()> {
    if variables.len() > MAX_VARIABLES {
        let message = format!("{} variables do not fit a Stata file: use .sav, .parquet or .csv", variables.len());
        return Err(Error::TooLarge(message));
    }
    let storage: Vec<Storage> = variables.iter().map(Storage::of).collect();
    // Begin of each section, and the end.
    let mut map = [0_u64; 14];
    out.write_all(&header(about, variables.len(), stage.rows)?)?;
    map[1] = out.stream_position()?;
    section(out, "map", &[0; 14 * 8])?;
    map[2] = out.stream_position()?;
    section(out, "variable_types", &storage.iter().flat_map(|each| each.code().to_le_bytes()).collect::<Vec<_>>())?;
    map[3] = out.stream_position()?;
    section(out, "varnames", &fields(variables.iter().map(|each| each.name.as_str()), NAME_FIELD))?;
    map[4] = out.stream_position()?;
    section(out, "sortlist", &vec![0; 2 * (variables.len() + 1)])?;
    map[5] = out.stream_position()?;
    let formats: Vec<String> = storage.iter().map(|each| each.format()).collect();
    section(out, "formats", &fields(formats.iter().map(String::as_str), FORMAT_FIELD))?;
    map[6] = out.stream_position()?;
    let labelled = |each: &FileVariable| !each.value_labels(|_| 0, 0).is_empty();
    let sets = variables.iter().map(|each| if labelled(each) { each.name.as_str() } else { "" });
    section(out, "value_label_names", &fields(sets, NAME_FIELD))?;
    map[7] = out.stream_position()?;
    section(out, "variable_labels", &fields(variables.iter().map(|each| truncate_label(&each.label)), LABEL_FIELD))?;
    map[8] = out.stream_position()?;
    section(out, "characteristics", &characteristics(about, variables)?)?;
    map[9] = out.stream_position()?;
    out.write_all(b"<data>")?;
    write_rows(out, variables, &storage, stage)?;
    out.write_all(b"</data>")?;
    map[10] = out.stream_position()?;
    out.write_all(b"<strls>")?;
    write_long_texts(out, &storage, stage)?;
    out.write_all(b"</strls>")?;
    map[11] = out.stream_position()?;
    section(out, "value_labels", &value_labels(variables)?)?;
    map[12] = out.stream_position()?;
    out.write_all(b"</stata_dta>")?;
    map[13] = out.stream_position()?;
    out.seek(io::SeekFrom::Start(map[1]))?;
    Ok(section(out, "map", &map.map(u64::to_le_bytes).concat())?)
}

/// Returns the start of a label that fits.
fn truncate_label(label: &str) -> &str {
    label.char_indices().nth(MAX_LABEL).map_or(label, |(end, _)| &label[..end])
}

fn section(out: &mut impl Write, name: &str, content: &[u8]) -> io::Result<()> {
    write!(out, "<{name}>")?;
    out.write_all(content)?;
    write!(out, "</{name}>")
}

/// Writes each text into a field of so many bytes, the last of which is NUL.
fn fields<'a>(texts: impl Iterator<Item = &'a str>, bytes: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for text in texts {
        cut::padded(&mut out, text, bytes - 1, 0);
        out.push(0);
    }
    out
}

fn header(about: &TableDescription, variables: usize, rows: u64) -> io::Result<Vec<u8>> {
    let title = cut::one_line(&about.title);
    let title = truncate_label(&title);
    let at = about.time.format("%d %b %Y %H:%M").to_string();
    let mut out = b"<stata_dta><header><release>118</release><byteorder>LSF</byteorder><K>".to_vec();
    out.extend_from_slice(&u16::try_from(variables).map_err(too_large)?.to_le_bytes());
    out.extend_from_slice(b"</K><N>");
    out.extend_from_slice(&rows.to_le_bytes());
    out.extend_from_slice(b"</N><label>");
    out.extend_from_slice(&u16::try_from(title.len()).map_err(too_large)?.to_le_bytes());
    out.extend_from_slice(title.as_bytes());
    out.extend_from_slice(b"</label><timestamp>");
    out.push(u8::try_from(at.len()).map_err(too_large)?);
    out.extend_from_slice(at.as_bytes());
    out.extend_from_slice(b"</timestamp></header>");
    Ok(out)
}

/// Writes the notes of the data, and the whole label of each variable whose label was cut.
fn characteristics(about: &TableDescription, variables: &[FileVariable]) -> io::Result<Vec<u8>> {
    let long = |each: &FileVariable| each.has_longer_code(MAX_VALUE_LABEL);
    let cuts = notes::cut_in(variables, "Labels of codes", MAX_VALUE_LABEL, long, "codebook.csv");
    let mut out = Vec::new();
    notes_of(&mut out, "_dta", &notes::collect(about, |absence| format!(".{}", char::from(absence.letter())), cuts))?;
    for variable in variables.iter().filter(|each| truncate_label(&each.label) != each.label) {
        notes_of(&mut out, &variable.name, std::slice::from_ref(&variable.label))?;
    }
    Ok(out)
}

fn notes_of(out: &mut Vec<u8>, owner: &str, notes: &[String]) -> io::Result<()> {
    let count = notes.len().to_string();
    for (number, note) in std::iter::once(&count).chain(notes).enumerate() {
        let note = cut::at(note, MAX_NOTE - 1);
        out.extend_from_slice(b"<ch>");
        out.extend_from_slice(&u32::try_from(2 * NAME_FIELD + note.len() + 1).map_err(too_large)?.to_le_bytes());
        out.extend_from_slice(&fields([owner, &format!("note{number}")].into_iter(), NAME_FIELD));
        out.extend_from_slice(note.as_bytes());
        out.extend_from_slice(b"\0</ch>");
    }
    Ok(())
}

fn write_rows(
    out: &mut impl Write,
    variables: &[FileVariable],
    storage: &[Storage],
    stage: &StagedCells,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    for (row, cells) in (1..).zip(stage.rows()?) {
        bytes.clear();
        for (place, cell) in cells?.iter().enumerate() {
            let after = variables[place].absence(cell).map_or(0, offset);
            match (storage[place], cell) {
                (Storage::Text(width), Cell::Text(text)) => cut::padded(&mut bytes, text, width.into(), 0),
                (Storage::Text(width), _) => cut::padded(&mut bytes, "", width.into(), 0),
                (Storage::LongText, cell) => bytes.extend_from_slice(&reference(place, row, cell)?),
                (Storage::Byte, Cell::Code(code)) => bytes.push(u8::try_from(*code).map_err(too_large)?),
                (Storage::Byte, _) => bytes.push(BYTE_MISSING + after),
                (Storage::Int, Cell::Code(code)) => {
                    bytes.extend_from_slice(&i16::try_from(*code).map_err(too_large)?.to_le_bytes());
                }
                (Storage::Int, _) => bytes.extend_from_slice(&(INT_MISSING + u16::from(after)).to_le_bytes()),
                (Storage::Double, Cell::Number(number)) => bytes.extend_from_slice(&number.to_le_bytes()),
                (Storage::Double, _) => {
                    bytes.extend_from_slice(&(DOUBLE_MISSING + (u64::from(after) << 40)).to_le_bytes());
                }
            }
        }
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Names a long text by its variable, in two bytes, and its row, in six, both from 1. Zeros name the empty text.
fn reference(place: usize, row: u64, cell: &Cell) -> io::Result<[u8; 8]> {
    if !matches!(cell, Cell::Text(text) if !text.is_empty()) {
        return Ok([0; 8]);
    }
    let variable = u64::try_from(place + 1).map_err(too_large)?;
    Ok((variable | (row << 16)).to_le_bytes())
}

fn write_long_texts(out: &mut impl Write, storage: &[Storage], stage: &StagedCells) -> io::Result<()> {
    if !storage.contains(&Storage::LongText) {
        return Ok(());
    }
    for (row, cells) in (1_u64..).zip(stage.rows()?) {
        for (variable, (storage, cell)) in (1_u32..).zip(storage.iter().zip(cells?)) {
            let Cell::Text(text) = cell else { continue };
            if *storage != Storage::LongText || text.is_empty() {
                continue;
            }
            out.write_all(b"GSO")?;
            out.write_all(&variable.to_le_bytes())?;
            out.write_all(&row.to_le_bytes())?;
            // Text that ends with a NUL.
            out.write_all(&[130])?;
            out.write_all(&u32::try_from(text.len() + 1).map_err(too_large)?.to_le_bytes())?;
            out.write_all(text.as_bytes())?;
            out.write_all(&[0])?;
        }
    }
    Ok(())
}

/// Writes a set of labels for each variable with labels, under its name.
fn value_labels(variables: &[FileVariable]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    for variable in variables {
        let labels = variable.value_labels(|absence| LONG_MISSING + i32::from(offset(absence)), MAX_VALUE_LABEL);
        if labels.is_empty() {
            continue;
        }
        let mut texts = Vec::new();
        let (mut starts, mut codes) = (Vec::new(), Vec::new());
        for (code, label) in &labels {
            starts.extend_from_slice(&u32::try_from(texts.len()).map_err(too_large)?.to_le_bytes());
            codes.extend_from_slice(&code.to_le_bytes());
            texts.extend_from_slice(label.as_bytes());
            texts.push(0);
        }
        let count = u32::try_from(labels.len()).map_err(too_large)?.to_le_bytes();
        let length = u32::try_from(texts.len()).map_err(too_large)?.to_le_bytes();
        let table = [&count[..], &length, &starts, &codes, &texts].concat();
        out.extend_from_slice(b"<lbl>");
        out.extend_from_slice(&u32::try_from(table.len()).map_err(too_large)?.to_le_bytes());
        out.extend_from_slice(&fields([variable.name.as_str()].into_iter(), NAME_FIELD));
        out.extend_from_slice(&[0; 3]);
        out.extend_from_slice(&table);
        out.extend_from_slice(b"</lbl>");
    }
    Ok(out)
}

fn too_large(_: std::num::TryFromIntError) -> io::Error {
    io::Error::other("more than a Stata file counts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_eighty_characters_and_a_field_ends_with_a_nul() {
        assert_eq!(truncate_label(&"😀".repeat(90)), "😀".repeat(80));
        assert_eq!(truncate_label("short"), "short");
        assert_eq!(fields(["ab", "😀"].into_iter(), 4), b"ab\0\0\0\0\0\0");
    }

    #[test]
    fn a_long_text_is_named_by_variable_and_row() {
        assert_eq!(reference(2, 258, &Cell::Text("x".into())).unwrap(), [3, 0, 2, 1, 0, 0, 0, 0]);
        assert_eq!(reference(2, 258, &Cell::Text(String::new())).unwrap(), [0; 8]);
    }
}

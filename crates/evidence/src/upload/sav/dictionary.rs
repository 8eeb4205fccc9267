//! The records before the cases, with undecoded texts, because their encoding is stated after them.

use crate::upload::bytes::ByteReader;
use crate::upload::table::Unreadable;

const VARIABLE: i32 = 2;
const VALUE_LABELS: i32 = 3;
const LABELLED: i32 = 4;
const NOTES: i32 = 6;
const EXTENSION: i32 = 7;
const END: i32 = 999;

/// Size of a unit of a case, in bytes.
pub const UNIT: usize = 8;
/// The number of a system-missing value.
const SYSTEM_MISSING: f64 = -f64::MAX;

pub struct Dictionary<'a> {
    pub variables: Vec<Variable<'a>>,
    pub label_sets: Vec<LabelSet<'a>>,
    pub extensions: Extensions<'a>,
    pub system_missing: f64,
    pub cases: ByteReader<'a>,
}

/// A variable: a number, a text, or a segment of a text of more than 255 bytes.
pub struct Variable<'a> {
    pub short_name: &'a [u8],
    /// Width of a text in bytes; 0 for a number.
    pub width: usize,
    pub label: &'a [u8],
    /// The number of missing values; negative if they include a range.
    pub missing_kind: i32,
    pub missing: Vec<[u8; UNIT]>,
    /// 1-based position of its first unit in a case.
    pub unit: u32,
}

/// Labels of values, and the variables that have them.
pub struct LabelSet<'a> {
    pub labels: Vec<([u8; UNIT], &'a [u8])>,
    /// First units of the variables.
    pub units: Vec<u32>,
}

/// Records that old programs skip; empty if missing.
#[derive(Default)]
pub struct Extensions<'a> {
    pub code_page: Option<i32>,
    pub encoding: &'a [u8],
    /// `SHORT=long` names, separated by tabs.
    pub long_names: &'a [u8],
    /// `SHORT=00300` widths of texts in segments, separated by tabs.
    pub text_widths: &'a [u8],
    pub text_labels: &'a [u8],
    pub text_missing: &'a [u8],
}

impl<'a> Dictionary<'a> {
    pub fn read(mut reader: ByteReader<'a>) -> Result<Self, Unreadable> {
        let mut of = Self {
            variables: Vec::new(),
            label_sets: Vec::new(),
            extensions: Extensions::default(),
            system_missing: SYSTEM_MISSING,
            cases: reader.clone(),
        };
        let mut units: u32 = 0;
        // Units of the last text that have no record yet.
        let mut open = 0;
        loop {
            reader.part = "the list of its variables";
            let kind = reader.i32()?;
            if kind != VARIABLE && open > 0 {
                break Err(units_of_text());
            }
            match kind {
                VARIABLE => {
                    // A record takes 32 bytes, so a file cannot overflow the number.
                    units = units.saturating_add(1);
                    match Variable::read(&mut reader, units)? {
                        None if open > 0 => open -= 1,
                        Some(variable) if open == 0 => {
                            open = variable.width.div_ceil(UNIT).saturating_sub(1);
                            of.variables.push(variable);
                        }
                        _ => break Err(units_of_text()),
                    }
                }
                VALUE_LABELS => of.label_sets.push(LabelSet::read(&mut reader)?),
                NOTES => {
                    reader.part = "its notes";
                    let lines = reader.count()?;
                    reader.take_each(lines, 80)?;
                }
                EXTENSION => of.extension(&mut reader)?,
                END => {
                    reader.i32()?;
                    of.cases = reader;
                    break Ok(of);
                }
                other => break Err(Unreadable::damaged(format!("{other} is no kind of record of an SPSS file"))),
            }
        }
    }

    fn extension(&mut self, reader: &mut ByteReader<'a>) -> Result<(), Unreadable> {
        reader.part = "an extension record";
        let kind = reader.i32()?;
        let (size, count) = (reader.count()?, reader.count()?);
        let content = reader.take_each(count, size)?;
        let mut numbers = ByteReader::new(content, reader.order, reader.part);
        match kind {
            3 => {
                let _version_and_machine = numbers.take(7 * 4)?;
                self.extensions.code_page = Some(numbers.i32()?);
            }
            4 => self.system_missing = numbers.f64()?,
            13 => self.extensions.long_names = content,
            14 => self.extensions.text_widths = content,
            20 => self.extensions.encoding = content,
            21 => self.extensions.text_labels = content,
            22 => self.extensions.text_missing = content,
            _ => {}
        }
        Ok(())
    }
}

fn units_of_text() -> Unreadable {
    Unreadable::damaged("a variable of text has not the records of its width")
}

impl<'a> Variable<'a> {
    /// Reads a variable. `None` if the record is a further unit of the text before it.
    fn read(reader: &mut ByteReader<'a>, unit: u32) -> Result<Option<Self>, Unreadable> {
        let (width, has_label, missing_kind) = (reader.i32()?, reader.i32()?, reader.i32()?);
        let _formats = reader.take(8)?;
        let short_name = reader.take(8)?;
        let label = if has_label == 1 {
            let length = reader.count()?;
            let label = reader.take(length)?;
            reader.take(length.next_multiple_of(4) - length)?;
            label
        } else {
            &[]
        };
        let missing = match missing_kind.unsigned_abs() {
            values @ 0..=3 => (0..values).map(|_| reader.array()).collect::<Result<_, _>>()?,
            other => return Err(Unreadable::damaged(format!("a variable has {other} missing values"))),
        };
        match usize::try_from(width) {
            Ok(width @ 0..=255) => Ok(Some(Self { short_name, width, label, missing_kind, missing, unit })),
            Err(_) if width == -1 => Ok(None),
            _ => Err(Unreadable::damaged(format!("a variable is {width} bytes wide"))),
        }
    }
}

impl<'a> LabelSet<'a> {
    fn read(reader: &mut ByteReader<'a>) -> Result<Self, Unreadable> {
        reader.part = "its labels of values";
        let mut labels = Vec::new();
        for _ in 0..reader.count()? {
            let value = reader.array()?;
            let length = usize::from(reader.u8()?);
            let label = reader.take(length)?;
            reader.take((length + 1).next_multiple_of(UNIT) - 1 - length)?;
            labels.push((value, label));
        }
        if reader.i32()? != LABELLED {
            return Err(Unreadable::damaged("labels of values are not followed by the variables that have them"));
        }
        let units = (0..reader.count()?).map(|_| reader.u32()).collect::<Result<_, _>>()?;
        Ok(Self { labels, units })
    }
}

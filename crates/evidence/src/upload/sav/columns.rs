//! The columns of an SPSS file, made of its variables and of extension records.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::dictionary::{Dictionary, LabelSet, UNIT, Variable};
use crate::upload::bytes::{ByteOrder, ByteReader};
use crate::upload::cells;
use crate::upload::encoding::TextEncoding;
use crate::upload::table::{Unreadable, UserMissing, ValueLabels};

/// Width of the widest segment of a text, in bytes.
const MAX_SEGMENT_BYTES: usize = 255;
const SEGMENT_STEP: usize = 252;

pub struct SavColumn {
    pub name: String,
    pub label: String,
    pub kind: SavKind,
    pub labels: ValueLabels,
}

pub enum SavKind {
    Number,
    Text {
        /// Width of each segment, in bytes.
        widths: Vec<usize>,
    },
}

pub fn read(dictionary: &Dictionary) -> Result<(TextEncoding, Vec<SavColumn>), Unreadable> {
    let extensions = &dictionary.extensions;
    let encoding = match TextEncoding::named(&String::from_utf8_lossy(extensions.encoding)) {
        TextEncoding::Unsaid => extensions.code_page.map_or(TextEncoding::Unsaid, TextEncoding::of_code_page),
        named => named,
    };
    let of = Decoded { encoding: &encoding, order: dictionary.cases.order };
    let columns = of.columns(dictionary)?;
    Ok((encoding, columns))
}

/// The records of a file with their encoding.
struct Decoded<'a> {
    encoding: &'a TextEncoding,
    order: ByteOrder,
}

impl Decoded<'_> {
    fn columns(&self, dictionary: &Dictionary) -> Result<Vec<SavColumn>, Unreadable> {
        let long_names = pairs(dictionary.extensions.long_names);
        let text_widths = pairs(dictionary.extensions.text_widths);
        let mut of_units = self.labels(&dictionary.label_sets, &dictionary.variables)?;
        let mut columns = Vec::new();
        let mut variables = dictionary.variables.iter();
        while let Some(variable) = variables.next() {
            let short_name = variable.short_name.trim_ascii_end();
            let widths = match text_widths.get(short_name) {
                Some(width) => segments(variable, width, &mut variables)?,
                None => vec![variable.width],
            };
            let name = self.encoding.text(long_names.get(short_name).unwrap_or(&short_name))?;
            let labels = of_units.remove(&variable.unit).unwrap_or_default();
            columns.push(SavColumn {
                name,
                label: self.encoding.text(variable.label)?,
                kind: if variable.width == 0 { SavKind::Number } else { SavKind::Text { widths } },
                labels: ValueLabels { labels, missing: self.missing(variable)? },
            });
        }
        self.text_labels(dictionary.extensions.text_labels, &mut columns)?;
        self.text_missing(dictionary.extensions.text_missing, &mut columns)?;
        Ok(columns)
    }

    /// Returns the value labels by the first unit of their variable.
    fn labels(
        &self,
        sets: &[LabelSet],
        variables: &[Variable],
    ) -> Result<HashMap<u32, Arc<BTreeMap<String, String>>>, Unreadable> {
        let is_number = |unit: &u32| {
            let place = variables.binary_search_by_key(unit, |variable| variable.unit).ok()?;
            Some(variables[place].width == 0)
        };
        let mut of_units = HashMap::new();
        for set in sets {
            // The variables of a set are all numbers or all texts.
            let Some(numbers) = set.units.first().map(is_number) else { continue };
            if set.units.iter().any(|unit| is_number(unit) != numbers) || numbers.is_none() {
                return Err(Unreadable::damaged("labels of values belong to no variable, or to numbers and texts"));
            }
            let labels = set
                .labels
                .iter()
                .map(|(value, label)| Ok((self.value(*value, numbers == Some(true))?, self.encoding.text(label)?)));
            let labels = Arc::new(labels.collect::<Result<_, Unreadable>>()?);
            of_units.extend(set.units.iter().map(|unit| (*unit, Arc::clone(&labels))));
        }
        Ok(of_units)
    }

    fn value(&self, bytes: [u8; UNIT], is_number: bool) -> Result<String, Unreadable> {
        if is_number { Ok(cells::number(self.order.f64(bytes))) } else { self.encoding.text(&bytes) }
    }

    fn missing(&self, variable: &Variable) -> Result<UserMissing, Unreadable> {
        let is_number = variable.width == 0;
        let (range, values) = match variable.missing.as_slice() {
            [low, high, values @ ..] if variable.missing_kind < 0 => {
                (Some((self.order.f64(*low), self.order.f64(*high))), values)
            }
            values => (None, values),
        };
        let values = values.iter().map(|value| self.value(*value, is_number)).collect::<Result<_, _>>()?;
        Ok(UserMissing { range: range.filter(|_| is_number), values })
    }

    /// Adds the labels of texts that are longer than a unit.
    fn text_labels(&self, content: &[u8], columns: &mut [SavColumn]) -> Result<(), Unreadable> {
        let places = places(columns);
        let mut reader = ByteReader::new(content, self.order, "its labels of texts");
        while !reader.rest.is_empty() {
            let name = self.counted(&mut reader)?;
            let _width = reader.count()?;
            let mut labels = BTreeMap::new();
            for _ in 0..reader.count()? {
                let value = self.counted(&mut reader)?;
                labels.insert(value, self.counted(&mut reader)?);
            }
            if let Some(place) = places.get(&name) {
                columns[*place].labels.labels = Arc::new(labels);
            }
        }
        Ok(())
    }

    fn text_missing(&self, content: &[u8], columns: &mut [SavColumn]) -> Result<(), Unreadable> {
        let places = places(columns);
        let mut reader = ByteReader::new(content, self.order, "its missing values of texts");
        while !reader.rest.is_empty() {
            let name = self.counted(&mut reader)?;
            let values = reader.u8()?;
            if values > 3 {
                return Err(Unreadable::damaged(format!("a variable has {values} missing values")));
            }
            let bytes = reader.count()?;
            let values = (0..values).map(|_| self.encoding.text(reader.take(bytes)?));
            let values = values.collect::<Result<_, _>>()?;
            if let Some(place) = places.get(&name) {
                columns[*place].labels.missing.values = values;
            }
        }
        Ok(())
    }

    /// Reads a text that is preceded by its length in bytes.
    fn counted(&self, reader: &mut ByteReader) -> Result<String, Unreadable> {
        let bytes = reader.count()?;
        self.encoding.text(reader.take(bytes)?)
    }
}

fn places(columns: &[SavColumn]) -> HashMap<String, usize> {
    columns.iter().enumerate().map(|(place, column)| (column.name.clone(), place)).collect()
}

/// Splits `A=one`, `B=two`, separated by tabs. Some programs write NULs before the tabs.
fn pairs(content: &[u8]) -> HashMap<&[u8], &[u8]> {
    let parts = content.split(|byte| *byte == b'\t');
    let equals = |part: &&[u8]| part.iter().position(|byte| *byte == b'=');
    parts.filter_map(|part| equals(&part).map(|place| (&part[..place], &part[place + 1..]))).collect()
}

/// Returns the widths of a text's segments. Takes the further segments from `variables`.
fn segments<'a>(
    first: &Variable,
    width: &[u8],
    variables: &mut impl Iterator<Item = &'a Variable<'a>>,
) -> Result<Vec<usize>, Unreadable> {
    let bad = |reason: &str| Unreadable::damaged(format!("a long text {reason}"));
    let width = std::str::from_utf8(width).ok().map(|digits| digits.trim_matches(['\0', ' ']));
    let width: usize = width.and_then(|digits| digits.parse().ok()).ok_or_else(|| bad("has no width"))?;
    let further = if width > MAX_SEGMENT_BYTES { width.div_ceil(SEGMENT_STEP) - 1 } else { 0 };
    let mut widths = vec![first.width];
    for _ in 0..further {
        widths.push(variables.next().ok_or_else(|| bad("has not all of its segments"))?.width);
    }
    if widths.contains(&0) { Err(bad("has numbers among its segments")) } else { Ok(widths) }
}

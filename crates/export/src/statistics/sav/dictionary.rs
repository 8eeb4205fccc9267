//! The part of an SPSS file before its cases.

use std::io;

use super::limits::{BIAS, MAX_TEXT, MAX_VALUE_LABEL, MAX_VARIABLE_LABEL, segments, too_large};
use crate::statistics::cut;
use crate::statistics::description::{Absence, TableDescription};
use crate::statistics::variables::{FileVariable, Measure, VariableKind};

/// Size of a line of notes, in bytes.
const NOTE_LINE: usize = 80;
/// Width limit of a column of texts on screen, in characters.
const MAX_DISPLAY_WIDTH: usize = 40;

const VARIABLE: i32 = 2;
const VALUE_LABELS: i32 = 3;
const LABELLED: i32 = 4;
const NOTES: i32 = 6;
const EXTENSION: i32 = 7;
const END: i32 = 999;

pub fn write(about: &TableDescription, variables: &[FileVariable], notes: &[String], rows: u64) -> io::Result<Vec<u8>> {
    let segments_of = |variable: &FileVariable| match variable.kind {
        VariableKind::Text { bytes } => segments(bytes).collect(),
        VariableKind::Number { .. } | VariableKind::Code => vec![0],
    };
    let widths: Vec<Vec<usize>> = variables.iter().map(segments_of).collect();
    let mut dictionary = Dictionary { out: Vec::new(), named: 0 };
    // Value labels name a variable by its first unit of a case, from 1.
    let mut place = 1;
    let mut places = Vec::new();
    let units = widths.iter().flatten().map(|width| units(*width)).sum();
    dictionary.header(about, units, rows)?;
    let mut short_names = Vec::new();
    for (variable, widths) in variables.iter().zip(&widths) {
        places.push(place);
        short_names.push(format!("V{}", dictionary.named + 1));
        for (segment, width) in widths.iter().enumerate() {
            dictionary.variable(variable, segment, *width)?;
            place += units_count(*width)?;
        }
    }
    for (variable, place) in variables.iter().zip(places) {
        dictionary.value_labels(variable, place)?;
    }
    dictionary.notes(notes)?;
    dictionary.machine()?;
    dictionary.shown_as(variables, &widths)?;
    let named = variables.iter().zip(&short_names).map(|(variable, short)| format!("{short}={}", variable.name));
    dictionary.extension(13, 1, named.collect::<Vec<_>>().join("\t").as_bytes())?;
    let long = variables.iter().zip(&short_names).zip(&widths).filter(|(_, widths)| widths.len() > 1);
    let long: String = long
        .filter_map(|((variable, short), _)| match variable.kind {
            VariableKind::Text { bytes } => Some(format!("{short}={:05}\0\t", bytes.min(MAX_TEXT))),
            VariableKind::Number { .. } | VariableKind::Code => None,
        })
        .collect();
    if !long.is_empty() {
        dictionary.extension(14, 1, long.as_bytes())?;
    }
    dictionary.extension(20, 1, b"UTF-8")?;
    dictionary.whole(END);
    dictionary.whole(0);
    Ok(dictionary.out)
}

/// Returns the units of a case that a width takes. A number, whose width is 0, takes one.
fn units(width: usize) -> usize {
    width.div_ceil(8).max(1)
}

fn units_count(width: usize) -> io::Result<i32> {
    i32::try_from(units(width)).map_err(too_large)
}

struct Dictionary {
    out: Vec<u8>,
    /// Count of short names given so far.
    named: usize,
}

impl Dictionary {
    fn whole(&mut self, number: i32) {
        self.out.extend_from_slice(&number.to_le_bytes());
    }

    fn count(&mut self, number: usize) -> io::Result<()> {
        self.whole(i32::try_from(number).map_err(too_large)?);
        Ok(())
    }

    fn number(&mut self, number: f64) {
        self.out.extend_from_slice(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str, bytes: usize) {
        cut::padded(&mut self.out, text, bytes, b' ');
    }

    fn header(&mut self, about: &TableDescription, units: usize, rows: u64) -> io::Result<()> {
        let at = about.time;
        self.out.extend_from_slice(b"$FL2");
        self.text(&format!("@(#) SPSS DATA FILE Digital Twin Lab {}", about.program_version), 60);
        self.whole(2);
        self.count(units)?;
        // Compressed by bytecode, without weights.
        self.whole(1);
        self.whole(0);
        self.whole(i32::try_from(rows).map_err(too_large)?);
        self.number(BIAS.into());
        self.text(&at.format("%d %b %y").to_string(), 9);
        self.text(&at.format("%H:%M:%S").to_string(), 8);
        self.text(&cut::one_line(&about.title), 64);
        self.out.extend_from_slice(&[0; 3]);
        Ok(())
    }

    /// Writes a segment of a variable. The first one has the label and the missing values.
    fn variable(&mut self, variable: &FileVariable, segment: usize, width: usize) -> io::Result<()> {
        let format = match variable.kind {
            VariableKind::Text { .. } => (1 << 16) | (i32::try_from(width).map_err(too_large)? << 8),
            VariableKind::Number { whole: false } => (5 << 16) | (8 << 8) | 2,
            VariableKind::Number { whole: true } | VariableKind::Code => (5 << 16) | (8 << 8),
        };
        let label = Some(cut::at(&variable.label, MAX_VARIABLE_LABEL)).filter(|_| segment == 0);
        let missing = &variable.absences;
        self.whole(VARIABLE);
        self.count(width)?;
        self.whole(label.is_some().into());
        self.count(missing.len())?;
        self.whole(format);
        self.whole(format);
        self.named += 1;
        self.text(&format!("V{}", self.named), 8);
        if let Some(label) = label {
            self.count(label.len())?;
            self.text(label, label.len().next_multiple_of(4));
        }
        for absence in missing {
            self.number(absence.number().into());
        }
        for _ in 1..units(width) {
            self.whole(VARIABLE);
            self.whole(-1);
            self.out.extend_from_slice(&[0; 16]);
            self.text("", 8);
        }
        Ok(())
    }

    fn value_labels(&mut self, variable: &FileVariable, place: i32) -> io::Result<()> {
        let labels = variable.value_labels(Absence::number, MAX_VALUE_LABEL);
        if labels.is_empty() {
            return Ok(());
        }
        self.whole(VALUE_LABELS);
        self.count(labels.len())?;
        for (code, label) in labels {
            self.number(code.into());
            self.out.push(u8::try_from(label.len()).map_err(too_large)?);
            self.text(label, (1 + label.len()).next_multiple_of(8) - 1);
        }
        self.whole(LABELLED);
        self.whole(1);
        self.whole(place);
        Ok(())
    }

    fn notes(&mut self, notes: &[String]) -> io::Result<()> {
        let mut lines = Vec::new();
        for mut rest in notes.iter().map(String::as_str) {
            while !rest.is_empty() {
                let line = cut::at(rest, NOTE_LINE);
                lines.push(line);
                rest = &rest[line.len()..];
            }
        }
        self.whole(NOTES);
        self.count(lines.len())?;
        for line in lines {
            self.text(line, NOTE_LINE);
        }
        Ok(())
    }

    /// Writes how numbers and texts are stored: IEEE 754, little-endian, UTF-8.
    fn machine(&mut self) -> io::Result<()> {
        let integers: [i32; 8] = [1, 0, 0, -1, 1, 1, 2, 65_001];
        self.extension(3, 4, &integers.map(i32::to_le_bytes).concat())?;
        let lowest = f64::from_bits((-f64::MAX).to_bits() - 1);
        self.extension(4, 8, &[-f64::MAX, f64::MAX, lowest].map(f64::to_le_bytes).concat())
    }

    /// Writes measure, width and alignment of each segment.
    fn shown_as(&mut self, variables: &[FileVariable], widths: &[Vec<usize>]) -> io::Result<()> {
        let mut numbers: Vec<i32> = Vec::new();
        for (variable, widths) in variables.iter().zip(widths) {
            for width in widths {
                let measure = match variable.measure {
                    Measure::Nominal => 1,
                    Measure::Ordinal => 2,
                    Measure::Scale => 3,
                };
                let is_text = matches!(variable.kind, VariableKind::Text { .. });
                let shown =
                    if is_text { i32::try_from((*width).min(MAX_DISPLAY_WIDTH)).map_err(too_large)? } else { 8 };
                numbers.extend([measure, shown, i32::from(!is_text)]);
            }
        }
        self.extension(11, 4, &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
    }

    fn extension(&mut self, kind: i32, size: usize, content: &[u8]) -> io::Result<()> {
        self.whole(EXTENSION);
        self.whole(kind);
        self.count(size)?;
        self.count(content.len() / size)?;
        self.out.extend_from_slice(content);
        Ok(())
    }
}

//! SPSS system files, after PSPP's description of the format: little-endian, UTF-8, cases compressed by bytecode.

mod cases;
mod dictionary;

use std::io::{self, Write};

use super::stage::StagedCells;
use super::variables::{FileVariable, VariableKind};
use super::{TableDescription, notes};
use crate::Result;

/// Length limits, in bytes.
const MAX_TEXT: usize = 32_767;
const MAX_VARIABLE_LABEL: usize = 255;
const MAX_VALUE_LABEL: usize = 120;
/// Width limit of a segment of a text. A longer text is several variables to old readers.
const MAX_SEGMENT: usize = 255;
/// Width that each further segment adds.
const SEGMENT_STEP: usize = 252;
/// Number that is added to a whole number that fits a byte of bytecode.
const BIAS: i32 = 100;

pub fn write(
    out: &mut impl Write,
    about: &TableDescription,
    variables: &[FileVariable],
    stage: &StagedCells,
) -> Result<()> {
    let long = |variable: &FileVariable| matches!(variable.kind, VariableKind::Text { bytes } if bytes > MAX_TEXT);
    let cuts = [
        notes::cut_in(variables, "Texts", MAX_TEXT, long, "wide.csv"),
        notes::cut_in(
            variables,
            "Labels",
            MAX_VARIABLE_LABEL,
            |each| each.label.len() > MAX_VARIABLE_LABEL,
            "codebook.csv",
        ),
        notes::cut_in(
            variables,
            "Labels of codes",
            MAX_VALUE_LABEL,
            |each| each.has_longer_code(MAX_VALUE_LABEL),
            "codebook.csv",
        ),
    ];
    let notes = notes::collect(about, |absence| absence.number().to_string(), cuts.into_iter().flatten());
    out.write_all(&dictionary::write(about, variables, &notes, stage.rows)?)?;
    let mut cases = cases::Cases::new(out);
    for row in stage.rows()? {
        for (variable, cell) in variables.iter().zip(row?) {
            cases.cell(variable, &cell)?;
        }
    }
    Ok(cases.end()?)
}

/// Returns the widths of the segments of a text of so many bytes.
fn segments(bytes: usize) -> impl Iterator<Item = usize> {
    let width = bytes.clamp(1, MAX_TEXT);
    let last = if width <= MAX_SEGMENT { 0 } else { width.div_ceil(SEGMENT_STEP) - 1 };
    (0..=last).map(move |segment| if segment < last { MAX_SEGMENT } else { width - last * SEGMENT_STEP })
}

fn too_large(_: std::num::TryFromIntError) -> io::Error {
    io::Error::other("more than an SPSS file counts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_a_segment_for_each_252_bytes_once_it_has_more_than_255() {
        for (bytes, widths) in [
            (0, vec![1]),
            (1, vec![1]),
            (255, vec![255]),
            (256, vec![255, 4]),
            (504, vec![255, 252]),
            (505, vec![255, 255, 1]),
        ] {
            assert_eq!(segments(bytes).collect::<Vec<_>>(), widths, "{bytes}");
        }
        assert_eq!(segments(100_000).count(), 131);
    }
}

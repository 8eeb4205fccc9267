//! Limits of SPSS system files, and texts that are longer than one variable.

use std::io;

/// Length limits, in bytes.
pub const MAX_TEXT: usize = 32_767;
pub const MAX_VARIABLE_LABEL: usize = 255;
pub const MAX_VALUE_LABEL: usize = 120;
/// Width limit of a segment of a text. A longer text is several variables to old readers.
pub const MAX_SEGMENT: usize = 255;
/// Width that each further segment adds.
pub const SEGMENT_STEP: usize = 252;
/// Number that is added to a whole number that fits a byte of bytecode.
pub const BIAS: i32 = 100;

/// Returns the widths of the segments of a text of so many bytes.
pub fn segments(bytes: usize) -> impl Iterator<Item = usize> {
    let width = bytes.clamp(1, MAX_TEXT);
    let last = if width <= MAX_SEGMENT { 0 } else { width.div_ceil(SEGMENT_STEP) - 1 };
    (0..=last).map(move |segment| if segment < last { MAX_SEGMENT } else { width - last * SEGMENT_STEP })
}

pub fn too_large(_: std::num::TryFromIntError) -> io::Error {
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

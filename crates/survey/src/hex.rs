//! Writes bytes as lower-case hexadecimal digits.

pub fn hex(bytes: &[u8]) -> String {
    // `format!("{:02x}")` for each byte would take longer than the rest of an answer's row.
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

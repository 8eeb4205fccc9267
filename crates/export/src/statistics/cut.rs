//! Texts in fields of a fixed size.

/// Returns the start of the text that fits so many bytes, to a whole character.
pub fn at(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Returns the text on one line. Programs show labels in one, and end some of them at a NUL.
pub fn one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// Appends the text with `fill` after it, to so many bytes. What does not fit is left out.
pub fn padded(out: &mut Vec<u8>, text: &str, bytes: usize, fill: u8) {
    let end = out.len() + bytes;
    out.extend_from_slice(at(text, bytes).as_bytes());
    out.resize(end, fill);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_whole_character() {
        for (bytes, start) in [(0, ""), (1, "a"), (2, "a"), (4, "a"), (5, "a😀"), (6, "a😀b"), (60, "a😀b")] {
            assert_eq!(at("a😀b", bytes), start, "{bytes}");
        }
        let mut field = b"x".to_vec();
        padded(&mut field, "a😀b", 4, b'.');
        assert_eq!(field, b"xa...");
        padded(&mut field, "é", 3, 0);
        assert_eq!(field, "xa...é\0".as_bytes());
    }

    #[test]
    fn control_characters_of_a_label_are_blanks() {
        assert_eq!(one_line("one\r\ntwo\0\tthree😀"), "one  two  three😀");
    }
}

//! Pieces of a text, as a reply that is streamed has them.

/// Maximum size of a piece, in bytes. A character that is longer is a piece of its own.
const PIECE_BYTES: usize = 16;

pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?.len_utf8();
        let (piece, later) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES).max(first));
        rest = later;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_a_text_are_short_and_put_together_the_text() {
        let text = "Straße 🦀🦀🦀🦀🦀 of many words, and no end";
        let all: Vec<&str> = pieces(text).collect();
        assert!(all.len() > 3 && all.iter().all(|piece| (1..=PIECE_BYTES).contains(&piece.len())), "{all:?}");
        assert_eq!(all.concat(), text);
        assert_eq!(pieces("").count(), 0);
    }
}

//! Follows the quotes of a delimited text, to find one that is never closed.
//!
//! The csv crate takes everything up to the next quote, or to the end of the file, as one cell, and reports nothing.

/// State of the scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// The beginning of a cell.
    #[default]
    Start,
    Bare,
    Quoted,
    /// After a quote within a quoted cell: it ends the cell or is the first of two.
    Behind,
}

#[derive(Debug)]
pub struct Quotes {
    delimiter: u8,
    state: State,
    /// Current line, from 1.
    line: u64,
    /// The line of the last opening quote.
    opened: u64,
}

impl Quotes {
    pub fn new(delimiter: u8) -> Self {
        Self { delimiter, state: State::Start, line: 1, opened: 0 }
    }

    /// Scans the next bytes. The error is the line of a quote that a later cell's quote closed by mistake: a cell over
    /// several lines, with more text after its last quote.
    pub fn read(&mut self, bytes: &[u8]) -> Result<(), u64> {
        for &byte in bytes {
            self.state = match (self.state, byte) {
                (State::Start, b'"') => {
                    self.opened = self.line;
                    State::Quoted
                }
                (State::Quoted, b'"') => State::Behind,
                (State::Behind, b'"') | (State::Quoted, _) => State::Quoted,
                (_, b'\n' | b'\r') => State::Start,
                (_, byte) if byte == self.delimiter => State::Start,
                (State::Behind, _) if self.opened < self.line => return Err(self.opened),
                _ => State::Bare,
            };
            self.line += u64::from(byte == b'\n');
        }
        Ok(())
    }

    /// The line of a quote that is still open.
    pub fn open(&self) -> Option<u64> {
        (self.state == State::Quoted).then_some(self.opened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_followed_over_cells_and_lines() {
        let read = |text: &str| {
            let mut quotes = Quotes::new(b',');
            // Split in two, because a reader's buffer may end anywhere.
            let (start, end) = text.split_at(text.len() / 2);
            quotes.read(start.as_bytes()).and_then(|()| quotes.read(end.as_bytes())).map(|()| quotes.open())
        };
        for sound in ["a,b\n", "a,\"b\nb\"\nc,d\n", "\"a \"\"b\"\"\",c", "5\" wide,b\n", "\"a\" b,c\n", "a,\"\"\r\n"] {
            assert_eq!(read(sound), Ok(None), "{sound:?}");
        }
        assert_eq!(read("p,s\na,\"A\nb,B\n"), Ok(Some(2)));
        assert_eq!(read("p,s\na,\"A"), Ok(Some(2)));
        assert_eq!(read("p,s\na,\"A\nb,\"B\"\nc,\"C\"\n"), Err(2));
    }
}

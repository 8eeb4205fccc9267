//! Server-sent events, and the replies that providers send as such.

use std::borrow::Cow;

use super::outcome::CallError;

/// A server-sent event.
#[derive(Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Empty where the stream does not name it.
    pub name: &'a str,
    pub data: Cow<'a, str>,
}

/// Puts the events of one stream together to the reply that the provider sends without streaming, so that there is one way
/// to read and to store replies.
pub trait StreamedReply: Default + Send {
    /// Takes the next event. Returns whether it is the last one.
    fn add(&mut self, event: &Event<'_>) -> Result<bool, CallError>;

    /// The whole reply as JSON. Fails if the stream ended before the reply did.
    fn finish(self) -> Result<String, CallError>;
}

/// Splits a stream into its events.
#[derive(Default)]
pub struct EventReader {
    buffer: Vec<u8>,
    /// Offset of the next event.
    start: usize,
    /// Offset of the first unread line.
    line: usize,
    blocks: usize,
}

impl EventReader {
    /// Appends what has arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.line -= self.start;
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Length of the event that is not complete yet, in bytes.
    pub fn pending_bytes(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Number of events and of comments between them so far. Servers that have nothing to say yet send comments.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The next complete event. Comments are passed over.
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, CallError> {
        while let Some(block) = self.next_block() {
            if has_data(&self.buffer[block.clone()]) {
                let text = str::from_utf8(&self.buffer[block]);
                return text.map(|text| Some(parse(text))).map_err(|error| CallError::garbled(&error.to_string()));
            }
        }
        Ok(None)
    }

    /// The lines up to the next empty one.
    fn next_block(&mut self) -> Option<std::ops::Range<usize>> {
        while let Some(length) = self.buffer[self.line..].iter().position(|byte| *byte == b'\n') {
            let line = &self.buffer[self.line..self.line + length];
            let (begin, is_empty) = (self.line, line.is_empty() || line == b"\r");
            self.line += length + 1;
            if is_empty {
                let block = self.start..begin;
                self.start = self.line;
                self.blocks += 1;
                return Some(block);
            }
        }
        None
    }
}

fn has_data(block: &[u8]) -> bool {
    block.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"data"))
}

fn parse(block: &str) -> Event<'_> {
    let mut name = "";
    let mut data: Option<Cow<'_, str>> = None;
    for line in block.lines() {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => name = value,
            "data" => match &mut data {
                None => data = Some(Cow::Borrowed(value)),
                Some(data) => {
                    data.to_mut().push('\n');
                    data.to_mut().push_str(value);
                }
            },
            _ => {}
        }
    }
    Event { name, data: data.unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let (mut reader, mut events) = (EventReader::default(), Vec::new());
        for piece in pieces {
            reader.push(piece);
            while let Some(event) = reader.next_event().expect("text") {
                events.push((event.name.to_owned(), event.data.into_owned()));
            }
        }
        events
    }

    const STREAM: &str =
        ": hello\n\ndata: {\"a\": 1}\n\nevent: ping\r\ndata:x\r\n\r\nid: 7\n\ndata: é\ndata: 2\n\ndata: cut";

    #[test]
    fn events_have_their_names_and_data_and_the_rest_is_passed_over() {
        let expected = [("", "{\"a\": 1}"), ("ping", "x"), ("", "é\n2")];
        let expected: Vec<_> = expected.iter().map(|(name, data)| (name.to_string(), data.to_string())).collect();
        assert_eq!(read(&[STREAM.as_bytes()]), expected);
        let mut reader = EventReader::default();
        reader.push(STREAM.as_bytes());
        while reader.next_event().expect("text").is_some() {}
        assert_eq!((reader.blocks(), reader.pending_bytes()), (5, "data: cut".len()));
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error() {
        let mut reader = EventReader::default();
        reader.push(b"data: \xff\n\n");
        assert_eq!(reader.next_event().expect_err("no text").code(), "garbled");
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_a_stream_is_cut_into_pieces(cuts in prop::collection::vec(0..STREAM.len(), 0..9)) {
            let mut cuts = cuts;
            cuts.sort_unstable();
            let (mut pieces, mut start) = (Vec::new(), 0);
            for cut in cuts {
                pieces.push(&STREAM.as_bytes()[start..cut]);
                start = cut;
            }
            pieces.push(&STREAM.as_bytes()[start..]);
            prop_assert_eq!(read(&pieces), read(&[STREAM.as_bytes()]));
        }
    }
}

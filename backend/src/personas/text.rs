//! Reads the text of a file as UTF-8; it may be gzipped or UTF-16.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use encoding_rs::{Decoder, DecoderResult, UTF_16BE, UTF_16LE};
use flate2::read::MultiGzDecoder;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const BUFFER_BYTES: usize = 1 << 16;

/// Opens the file's text from its beginning, unpacked and as UTF-8 without a byte order mark.
pub fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut file = BufReader::with_capacity(BUFFER_BYTES, File::open(path)?);
    if !file.fill_buf()?.starts_with(&GZIP) {
        return decoded(file);
    }
    decoded(BufReader::with_capacity(BUFFER_BYTES, MultiGzDecoder::new(file)))
}

fn decoded(mut bytes: impl BufRead + 'static) -> io::Result<Box<dyn Read>> {
    // Reads as many bytes as the longest mark has: a packed file may return them one by one.
    let mut start = Vec::new();
    bytes.by_ref().take(3).read_to_end(&mut start)?;
    let (mark, encoding) = match start[..] {
        [0xff, 0xfe, ..] => (2, Some(UTF_16LE)),
        [0xfe, 0xff, ..] => (2, Some(UTF_16BE)),
        [0xef, 0xbb, 0xbf] => (3, None),
        _ => (0, None),
    };
    let bytes = Cursor::new(start.split_off(mark)).chain(bytes);
    Ok(match encoding {
        None => Box::new(bytes),
        Some(encoding) => {
            Box::new(Utf16 { bytes, decoder: encoding.new_decoder_without_bom_handling(), text: Cursor::default() })
        }
    })
}

/// A reader that converts UTF-16 to UTF-8.
struct Utf16<Bytes> {
    bytes: Bytes,
    decoder: Decoder,
    /// Text that is decoded but not read yet.
    text: Cursor<Vec<u8>>,
}

impl<Bytes: BufRead> Read for Utf16<Bytes> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.text.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let mut text = std::mem::take(&mut self.text).into_inner();
            text.resize(BUFFER_BYTES, 0);
            let bytes = self.bytes.fill_buf()?;
            let last = bytes.is_empty();
            let (result, taken, written) = self.decoder.decode_to_utf8_without_replacement(bytes, &mut text, last);
            self.bytes.consume(taken);
            if let DecoderResult::Malformed(..) = result {
                return Err(io::Error::other("not UTF-16, as its first bytes say"));
            }
            text.truncate(written);
            self.text = Cursor::new(text);
            if last && written == 0 && result == DecoderResult::InputEmpty {
                return Ok(0);
            }
        }
    }
}

//! The zip's comment: SHA-256 of the whole file before it. The manifest's checksums are of unpacked files; this one is of
//! every byte of the zip, with its headers and its directory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::folder::hash;

const MARK: &str = "twinlab bundle; SHA-256 of all bytes before this number: ";
const DIGITS: usize = 64;

/// Result of comparing a zip with the SHA-256 in its comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seal {
    Missing,
    /// Some byte of the file was changed: its SHA-256 is another.
    Broken,
    Whole,
}

/// Returns the comment of a zip, with a number to be filled in.
pub(super) fn blank() -> String {
    format!("{MARK}{}", "0".repeat(DIGITS))
}

/// Fills in the number of a zip with a blank seal.
pub(super) fn close(mut zip: &File) -> io::Result<()> {
    let before = length(zip)?.saturating_sub(DIGITS as u64);
    zip.rewind()?;
    let (_, digits) = hash(&mut zip.take(before))?;
    zip.seek(SeekFrom::Start(before))?;
    zip.write_all(digits.as_bytes())
}

/// Compares the bytes of a zip with its comment.
pub(super) fn verify(mut zip: &File) -> io::Result<Seal> {
    let length = length(zip)?;
    let end = MARK.len() + DIGITS;
    let Some(start) = length.checked_sub(end as u64) else { return Ok(Seal::Missing) };
    zip.seek(SeekFrom::Start(start))?;
    let mut comment = vec![0; end];
    zip.read_exact(&mut comment)?;
    let (mark, digits) = comment.split_at(MARK.len());
    if mark != MARK.as_bytes() {
        return Ok(Seal::Missing);
    }
    zip.rewind()?;
    let (_, expected) = hash(&mut zip.take(length - DIGITS as u64))?;
    zip.rewind()?;
    Ok(if digits == expected.as_bytes() { Seal::Whole } else { Seal::Broken })
}

fn length(zip: &File) -> io::Result<u64> {
    Ok(zip.metadata()?.len())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn with(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("it is written");
        file
    }

    #[test]
    fn whichever_byte_is_flipped_the_seal_is_not_whole() {
        let file = tempfile::tempfile().expect("a file");
        let mut zip = ZipWriter::new(&file);
        zip.set_comment(blank()).expect("a comment");
        for name in ["data/matrix.csv", "manifest.json"] {
            zip.start_file(name, SimpleFileOptions::default()).expect("an entry");
            zip.write_all(name.repeat(20).as_bytes()).expect("it is written");
        }
        zip.finish().expect("a zip");
        close(&file).expect("it is sealed");
        assert_eq!(verify(&file).expect("it is read"), Seal::Whole);
        (&file).rewind().expect("its beginning");
        let mut good = Vec::new();
        (&file).read_to_end(&mut good).expect("it is read");
        for place in 0..good.len() {
            let mut bytes = good.clone();
            bytes[place] ^= 1 << (place % 8);
            assert_ne!(verify(&with(&bytes)).expect("it is read"), Seal::Whole, "byte {place}");
            bytes.remove(place);
            assert_ne!(verify(&with(&bytes)).expect("it is read"), Seal::Whole, "without byte {place}");
        }
        assert_eq!(verify(&with(b"")).expect("it is read"), Seal::Missing);
    }
}

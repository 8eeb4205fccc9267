//! Bundles of other versions of the program, and zips that would fill a disk.

use std::fs;
use std::path::Path;

use model_server::Faults;
use serde_json::{Value, json};
use twinlab::results::files::bundle::{Difference, OtherVersion, RawReplies, Replay, replay};

use super::{bundled, entries, forged, replayed};
use crate::support::engine_fixture::survey;
use crate::support::{DataDir, Outcome};

/// Makes the bundle look like another version's: the manifest names that version, and its prose differs.
fn of_version(path: &Path, program: &str, entries: &mut [(String, Vec<u8>)]) {
    let manifest = entries.iter_mut().find(|(name, _)| name == "manifest.json").expect("the manifest");
    let mut listed: Value = serde_json::from_slice(&manifest.1).expect("JSON");
    listed["program"] = json!(program);
    manifest.1 = serde_json::to_vec(&listed).expect("JSON");
    forged(path, entries);
}

#[actix_web::test]
async fn the_words_of_another_version_are_no_difference_and_its_figures_are_compared() {
    let (_fixture, _, folder, path) = bundled(&survey(2), Faults::default()).await;
    let file = folder.path().join("older.zip");
    let mut all = entries(&path);
    let program = "Digital Twin Lab 0.0.9";
    for (name, bytes) in &mut all {
        if ["methods.md", "data/read.py", "datapackage.json"].contains(&name.as_str()) {
            bytes.extend_from_slice(b"\n");
        }
        // A parquet table contains the version of the program that wrote it, after that of the program that asked.
        let known = concat!("Digital Twin Lab ", env!("CARGO_PKG_VERSION")).as_bytes();
        if name.ends_with(".parquet") {
            let at = bytes.windows(known.len()).rposition(|part| part == known).expect("the program's name");
            bytes[at..at + known.len()].copy_from_slice(program.as_bytes());
        }
    }
    of_version(&file, program, &mut all);
    let files = all.len() - 1;
    let words = 14;
    let other = OtherVersion { program: program.to_owned(), words };
    assert_eq!(
        replayed(&file),
        Replay::Built { files, differing: Vec::new(), other: Some(other.clone()), raw: RawReplies::default() }
    );
    let output = Outcome::of(DataDir::new().twinlab().args(["replay", file.to_str().expect("UTF-8"), "--check"]));
    assert_eq!(output.code, Some(0), "{output:#?}");
    let expected = format!(
        "{files} files, {files} equal\nbegins at the checked answers: there are no raw replies to read again\n{program} wrote the bundle: {words} of the files are its words for readers, \
         which have their checksums and were not built"
    );
    assert_eq!(output.stdout.trim_end(), expected);

    // Figures are compared in any version.
    let table = all.iter_mut().find(|(name, _)| name == "data/matrix.csv").expect("the matrix");
    table.1.push(b'!');
    let at = Some(table.1.len() as u64 - 1);
    forged(&file, &mut all);
    let differing = vec![Difference { path: "data/matrix.csv".to_owned(), at }];
    assert_eq!(replayed(&file), Replay::Built { files, differing, other: Some(other), raw: RawReplies::default() });
}

/// A zip whose entries all refer to the same few bytes of the file.
fn overlapping(entries: u16) -> Vec<u8> {
    // Few enough for their own ratio.
    let content: Vec<u8> = (0..900_000_u32).map(|at| if at % 997 == 0 { at.to_le_bytes()[1] } else { 0 }).collect();
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, &content).expect("it is written");
    let data = encoder.finish().expect("deflated");
    let mut crc = flate2::Crc::new();
    crc.update(&content);
    let crc = crc.sum().to_le_bytes();
    let sizes = [u32::try_from(data.len()).expect("small"), 900_000].map(u32::to_le_bytes).concat();
    let name = |number: u16| format!("data/{number:05}");
    let mut zip = [b"PK\x03\x04".as_slice(), &[20, 0, 0, 0, 8, 0, 0, 0, 33, 0], &crc, &sizes, &[10, 0, 0, 0]].concat();
    zip.extend_from_slice(name(0).as_bytes());
    zip.extend_from_slice(&data);
    let start = u32::try_from(zip.len()).expect("small").to_le_bytes();
    let mut directory = Vec::new();
    for number in 0..entries {
        directory.extend_from_slice(b"PK\x01\x02");
        directory.extend_from_slice(&[20, 0, 20, 0, 0, 0, 8, 0, 0, 0, 33, 0]);
        directory.extend_from_slice(&[crc.as_slice(), &sizes, &[10, 0], &[0; 16]].concat());
        directory.extend_from_slice(name(number).as_bytes());
    }
    let size = u32::try_from(directory.len()).expect("small").to_le_bytes();
    zip.extend_from_slice(&directory);
    let count = entries.to_le_bytes();
    zip.extend_from_slice(&[b"PK\x05\x06".as_slice(), &[0; 4], &count, &count, &size, &start, &[0, 0]].concat());
    zip
}

#[test]
fn entries_that_share_their_bytes_are_refused_before_one_is_unpacked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bomb.zip");
    let to = folder.path().join("unpacked");
    fs::write(&path, overlapping(2_000)).expect("it is written");
    assert_eq!(zip::ZipArchive::new(fs::File::open(&path).expect("the file")).expect("a zip").len(), 2_000);
    let refused = replay(&path, &to).expect_err("it is refused").to_string();
    assert!(refused.ends_with("is too large unpacked"), "{refused}");
    assert!(!to.exists(), "nothing was written");
}

//! Bytes of the zip that belong to no file.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;

use model_server::Faults;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;
use twinlab::results::files::bundle::{Replay, replay};

use super::{bundled, replayed};
use crate::support::engine_fixture::survey;

/// Number of flipped bytes besides headers: of the packed files, and of the directory.
const SAMPLE: usize = 80;
/// One in this number of entries has every byte of its header flipped.
const ENTRIES: usize = 15;

/// Positions of all bytes of some headers and of the end of the directory, and of some other bytes.
fn places(path: &Path, length: usize) -> BTreeSet<usize> {
    let mut zip = zip::ZipArchive::new(File::open(path).expect("the file")).expect("a zip");
    let mut places = BTreeSet::new();
    let mut end_of_files = 0;
    for number in 0..zip.len() {
        let entry = zip.by_index_raw(number).expect("an entry");
        let [header, data] = [entry.header_start(), entry.data_start().expect("it has bytes")].map(|at| at as usize);
        if number % ENTRIES == 0 {
            places.extend(header..data);
        }
        end_of_files = end_of_files.max(data + entry.compressed_size() as usize);
    }
    let mut draw = ChaCha8Rng::seed_from_u64(11);
    for start in [0, end_of_files] {
        places.extend((0..SAMPLE).map(|_| draw.random_range(start..length)));
    }
    // The end of the directory, and the comment.
    places.extend(length - 150..length);
    places
}

/// A folder in memory if there is one, because each replay unpacks all files.
fn in_memory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a folder")
}

#[actix_web::test]
async fn a_flipped_byte_is_named_before_anything_is_built() {
    let (_fixture, _, folder, path) = bundled(&survey(1), Faults::default()).await;
    let good = fs::read(&path).expect("the bundle");
    let flipped = folder.path().join("flipped.zip");
    let mut of_the_zip = 0;
    for place in places(&path, good.len()) {
        let mut bytes = good.clone();
        bytes[place] ^= 1 << (place % 8);
        fs::write(&flipped, &bytes).expect("it is written");
        let to = in_memory();
        match replay(&flipped, to.path()) {
            Ok(Replay::Damaged(named)) => {
                assert!(!named.is_empty(), "byte {place}");
                of_the_zip += usize::from(named == ["the zip itself"]);
            }
            other => panic!("byte {place} of {}: {other:?}", good.len()),
        }
        assert!(!to.path().join("built").exists(), "byte {place}");
    }
    assert!(of_the_zip > 100, "{of_the_zip}");

    // Inserted or missing bytes.
    for (at, more) in [(0, true), (good.len() / 2, true), (good.len(), true), (good.len() - 1, false), (0, false)] {
        let mut bytes = good.clone();
        if more {
            bytes.insert(at, b'x');
        } else {
            bytes.remove(at);
        }
        fs::write(&flipped, &bytes).expect("it is written");
        let to = tempfile::tempdir().expect("a folder");
        let found = replay(&flipped, to.path());
        assert!(!matches!(found, Ok(Replay::Built { .. })), "{at}: {found:?}");
    }
    assert!(matches!(replayed(&path), Replay::Built { differing, .. } if differing.is_empty()));
}

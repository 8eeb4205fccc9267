//! The files of a folder.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};
use survey::hex::hex;

/// Bytes of a file that are hashed at a time.
const CHUNK_BYTES: usize = 64 * 1024;

/// Lists the paths of the files below `root`, with `/` between their parts, sorted.
pub fn list_files(root: &Path) -> io::Result<Vec<String>> {
    let (mut folders, mut paths) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let parts = path.strip_prefix(root).unwrap_or(&path).iter().map(|part| part.to_string_lossy());
            paths.push(parts.collect::<Vec<_>>().join("/"));
        }
    }
    paths.sort();
    Ok(paths)
}

/// Returns the size and the SHA-256 of what is left to read.
pub fn hash(reader: &mut impl Read) -> io::Result<(u64, String)> {
    let (mut hash, mut size, mut chunk) = (Sha256::new(), 0, vec![0; CHUNK_BYTES]);
    loop {
        let read = reader.read(&mut chunk)?;
        if read == 0 {
            return Ok((size, hex(&hash.finalize())));
        }
        hash.update(&chunk[..read]);
        size += read as u64;
    }
}

//! Packs a folder into an archive.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::folder::{hash, list_files};
use super::manifest::{ArchiveOrigin, ListedFile, MANIFEST, Manifest};
use super::seal;

const COMPRESSION: i64 = 6;

/// Writes the files of the folder into `file`, with the manifest, which is also written into the folder. The same files give
/// the same bytes.
pub fn pack(folder: &Path, origin: ArchiveOrigin, file: &File) -> io::Result<()> {
    let manifest = Manifest::new(origin, describe_files(folder)?);
    let mut zip = ZipWriter::new(BufWriter::new(file));
    zip.set_comment(seal::blank())?;
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(COMPRESSION))
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    fs::write(folder.join(MANIFEST), serde_json::to_vec_pretty(&manifest)?)?;
    let mut names: Vec<&str> = manifest.files.iter().map(|file| file.path.as_str()).chain([MANIFEST]).collect();
    names.sort_unstable();
    for name in names {
        cancellation::check();
        zip.start_file(name, options)?;
        io::copy(&mut File::open(folder.join(name))?, &mut zip)?;
    }
    zip.finish()?.flush()?;
    seal::close(file)
}

/// The files below `root`, sorted by path.
fn describe_files(root: &Path) -> io::Result<Vec<ListedFile>> {
    let describe = |path: String| {
        let (bytes, sha256) = hash(&mut File::open(root.join(&path))?)?;
        Ok(ListedFile { path, bytes, sha256 })
    };
    list_files(root)?.into_iter().map(describe).collect()
}

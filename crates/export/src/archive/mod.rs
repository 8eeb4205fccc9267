//! A folder as a zip with a manifest and a seal, and back. Every change of a byte is found when it is opened.

mod folder;
mod manifest;
mod pack;
mod seal;
mod unpack;

pub use folder::{hash, list_files};
pub use manifest::{ArchiveOrigin, ListedFile, MANIFEST, Manifest};
pub use pack::pack;
pub use unpack::{Opened, is_safe, open};

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;

    use super::*;

    fn origin() -> ArchiveOrigin {
        ArchiveOrigin { program: "test".to_owned(), simulation_id: Some("1".to_owned()), study_id: None }
    }

    /// Packs a folder with these files. Returns the bytes of the archive.
    fn packed(root: &Path, files: &[(&str, &str)]) -> Vec<u8> {
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let archive = tempfile::NamedTempFile::new().expect("a file");
        pack(root, origin(), archive.as_file()).expect("it is packed");
        fs::read(archive.path()).expect("its bytes")
    }

    fn opened(bytes: &[u8]) -> crate::Result<Opened> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("archive.zip");
        fs::write(&path, bytes).expect("an archive");
        open(&path, &folder.path().join("opened"))
    }

    #[test]
    fn a_folder_is_packed_to_the_same_bytes_each_time_and_opened_with_its_manifest() {
        let files = [("run/run.json", "{}"), ("data/matrix.csv", "personaId\r\n1\r\n")];
        let [one, other] = [(); 2].map(|()| packed(tempfile::tempdir().expect("a folder").path(), &files));
        assert_eq!(one, other);
        let Ok(Opened::Whole(manifest)) = opened(&one) else { panic!("it is damaged") };
        assert_eq!(manifest.origin, origin());
        let paths: Vec<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["data/matrix.csv", "run/run.json"]);
        let matrix = &manifest.files[0];
        let mut text = "personaId\r\n1\r\n".as_bytes();
        assert_eq!((matrix.bytes, matrix.sha256.clone()), hash(&mut text).expect("a hash"));
    }

    #[test]
    fn an_archive_whose_content_was_changed_names_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        packed(root, &[("run/run.json", "{}"), ("study.json", "{}")]);
        fs::write(root.join("study.json"), "[]").expect("a change");
        // The manifest of the first content goes with the second one.
        let manifest = fs::read(root.join(MANIFEST)).expect("the manifest");
        let path = root.join("changed.zip");
        let mut zip = zip::ZipWriter::new(File::create(&path).expect("a file"));
        for (name, content) in [(MANIFEST, manifest.as_slice()), ("run/run.json", b"{}"), ("study.json", b"[]")] {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("an entry");
            std::io::Write::write_all(&mut zip, content).expect("its content");
        }
        zip.finish().expect("a zip");
        let bytes = fs::read(&path).expect("its bytes");
        let Ok(Opened::Damaged(damaged)) = opened(&bytes) else { panic!("it is whole") };
        assert_eq!(damaged, ["study.json"]);
    }

    #[test]
    fn a_file_that_is_no_archive_is_refused() {
        assert!(matches!(opened(b"no zip"), Err(crate::Error::Invalid(reason)) if reason.ends_with("it is no bundle")));
    }
}

//! The manifest of an archive.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use survey::hex::hex;

/// Format of archives. A change of a stored file or of a table makes another one.
pub(super) const FORMAT: u32 = 1;

/// Path of the manifest, which lists every other file.
pub const MANIFEST: &str = "manifest.json";

/// The program that wrote an archive, and the run or study in it. The same version writes the same files again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchiveOrigin {
    pub program: String,
    /// Id of the run, in an archive of one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulation_id: Option<String>,
    /// Id of the study, in an archive of a study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study_id: Option<String>,
}

/// `manifest.json`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub format: u32,
    #[serde(flatten)]
    pub origin: ArchiveOrigin,
    /// Sorted by path.
    pub files: Vec<ListedFile>,
    /// SHA-256 of the lines `path hash` of all files, after a line each of format, program, and id of the run and the study (`-`:
    /// none).
    pub sha256: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedFile {
    pub path: String,
    pub bytes: u64,
    pub sha256: String,
}

impl Manifest {
    /// `files` are sorted by path.
    pub fn new(origin: ArchiveOrigin, files: Vec<ListedFile>) -> Self {
        let mut manifest = Self { format: FORMAT, origin, files, sha256: String::new() };
        manifest.sha256 = manifest.hash();
        manifest
    }

    /// Computes the SHA-256 of all files together and of what else the manifest says.
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new();
        let ArchiveOrigin { program, simulation_id, study_id } = &self.origin;
        let [run, study] = [simulation_id, study_id].map(|id| id.as_deref().unwrap_or("-"));
        hash.update(format!("{}\n{program}\n{run}\n{study}\n", self.format));
        self.files.iter().for_each(|file| hash.update(format!("{} {}\n", file.path, file.sha256)));
        hex(&hash.finalize())
    }
}

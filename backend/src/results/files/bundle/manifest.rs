//! What a bundle says of its files.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use survey::hex::hex;

use crate::results::files::PROGRAM;

/// Format of bundles. A change of a stored file or of a table makes another one.
pub(super) const FORMAT: u32 = 1;

/// `manifest.json`, which lists every other file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    pub format: u32,
    /// That wrote the bundle: files are the same bytes when the same version builds them again.
    pub program: String,
    /// Of a bundle of one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulation_id: Option<String>,
    /// Of a bundle of a study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study_id: Option<String>,
    /// By path.
    pub files: Vec<ListedFile>,
    /// SHA-256 of the lines `path hash` of all files, after a line each of format, program, and id of the run and the study (`-`:
    /// none).
    pub sha256: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ListedFile {
    pub path: String,
    pub bytes: u64,
    pub sha256: String,
}

impl Manifest {
    /// `files` are sorted by path.
    pub fn new([simulation_id, study_id]: [Option<String>; 2], files: Vec<ListedFile>) -> Self {
        let (format, program) = (FORMAT, PROGRAM.to_owned());
        let mut manifest = Self { format, program, simulation_id, study_id, files, sha256: String::new() };
        manifest.sha256 = manifest.hash();
        manifest
    }

    /// SHA-256 of all files together and of what else the manifest says.
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new();
        let [run, study] = [&self.simulation_id, &self.study_id].map(|id| id.as_deref().unwrap_or("-"));
        hash.update(format!("{}\n{}\n{run}\n{study}\n", self.format, self.program));
        self.files.iter().for_each(|file| hash.update(format!("{} {}\n", file.path, file.sha256)));
        hex(&hash.finalize())
    }
}

//! `run/twins.csv`: the text of each twin, by its hash.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use export::csv;
use simulation::error::{Error, Result};
use simulation::parameters::PersonaVariant;
use survey::hex::hex;

use crate::paths::TWINS;

/// The variant is the run's; the SHA-256 is that of the text in UTF-8, and empty where the text is no longer kept.
pub const HEADER: [&str; 3] = ["personaId", "variant", "textSha256"];

/// The file while it is written.
pub struct TwinHashes {
    variant: PersonaVariant,
    out: BufWriter<File>,
}

impl TwinHashes {
    pub fn create(path: &Path, variant: PersonaVariant) -> io::Result<Self> {
        let mut out = BufWriter::new(File::create(path)?);
        out.write_all(&csv::head(&HEADER))?;
        Ok(Self { variant, out })
    }

    /// Appends a twin. `None`: its text is no longer kept.
    pub fn add(&mut self, persona_id: i32, hash: Option<&[u8]>) -> io::Result<()> {
        write!(self.out, "{persona_id},{},{}\r\n", self.variant.name(), hash.map(hex).unwrap_or_default())
    }

    pub fn end(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Reads the hashes of `run/twins.csv` by twin.
pub fn read(folder: &Path) -> Result<BTreeMap<i32, String>> {
    let wrong = |reason: &dyn std::fmt::Display| Error::bad_input(format!("{TWINS}: {reason}"));
    let file = File::open(folder.join(TWINS)).map_err(|error| wrong(&error))?;
    let mut texts = BTreeMap::new();
    for row in ::csv::Reader::from_reader(file).records() {
        let row = row.map_err(|error| wrong(&error))?;
        let id = row.get(0).and_then(|id| id.parse().ok());
        let (Some(id), Some(hash)) = (id, row.get(2)) else { return Err(wrong(&"a row is none of a twin")) };
        texts.insert(id, hash.to_owned());
    }
    Ok(texts)
}

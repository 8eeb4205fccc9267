//! `run/twins.csv`: the text of each twin, by its hash.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use export::csv;
use survey::hex::hex;

use super::paths::TWINS;
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::simulation_personas;
use crate::results::run::Run;

/// The variant is the run's; the SHA-256 is that of the text in UTF-8, and empty where the text is no longer kept.
pub(super) const HEADER: [&str; 3] = ["personaId", "variant", "textSha256"];

/// Twins that are read at a time.
const MAX_TWINS_READ: i64 = 10_000;

/// Writes the file to `path`.
pub async fn write(pool: &AsyncPool, run: &Run, path: &Path) -> Result<()> {
    let failure = |error: std::io::Error| Error::internal(format!("{TWINS}: {error}"));
    let mut out = BufWriter::new(File::create(path).map_err(failure)?);
    out.write_all(&csv::head(&HEADER)).map_err(failure)?;
    // A set that a run asked is never changed, so its texts are those that were sent.
    let variant = run.parameters.persona_variant;
    let mut after = 0;
    loop {
        let page = db::in_time(async {
            let mut conn = db::checkout(pool).await?;
            Ok(simulation_personas::text_hashes(&mut conn, run.facts.id, variant, after, MAX_TWINS_READ).await?)
        });
        let page = page.await?;
        let Some((last, _)) = page.last() else { break };
        after = *last;
        for (id, hash) in page {
            let hash = hash.map(|hash| hex(&hash)).unwrap_or_default();
            write!(out, "{id},{},{hash}\r\n", variant.name()).map_err(failure)?;
        }
    }
    out.flush().map_err(failure)
}

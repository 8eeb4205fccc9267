//! The hashes of the twins' texts.

use std::path::Path;

use ::bundle::paths::TWINS;
use ::bundle::twin_hashes::TwinHashes;
use simulation::run::Run;

use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::simulation_personas;

/// Twins that are read at a time.
const MAX_TWINS_READ: i64 = 10_000;

/// Writes the file to `path`.
pub async fn write(pool: &AsyncPool, run: &Run, path: &Path) -> Result<()> {
    let failure = |error: std::io::Error| Error::internal(format!("{TWINS}: {error}"));
    // A set that a run asked is never changed, so its texts are those that were sent.
    let variant = run.parameters.persona_variant;
    let mut hashes = TwinHashes::create(path, variant).map_err(failure)?;
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
            hashes.add(id, hash.as_deref()).map_err(failure)?;
        }
    }
    hashes.end().map_err(failure)
}

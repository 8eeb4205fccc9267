//! Checks a bundle, and builds its files anew.

use std::path::Path;

use ::bundle::replay::{OpenedBundle, Replay, open};

use super::{prompts, raw};
use crate::error::Result;

/// Verifies the checksums of the bundle, builds its files anew in `folder`, and compares them. Bad input: it is no bundle, or
/// one of another format.
pub fn replay(bundle: &Path, folder: &Path) -> Result<Replay> {
    let stored = match open(bundle, folder)? {
        OpenedBundle::Whole(stored) => stored,
        OpenedBundle::Damaged(damaged) => return Ok(Replay::Damaged(damaged)),
    };
    let runs = stored.runs().to_vec();
    let mut read_again = Vec::new();
    if stored.is_own() {
        for run in &runs {
            let read = raw::read_again(&stored.root().join(run))?;
            read_again.extend(read.map(|read| (run.as_str(), read)));
        }
        prompts::build(stored.root())?;
    }
    Ok(stored.compare(&read_again)?)
}

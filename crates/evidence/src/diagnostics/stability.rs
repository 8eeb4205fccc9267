//! Answers that would be other ones tomorrow.

use std::collections::BTreeSet;

use super::{Diagnostic, Finding, Thresholds};
use crate::reliability::repeats;

/// Reliability of repeated answers: ICC(1), or Krippendorff's alpha of categories without an order (`is_only_named`). Rows are
/// twins. `None` without repeats or without spread.
pub fn instability(item: &str, rows: &[Vec<f64>], is_only_named: bool, thresholds: &Thresholds) -> Option<Finding> {
    let found = repeats(rows)?;
    let reliability = if is_only_named { found.alpha } else { found.icc };
    Some(Finding::below(Diagnostic::Instability, item, reliability?, thresholds.icc, found.twins))
}

/// Versions of the model, by the fingerprints that the server reported: more than one means that the runs did not ask the
/// same model. `of`: which runs, if not one alone.
pub fn drift(of: &str, fingerprints: &[String]) -> Finding {
    let versions: BTreeSet<&String> = fingerprints.iter().filter(|fingerprint| !fingerprint.is_empty()).collect();
    Finding::above(Diagnostic::Drift, of, versions.len() as f64, 1.0, fingerprints.len())
}

//! Diagnostics of answers that are not stable.

use std::collections::BTreeSet;

use super::{Diagnostic, Finding, Thresholds};
use crate::reliability::repeats;

/// Reliability of repeated answers: ICC(1), or Krippendorff's alpha for categories without an order (`is_only_named`).
/// Rows are twins. `None` without repeats or without spread.
pub fn instability(item: &str, rows: &[Vec<f64>], is_only_named: bool, thresholds: &Thresholds) -> Option<Finding> {
    let found = repeats(rows)?;
    let reliability = if is_only_named { found.alpha } else { found.icc };
    Some(Finding::below(Diagnostic::Instability, item, reliability?, thresholds.icc, found.twins))
}

/// Number of versions of the model, by the fingerprints that the server reported. More than one means that not all
/// requests asked the same model. `of` names the runs if they are several.
pub fn drift(of: &str, fingerprints: &[String]) -> Finding {
    let versions: BTreeSet<&String> = fingerprints.iter().filter(|fingerprint| !fingerprint.is_empty()).collect();
    Finding::above(Diagnostic::Drift, of, versions.len() as f64, 1.0, fingerprints.len())
}

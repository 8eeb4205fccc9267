//! Answers that would be other ones tomorrow.

use std::collections::BTreeSet;

use super::{Diagnostic, Finding, Thresholds};
use crate::reliability::repeats;

/// Reliability of repeated answers, ICC(1); rows are twins. `None` without repeats or without spread.
pub fn instability(item: &str, rows: &[Vec<f64>], thresholds: &Thresholds) -> Option<Finding> {
    let found = repeats(rows)?;
    Some(Finding::below(Diagnostic::Instability, item, found.icc?, thresholds.icc, found.twins))
}

/// Versions of the model, by the fingerprints that the server reported: more than one means that the runs did not ask the
/// same model. `of`: which runs, if not one alone.
pub fn drift(of: &str, fingerprints: &[String]) -> Finding {
    let versions: BTreeSet<&String> = fingerprints.iter().filter(|fingerprint| !fingerprint.is_empty()).collect();
    Finding::above(Diagnostic::Drift, of, versions.len() as f64, 1.0, fingerprints.len())
}

//! The files of a bundle that follow from what it stores.

use std::path::Path;

use super::paths::STUDY;
use super::rules::BuildRules;
use super::{data, study};
use crate::error::Result;

/// Builds all files below `root`, which holds what a bundle stores.
pub(super) fn build(root: &Path, rules: &BuildRules) -> Result<()> {
    if root.join(STUDY).is_file() { study::build(root, rules) } else { data::build(root, rules) }
}

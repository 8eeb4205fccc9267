//! The files of a bundle that hold prompts: they follow from what it stores and from how this version words a prompt.

use std::fs;
use std::path::Path;

use ::bundle::io::failure;
use ::bundle::{record, study_record};

use super::{templates, texts};
use crate::error::Result;

/// Builds the files of all runs below `root`, which holds what a bundle stores.
pub(super) fn build(root: &Path) -> Result<()> {
    for folder in study_record::run_folders(root)? {
        let folder = root.join(folder);
        let run = record::run(&folder)?;
        fs::create_dir_all(folder.join("prompts")).map_err(|error| failure("a folder", &error))?;
        texts::build(&run, &folder)?;
        templates::build(&run, &folder)?;
    }
    Ok(())
}

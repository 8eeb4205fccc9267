//! `twinlab survey`: surveys with a design, as files. It needs neither database nor model.

mod check;
mod import;
mod preview;

use std::path::Path;
use std::process::ExitCode;

use survey::document::Document;
use survey::finding::Finding;

use crate::error::{Error, Result};

/// Exit code if the survey cannot be run as it is.
const HAS_ERRORS: u8 = 3;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make a survey from a Qualtrics file (.qsf) and report what could not be kept
    Import(import::Args),
    /// Check a survey's design; print the questions of each arm and the cost of a twin
    Check(check::Args),
    /// Walk an invented twin through a survey with invented answers, or show the assignments of the first twins
    Preview(preview::Args),
}

pub fn run(args: Args) -> Result<ExitCode> {
    match args.action {
        Action::Import(args) => import::run(&args),
        Action::Check(args) => check::run(&args),
        Action::Preview(args) => preview::run(&args),
    }
}

fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|reason| Error::bad_input(format!("{}: {reason}", path.display())))
}

/// Reads a survey. The error is one line with the first finding and its position.
fn read(path: &Path) -> Result<Document> {
    Document::parse(&bytes_of(path)?).map_err(|findings| refused(path, &findings))
}

fn refused(path: &Path, findings: &[Finding]) -> Error {
    let first = findings.first().map(|finding| format!("{}: {}", place(finding), finding.message)).unwrap_or_default();
    let others = match findings.len() {
        0 | 1 => String::new(),
        more => format!(" ({} more; see `twinlab survey check`)", more - 1),
    };
    Error::bad_input(format!("{}: {first}{others}", path.display()))
}

fn place(finding: &Finding) -> &str {
    if finding.pointer.is_empty() { "/" } else { &finding.pointer }
}

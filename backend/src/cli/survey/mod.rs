//! `twinlab survey`: surveys with a design, as files. No database and no model is needed.

mod check;
mod import;
mod preview;

use std::path::Path;
use std::process::ExitCode;

use survey::document::Document;
use survey::finding::Finding;

use crate::error::{Error, Result};

/// Exit code where the survey cannot be run as it is.
const HAS_ERRORS: u8 = 3;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make a survey of a Qualtrics file (.qsf) and report what could not be kept
    Import(import::Args),
    /// Say what is wrong with a survey's design, what each arm is asked and what a twin can cost
    Check(check::Args),
    /// Walk an invented twin through a survey with invented answers, or show what the first twins are dealt
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

/// One line, with the first thing that is wrong and its place.
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

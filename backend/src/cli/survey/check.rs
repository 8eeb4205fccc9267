//! `twinlab survey check`: checks a survey's design.

use std::path::PathBuf;
use std::process::ExitCode;

use survey::check::{ArmReach, DesignReport, check};
use survey::document::Document;
use survey::finding::Finding;

use super::{HAS_ERRORS, bytes_of, place};
use crate::error::Result;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A survey as JSON
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let report = match Document::parse(&bytes_of(&args.file)?) {
        Ok(document) => check(&document.design, &document.items, None),
        Err(findings) => DesignReport { findings, requests_per_twin: 0, arms: Vec::new() },
    };
    for finding in &report.findings {
        let severity = if finding.is_error() { "ERROR  " } else { "warning" };
        say!("{severity} {}: {}", place(finding), finding.message);
    }
    if report.findings.iter().any(Finding::is_error) {
        return Ok(ExitCode::from(HAS_ERRORS));
    }
    say!("A twin is asked {} questions at most, and costs as many credits.", report.requests_per_twin);
    for ArmReach { random, arm, questions } in &report.arms {
        // Questions that every arm of the node asks do not characterise this one.
        let others: Vec<&ArmReach> = report.arms.iter().filter(|other| other.random == *random).collect();
        let is_common = |name: &String| others.iter().all(|other| other.questions.contains(name));
        let own: Vec<&str> = questions.iter().filter(|name| !is_common(name)).map(String::as_str).collect();
        let own = if own.is_empty() { String::new() } else { format!(", among them {}", own.join(" ")) };
        say!("  {random} = {arm}: {} questions{own}", questions.len());
    }
    Ok(ExitCode::SUCCESS)
}

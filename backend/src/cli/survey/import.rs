//! `twinlab survey import`: makes a survey from another program's file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use import::Imported;
use survey::import_report::{LossReport, LossSeverity, ReportList};

use super::{HAS_ERRORS, bytes_of};
use crate::error::{Error, Result};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Survey as Qualtrics (.qsf) or SurveyJS (.json) exports it
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Report only, write nothing
    #[arg(long, conflicts_with = "out")]
    check: bool,
    /// File for the survey [default: next to the input, with the ending .json or .survey.json]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let imported = import::import(&bytes_of(&args.file)?)
        .map_err(|refusal| Error::bad_input(format!("{}: {refusal}", args.file.display())))?;
    let json =
        |value: serde_json::Result<String>| value.map_err(|reason| Error::internal(format!("the survey: {reason}")));
    let Imported { document, report, .. } = &imported;
    if args.json {
        say!("{}", json(serde_json::to_string_pretty(report))?);
    } else {
        print(&document.title, report);
    }
    let has_errors = report.count(LossSeverity::Error) > 0;
    if !args.check {
        let out = args.out.clone().unwrap_or_else(|| default_output(&args.file));
        let text = json(serde_json::to_string_pretty(&imported.into_document()))?;
        std::fs::write(&out, text + "\n").map_err(|reason| Error::bad_input(format!("{}: {reason}", out.display())))?;
        eprintln!("The survey is in {}", out.display());
    }
    Ok(if has_errors { ExitCode::from(HAS_ERRORS) } else { ExitCode::SUCCESS })
}

/// The default output, which is never the file itself.
fn default_output(file: &Path) -> PathBuf {
    let out = file.with_extension("json");
    if out == file { file.with_extension("survey.json") } else { out }
}

fn print(title: &str, report: &LossReport) {
    let kept = report.kept;
    say!("{title}");
    say!(
        "  {} questions in the file, {} in blocks that the flow names, {} asked",
        kept.questions,
        kept.live,
        kept.asked
    );
    let counts = [(LossSeverity::Error, "error"), (LossSeverity::Warning, "warning"), (LossSeverity::Note, "note")]
        .map(|(of, word)| {
            let count = report.count(of);
            if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
        });
    say!("  {}", counts.join(", "));
    for (heading, of) in
        [("Changed", ReportList::Changed), ("Lost", ReportList::Lost), ("Dropped", ReportList::Dropped)]
    {
        let mut entries = report.entries().filter(|(list, _)| *list == of).map(|(_, entry)| entry).peekable();
        if entries.peek().is_some() {
            say!("{heading}");
        }
        for entry in entries {
            let severity = match entry.severity {
                LossSeverity::Error => "ERROR  ",
                LossSeverity::Warning => "warning",
                LossSeverity::Note => "note   ",
            };
            let place =
                [entry.qid.as_deref(), entry.name.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
            let place = if place.is_empty() { String::new() } else { format!(" {place}:") };
            let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            say!("  {severity} {}{place} {} -> {}", entry.code.name(), one_line(&entry.was), one_line(&entry.now));
        }
    }
}

//! `analysis/`: what the answers say, question by question, with 95 % intervals: for all twins, and by arm.
//!
//! The figures are those of the app's charts. Answers are counted as they are read, so that memory grows with the different
//! answers to a question and not with twins.

mod collected;
mod diagnosed;
mod estimates;
mod figure;
mod significance;
mod tables;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use evidence::diagnostics::Diagnosis;
use evidence::groups::LEVEL;
use serde_json::json;
use simulation::applied_rule::{AppliedRule, TestScope};
use simulation::plans::planned::PlannedAnalyses;
use simulation::run::Run;

pub use crate::analysis::collected::Collected;
pub use crate::analysis::tables::TABLES;

use crate::analysis::estimates::Estimates;
use crate::analysis::tables::TableFiles;

/// Writes all files below `root`, one question after the other. `planned`: the frozen plan of the run's study.
pub fn write(
    run: &Run,
    collected: &Collected,
    root: &Path,
    planned: Option<&PlannedAnalyses>,
    diagnoses: &[Diagnosis],
) -> io::Result<()> {
    fs::create_dir_all(root.join("analysis/tables"))?;
    fs::create_dir_all(root.join("analysis/figures"))?;
    let mut tables = TableFiles::create(root)?;
    let mut all = BufWriter::new(File::create(root.join("analysis/analysis.json"))?);
    let mut about = vec![
        ("simulationId", json!(run.simulation_id)),
        ("title", json!(run.survey.title)),
        ("notice", json!(run.notice)),
        ("level", json!(LEVEL)),
        (
            "methods",
            json!({
                "shares": "Wilson's interval",
                "means": "Student's t interval; sd with n - 1",
                "differencesOfShares": "Newcombe's interval (1998, method 10)",
                "differencesOfMeans": "Welch's t-test; d is Cohen's, by the pooled sd",
                "base": "each arm is compared with the first one",
                "tests": "the arms of a random node, as in the app: counts by Pearson's chi-squared test, means by \
                          Welch's t-test of two arms and Welch's analysis of variance of more",
                "p": "as found; adjustedP is adjusted by the rule over the tests of all questions and of the same node: the \
                      tests of all arms are counted together, and those of an arm and the first",
            }),
        ),
        ("rule", json!(AppliedRule::of(planned, TestScope::Groups))),
    ];
    if planned.is_some() {
        let marks = "preregistered: the frozen plan names the question and, of an arm or a difference, the contrast; \
                       exploratory: it does not";
        about.push(("analysis", json!(marks)));
    }
    all.write_all(b"{\n")?;
    for (name, value) in about {
        writeln!(all, "  \"{name}\": {value},")?;
    }
    all.write_all(b"  \"questions\": [")?;
    let node_tests = significance::collect(run, collected, planned);
    for place in 0..run.questions.len() {
        let estimates = Estimates::of(run, collected, place, planned, &node_tests);
        tables.write(&estimates)?;
        let figure = figure::of(run, &estimates);
        let path = format!("analysis/figures/{:03}-{}.svg", place + 1, file_name(&run.questions[place].name));
        let mut value = estimates.json();
        if let Some(svg) = figure {
            fs::write(root.join(&path), svg)?;
            value["figure"] = json!(path);
        }
        write!(all, "{}\n    {value}", if place == 0 { "" } else { "," })?;
    }
    all.write_all(b"\n  ]")?;
    diagnosed::write(diagnoses, &mut all)?;
    all.write_all(b"\n}\n")?;
    all.flush()?;
    tables.flush()
}

/// The name as every file system takes it.
fn file_name(name: &str) -> String {
    name.chars().map(|each| if each.is_ascii_alphanumeric() || each == '.' { each } else { '_' }).collect()
}

//! `twinlab evidence compare`: prints the metrics of each question with n and interval.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use evidence::compare::Experiment;
use evidence::diagnostics::Thresholds;
use evidence::intervals::Bootstrap;
use evidence::options::ComparisonOptions;
use evidence::people::{AnsweredSurvey, figures};
use evidence::upload::{self, Question, ReadFile, ReadPeople, ReadRefused, ReservedColumns, Table};
use simulation::diagnostics::scales;
use simulation::items::questions;
use survey::document::Document;
use survey::question::Question as SurveyQuestion;

use super::print;
use crate::error::{Error, Result};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Survey as JSON
    #[arg(long, value_name = "FILE")]
    survey: PathBuf,
    /// People's answers: CSV with Qualtrics' header rows or one row of names, .sav or .dta
    #[arg(long, value_name = "FILE")]
    human: PathBuf,
    /// Twins' answers, one row a twin (with --arm, one for each of its arms): CSV, .sav or .dta. Given several times,
    /// once for each time that the same twins were asked, the answers become forecasts
    #[arg(long, value_name = "FILE", required = true)]
    twins: Vec<PathBuf>,
    #[command(flatten)]
    options: ComparisonOptions,
    /// Seed: the same one draws the same bootstrap samples
    #[arg(long, default_value_t = 1)]
    seed: i64,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let document = Document::parse(&bytes(&args.survey)?).map_err(|findings| {
        let first = findings.first().map(|finding| finding.message.clone()).unwrap_or_default();
        Error::bad_input(format!("{}: {first}", args.survey.display()))
    })?;
    let questions = questions(&document.items);
    let items = upload::items(&questions);
    let options = &args.options;
    let file = table(&args.human, &questions)?;
    let mut people = read(&args.human, &file, &questions, &options.people_columns(), options)?;
    let mut readings = Vec::with_capacity(args.twins.len());
    for path in &args.twins {
        let file = table(path, &questions)?;
        let is_question = |name: &str| items.iter().any(|item| item.name == name);
        let has = |name: &str| file.names.iter().any(|column| column == name) && !is_question(name);
        let reserved = options.twin_columns(options.arm.clone(), has);
        readings.push(read(path, &file, &questions, &reserved, &ComparisonOptions::default())?);
    }
    let mut twins: Vec<_> = readings.iter().map(|read| read.reading.respondents.clone()).collect();
    let side = &mut people.reading.respondents;
    let rows = twins.iter().map(|side| side.ids.len()).max().unwrap_or_default().max(side.ids.len());
    let bootstrap = Bootstrap { seed: args.seed, ..Bootstrap::over(items.len() * rows) };
    let asked: Vec<SurveyQuestion> = document.items.iter().cloned().map(Into::into).collect();
    let experiment = Experiment::default();
    let survey = AnsweredSurvey { items: &items, scales: &scales(&asked), experiment: &experiment };
    let figures = figures(survey, side, &mut twins, options, bootstrap, &Thresholds::default());
    let figures = figures.map_err(Error::bad_input)?;
    let Some(of_twins) = readings.first().map(ReadFile::from) else { return Ok(ExitCode::SUCCESS) };
    let of_people = ReadFile::from(&people);
    if args.json {
        let whole = serde_json::json!({
            "comparison": figures, "calibration": figures.calibration, "file": of_people, "twinsFile": of_twins,
        });
        say!("{whole:#}");
    } else {
        print::figures(&figures);
        print::leftovers("people's file", &of_people);
        print::leftovers("twins' file", &of_twins);
    }
    Ok(ExitCode::SUCCESS)
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|reason| Error::bad_input(format!("{}: {reason}", path.display())))
}

fn table(path: &Path, questions: &[Question]) -> Result<Table> {
    let table = upload::table(&bytes(path)?, questions);
    table.map_err(|refusal| Error::bad_input(format!("{}: {refusal}", path.display())))
}

/// Reads the answers of a file. Errors name the option of the command.
fn read(
    path: &Path,
    table: &Table,
    questions: &[Question],
    reserved: &ReservedColumns,
    options: &ComparisonOptions,
) -> Result<ReadPeople> {
    upload::read(table, questions, reserved, options).map_err(|refusal| {
        let reason = match refusal {
            ReadRefused::Correction(refusal) => {
                let option = if refusal.field == "recodes" { "recode" } else { "match" };
                format!("--{option} {}: {}", refusal.item, refusal.reason)
            }
            other => other.to_string(),
        };
        Error::bad_input(format!("{}: {reason}", path.display()))
    })
}

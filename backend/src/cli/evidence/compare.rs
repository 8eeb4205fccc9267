//! `twinlab evidence compare`: the metrics of each question with n and interval.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use evidence::diagnostics::Thresholds;
use evidence::intervals::Bootstrap;
use evidence::upload::{self, Corrections, Mapping, Question, Reading, Special};

use super::print;
use crate::design::document::Document;
use crate::error::{Error, Result};
use crate::results::people::{self, Chosen, Margins, PeopleFigures};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The survey as JSON
    #[arg(long, value_name = "FILE")]
    survey: PathBuf,
    /// People's answers: CSV with Qualtrics' header rows or one row of names, .sav or .dta
    #[arg(long, value_name = "FILE")]
    human: PathBuf,
    /// Twins' answers, one row a twin (with --arm, one for each arm that it stood in): CSV, .sav or .dta. Repeated for each
    /// time that the same twins were asked: their answers are forecasts
    #[arg(long, value_name = "FILE", required = true)]
    twins: Vec<PathBuf>,
    /// The column of the experiment's arm, in all files
    #[arg(long, value_name = "COLUMN")]
    arm: Option<String>,
    /// The column of weights, in the people's file
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// The column of weights, in the twins' files
    #[arg(long, value_name = "COLUMN")]
    twin_weight: Option<String>,
    /// Shares to which people are weighted, and twins that have the column; repeated for each level, as Gender=Female=0.52
    #[arg(long = "margin", value_name = "COLUMN=LEVEL=SHARE", value_parser = margin)]
    margins: Vec<(String, String, f64)>,
    /// The column of the probability with which each person was drawn, in the people's file: see `evidence draw`
    #[arg(long, value_name = "COLUMN")]
    probability: Option<String>,
    /// Compare by this column of the people's file, too; can be repeated
    #[arg(long, value_name = "COLUMN")]
    by: Vec<String>,
    /// A column of both files: where no id is common, people are paired with the twins of their cell. With --probability what
    /// estimates are regressed on. Repeated at most three times
    #[arg(long, value_name = "COLUMN")]
    cell: Vec<String>,
    /// The share of a cell in the population, 0 to 1, in place of the twins' own; repeated for each cell, which is named by its
    /// values in the order of --cell, as "Female · 18-29=0.11"
    #[arg(long = "cell-share", value_name = "CELL=SHARE", value_parser = cell_share, requires = "cell")]
    cell_shares: Vec<(String, f64)>,
    /// A column of the twins' file that answers of people and of their twins are regressed on; can be repeated
    #[arg(long, value_name = "COLUMN")]
    regress: Vec<String>,
    /// The column that a question has in the people's file, in place of the automatic match; without a column none. Repeated
    /// for a question with several answers: a column for each option, in their order
    #[arg(long = "match", value_name = "QUESTION=COLUMN", value_parser = matching)]
    matches: Vec<(String, String)>,
    /// What a cell of the people's file is: the label or the code of an option, or a number; without an answer it is missing.
    /// Labels of several answers are joined by commas. The last = parts cell and answer. Can be repeated
    #[arg(long = "recode", value_name = "QUESTION=CELL=ANSWER", value_parser = recode)]
    recodes: Vec<(String, String, Option<String>)>,
    /// The same seed draws the same bootstrap samples
    #[arg(long, default_value_t = 1)]
    seed: i64,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

type Parsed<T> = std::result::Result<T, String>;

fn matching(argument: &str) -> Parsed<(String, String)> {
    let (question, column) = argument.split_once('=').ok_or("must be QUESTION=COLUMN")?;
    Ok((question.to_owned(), column.to_owned()))
}

fn three_parts<'a>(argument: &'a str, form: &str) -> Parsed<(&'a str, &'a str, &'a str)> {
    let parts = argument.split_once('=').and_then(|(first, rest)| Some((first, rest.rsplit_once('=')?)));
    let (first, (second, third)) = parts.ok_or_else(|| format!("must be {form}"))?;
    Ok((first, second, third))
}

fn recode(argument: &str) -> Parsed<(String, String, Option<String>)> {
    let (question, cell, answer) = three_parts(argument, "QUESTION=CELL=ANSWER")?;
    Ok((question.to_owned(), cell.to_owned(), (!answer.is_empty()).then(|| answer.to_owned())))
}

fn margin(argument: &str) -> Parsed<(String, String, f64)> {
    let (column, level, share) = three_parts(argument, "COLUMN=LEVEL=SHARE")?;
    Ok((column.to_owned(), level.to_owned(), number_of_share(share)?))
}

fn cell_share(argument: &str) -> Parsed<(String, f64)> {
    let (cell, share) = argument.rsplit_once('=').ok_or("must be CELL=SHARE")?;
    Ok((cell.to_owned(), number_of_share(share)?))
}

fn number_of_share(text: &str) -> Parsed<f64> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "the share must be a number from 0 to 1".to_owned())
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let document = Document::parse(&bytes(&args.survey)?).map_err(|findings| {
        let first = findings.first().map(|finding| finding.message.clone()).unwrap_or_default();
        Error::bad_input(format!("{}: {first}", args.survey.display()))
    })?;
    let questions = people::questions(&document.items);
    let chosen = args.chosen();
    let margins = chosen.margins.attributes();
    let special = Special {
        weight: args.weight.clone(),
        probability: args.probability.clone(),
        arm: args.arm.clone(),
        attributes: args.by.iter().chain(&args.cell).chain(&margins).cloned().collect(),
        id: None,
    };
    let (of_people, mut people) = read(&args.human, &questions, &special, &chosen.corrections, &[])?;
    let special = Special {
        arm: args.arm.clone(),
        weight: args.twin_weight.clone(),
        attributes: args.cell.iter().chain(&args.regress).cloned().collect(),
        ..Special::default()
    };
    let mut readings = Vec::with_capacity(args.twins.len());
    for file in &args.twins {
        readings.push(read(file, &questions, &special, &Corrections::default(), &margins)?);
    }
    let mut twins: Vec<_> = readings.iter().map(|(_, reading)| reading.respondents.clone()).collect();
    let items = upload::items(&questions);
    let rows = twins.iter().chain([&people.respondents]).map(|side| side.ids.len()).max().unwrap_or_default();
    let replicates = people::draws(items.len() * rows);
    let bootstrap = Bootstrap { seed: args.seed, replicates, ..Bootstrap::default() };
    let thresholds = Thresholds::default();
    let mut figures = people::figures(&items, &mut people.respondents, &mut twins, &chosen, bootstrap, &thresholds)?;
    let Some((of_twins, twins)) = readings.first() else { return Ok(ExitCode::SUCCESS) };
    let asked: Vec<_> = document.items.iter().cloned().map(Into::into).collect();
    figures.diagnoses.extend(people::of_scales(&asked, &people.respondents, &twins.respondents, &thresholds));
    if args.json {
        let PeopleFigures { comparison, rectified, calibration, regressions, diagnoses, .. } = &figures;
        let findings: Vec<_> = diagnoses.iter().filter_map(|of| of.findings.as_ref().ok()).flatten().collect();
        let rectified = match rectified {
            Ok(table) => serde_json::json!(table),
            Err(refusal) => serde_json::json!({ "refusal": refusal.to_string() }),
        };
        let whole = serde_json::json!({
            "comparison": comparison,
            "rectified": rectified,
            "calibration": calibration,
            "regressions": regressions,
            "diagnostics": findings,
            "people": { "columns": of_people, "unread": people.unread },
            "twins": { "columns": of_twins, "unread": twins.unread },
        });
        say!("{whole:#}");
    } else {
        print::figures(&figures);
        print::leftovers("people's file", &of_people, &people);
        print::leftovers("twins' file", of_twins, twins);
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn chosen(&self) -> Chosen {
        let mut corrections = Corrections::default();
        for (question, column) in &self.matches {
            let columns = corrections.columns.entry(question.clone()).or_default();
            columns.extend((!column.is_empty()).then(|| column.clone()));
        }
        for (question, cell, answer) in &self.recodes {
            let cells = corrections.recodes.entry(question.clone()).or_default();
            cells.insert(cell.clone(), answer.clone());
        }
        let mut margins: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
        for (column, level, share) in &self.margins {
            margins.entry(column.clone()).or_default().insert(level.clone(), *share);
        }
        Chosen {
            arm: self.arm.clone(),
            weight: self.weight.clone(),
            twin_weight: self.twin_weight.clone(),
            margins: Margins(margins),
            probability: self.probability.clone(),
            by: self.by.clone(),
            cells: self.cell.clone(),
            cell_shares: (!self.cell_shares.is_empty()).then(|| self.cell_shares.iter().cloned().collect()),
            regress: self.regress.clone(),
            corrections,
        }
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|reason| Error::bad_input(format!("{}: {reason}", path.display())))
}

/// `if_there`: attributes that are read where the file has all of them.
fn read(
    path: &Path,
    questions: &[Question],
    special: &Special,
    corrections: &Corrections,
    if_there: &[String],
) -> Result<(Mapping, Reading)> {
    let is_label = |cell: &str| questions.iter().any(|question| !question.text.is_empty() && question.text == cell);
    let bad = |reason: String| Error::bad_input(format!("{}: {reason}", path.display()));
    let table = upload::parse(&bytes(path)?, is_label).map_err(|refusal| bad(refusal.to_string()))?;
    upload::check_lengths(questions).map_err(|refusal| bad(refusal.to_string()))?;
    let mapping = upload::match_corrected(questions, &table, corrections).map_err(|refusal| {
        let option = if refusal.field == "recodes" { "recode" } else { "match" };
        bad(format!("--{option} {}: {}", refusal.item, refusal.reason))
    })?;
    let mut special = special.clone();
    if if_there.iter().all(|name| table.names.contains(name)) {
        let more = if_there.iter().filter(|name| !special.attributes.contains(name)).cloned().collect::<Vec<_>>();
        special.attributes.extend(more);
    }
    let reading = upload::respondents(questions, &table, &mapping, &special);
    match reading.refusal() {
        Some(reason) => Err(bad(reason)),
        None => Ok((mapping, reading)),
    }
}

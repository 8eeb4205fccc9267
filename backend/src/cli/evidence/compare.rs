//! `twinlab evidence compare`: the metrics of each question with n and interval.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use evidence::compare::{Comparison, Settings, compare};
use evidence::intervals::{Bootstrap, Estimate};
use evidence::upload::{self, Corrections, Mapping, Question, Reading, Special};

use crate::design::document::Document;
use crate::error::{Error, Result};
use crate::results::people;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The survey as JSON
    #[arg(long, value_name = "FILE")]
    survey: PathBuf,
    /// People's answers: CSV with Qualtrics' header rows or one row of names, .sav or .dta
    #[arg(long, value_name = "FILE")]
    human: PathBuf,
    /// Twins' answers, one row a twin: CSV, .sav or .dta
    #[arg(long, value_name = "FILE")]
    twins: PathBuf,
    /// The column of the experiment's arm, in both files
    #[arg(long, value_name = "COLUMN")]
    arm: Option<String>,
    /// The column of weights, in the people's file
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// Compare by this column of the people's file, too; can be repeated
    #[arg(long, value_name = "COLUMN")]
    by: Vec<String>,
    /// The column that a question has in the people's file, in place of the automatic match; without a column none. Repeated
    /// for a question with several answers: a column for each option, in their order
    #[arg(long = "match", value_name = "QUESTION=COLUMN", value_parser = matching)]
    matches: Vec<(String, String)>,
    /// The same seed draws the same bootstrap samples
    #[arg(long, default_value_t = 1)]
    seed: i64,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

fn matching(argument: &str) -> std::result::Result<(String, String), String> {
    let (question, column) = argument.split_once('=').ok_or("must be QUESTION=COLUMN")?;
    Ok((question.to_owned(), column.to_owned()))
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let document = Document::parse(&bytes(&args.survey)?).map_err(|findings| {
        let first = findings.first().map(|finding| finding.message.clone()).unwrap_or_default();
        Error::bad_input(format!("{}: {first}", args.survey.display()))
    })?;
    let questions = people::questions(&document.items);
    let special = Special { weight: args.weight.clone(), arm: args.arm.clone(), attributes: args.by.clone(), id: None };
    let (of_people, people) = read(&args.human, &questions, &special, &args.corrections())?;
    let special = Special { arm: args.arm.clone(), ..Special::default() };
    let (of_twins, twins) = read(&args.twins, &questions, &special, &Corrections::default())?;
    let settings = Settings { bootstrap: Bootstrap { seed: args.seed, ..Bootstrap::default() }, ..Settings::default() };
    let items = upload::items(&questions);
    let compared = compare(&items, &people.respondents, &twins.respondents, settings)
        .map_err(|refusal| Error::bad_input(refusal.to_string()))?;
    if args.json {
        let whole = serde_json::json!({
            "comparison": compared,
            "people": { "columns": of_people, "unread": people.unread },
            "twins": { "columns": of_twins, "unread": twins.unread },
        });
        say!("{whole:#}");
    } else {
        print(&compared);
        print_leftovers("people's file", &of_people, &people);
        print_leftovers("twins' file", &of_twins, &twins);
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn corrections(&self) -> Corrections {
        let mut corrections = Corrections::default();
        for (question, column) in &self.matches {
            let columns = corrections.columns.entry(question.clone()).or_default();
            columns.extend((!column.is_empty()).then(|| column.clone()));
        }
        corrections
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|reason| Error::bad_input(format!("{}: {reason}", path.display())))
}

fn read(
    path: &Path,
    questions: &[Question],
    special: &Special,
    corrections: &Corrections,
) -> Result<(Mapping, Reading)> {
    let is_label = |cell: &str| questions.iter().any(|question| !question.text.is_empty() && question.text == cell);
    let bad = |reason: String| Error::bad_input(format!("{}: {reason}", path.display()));
    let table = upload::parse(&bytes(path)?, is_label).map_err(|refusal| bad(refusal.to_string()))?;
    let mapping = upload::match_corrected(questions, &table, corrections)
        .map_err(|refusal| bad(format!("--match {}: {}", refusal.item, refusal.reason)))?;
    let reading = upload::respondents(questions, &table, &mapping, special);
    match reading.missing.first() {
        Some(column) => Err(bad(format!("there is no column {column}"))),
        None => Ok((mapping, reading)),
    }
}

fn print(compared: &Comparison) {
    let Comparison { people, twins, pairs, level, replicates, seed, .. } = compared;
    say!("{people} people, {twins} twins, {pairs} pairs");
    if !compared.paired {
        say!("No twin has a person's id: the two are compared as samples, without accuracy and correlation.");
    }
    say!("{:.0} % intervals; bootstrap over people, {replicates} draws, seed {seed}", level * 100.0);
    for item in &compared.items {
        say!("\n{}  people {}, twins {}", item.name, item.n_people, item.n_twins);
        for value in &item.metrics {
            line(value.metric, &value.estimate);
        }
        for option in &item.options {
            line(&format!("share of {}", option.label), &option.difference);
        }
        if let (Some(p), Some(q)) = (item.p, item.q) {
            let same = match item.equivalence {
                Some(tested) if tested.is_equivalent => ", surely within ±0.2 sd",
                Some(_) => ", not surely within ±0.2 sd",
                None => "",
            };
            say!("  {:<18} p {p:.4}, q {q:.4} of {}{same}", "no difference", compared.family);
        }
    }
    say!("\nAll items");
    let all = &compared.overall;
    let named = [
        ("accuracy", &all.accuracy),
        ("r", &all.r),
        ("r within person", &all.r_within_person),
        ("r of item means", &all.r_of_item_means),
    ];
    for (name, estimate) in named {
        if let Some(estimate) = estimate {
            line(name, estimate);
        }
    }
    if let Some(arms) = &compared.arms {
        say!("\nEffects of arms, against {}", arms.reference);
        for contrast in &arms.contrasts {
            let category = contrast.category.as_ref().map(|label| format!(" = {label}")).unwrap_or_default();
            let [people, twins] = [&contrast.people, &contrast.twins].map(|of| {
                format!(
                    "{:.3} [{:.3}, {:.3}] n {}+{}",
                    of.difference, of.interval.low, of.interval.high, of.n_first, of.n_second
                )
            });
            let sign = if contrast.agreement.same_sign { "same sign" } else { "other sign" };
            say!("  {}{category}, {}: people {people}, twins {twins}, {sign}", contrast.item, contrast.arm);
        }
    }
    for group in &compared.subgroups {
        say!("\n{} = {}  {} pairs", group.attribute, group.level, group.pairs);
        line("accuracy", &group.accuracy);
        if let Some(gap) = &group.gap {
            line("less the others'", gap);
        }
    }
}

fn line(name: &str, of: &Estimate) {
    let interval = match (of.interval, of.note) {
        (Some(interval), _) => format!("[{:.4}, {:.4}]", interval.low, interval.high),
        (None, note) => note.unwrap_or_default().to_owned(),
    };
    say!("  {name:<18} {:>8.4}  {interval}  n {}", of.value, of.n);
}

fn print_leftovers(file: &str, mapping: &Mapping, reading: &Reading) {
    let listed = |heading: &str, names: &[String]| {
        if !names.is_empty() {
            say!("\n{heading}: {}", names.join(", "));
        }
    };
    listed(&format!("Questions without a column in the {file}"), &mapping.unmatched_items);
    listed(&format!("Columns of the {file} that are no question"), &mapping.unmatched_columns);
    for unread in &reading.unread {
        say!("  {}: {} cells \"{}\" of the {file} are no answer", unread.item, unread.count, unread.cell);
    }
}

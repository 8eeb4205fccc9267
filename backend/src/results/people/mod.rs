//! A run's twins beside people who answered the same survey, as the statistics read both.

mod questions;
pub mod samples;
mod suppression;
mod twins;
mod weights;

use std::collections::BTreeMap;

use bytes::Bytes;
use evidence::calibration::{Calibration, calibrate, forecasts};
use evidence::compare::{
    CompareRefused, Comparison, ItemRegression, Respondents, Settings, compare, pitfalls, regressions, scale_pitfalls,
};
use evidence::diagnostics::Thresholds;
use evidence::intervals::Bootstrap;
use evidence::rectified::{self, FigureRefused, RectifiedTable};
use evidence::upload::{self, Corrections, Mapping, Question, Reading, Special, Table};

pub use self::questions::questions;
pub use self::suppression::{PeopleReader, SampleKey};
pub use self::twins::{TwinAnswers, twins};
pub use self::weights::{Margins, Weighting};

use super::diagnostics::{Diagnosis, scales};
use super::files::wide::columns::Columns;
use super::run::Run;
use crate::design::item::Item;
use crate::error::{Error, Result};
use crate::models::questions::Question as SurveyQuestion;

/// Answers times draws: within a few seconds.
const MOST_WORK: usize = 20_000_000;
const FEWEST_DRAWS: usize = 200;
const MOST_DRAWS: usize = 2_000;

/// Columns of the people's file that are no answers to the survey, by name.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    pub arm: Option<String>,
    pub weight: Option<String>,
    /// The twins' attribute that is their weight.
    pub twin_weight: Option<String>,
    /// Shares that people and twins are weighted to, in place of a column.
    pub margins: Margins,
    /// With which each person was drawn from those of the twins.
    pub probability: Option<String>,
    /// What subgroups are made by.
    pub by: Vec<String>,
    /// Attributes of people and twins that pair them where no id is common; of drawn people those to regress on.
    pub cells: Vec<String>,
    /// The cells' shares in the population, by their values joined by ` · `.
    pub cell_shares: Option<BTreeMap<String, f64>>,
    /// Attributes of the twins that answers of both sides are regressed on.
    pub regress: Vec<String>,
    /// What the file's other columns and its cells are.
    pub corrections: Corrections,
}

/// Twins beside people.
#[derive(Debug)]
pub struct PeopleFigures {
    pub comparison: Comparison,
    /// Or why there is none.
    pub rectified: std::result::Result<RectifiedTable, FigureRefused>,
    /// Of repeats, where a person has a twin.
    pub calibration: Option<Calibration>,
    pub weighting: Option<Weighting>,
    pub regressions: Vec<ItemRegression>,
    /// Pitfalls that only people's answers, or repeats, tell of.
    pub diagnoses: Vec<Diagnosis>,
}

/// How people's answers were read.
#[derive(Debug)]
pub struct ReadPeople {
    /// All questions that can be compared.
    pub questions: Vec<Question>,
    pub columns: Vec<String>,
    pub mapping: Mapping,
    pub reading: Reading,
}

/// Twins beside people, and how people's answers were read.
#[derive(Debug)]
pub struct Compared {
    pub figures: PeopleFigures,
    pub read: ReadPeople,
}

/// Answers of people.
#[derive(Debug)]
pub enum PeopleAnswers {
    /// A file as it was sent: CSV, `.sav` or `.dta`.
    File(Bytes),
    /// What is kept of one.
    Kept(Table),
}

/// Compares people with the first of these twins; the others are its repeats. Twins of several runs, in which they stood in other
/// arms, are one side. `run` is the first of the runs. Bad input: the people's file is no table, or has not a column that was
/// chosen, or the survey has not what is chosen for it. Takes seconds: not for a thread that serves requests.
pub fn beside(
    run: &Run,
    repeats: Vec<Vec<Reading>>,
    people: &PeopleAnswers,
    chosen: &Chosen,
    thresholds: &Thresholds,
) -> Result<Compared> {
    let items: Vec<Item> = run.questions.iter().cloned().map(Item::from).collect();
    let questions = questions(&items);
    let mut read = match people {
        PeopleAnswers::File(bytes) => {
            read_table("file", &table("file", bytes, &questions)?, &questions, &special(chosen), &chosen.corrections)?
        }
        PeopleAnswers::Kept(table) => read_table("sample", table, &questions, &special(chosen), &chosen.corrections)?,
    };
    if let Some(reason) = repeats.iter().flatten().find_map(Reading::refusal) {
        return Err(Error::bad_input(format!("twins: {reason}")));
    }
    let sides = |runs: Vec<Reading>| joined(runs.into_iter().map(|reading| reading.respondents).collect());
    let mut twins: Vec<Respondents> = repeats.into_iter().map(sides).collect();
    let items = upload::items(&questions);
    let rows = twins.iter().chain([&read.reading.respondents]).map(|side| side.ids.len()).max().unwrap_or_default();
    let bootstrap = Bootstrap { replicates: draws(items.len() * rows), ..Bootstrap::default() };
    let mut figures = figures(&items, &mut read.reading.respondents, &mut twins, chosen, bootstrap, thresholds)?;
    if let Some(first) = twins.first() {
        figures.diagnoses.extend(of_scales(&run.questions, &read.reading.respondents, first, thresholds));
    }
    Ok(Compared { figures, read })
}

/// The columns of the twins that a comparison needs: their arm, their weight, the attributes that are chosen and, where they
/// have all of them, those of the margins; without these they count the same.
pub fn twin_columns(run: &Run, chosen: &Chosen) -> Special {
    let margins = chosen.margins.attributes();
    let of_run = Columns::of(run);
    let have = |name: &String| of_run.0.iter().any(|column| column.name == *name);
    let mut attributes = if margins.iter().all(have) { margins } else { Vec::new() };
    for name in chosen.cells.iter().chain(&chosen.regress) {
        if !attributes.contains(name) {
            attributes.push(name.clone());
        }
    }
    Special {
        arm: arm_node(run, chosen.arm.as_deref()),
        weight: chosen.twin_weight.clone(),
        attributes,
        ..Special::default()
    }
}

/// The columns of people's answers that are chosen.
fn special(chosen: &Chosen) -> Special {
    let mut attributes: Vec<String> = chosen.by.iter().chain(&chosen.cells).cloned().collect();
    let more = chosen.margins.attributes().into_iter().filter(|name| !attributes.contains(name)).collect::<Vec<_>>();
    attributes.extend(more);
    Special {
        weight: chosen.weight.clone(),
        probability: chosen.probability.clone(),
        arm: chosen.arm.clone(),
        attributes,
        id: None,
    }
}

/// The figures of people and of twins, which are weighted first; further `twins` are repeats of the first ones. Bad input: an id
/// stands twice on a side, or shares cannot be reached.
pub fn figures(
    items: &[evidence::compare::Item],
    people: &mut Respondents,
    twins: &mut [Respondents],
    chosen: &Chosen,
    bootstrap: Bootstrap,
    thresholds: &Thresholds,
) -> Result<PeopleFigures> {
    let weighting = weights::weigh(people, twins, chosen)?;
    let regressions = twins.first().map(|first| regressions(items, people, first, &chosen.regress));
    let regressions = regressions.unwrap_or(Ok(Vec::new()));
    let regressions = regressions.map_err(|reason| Error::bad_input(format!("regress: {reason}")))?;
    let attributes: Vec<String> = chosen.by.iter().chain(&chosen.regress).cloned().collect();
    let of_twins: Vec<_> = twins.iter().map(|side| side.attributes.clone()).collect();
    // Groups are made of what was chosen for them alone.
    people.attributes.retain(|name, _| chosen.by.contains(name) || chosen.cells.contains(name));
    twins.iter_mut().for_each(|side| side.attributes.retain(|name, _| chosen.cells.contains(name)));
    let refused = |refusal: CompareRefused| Error::bad_input(format!("file: {refusal}"));
    let first = twins.first().ok_or_else(|| Error::internal("there are no twins to compare"))?;
    let comparison = compare(items, people, first, Settings { bootstrap, ..Settings::default() }).map_err(refused)?;
    let rectified = rectified::table(items, people, first, &chosen.cells, chosen.cell_shares.as_ref(), bootstrap.level);
    let calibration = match twins.len() {
        1 => None,
        count => {
            let forecasts = forecasts(items, people, &twins.iter().collect::<Vec<_>>()).map_err(refused)?;
            calibrate(&forecasts, people.ids.len(), count, bootstrap)
        }
    };
    twins.iter_mut().zip(of_twins).for_each(|(side, attributes)| side.attributes = attributes);
    let found = pitfalls(items, people, twins, &comparison, &attributes, thresholds, bootstrap);
    let diagnoses =
        found.into_iter().map(|(diagnostic, findings)| Diagnosis::of_people(diagnostic, findings)).collect();
    Ok(PeopleFigures { comparison, rectified, calibration, weighting, regressions, diagnoses })
}

/// Straight lines, and agreement with items and their reverses, against what people do.
pub fn of_scales(
    questions: &[SurveyQuestion],
    people: &Respondents,
    twins: &Respondents,
    thresholds: &Thresholds,
) -> Vec<Diagnosis> {
    let found = scale_pitfalls(&scales(questions), people, twins, thresholds);
    found.into_iter().map(|(diagnostic, findings)| Diagnosis::of_people(diagnostic, findings)).collect()
}

/// The twins' arms stand under the same name as people's, or there is only one random node.
pub fn arm_node(run: &Run, arm: Option<&str>) -> Option<String> {
    let nodes = run.plan.as_ref().map(|plan| plan.random_nodes()).unwrap_or_default();
    let node = nodes.iter().find(|(name, _)| arm == Some(*name));
    let node = node.or(nodes.first().filter(|_| nodes.len() == 1));
    arm.and(node).map(|(name, _)| (*name).to_owned())
}

/// Sides of one survey, one below the other.
fn joined(sides: Vec<Respondents>) -> Respondents {
    let mut sides = sides.into_iter();
    let mut all = sides.next().unwrap_or_default();
    for side in sides {
        all.append(side);
    }
    all
}

/// Draws of a bootstrap over so many answers that it takes seconds.
pub fn draws(answers: usize) -> usize {
    (MOST_WORK / answers.max(1)).clamp(FEWEST_DRAWS, MOST_DRAWS)
}

fn table(name: &str, bytes: &[u8], questions: &[Question]) -> Result<Table> {
    let is_label = |cell: &str| questions.iter().any(|question| !question.text.is_empty() && question.text == cell);
    upload::parse(bytes, is_label).map_err(|refusal| Error::bad_input(format!("{name}: {refusal}")))
}

fn read_table(
    name: &str,
    table: &Table,
    questions: &[Question],
    special: &Special,
    corrections: &Corrections,
) -> Result<ReadPeople> {
    upload::check_lengths(questions).map_err(|refusal| Error::bad_input(refusal.to_string()))?;
    let mapping = upload::match_corrected(questions, table, corrections)
        .map_err(|refusal| Error::bad_input(refusal.to_string()))?;
    let reading = upload::respondents(questions, table, &mapping, special);
    match reading.refusal() {
        Some(reason) => Err(Error::bad_input(format!("{name}: {reason}"))),
        None => Ok(ReadPeople { questions: questions.to_vec(), columns: table.names.clone(), mapping, reading }),
    }
}

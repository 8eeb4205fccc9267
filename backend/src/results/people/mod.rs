//! Compares a run's twins with people who answered the same survey.

mod effects;
pub mod samples;
mod suppression;
mod twins;

use bytes::Bytes;
use evidence::compare::{Experiment, Respondents};
use evidence::diagnostics::Thresholds;
use evidence::groups::AnalysisKind;
use evidence::intervals::Bootstrap;
use evidence::options::ComparisonOptions;
use evidence::people::{AnsweredSurvey, PeopleFigures, computed_items, figures, placed};
use evidence::upload::{self, Question, ReadPeople, ReadRefused, Reading, Table, score_as};
use simulation::diagnostics::scales;
use simulation::items::of_run;
use simulation::nodes::Nodes;
use simulation::run::Run;
use simulation::scoring::{ScoredQuestion, scoring};

pub use self::effects::NodeEffects;
pub use self::suppression::{PeopleReader, SampleKey};
pub use self::twins::twins;

use simulation::applied_rule::{AppliedRule, TestScope};
use simulation::plans::planned::PlannedAnalyses;

use crate::error::{Error, Result};

/// A comparison of twins with people, and how people's answers were read.
#[derive(Debug)]
pub struct Compared {
    pub figures: PeopleFigures,
    pub rule: AppliedRule,
    pub read: ReadPeople,
    /// How the questions are scored.
    pub scoring: Vec<ScoredQuestion>,
    /// The effects of each random node whose arms the file says.
    pub experiments: Vec<NodeEffects>,
}

/// Answers of people.
#[derive(Debug)]
pub enum PeopleAnswers {
    /// A file as it was sent: CSV, `.sav` or `.dta`.
    File(Bytes),
    /// A kept sample.
    Kept(Table),
}

/// Compares people with the first of these twins; the others are its repeats. Twins of several runs with different arms
/// are one side. `run` is the first of the runs, `plan` the frozen plan of their study. Fails with bad input if the people's file is no table or lacks a
/// chosen column, or the survey lacks something that is chosen. Takes seconds, so it must not run on a thread that
/// serves requests.
pub fn compare_with_people(
    run: &Run,
    repeats: Vec<Vec<Reading>>,
    people: &PeopleAnswers,
    options: &ComparisonOptions,
    thresholds: &Thresholds,
    plan: Option<&PlannedAnalyses>,
) -> Result<Compared> {
    let mut questions = of_run(run);
    score_as(&mut questions, &options.scales).map_err(|refused| Error::bad_input(refused.to_string()))?;
    let nodes = run.survey.design.as_ref().map(Nodes::of).unwrap_or_default();
    let mut read = match people {
        PeopleAnswers::File(bytes) => {
            read_table("file", &table("file", bytes, &questions)?, &questions, &nodes, options)?
        }
        PeopleAnswers::Kept(table) => read_table("sample", table, &questions, &nodes, options)?,
    };
    if let Some(reason) = repeats.iter().flatten().find_map(Reading::refusal) {
        return Err(Error::bad_input(format!("twins: {reason}")));
    }
    let sides = |runs: Vec<Reading>| joined(runs.into_iter().map(|reading| reading.respondents).collect());
    let mut twins: Vec<Respondents> = repeats.into_iter().map(sides).collect();
    if let Some(node) = &read.arms.compared {
        twins.iter_mut().for_each(|side| side.take_arms(node));
    }
    let items = upload::items(&questions);
    let people = &mut read.reading.respondents;
    let rows = twins.iter().map(|side| side.ids.len()).max().unwrap_or_default().max(people.ids.len());
    let bootstrap = Bootstrap::over(items.len() * rows);
    let experiment = match &read.arms.compared {
        Some(node) => nodes.experiment(node, &questions),
        None => Experiment::default(),
    };
    let survey = AnsweredSurvey { items: &items, scales: &scales(&run.questions), experiment: &experiment };
    let figures = figures(survey, people, &mut twins, options, bootstrap, thresholds);
    let mut figures = figures.map_err(Error::bad_input)?;
    if let Some(plan) = plan {
        // A plan names contrasts of twins, and no comparison with people.
        figures.comparison.adjust(plan.rule(), Some(AnalysisKind::Exploratory));
    }
    let matched: Vec<String> = read.arms.matched.iter().map(|node| node.node.clone()).collect();
    let mut experiments = Vec::with_capacity(matched.len());
    let with_formulas = computed_items(&items, &options.formulas).map_err(Error::bad_input)?;
    for node in matched {
        let design = placed(&nodes.experiment(&node, &questions), &options.formulas, &items);
        let design = design.and_then(|design| options.experiment(&design, &with_formulas)).map_err(Error::bad_input)?;
        let Some(first) = twins.first_mut() else { break };
        experiments.push(NodeEffects::compare(
            node,
            &design,
            &with_formulas,
            &mut read.reading.respondents,
            first,
            bootstrap,
        ));
    }
    let scoring = scoring(&run.questions, &options.scales);
    Ok(Compared { figures, rule: AppliedRule::of(plan, TestScope::People), read, scoring, experiments })
}

/// Joins sides of one survey, one below the other.
fn joined(sides: Vec<Respondents>) -> Respondents {
    let mut sides = sides.into_iter();
    let mut all = sides.next().unwrap_or_default();
    for side in sides {
        all.append(side);
    }
    all
}

fn table(name: &str, bytes: &[u8], questions: &[Question]) -> Result<Table> {
    upload::table(bytes, questions).map_err(|refusal| Error::bad_input(format!("{name}: {refusal}")))
}

fn read_table(
    name: &str,
    table: &Table,
    questions: &[Question],
    nodes: &Nodes,
    options: &ComparisonOptions,
) -> Result<ReadPeople> {
    let refused = |refusal: ReadRefused| Error::bad_input(refusal.of_file(name));
    let (nodes, reserved) = (nodes.survey_nodes(), options.people_columns());
    upload::read_with_arms(table, questions, nodes, &reserved, options).map_err(refused)
}

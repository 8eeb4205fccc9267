//! Compares the answers of a validation's runs with both waves of the people.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use diesel_async::AsyncPgConnection;
use evidence::compare::{Column, Respondents};
use evidence::intervals::Bootstrap;
use evidence::reliability::{Repeats, repeats, repeats_for};
use evidence::upload::{ReservedColumns, part_name};
use evidence::validation::{ItemAnswers, Validated, ValidationArm, ValidationData, ValidationItem, validate};
use serde::Serialize;
use serde_json::Value;
use simulation::parameters::PersonaVariant;
use simulation::run::Run;
use utoipa::ToSchema;

use super::guard::{LeakFinding, StemSearch, find_attribute_leaks};
use super::survey::{self, AskedTask};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::held_out::{self, HeldOutAnswers, HeldOutQuestion};
use crate::models::personas;
use crate::models::simulation_personas;
use crate::models::studies;
use crate::models::validations::ValidationStudy;
use crate::results::people;
use crate::results::runs;
use crate::work::blocking;

/// Attributes whose combination is a person's demographic cell.
const CELL: [&str; 2] = ["Gender", "Age"];
/// Upper limit of values of an attribute that counts as a demographic.
const MAX_LEVELS: usize = 20;
/// Number of personas whose texts are searched together.
const MAX_TEXTS_IN_MEMORY: usize = 64;

/// Facts of a validation that its figures are shown with.
#[derive(Debug, Serialize, ToSchema)]
pub struct ValidationFacts {
    pub model: String,
    pub temperature: Option<f64>,
    /// All runs are over.
    pub finished: bool,
    pub people: usize,
    /// Coverage of the intervals, 0 to 1.
    #[schema(example = 0.95)]
    pub level: f64,
    /// Seed of the bootstrap samples.
    pub seed: i64,
    pub leaks: Vec<LeakFinding>,
    /// Agreement of the headline's answers when everything is asked again: means over items.
    pub repeats: Option<Repeats>,
    pub notice: String,
}

/// Figures of a validation.
#[derive(Debug)]
pub struct ValidationFigures {
    pub validated: Validated,
    /// Key and title, in the order of the figures' tasks.
    pub tasks: Vec<(&'static str, &'static str)>,
    pub facts: ValidationFacts,
}

/// Everything that the statistics need.
struct Material {
    questions: Vec<HeldOutQuestion>,
    answers: BTreeMap<i32, HeldOutAnswers>,
    attributes: BTreeMap<i32, BTreeMap<String, String>>,
    /// Ids of the dataset, by persona.
    pids: BTreeMap<i32, String>,
    runs: Vec<(PersonaVariant, Run, Respondents)>,
    profile_leak: Option<LeakFinding>,
    quick: bool,
    headline: String,
}

/// Reads a validation's answers and computes the figures. Takes seconds, on another thread.
pub async fn figures(pool: &AsyncPool, study: &ValidationStudy) -> Result<ValidationFigures> {
    let mut conn = db::checkout(pool).await?;
    let mut runs = Vec::new();
    for found in studies::runs(&mut conn, study.id).await? {
        let run = runs::with_attributes(runs::load(&conn, found.id).await?, &mut conn).await?;
        runs.push((run.parameters.persona_variant, run));
    }
    let first = runs.first().ok_or_else(|| Error::internal("the validation has no runs"))?;
    let twins = simulation_personas::ids(&mut conn, first.1.facts.id).await?;
    let variants: Vec<PersonaVariant> = runs.iter().map(|(variant, _)| *variant).collect();
    let questions = held_out::questions(&mut conn, study.set_id).await?;
    let mut material = Material {
        profile_leak: find_profile_leak(&mut conn, study.set_id, &questions, &variants, &twins).await?,
        questions,
        answers: held_out::answers(&mut conn, study.set_id, Some(&twins)).await?,
        attributes: BTreeMap::new(),
        pids: BTreeMap::new(),
        runs: Vec::new(),
        quick: study.quick,
        headline: study.headline.clone(),
    };
    for (id, pid, attributes) in personas::facts(&mut conn, study.set_id, &twins).await? {
        material.pids.insert(id, pid);
        material.attributes.insert(id, texts_of(&attributes));
    }
    drop(conn);
    for (variant, run) in runs {
        let twins = people::twins(pool, &run, &ReservedColumns::default()).await?;
        material.runs.push((variant, run, twins.respondents));
    }
    blocking(move || count(material)).await?
}

/// Searches the texts of these variants for held-out questions. Texts are long, so only few of them are in memory
/// together.
pub async fn find_profile_leak(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    questions: &[HeldOutQuestion],
    variants: &[PersonaVariant],
    twins: &[i32],
) -> Result<Option<LeakFinding>> {
    let mut search = StemSearch::new(questions);
    let profiles = [PersonaVariant::Waves1To3, PersonaVariant::Summary];
    for variant in profiles.into_iter().filter(|variant| variants.contains(variant)) {
        for some in twins.chunks(MAX_TEXTS_IN_MEMORY) {
            let texts = personas::texts(conn, set_id, variant, some).await?;
            let read = move || {
                texts.iter().for_each(|(_, text)| search.read(text));
                search
            };
            search = blocking(read).await?;
        }
    }
    Ok(search.finding())
}

fn texts_of(attributes: &Value) -> BTreeMap<String, String> {
    let fields = attributes.as_object().into_iter().flatten();
    fields.filter_map(|(label, value)| Some((label.clone(), value.as_str()?.to_owned()))).collect()
}

fn count(material: Material) -> Result<ValidationFigures> {
    let Material { questions, answers, attributes, pids, runs, profile_leak, quick, headline } = material;
    let tasks = survey::asked(&questions, quick);
    let twins: Vec<i32> = answers.keys().copied().collect();
    let items = items(&tasks, &answers, &twins);
    let keys: Vec<String> = items.iter().map(|item| item.name.clone()).collect();
    let places: Vec<String> = keys.iter().map(|key| item_of_run(&tasks, key)).collect();
    let mut arms: Vec<ValidationArm> = Vec::new();
    for (variant, _, respondents) in &runs {
        let columns = columns(respondents, &places, &twins, &pids);
        match arms.iter_mut().find(|arm| arm.key == variant.name()) {
            Some(arm) => arm.repeats.push(columns),
            None => arms.push(ValidationArm { key: variant.name().to_owned(), repeats: vec![columns] }),
        }
    }
    let cell = |twin: &i32| {
        let of = attributes.get(twin);
        CELL.map(|label| of.and_then(|of| of.get(label)).cloned().unwrap_or_default()).join(" ")
    };
    let mut leaks: Vec<LeakFinding> = profile_leak.into_iter().collect();
    leaks.extend(find_attribute_leaks(&answers, &attributes, &keys));
    let data = ValidationData {
        people: twins.len(),
        tasks: tasks.len(),
        cells: twins.iter().map(cell).collect(),
        demographics: demographics(&twins, &attributes),
        items,
        arms,
    };
    let repeats = data.arms.iter().find(|arm| arm.key == headline).and_then(repeated);
    let baselines = evidence::validation::BASELINES.len() + 1;
    let bootstrap = Bootstrap::over(data.items.len() * data.people * (data.arms.len() + baselines));
    let (_, first, _) = runs.first().ok_or_else(|| Error::internal("the validation has no runs"))?;
    Ok(ValidationFigures {
        validated: validate(&data, bootstrap),
        tasks: tasks.iter().map(|of| (of.task.key, of.task.title)).collect(),
        facts: ValidationFacts {
            model: first.parameters.model.clone(),
            temperature: first.parameters.temperature,
            finished: runs.iter().all(|(_, run, _)| run.facts.status.is_over()),
            people: data.people,
            level: bootstrap.level,
            seed: bootstrap.seed,
            leaks,
            repeats,
            notice: first.notice.clone(),
        },
    })
}

/// The values of attributes that are categories, by persona; an unknown value is empty.
fn demographics(twins: &[i32], attributes: &BTreeMap<i32, BTreeMap<String, String>>) -> Vec<Vec<String>> {
    let mut levels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (label, value) in twins.iter().filter_map(|twin| attributes.get(twin)).flatten() {
        levels.entry(label).or_default().insert(value);
    }
    levels.retain(|_, values| values.len() <= MAX_LEVELS);
    let of_twin = |twin: &i32| {
        let of = attributes.get(twin);
        levels.keys().map(|label| of.and_then(|of| of.get(*label)).cloned().unwrap_or_default()).collect()
    };
    twins.iter().map(of_twin).collect()
}

/// The means over items of the agreement between an arm's repeats. `None`: there are fewer than two.
fn repeated(arm: &ValidationArm) -> Option<Repeats> {
    let of_item = |item: usize| {
        let columns: Vec<&ItemAnswers> = arm.repeats.iter().filter_map(|repeat| repeat.get(item)).collect();
        let row = |twin: usize| columns.iter().map(|column| *column.get(twin)?).collect::<Option<Vec<f64>>>();
        let twins = columns.first().map_or(0, |column| column.len());
        repeats(&(0..twins).filter_map(row).collect::<Vec<_>>())
    };
    let items: Vec<Repeats> = (0..arm.repeats.first()?.len()).filter_map(of_item).collect();
    let mean = |values: &[f64]| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let icc = mean(&items.iter().filter_map(|item| item.icc).collect::<Vec<_>>());
    Some(Repeats {
        twins: items.iter().map(|item| item.twins).max()?,
        repeats: arm.repeats.len(),
        identical: mean(&items.iter().map(|item| item.identical).collect::<Vec<_>>())?,
        icc,
        // Held-out items are scored by distance: all have an order.
        alpha: None,
        repeats_for_90: icc.and_then(|icc| repeats_for(0.9, icc)),
    })
}

/// The scored items that somebody answered, with both waves by persona.
pub(super) fn items(
    tasks: &[AskedTask<'_>],
    answers: &BTreeMap<i32, HeldOutAnswers>,
    twins: &[i32],
) -> Vec<ValidationItem> {
    let mut items = Vec::new();
    for (number, of) in tasks.iter().enumerate() {
        for scored in of.task.items() {
            if survey::place(tasks, &scored.key).is_none() {
                continue;
            }
            let pairs = twins.iter().map(|twin| answers.get(twin)?.get(&scored.key).copied());
            let (first, second): (ItemAnswers, ItemAnswers) = pairs.map(Option::unwrap_or_default).unzip();
            items.push(ValidationItem {
                name: scored.key,
                min: scored.min,
                max: scored.max,
                tenths: scored.tenths,
                task: number,
                first,
                second,
            });
        }
    }
    items
}

/// The name of an item in a run's answers.
pub(super) fn item_of_run(tasks: &[AskedTask<'_>], key: &str) -> String {
    match survey::place(tasks, key) {
        Some((question, Some(row))) => part_name(&question, row + 1),
        Some((question, None)) => question,
        None => String::new(),
    }
}

/// A run's answers to these items, by persona.
fn columns(
    respondents: &Respondents,
    places: &[String],
    twins: &[i32],
    pids: &BTreeMap<i32, String>,
) -> Vec<ItemAnswers> {
    let rows: HashMap<&str, usize> = respondents.ids.iter().enumerate().map(|(row, pid)| (pid.as_str(), row)).collect();
    let row_of: Vec<Option<usize>> = twins.iter().map(|twin| rows.get(pids.get(twin)?.as_str()).copied()).collect();
    let column = |place: &String| match respondents.answers.get(place) {
        Some(Column::Numbers(values)) => row_of.iter().map(|row| values.get((*row)?).copied().flatten()).collect(),
        Some(Column::Selections(_)) | None => vec![None; twins.len()],
    };
    places.iter().map(column).collect()
}

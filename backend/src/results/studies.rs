//! Compares the runs of a study: the same twins under different conditions.

use std::collections::BTreeMap;

use evidence::compare::{
    Column, Comparison, Item, ItemComparison, MetricValue, OptionShare, Respondents, Settings, compare,
};
use evidence::intervals::{Bootstrap, Estimate};
use evidence::reliability::{Repeats, repeats};
use serde::Serialize;
use utoipa::ToSchema;

use super::run::Run;
use crate::error::{Error, Result};
use crate::models::run::{Parameters, StudyCell};
use crate::models::study_plans::planned::AnalysisKind;

/// Maximum of twins × questions × runs in a comparison.
pub const MAX_ANSWERS: i64 = 500_000;

/// How alike a question's answers are when everything is asked again.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = QuestionRepeats)]
pub struct ItemRepeats {
    #[schema(example = "fair")]
    pub name: String,
    pub text: String,
    #[serde(flatten)]
    pub repeats: Repeats,
}

/// An option of a question with several answers, with the shares of twins that chose it, 0 to 1.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OptionShares)]
pub struct OptionInRuns {
    #[schema(example = "Tea")]
    label: String,
    reference: f64,
    run: f64,
    /// The run's share less the reference's.
    difference: Estimate,
}

/// A question, or a row of a matrix, in a run and in the reference run.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionInRuns {
    #[schema(example = "fair")]
    name: String,
    text: String,
    /// Number of twins that answered it in both.
    twins: usize,
    mean_reference: Option<f64>,
    mean_run: Option<f64>,
    /// The run's mean less the reference's, over the twins of both; null if there are no means.
    difference: Option<f64>,
    /// Lower end of its interval; null also if all twins differ by the same value.
    low: Option<f64>,
    high: Option<f64>,
    /// p of the difference of means, or of the shares if there are no means.
    p: Option<f64>,
    /// p adjusted by Benjamini and Hochberg over the run's questions.
    q: Option<f64>,
    /// Whether the study's frozen plan names both the question and the contrast of the runs as primary; null if there
    /// is no frozen plan.
    analysis: Option<AnalysisKind>,
    /// `exact` is the share of twins with the same answer in both, `TVD` the distance of the distributions.
    metrics: Vec<MetricValue>,
    options: Vec<OptionInRuns>,
}

/// A run compared with the reference run.
#[derive(Debug, Serialize, ToSchema)]
pub struct FiguresOfRun {
    /// Number of twins with answers in both.
    twins: usize,
    /// Agreement over all questions: 1 less the mean distance of the answers as a share of the scale.
    agreement: Option<Estimate>,
    /// The mean of the questions' correlations.
    r: Option<Estimate>,
    questions: Vec<QuestionInRuns>,
}

impl FiguresOfRun {
    /// Creates the figures. `analysis` returns whether a frozen plan names a question.
    pub fn new(of: Comparison, analysis: impl Fn(&str) -> Option<AnalysisKind>) -> Self {
        let question = |of: ItemComparison| {
            let option = |OptionShare { label, people, twins, difference }: OptionShare| OptionInRuns {
                label,
                reference: people,
                run: twins,
                difference,
            };
            QuestionInRuns {
                analysis: analysis(&of.name),
                name: of.name,
                text: of.text,
                twins: of.n_twins,
                mean_reference: of.mean_people,
                mean_run: of.mean_twins,
                difference: of.mean_twins.zip(of.mean_people).map(|(run, reference)| run - reference),
                low: of.low,
                high: of.high,
                p: of.p,
                q: of.q,
                metrics: of.metrics,
                options: of.options.into_iter().map(option).collect(),
            }
        };
        Self {
            twins: of.pairs,
            agreement: of.overall.accuracy,
            r: of.overall.r,
            questions: of.questions.into_iter().map(question).collect(),
        }
    }
}

#[derive(Debug)]
pub struct StudyComparison {
    /// The comparison of each run with the reference; `None` for the reference itself. "People" are the reference's
    /// twins.
    pub runs: Vec<Option<Comparison>>,
    /// Figures of each group of repeats, for the items with one value.
    pub repeats: Vec<Vec<ItemRepeats>>,
    pub bootstrap: Bootstrap,
}

/// The answers of the twins of several runs of one survey.
#[derive(Debug)]
pub struct AnsweredRuns {
    items: Vec<Item>,
    runs: Vec<Respondents>,
}

impl AnsweredRuns {
    pub fn new(items: Vec<Item>) -> Self {
        Self { items, runs: Vec::new() }
    }

    /// Adds the answers of the next run.
    pub fn add(&mut self, answers: Respondents) {
        self.runs.push(answers);
    }

    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Returns the answers of each twin to an item in every run of the group. `None` if the item takes several answers.
    pub fn rows(&self, item: &Item, group: &[usize]) -> Option<Vec<Vec<f64>>> {
        let columns: Vec<&[Option<f64>]> = (group.iter())
            .map(|place| match self.runs.get(*place)?.answers.get(&item.name)? {
                Column::Numbers(values) => Some(values.as_slice()),
                Column::Selections(_) => None,
            })
            .collect::<Option<_>>()?;
        // All runs of a study have the same twins in the same order.
        let twins = columns.iter().map(|values| values.len()).min()?;
        let row = |twin: usize| columns.iter().map(|values| values[twin]).collect::<Option<Vec<f64>>>();
        Some((0..twins).filter_map(row).collect())
    }
}

/// Compares the runs with the `reference` among them. `groups` are runs that differ in their repeat only. Takes
/// seconds, so it must not run on a thread that serves requests.
pub fn compare_with_reference(of: &AnsweredRuns, reference: usize, groups: &[Vec<usize>]) -> Result<StudyComparison> {
    let AnsweredRuns { items, runs: answers } = of;
    let first = answers.get(reference).ok_or_else(|| Error::internal("the study has no such run"))?;
    let bootstrap = Bootstrap::over(items.len() * answers.iter().map(|of| of.ids.len()).sum::<usize>());
    let settings = Settings { bootstrap, ..Settings::default() };
    let compared = answers.iter().enumerate().map(|(place, of)| match place == reference {
        true => Ok(None),
        false => compare(items, first, of, settings).map(Some).map_err(|refusal| Error::internal(refusal.to_string())),
    });
    let repeated = |group: &Vec<usize>| {
        let of_item = |item: &Item| {
            let rows = of.rows(item, group)?;
            Some(ItemRepeats {
                name: item.name.clone(),
                text: item.text.clone(),
                repeats: repeats(&rows)?.of_scale(item.is_only_named()),
            })
        };
        items.iter().filter_map(of_item).collect()
    };
    Ok(StudyComparison {
        runs: compared.collect::<Result<_>>()?,
        repeats: groups.iter().map(repeated).collect(),
        bootstrap,
    })
}

/// Returns the positions of runs that differ in their repeat only, for groups of several.
pub fn repeated(runs: &[&Parameters]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, parameters) in runs.iter().enumerate() {
        groups.entry(likeness(parameters, None)).or_default().push(place);
    }
    let mut several: Vec<Vec<usize>> = groups.into_values().filter(|group| group.len() > 1).collect();
    several.sort();
    several
}

/// Returns the positions of the run and of the runs with its twins in the other arms of a node, then the same for each
/// of its repeats.
pub fn repeats_and_arms(runs: &[Run], own: usize, node: Option<&str>) -> Vec<Vec<usize>> {
    let Some(run) = runs.get(own) else { return Vec::new() };
    let repeat = |run: &Run| run.parameters.cell.as_ref().map_or(0, |cell| cell.repeat);
    let alike = likeness(&run.parameters, node);
    let mut groups: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for (place, other) in runs.iter().enumerate().filter(|(_, other)| likeness(&other.parameters, node) == alike) {
        groups.entry(repeat(other)).or_default().push(place);
    }
    let first = groups.remove(&repeat(run)).into_iter();
    first.chain(groups.into_values()).collect()
}

/// Returns all parameters of a run without its repeat and, if a node is named, without its arm.
fn likeness(parameters: &Parameters, node: Option<&str>) -> String {
    let blank = |cell: StudyCell| {
        let arms = cell.arms.into_iter().filter(|(name, _)| Some(name.as_str()) != node).collect();
        StudyCell { repeat: 0, arms, ..cell }
    };
    let alike = Parameters { cell: parameters.cell.clone().map(blank), ..parameters.clone() };
    serde_json::to_string(&alike).unwrap_or_default()
}

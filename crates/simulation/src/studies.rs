//! Compares the runs of a study: the same twins under different conditions.

use std::collections::BTreeMap;

use evidence::compare::{
    Column, Comparison, Item, ItemComparison, MetricValue, OptionShare, Respondents, Settings, compare,
};
use evidence::groups::{AdjustedTest, AnalysisKind, adjust_families};
use evidence::intervals::{Bootstrap, Estimate};
use evidence::reliability::{Repeats, repeats};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{Error, Result};
use crate::parameters::{Parameters, StudyCell};
use crate::plans::differences::is_planned_contrast;
use crate::plans::planned::PlannedAnalyses;
use crate::run::Run;

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
    /// p adjusted by Benjamini and Hochberg over the run's questions, also where a frozen plan has another rule.
    q: Option<f64>,
    /// The frozen plan names a test if both the question and the contrast of the runs are primary.
    #[serde(flatten)]
    adjusted: AdjustedTest,
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
    pub fn new(of: Comparison) -> Self {
        let question = |of: ItemComparison| {
            let option = |OptionShare { label, people, twins, difference }: OptionShare| OptionInRuns {
                label,
                reference: people,
                run: twins,
                difference,
            };
            QuestionInRuns {
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
                adjusted: of.adjusted,
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

/// The frozen plan of a study, and whether it sets each of its runs beside the reference.
#[derive(Debug)]
pub struct PlannedComparison {
    pub plan: PlannedAnalyses,
    is_contrast: Vec<bool>,
}

impl PlannedComparison {
    /// `None`: there is no such run.
    pub fn new(plan: PlannedAnalyses, runs: &[&Parameters], reference: usize) -> Option<Self> {
        let base = runs.get(reference)?;
        let is_contrast = runs.iter().map(|run| is_planned_contrast(&plan.plan, run, base)).collect();
        Some(Self { plan, is_contrast })
    }

    /// Adjusts p by the plan's rule over the tests of all runs.
    fn adjust(&self, runs: &mut [Option<Comparison>]) {
        let mut tests = Vec::new();
        for (run, is_contrast) in runs.iter_mut().zip(&self.is_contrast) {
            for item in run.iter_mut().flat_map(|run| &mut run.questions) {
                let analysis = AnalysisKind::classify(*is_contrast && self.plan.names(&item.name));
                item.adjusted = AdjustedTest::new(self.plan.rule(), Some(analysis));
                tests.push((item.p, &mut item.adjusted));
            }
        }
        adjust_families(tests);
    }
}

/// Compares the runs with the `reference` among them. `groups` are runs that differ in their repeat only. Takes
/// seconds, so it must not run on a thread that serves requests.
pub fn compare_with_reference(
    of: &AnsweredRuns,
    reference: usize,
    groups: &[Vec<usize>],
    planned: Option<&PlannedComparison>,
) -> Result<StudyComparison> {
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
    let mut runs: Vec<Option<Comparison>> = compared.collect::<Result<_>>()?;
    if let Some(planned) = planned {
        planned.adjust(&mut runs);
    }
    Ok(StudyComparison { runs, repeats: groups.iter().map(repeated).collect(), bootstrap })
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

#[cfg(test)]
mod tests {
    use evidence::compare::ItemKind;
    use evidence::groups::GroupVerdict;
    use evidence::metrics::Scale;
    use serde_json::json;

    use super::*;

    /// A plan that names the question `fair`, with Bonferroni's correction at .04.
    fn plan() -> PlannedAnalyses {
        let question = json!({ "id": 1, "surveyId": 1, "order": 1, "text": "Fair?", "name": "fair", "questionType": "NUMBER",
            "required": true, "options": [], "scale_labels": [], "subQuestions": [] });
        let content = json!({ "format": 1, "program": "", "frozenAt": "2026-11-27T10:00:00Z", "surveyHash": "",
            "plan": { "primaryItems": ["fair"], "choices": { "multiplicity": "bonferroni", "alpha": 0.04 } },
            "dataBefore": { "earlierRuns": 0, "answers": 0, "seen": false },
            "survey": { "title": "", "description": "", "questions": [question] } });
        PlannedAnalyses::new(serde_json::from_value(content).expect("a frozen plan"))
    }

    #[test]
    fn a_frozen_plan_adjusts_the_tests_that_it_names_over_all_runs_apart_from_the_others() {
        let item = |name: &str| Item {
            name: name.to_owned(),
            text: String::new(),
            kind: ItemKind::Single { scale: Scale::Unbounded, labels: Vec::new() },
            scores: Vec::new(),
        };
        let mut runs = AnsweredRuns::new(vec![item("fair"), item("pay")]);
        for gap in
            [[0.0; 6], [3.0, 2.0, 3.0, 2.0, 1.0, 2.0], [1.0, 0.0, 1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 2.0, 1.0, 1.0, 1.0]]
        {
            let answers = (0..6).map(|twin| Some(f64::from(twin) + gap[twin as usize])).collect::<Vec<_>>();
            let answers = ["fair", "pay"].map(|name| (name.to_owned(), Column::Numbers(answers.clone())));
            let ids = (0..6).map(|twin| twin.to_string()).collect();
            runs.add(Respondents { ids, answers: answers.into(), ..Respondents::default() });
        }
        let compared = |planned: Option<&PlannedComparison>| {
            let runs = compare_with_reference(&runs, 0, &[], planned).expect("they are compared").runs;
            runs.into_iter().flatten().flat_map(|run| run.questions).collect::<Vec<ItemComparison>>()
        };
        for item in compared(None) {
            assert_eq!((item.adjusted.p, item.adjusted.family_size, item.adjusted.analysis), (item.q, 2, None));
        }
        // The plan contrasts the first two of the three runs with the reference.
        let planned = PlannedComparison { plan: plan(), is_contrast: vec![false, true, true, false] };
        let questions = compared(Some(&planned));
        assert_eq!(questions.len(), 6);
        for (place, item) in questions.iter().enumerate() {
            let is_named = place < 4 && item.name == "fair";
            let size = if is_named { 2 } else { 4 };
            let adjusted = item.adjusted;
            assert_eq!((adjusted.analysis, adjusted.family_size), (Some(AnalysisKind::classify(is_named)), size));
            let p = (item.p.expect("a test") * size as f64).min(1.0);
            assert_eq!(adjusted.p, Some(p));
            assert_eq!(adjusted.verdict == GroupVerdict::Differs, p < 0.04);
        }
    }
}

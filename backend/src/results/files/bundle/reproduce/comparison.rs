//! Comparison of the answers of a bundled run with those of the run that asked it once more.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use evidence::compare::ItemComparison;
use evidence::intervals::{Estimate, Interval, of_share};
use evidence::upload::ReservedColumns;
use serde::Serialize;

use super::agreement::{ByItem, IdenticalAnswers, count, item_name};
use super::verdict::verdict;
use super::{BundledRun, PromptCheck};
use crate::db::AsyncPool;
use crate::error::{Error, Result};
use crate::models::simulations::ServedBy;
use crate::results::files::bundle::analysis::LEVEL;
use crate::results::files::bundle::record;
use crate::results::pages::{InterviewOutcomes, Pages, RequestOutcome};
use crate::results::people::{self, TwinAnswers, samples};
use crate::results::run::Run;
use crate::results::studies::{AnsweredRuns, MAX_ANSWERS, compare_with_reference};

/// A share with the ends of its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct IdenticalShare {
    pub share: f64,
    pub low: f64,
    pub high: f64,
    /// Twins that answered both times.
    pub twins: usize,
}

impl IdenticalShare {
    /// `twins`: how many independent pairs there are. `None` without any.
    fn of(counted: IdenticalAnswers, twins: usize) -> Option<Self> {
        let share = counted.identical as f64 / counted.pairs as f64;
        let Interval { low, high } = of_share(share * twins as f64, twins as f64, LEVEL)?;
        Some(Self { share, low, high, twins })
    }

    pub fn overlaps(&self, other: &Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }
}

/// A question, or a row of a matrix, then and now.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReproducedItem {
    pub name: String,
    pub identical: IdenticalShare,
    /// Identical answers of the run and the repeats of its study.
    pub identical_in_repeats: Option<IdenticalShare>,
    /// How far the distributions are apart, with its interval; of items with options.
    pub tvd: Option<f64>,
    pub tvd_interval: Option<[f64; 2]>,
    pub mean_then: Option<f64>,
    pub mean_now: Option<f64>,
    /// The mean now less the mean then, over twins that answered both times; its interval is missing where all differ by the same.
    pub shift: Option<f64>,
    pub shift_interval: Option<[f64; 2]>,
}

impl ReproducedItem {
    /// Whether the mean has surely changed.
    pub fn has_moved(&self) -> bool {
        match (self.shift, self.shift_interval) {
            (_, Some([low, high])) => low > 0.0 || high < 0.0,
            // All differ by the same.
            (Some(shift), None) => shift != 0.0 && self.identical.twins > 1,
            (None, None) => false,
        }
    }
}

/// Result of asking a run once more.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reproduction {
    /// The bundle's run.
    pub then: ReproducedRun,
    /// The run that asked again.
    pub now: ReproducedRun,
    pub prompts: usize,
    pub differing_prompts: usize,
    pub twins: usize,
    /// Share of identical answers among all pairs, 0 to 1; null: there are none.
    pub identical: Option<f64>,
    /// Runs of the bundle's study that differ from it in nothing but the repeat.
    pub repeats: usize,
    pub items: Vec<ReproducedItem>,
    pub verdict: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReproducedRun {
    pub simulation_id: String,
    pub program_version: String,
    pub model: String,
    /// Seed that the model server was sent.
    pub seed: i64,
    /// Models and fingerprints that the model server named in the answers.
    pub served_by: Vec<ServedBy>,
}

impl ReproducedRun {
    fn of(run: &Run, served_by: BTreeSet<(String, Option<String>)>) -> Self {
        Self {
            simulation_id: run.simulation_id.clone(),
            program_version: run.facts.program_version.clone(),
            model: run.parameters.model.clone(),
            seed: run.parameters.model_seed(),
            served_by: served_by.into_iter().map(|(model, fingerprint)| ServedBy { model, fingerprint }).collect(),
        }
    }
}

type Served = BTreeSet<(String, Option<String>)>;

impl BundledRun {
    /// Compares it with the run that asked it once more.
    pub async fn compare(&self, pool: &AsyncPool, now: &Run, check: &PromptCheck) -> Result<Reproduction> {
        let (mut counts, mut served_then, mut served_now) = (ByItem::new(), Served::new(), Served::new());
        let mut pages = Pages::new(now);
        // Both are in the order of the twins' ids.
        let mut answered_now: HashMap<i32, InterviewOutcomes> = HashMap::new();
        for page in self.interviews()? {
            for then in page? {
                served(&then, &mut served_then);
                while !answered_now.contains_key(&then.persona.id) {
                    let Some(page) = pages.next_from(pool).await? else { break };
                    answered_now.extend(page.into_iter().map(|interview| (interview.persona.id, interview)));
                }
                if let Some(now) = answered_now.remove(&then.persona.id) {
                    served(&now, &mut served_now);
                    count(&self.run, &then, &now, &mut counts)?;
                }
            }
        }
        let repeated = self.in_repeats()?;
        let compared = self.items(pool, now).await?;
        let mut items = Vec::with_capacity(counts.len());
        for (place, counted) in &counts {
            let name = item_name(&self.run, *place);
            let Some(identical) = IdenticalShare::of(*counted, counted.pairs) else { continue };
            let found = compared.iter().find(|item| item.name == name);
            let tvd = found.and_then(|item| item.metrics.iter().find(|metric| metric.metric == "TVD"));
            let tvd: Option<&Estimate> = tvd.map(|metric| &metric.estimate);
            items.push(ReproducedItem {
                name,
                identical,
                identical_in_repeats: repeated
                    .get(place)
                    .and_then(|(counted, twins)| IdenticalShare::of(*counted, *twins)),
                tvd: tvd.map(|of| of.value),
                tvd_interval: tvd.and_then(Estimate::interval).map(|of| [of.low, of.high]),
                mean_then: found.and_then(|item| item.mean_people),
                mean_now: found.and_then(|item| item.mean_twins),
                shift: found.and_then(|item| Some(item.mean_twins? - item.mean_people?)),
                shift_interval: found.and_then(|item| Some([item.low?, item.high?])),
            });
        }
        let pairs: usize = counts.values().map(|counted| counted.pairs).sum();
        let same: usize = counts.values().map(|counted| counted.identical).sum();
        let verdict = verdict(&items, self.repeats.len());
        Ok(Reproduction {
            then: ReproducedRun::of(&self.run, served_then),
            now: ReproducedRun::of(now, served_now),
            prompts: check.prompts,
            differing_prompts: check.differing,
            twins: self.twins().len(),
            identical: (pairs > 0).then(|| same as f64 / pairs as f64),
            repeats: self.repeats.len(),
            items,
            verdict,
        })
    }

    /// The items that statistics know, of the twins that were asked again. None where there are too many answers.
    async fn items(&self, pool: &AsyncPool, now: &Run) -> Result<Vec<ItemComparison>> {
        if i64::from(now.rows()) > MAX_ANSWERS {
            return Ok(Vec::new());
        }
        let answered_now = people::twins(pool, now, &ReservedColumns::default()).await?;
        let mut answered_then = TwinAnswers::new(&self.run, &ReservedColumns::default());
        for page in self.interviews()? {
            answered_then.add(&self.run, &page?);
        }
        let mut answered = AnsweredRuns::new(samples::items(&self.run.questions));
        answered.add(answered_then.take().respondents);
        answered.add(answered_now.respondents);
        let compare = tokio::task::spawn_blocking(move || compare_with_reference(&answered, 0, &[], None));
        let compared = compare.await.map_err(|error| Error::internal(error.to_string()))??;
        Ok(compared.runs.into_iter().flatten().flat_map(|comparison| comparison.questions).collect())
    }

    /// Pairs of the run's answers with those of its repeats, and how many twins have one. Of all its twins.
    fn in_repeats(&self) -> Result<BTreeMap<(usize, usize), (IdenticalAnswers, usize)>> {
        let mut all: BTreeMap<(usize, usize), (IdenticalAnswers, usize)> = BTreeMap::new();
        for folder in &self.repeats {
            let repeat = record::run(folder)?;
            let mut counts = ByItem::new();
            let others = record::interviews(&repeat, folder)?.flat_map(flat);
            let own = record::interviews(&self.run, &self.folder)?.flat_map(flat);
            // The runs of a study have the same twins in the same order.
            for (one, other) in own.zip(others) {
                count(&self.run, &one?, &other?, &mut counts)?;
            }
            for (place, counted) in counts {
                let (sum, twins) = all.entry(place).or_default();
                sum.pairs += counted.pairs;
                sum.identical += counted.identical;
                *twins = (*twins).max(counted.pairs);
            }
        }
        Ok(all)
    }
}

fn flat(page: Result<Vec<InterviewOutcomes>>) -> Vec<Result<InterviewOutcomes>> {
    match page {
        Ok(page) => page.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    }
}

fn served(of: &InterviewOutcomes, by: &mut Served) {
    for outcome in &of.outcomes {
        let RequestOutcome::Answered(_, Some(provenance)) = outcome else { continue };
        let named = (provenance.model.clone(), provenance.fingerprint.clone());
        if !by.contains(&named) {
            by.insert(named);
        }
    }
}

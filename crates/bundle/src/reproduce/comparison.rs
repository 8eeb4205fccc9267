//! Comparison of the answers of a bundled run with those of the run that asked it once more.

use std::collections::{BTreeMap, BTreeSet};

use evidence::compare::{ItemComparison, Respondents};
use evidence::intervals::Estimate;
use evidence::upload::ReservedColumns;
use serde::Serialize;
use simulation::answers::{RequestOutcome, ServedBy};
use simulation::error::Result;
use simulation::items::items;
use simulation::money::Tokens;
use simulation::outcomes::InterviewOutcomes;
use simulation::run::Run;
use simulation::studies::AnsweredRuns;
use simulation::twins::TwinAnswers;

use crate::record;
use crate::reproduce::BundledRun;
use crate::reproduce::agreement::{ByItem, IdenticalAnswers, count, item_name};
use crate::reproduce::item::{IdenticalShare, ReproducedItem};
use crate::reproduce::verdict::verdict;

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

/// Result of rendering the prompts of a run anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptCheck {
    pub prompts: usize,
    /// Count of prompts that have another hash now.
    pub differing: usize,
    /// Twin and questions of the first of them.
    pub first: Option<String>,
    /// Credits that asking again takes.
    pub credits: i64,
    /// Tokens that the answers took then.
    pub tokens: Tokens,
}

/// Answers of twins that were asked twice.
#[derive(Debug, Default)]
pub struct PairedAnswers {
    counts: ByItem,
    served_then: Served,
    served_now: Served,
}

impl PairedAnswers {
    /// Adds a twin's interviews in the bundled run and now. `None`: it was not asked again.
    pub fn add(&mut self, run: &Run, then: &InterviewOutcomes, now: Option<&InterviewOutcomes>) -> Result<()> {
        served(then, &mut self.served_then);
        let Some(now) = now else { return Ok(()) };
        served(now, &mut self.served_now);
        count(run, then, now, &mut self.counts)
    }
}

impl BundledRun {
    /// Compares it with the run that asked it once more. `compared` are the items that statistics know.
    pub fn reproduction(
        &self,
        now: &Run,
        paired: PairedAnswers,
        compared: &[ItemComparison],
        check: &PromptCheck,
    ) -> Result<Reproduction> {
        let PairedAnswers { counts, served_then, served_now } = paired;
        let repeated = self.in_repeats()?;
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

    /// Returns its answers and those of now, of the twins that were asked again.
    pub fn answered_with(&self, now: Respondents) -> Result<AnsweredRuns> {
        let mut then = TwinAnswers::new(&self.run, &ReservedColumns::default());
        for page in self.interviews()? {
            then.add(&self.run, &page?);
        }
        let mut answered = AnsweredRuns::new(items(&self.run.questions));
        answered.add(then.take().respondents);
        answered.add(now);
        Ok(answered)
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

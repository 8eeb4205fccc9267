//! The table of a comparison of twins with people: every item, arm and subgroup.

mod arms;
mod covariates;
mod data;
mod experiment;
mod item;
mod overall;
mod pairs;
mod pitfalls;
mod regressions;
mod scales;
mod subgroups;

use serde::Serialize;

pub use arms::{ArmTable, Contrast, NotCompared, compare_arms};
pub use covariates::UnusedCovariate;
pub(crate) use data::RowKey;
pub use data::{Column, GivenDistribution, Item, ItemKind, Respondents};
pub use experiment::Experiment;
pub use item::{ItemComparison, MetricValue, OptionShare};
pub use overall::Overall;
pub use pitfalls::pitfalls;
pub use regressions::{Coefficient, ItemRegression, regressions};
pub use scales::{KeyedItem, KeyedScale, scale_pitfalls};
pub use subgroups::Subgroup;

use crate::effects::ALPHA;
use crate::groups::{AdjustedTest, AnalysisKind, adjust_families};
use crate::intervals::Bootstrap;
use crate::multiplicity::{Multiplicity, TestRule};
use pairs::Pairing;

/// The rule of comparisons without a frozen plan.
pub const RULE: TestRule = TestRule { adjustment: Multiplicity::BenjaminiHochberg, alpha: ALPHA };

/// Settings of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub bootstrap: Bootstrap,
    /// Margin of equivalence, in sd of the people. Means within it count as equal.
    pub equivalence_sd: f64,
    /// Minimum number of people in a subgroup that is shown.
    pub min_subgroup: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { bootstrap: Bootstrap::default(), equivalence_sd: 0.2, min_subgroup: 30 }
    }
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompareRefused {
    #[error("{side}: {id} is listed twice")]
    Doubled { side: &'static str, id: String },
    #[error("{side}: {what} has {found} entries for {expected} respondents")]
    Length { side: &'static str, what: String, found: usize, expected: usize },
}

/// A comparison of twins with people.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Comparison {
    /// Number of rows of people; rows of twins; people with a twin of the same id.
    pub people: usize,
    pub twins: usize,
    pub pairs: usize,
    /// Whether each twin is compared with its own person. Without pairs, only distributions are compared.
    pub paired: bool,
    /// Coverage of the intervals, 0 to 1.
    #[cfg_attr(feature = "openapi", schema(example = 0.95))]
    pub level: f64,
    /// Number of bootstrap samples over people, and their seed.
    pub draws: usize,
    pub seed: i64,
    /// Number of tests in the family of `q`.
    pub family: usize,
    pub questions: Vec<ItemComparison>,
    pub overall: Overall,
    pub arms: Option<ArmTable>,
    pub groups: Vec<Subgroup>,
}

/// Compares the two sides in every item that both have. Pairs have the same id, and the same arm if both sides have
/// arms. Without a common id the sides are compared as two samples.
pub fn compare(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    settings: Settings,
) -> Result<Comparison, CompareRefused> {
    compare_experiment(items, people, twins, &Experiment::default(), settings)
}

/// Compares the two sides as [`compare`] does, and the arms by the design of their experiment.
pub fn compare_experiment(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    experiment: &Experiment,
    settings: Settings,
) -> Result<Comparison, CompareRefused> {
    people.check("people")?;
    twins.check("twins")?;
    let pairing = Pairing::new(people, twins)?;
    let compared: Vec<ItemComparison> =
        items.iter().filter_map(|item| item::compare(item, people, twins, &pairing, settings)).collect();
    let mut comparison = Comparison {
        people: people.ids.len(),
        twins: twins.ids.len(),
        pairs: pairing.pairs.len(),
        paired: pairing.is_paired(),
        level: settings.bootstrap.level,
        draws: settings.bootstrap.replicates,
        seed: settings.bootstrap.seed,
        family: compared.iter().filter(|item| item.p.is_some_and(|p| !p.is_nan())).count(),
        overall: overall::overall(items, people, twins, &pairing, settings),
        arms: compare_arms(items, people, twins, experiment, settings),
        groups: subgroups::subgroups(items, people, twins, &pairing, &experiment.ungrouped, settings),
        questions: compared,
    };
    comparison.adjust(RULE, None);
    for item in &mut comparison.questions {
        item.q = item.adjusted.p;
    }
    Ok(comparison)
}

impl Comparison {
    /// Adjusts p of the questions, p of arms' effects among people, and p of those among twins: each over its tests.
    pub fn adjust(&mut self, rule: TestRule, analysis: Option<AnalysisKind>) {
        let fresh = AdjustedTest::new(rule, analysis);
        for item in &mut self.questions {
            item.adjusted = fresh;
        }
        adjust_families(self.questions.iter_mut().map(|item| (item.p, &mut item.adjusted)));
        if let Some(arms) = &mut self.arms {
            arms.adjust(fresh, self.level);
        }
    }
}

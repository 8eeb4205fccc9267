//! The table of a comparison: every item, every arm and every subgroup, twins beside people.

mod arms;
mod data;
mod item;
mod overall;
mod pairs;
mod pitfalls;
mod regressions;
mod scales;
mod subgroups;

use serde::Serialize;

pub use arms::{ArmTable, Contrast};
pub(crate) use data::RowKey;
pub use data::{Column, Item, ItemKind, Respondents};
pub use item::{ItemComparison, MetricValue, OptionShare};
pub use overall::Overall;
pub use pitfalls::pitfalls;
pub use regressions::{Coefficient, ItemRegression, regressions};
pub use scales::{KeyedItem, KeyedScale, scale_pitfalls};
pub use subgroups::Subgroup;

use crate::intervals::Bootstrap;
use crate::multiplicity::benjamini_hochberg;
use crate::weights::effective_n;
use pairs::Pairing;

/// What an analysis chooses. The defaults are those of the design.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub bootstrap: Bootstrap,
    /// Twins and people are "the same" where their means surely differ by less than this many sd of the people.
    pub equivalence_sd: f64,
    /// A subgroup with fewer people is not shown.
    pub least_subgroup: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { bootstrap: Bootstrap::default(), equivalence_sd: 0.2, least_subgroup: 30 }
    }
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompareRefused {
    #[error("{side}: {id} stands there twice")]
    Doubled { side: &'static str, id: String },
    #[error("{side}: {what} has {found} entries for {expected} respondents")]
    Length { side: &'static str, what: String, found: usize, expected: usize },
}

#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Rows of the people's file, of the twins', and people with a twin among them.
    pub people: usize,
    pub twins: usize,
    pub pairs: usize,
    /// Kish's effective number of people, where they have weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_effective: Option<f64>,
    /// Whether each twin is compared with its own person. Without pairs only distributions are compared.
    pub paired: bool,
    pub seed: i64,
    pub replicates: usize,
    pub level: f64,
    /// Items whose p the Benjamini-Hochberg q counts.
    pub family: usize,
    pub items: Vec<ItemComparison>,
    pub overall: Overall,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arms: Option<ArmTable>,
    pub subgroups: Vec<Subgroup>,
}

/// Compares the two sides in every item that both have. Pairs are those with the same id (and the same arm, if both sides
/// have arms); without a common id the sides are compared as two samples.
pub fn compare(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    settings: Settings,
) -> Result<Comparison, CompareRefused> {
    people.check("people")?;
    twins.check("twins")?;
    let pairing = Pairing::new(people, twins)?;
    let mut compared: Vec<ItemComparison> =
        items.iter().filter_map(|item| item::compare(item, people, twins, &pairing, settings)).collect();
    let p: Vec<f64> = compared.iter().map(|item| item.p.unwrap_or(f64::NAN)).collect();
    for (item, q) in compared.iter_mut().zip(benjamini_hochberg(&p)) {
        item.q = item.p.map(|_| q);
    }
    Ok(Comparison {
        people: people.ids.len(),
        twins: twins.ids.len(),
        pairs: pairing.pairs.len(),
        n_effective: people.weights.as_deref().and_then(effective_n),
        paired: pairing.is_paired(),
        seed: settings.bootstrap.seed,
        replicates: settings.bootstrap.replicates,
        level: settings.bootstrap.level,
        family: p.iter().filter(|p| !p.is_nan()).count(),
        overall: overall::overall(items, people, twins, &pairing, settings),
        arms: arms::table(items, people, twins, settings),
        subgroups: subgroups::subgroups(items, people, twins, &pairing, settings),
        items: compared,
    })
}

//! Metrics of how close the answers of twins are to those of people. Each is a plain function of the two sides' values
//! and weights. [`Metric`] names them, and says which scales they fit and whether they need pairs.

mod agreement;
mod correlation;
mod distribution;
mod people;
pub(crate) mod probability;
mod scale;
mod selections;
mod spread;

use serde::Serialize;

pub use agreement::{accuracy, exact, kappa, quadratic_kappa};
pub use correlation::{mean_correlation, pearson, spearman};
pub use distribution::{
    MergedOrder, entropy, entropy_gap, jensen_shannon, kolmogorov_smirnov_p, shares, total_variation,
};
pub use people::{correlation_of_means, correlation_within_people};
pub use probability::{brier, expected_calibration_error, log_loss, ranked_probability, smoothed};
pub(crate) use scale::decile;
pub use scale::{Scale, deciles};
pub use selections::{jaccard, option_shares};
pub use spread::{glass, sd_ratio};

/// A metric of one item with one value for each person and twin. `docs/evidence.md` has formulas and sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    Accuracy,
    Exact,
    Pearson,
    Spearman,
    SdRatio,
    Glass,
    Kappa,
    QuadraticKappa,
    TotalVariation,
    JensenShannon,
    Wasserstein,
    KolmogorovSmirnov,
    EntropyGap,
}

impl Metric {
    pub const ALL: [Self; 13] = [
        Self::Accuracy,
        Self::Exact,
        Self::Pearson,
        Self::Spearman,
        Self::SdRatio,
        Self::Glass,
        Self::Kappa,
        Self::QuadraticKappa,
        Self::TotalVariation,
        Self::JensenShannon,
        Self::Wasserstein,
        Self::KolmogorovSmirnov,
        Self::EntropyGap,
    ];

    /// The name in tables, which is also the key of its bootstrap draws.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::Exact => "exact",
            Self::Pearson => "r",
            Self::Spearman => "rho",
            Self::SdRatio => "sd ratio",
            Self::Glass => "Glass",
            Self::Kappa => "kappa",
            Self::QuadraticKappa => "quadratic kappa",
            Self::TotalVariation => "TVD",
            Self::JensenShannon => "JSD",
            Self::Wasserstein => "W1",
            Self::KolmogorovSmirnov => "KS",
            Self::EntropyGap => "entropy gap",
        }
    }

    /// Whether it compares each twin with its own person.
    pub fn needs_pairs(self) -> bool {
        matches!(
            self,
            Self::Accuracy | Self::Exact | Self::Pearson | Self::Spearman | Self::Kappa | Self::QuadraticKappa
        )
    }

    /// Whether it is defined on the scale: there is no mean of categories, and no share of continuous numbers.
    pub fn fits(self, scale: Scale) -> bool {
        match self {
            Self::Accuracy | Self::Exact => true,
            Self::Pearson
            | Self::Spearman
            | Self::SdRatio
            | Self::Glass
            | Self::Wasserstein
            | Self::KolmogorovSmirnov => scale.is_ordered(),
            Self::Kappa | Self::TotalVariation | Self::JensenShannon | Self::EntropyGap => scale.categories().is_some(),
            Self::QuadraticKappa => scale.is_ordered() && scale.categories().is_some(),
        }
    }
}

/// The answers of both sides to one item, prepared for many evaluations with different weights.
pub struct Answers<'a> {
    scale: Scale,
    human: &'a [f64],
    twin: &'a [f64],
    /// Inner edges of the deciles of the human answers, for accuracy on an unbounded scale.
    edges: Vec<f64>,
    merged: MergedOrder,
}

impl<'a> Answers<'a> {
    /// Prepares the answers. `human[i]` and `twin[i]` are a pair if pairs are compared.
    pub fn new(scale: Scale, human: &'a [f64], twin: &'a [f64]) -> Self {
        let edges = if scale == Scale::Unbounded { deciles(human) } else { Vec::new() };
        Self { scale, human, twin, edges, merged: MergedOrder::new(human, twin) }
    }

    /// Computes the metric with these weights. A metric over pairs uses the people's. `None` where it is undefined.
    pub fn value(&self, metric: Metric, people: &[f64], twins: &[f64]) -> Option<f64> {
        let (h, t) = (self.human, self.twin);
        let shares_of_both = || {
            let categories = self.scale.categories()?;
            Some((shares(h, people, categories)?, shares(t, twins, categories)?))
        };
        match metric {
            Metric::Accuracy => accuracy(self.scale, &self.edges, h, t, people),
            Metric::Exact => exact(h, t, people),
            Metric::Pearson => pearson(h, t, people),
            Metric::Spearman => spearman(h, t, people),
            Metric::SdRatio => sd_ratio(h, people, t, twins),
            Metric::Glass => glass(h, people, t, twins),
            Metric::Kappa => kappa(h, t, people, self.scale.categories()?),
            Metric::QuadraticKappa => quadratic_kappa(h, t, people, self.scale.categories()?),
            Metric::TotalVariation => shares_of_both().map(|(p, q)| total_variation(&p, &q)),
            Metric::JensenShannon => shares_of_both().map(|(p, q)| jensen_shannon(&p, &q)),
            Metric::EntropyGap => shares_of_both().map(|(p, q)| entropy_gap(&p, &q)),
            Metric::Wasserstein => {
                let range = self.scale.range().or_else(|| self.merged.human_range())?;
                (range > 0.0).then(|| self.merged.distances(people, twins))?.map(|(_, area)| area / range)
            }
            Metric::KolmogorovSmirnov => self.merged.distances(people, twins).map(|(largest, _)| largest),
        }
    }
}

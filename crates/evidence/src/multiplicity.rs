//! Many tests at once: which of them are counted together, and how their p is adjusted.

use serde::{Deserialize, Serialize};

/// How several tests are counted together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Multiplicity {
    #[default]
    BenjaminiHochberg,
    Holm,
    Bonferroni,
    None,
}

impl Multiplicity {
    /// The name in the API and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::BenjaminiHochberg => "benjamini_hochberg",
            Self::Holm => "holm",
            Self::Bonferroni => "bonferroni",
            Self::None => "none",
        }
    }

    pub fn in_words(self) -> &'static str {
        match self {
            Self::BenjaminiHochberg => "Benjamini and Hochberg",
            Self::Holm => "Holm",
            Self::Bonferroni => "Bonferroni",
            Self::None => "none",
        }
    }

    /// Adjusts each p for the number of tests, in the given order. A p that is NaN belongs to no family and stays NaN.
    pub fn adjust(self, p: &[f64]) -> Vec<f64> {
        match self {
            Self::BenjaminiHochberg => benjamini_hochberg(p),
            Self::Holm => holm(p),
            Self::Bonferroni => {
                let family = p.iter().filter(|p| !p.is_nan()).count() as f64;
                p.iter().map(|p| if p.is_nan() { *p } else { (p * family).min(1.0) }).collect()
            }
            Self::None => p.to_vec(),
        }
    }
}

/// The rule by which a difference is called one: a frozen plan's own, else Holm at .05.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TestRule {
    /// How p is adjusted for the number of tests.
    pub adjustment: Multiplicity,
    /// An adjusted p below it is called a difference.
    #[cfg_attr(feature = "openapi", schema(example = 0.05))]
    pub alpha: f64,
}

impl Default for TestRule {
    fn default() -> Self {
        Self { adjustment: Multiplicity::Holm, alpha: crate::effects::ALPHA }
    }
}

/// Benjamini-Hochberg (1995): the q of each p, in the given order. q is the expected share of false discoveries if this
/// and all smaller p are called discoveries. A p that is NaN belongs to no family and stays NaN.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).filter(|place| !p[*place].is_nan()).collect();
    order.sort_by(|a, b| p[*b].total_cmp(&p[*a]));
    let family = order.len() as f64;
    let mut adjusted = vec![f64::NAN; p.len()];
    let mut least: f64 = 1.0;
    for (above, place) in order.into_iter().enumerate() {
        least = least.min(p[place] * family / (family - above as f64));
        adjusted[place] = least;
    }
    adjusted
}

/// Holm (1979): the probability of any false difference in the family stays below what the adjusted p is held against.
fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).filter(|place| !p[*place].is_nan()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let family = order.len();
    let mut adjusted = vec![f64::NAN; p.len()];
    let mut largest: f64 = 0.0;
    for (below, place) in order.into_iter().enumerate() {
        largest = largest.max((p[place] * (family - below) as f64).min(1.0));
        adjusted[place] = largest;
    }
    adjusted
}

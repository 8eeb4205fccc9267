//! How well twins' effects predict people's, over many contrasts.

use serde::Serialize;

use super::{Agreement, Difference, agreement};
use crate::intervals::{Bootstrap, Estimate, Interval, of_share};
use crate::metrics::pearson;
use crate::sample::{covariance, mean, ones, variance};

/// Minimum number of contrasts with a correlation or a slope.
const MIN_CONTRASTS: usize = 3;
/// Minimum number of items with an interval, because the bootstrap resamples items.
pub const MIN_ITEMS: usize = 5;

/// A contrast among people and among twins.
#[derive(Clone, Copy, Debug)]
pub struct EffectPair<'a> {
    /// The item. Its contrasts stay together in a draw.
    pub item: &'a str,
    pub people: Difference,
    pub twins: Difference,
}

/// Numbers of effects by the side on which they are significant at 5 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Significance {
    pub both: usize,
    /// Effects in `both` that have the same sign.
    pub both_same_sign: usize,
    pub people_only: usize,
    pub twins_only: usize,
    pub neither: usize,
}

impl Significance {
    fn count(pairs: &[EffectPair<'_>]) -> Self {
        let mut of = Self::default();
        for EffectPair { people, twins, .. } in pairs {
            of.add([people.is_significant(), twins.is_significant()], is_same_sign(people, twins));
        }
        of
    }

    /// Counts an effect that is significant among people or twins.
    pub(crate) fn add(&mut self, [people, twins]: [bool; 2], is_same_sign: bool) {
        match (people, twins) {
            (true, true) => {
                self.both += 1;
                self.both_same_sign += usize::from(is_same_sign);
            }
            (true, false) => self.people_only += 1,
            (false, true) => self.twins_only += 1,
            (false, false) => self.neither += 1,
        }
    }

    /// The share of people's significant contrasts that are significant among twins, with Wilson's interval. `None` if
    /// people have none.
    fn sensitivity(&self, level: f64) -> Option<Estimate> {
        share(self.both, self.both + self.people_only, level)
    }

    /// The share of the contrasts without significance among people that are significant among twins.
    fn false_alarms(&self, level: f64) -> Option<Estimate> {
        share(self.twins_only, self.twins_only + self.neither, level)
    }

    /// The number of contrasts that would be significant on both sides or on neither, if significance among twins had
    /// nothing to do with that among people.
    fn agree_by_chance(&self) -> f64 {
        let [both, people, twins, neither] =
            [self.both, self.people_only, self.twins_only, self.neither].map(|count| count as f64);
        let n = both + people + twins + neither;
        if n > 0.0 { ((both + people) * (both + twins) + (twins + neither) * (people + neither)) / n } else { 0.0 }
    }
}

fn is_same_sign(people: &Difference, twins: &Difference) -> bool {
    people.difference.signum() == twins.difference.signum()
}

/// A share of contrasts with Wilson's interval. `None` of none.
fn share(count: usize, n: usize, level: f64) -> Option<Estimate> {
    let interval = of_share(count as f64, n as f64, level)?;
    let estimate = Estimate { value: count as f64 / n as f64, n, low: None, high: None, note: None };
    Some(estimate.with(Some(interval)))
}

/// Effects by the side that shows them: their numbers, what twins find of people's, and what chance alone would give.
/// Intervals are Wilson's and take contrasts for independent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ShownEffects {
    pub counts: Significance,
    /// The share of the effects that people show which twins show too; null if people show none.
    pub sensitivity: Option<Estimate>,
    /// The share of the effects that people do not show which twins show; null if people show all.
    pub false_alarms: Option<Estimate>,
    /// The number of effects that both sides or neither would show, if twins knew nothing of people.
    #[cfg_attr(feature = "openapi", schema(example = 8.1))]
    pub agree_by_chance: f64,
}

impl ShownEffects {
    pub(crate) fn new(counts: Significance, level: f64) -> Self {
        Self {
            counts,
            sensitivity: counts.sensitivity(level),
            false_alarms: counts.false_alarms(level),
            agree_by_chance: counts.agree_by_chance(),
        }
    }
}

/// How well twins' effects predict people's. Shares are 0 to 1. Effects are compared as Cohen's d, because questions
/// have different units. Intervals of correlations and slopes resample questions and need at least five. Both are null
/// for fewer than 3 effects.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EffectSummary {
    pub effects: usize,
    pub same_sign: f64,
    /// `sameSign` with Wilson's interval.
    pub sign_agreement: Estimate,
    pub people_hold_twins: f64,
    pub significant: Significance,
    /// Effects by the side that shows them, by the adjusted p over the effects of the table.
    pub shown: ShownEffects,
    /// The share of people's significant effects that are significant among twins; null if people have none.
    pub sensitivity: Option<Estimate>,
    /// Pearson's r of people's d and twins' d.
    pub r: Option<Estimate>,
    /// Slope of people's d on twins' d. Sampling errors of the twins' d pull it to 0 (attenuation).
    pub slope: Option<Estimate>,
    /// `r/√(rel_h·rel_t)`: r corrected for the sampling errors of both sides. A side's reliability is the share of the
    /// variance of its d that is not sampling error. Null if sampling errors explain all the variance of a side.
    pub deattenuated_r: Option<Estimate>,
    /// `slope/rel_t`: the slope corrected for the sampling errors of the twins' d. Below 1, twins exaggerate.
    pub deattenuated_slope: Option<Estimate>,
}

/// Values of d and their squared errors, with weights.
struct Effects {
    people: Vec<f64>,
    twins: Vec<f64>,
    people_errors: Vec<f64>,
    twins_errors: Vec<f64>,
}

/// Correlation and slopes of weighted contrasts.
#[derive(Clone, Copy, Debug, Default)]
struct Fit {
    r: Option<f64>,
    slope: Option<f64>,
    deattenuated_r: Option<f64>,
    deattenuated_slope: Option<f64>,
}

impl Effects {
    fn from_pairs(pairs: &[EffectPair<'_>]) -> Self {
        let each = |value: fn(&EffectPair<'_>) -> f64| pairs.iter().map(value).collect();
        Self {
            people: each(|pair| pair.people.d),
            twins: each(|pair| pair.twins.d),
            people_errors: each(|pair| pair.people.squared_error_of_d()),
            twins_errors: each(|pair| pair.twins.squared_error_of_d()),
        }
    }

    fn fit(&self, weights: &[f64]) -> Fit {
        let reliability = |values: &[f64], errors: &[f64]| {
            // The variance of a sample (ddof 1), whose expectation includes the sampling errors.
            let n: f64 = weights.iter().sum();
            let spread = variance(values, weights)? * n / (n - 1.0);
            Some(1.0 - mean(errors, weights)? / spread).filter(|share| share.is_finite() && *share > 0.0)
        };
        let r = pearson(&self.people, &self.twins, weights);
        let spread = variance(&self.twins, weights).filter(|spread| *spread > 0.0);
        let slope = covariance(&self.people, &self.twins, weights).zip(spread).map(|(both, spread)| both / spread);
        let of_people = reliability(&self.people, &self.people_errors);
        let of_twins = reliability(&self.twins, &self.twins_errors);
        Fit {
            r,
            slope,
            deattenuated_r: r.zip(of_people.zip(of_twins)).map(|(r, (h, t))| (r / (h * t).sqrt()).clamp(-1.0, 1.0)),
            deattenuated_slope: slope.zip(of_twins).map(|(slope, reliability)| slope / reliability),
        }
    }
}

/// Summarises the contrasts. `shown` goes by p as found. `None` without contrasts.
pub fn summarise(pairs: &[EffectPair<'_>], bootstrap: Bootstrap) -> Option<EffectSummary> {
    let n = pairs.len();
    let level = bootstrap.level;
    let holding = |holds: fn(&Agreement) -> bool| {
        pairs.iter().filter(|pair| holds(&agreement(&pair.people, &pair.twins, level))).count()
    };
    let sign_agreement = share(holding(|agreement| agreement.same_sign), n, level)?;
    let effects = Effects::from_pairs(pairs);
    let whole = if n < MIN_CONTRASTS { Fit::default() } else { effects.fit(&ones(n)) };
    let drawn = draws(pairs, &effects, bootstrap);
    let estimate = |of: fn(&Fit) -> Option<f64>| {
        let value = of(&whole).filter(|value| value.is_finite())?;
        let interval: Option<Interval> = bootstrap.of_draws(drawn.iter().filter_map(of));
        let note = interval.is_none().then_some("too few questions for an interval");
        Some(Estimate { value, n, low: None, high: None, note }.with(interval))
    };
    let significant = Significance::count(pairs);
    Some(EffectSummary {
        effects: n,
        same_sign: sign_agreement.value,
        sign_agreement,
        people_hold_twins: holding(|agreement| agreement.people_hold_twins) as f64 / n as f64,
        significant,
        shown: ShownEffects::new(significant, level),
        sensitivity: significant.sensitivity(level),
        r: estimate(|fit| fit.r),
        slope: estimate(|fit| fit.slope),
        deattenuated_r: estimate(|fit| fit.deattenuated_r),
        deattenuated_slope: estimate(|fit| fit.deattenuated_slope),
    })
}

/// Fits of bootstrap samples of items with all their contrasts. Empty for fewer than [`MIN_ITEMS`].
fn draws(pairs: &[EffectPair<'_>], effects: &Effects, bootstrap: Bootstrap) -> Vec<Fit> {
    let mut items: Vec<&str> = pairs.iter().map(|pair| pair.item).collect();
    items.sort_unstable();
    items.dedup();
    if items.len() < MIN_ITEMS {
        return Vec::new();
    }
    let places: Vec<usize> = pairs.iter().filter_map(|pair| items.binary_search(&pair.item).ok()).collect();
    let draw = |b: usize| {
        let drawn = bootstrap.draw("effects", b, &[items.len()]);
        let weights: Vec<f64> = places.iter().map(|place| drawn[0][*place]).collect();
        effects.fit(&weights)
    };
    (0..bootstrap.replicates).map(draw).collect()
}

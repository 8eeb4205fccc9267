//! How far groups lie from the first one.

use serde::Serialize;

use super::{GroupAnswers, GroupPart, LEVEL, PartFigures};
use crate::distributions::normal_two_sided;
use crate::effects::{newcombe, welch};
use crate::metrics::total_variation;

/// How far a group lies from the first one, in a mean or in the share of an option. The interval covers 95 %.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroupDifference {
    /// Row of a matrix, or the option that has a mean or is one of several answers; empty: the whole question.
    pub part: String,
    /// The option whose shares are compared; empty: means are.
    #[cfg_attr(feature = "openapi", schema(example = "Tea"))]
    pub option: String,
    #[cfg_attr(feature = "openapi", schema(example = "Female"))]
    pub group: String,
    /// The first group.
    #[cfg_attr(feature = "openapi", schema(example = "Male"))]
    pub base: String,
    /// The group less the base: of shares 0 to 1, of means in the question's unit.
    #[cfg_attr(feature = "openapi", schema(example = 0.2))]
    pub difference: f64,
    /// Ends of the interval: Newcombe's of shares, Welch's of means.
    pub low: f64,
    pub high: f64,
    /// Welch's t with its degrees of freedom and its p, not adjusted; null of shares.
    pub t: Option<f64>,
    pub df: Option<f64>,
    pub p: Option<f64>,
    /// Cohen's d; null of shares.
    pub d: Option<f64>,
}

impl PartFigures {
    /// The differences of each group from the first that has answers, option by option.
    pub fn differences(&self) -> Vec<GroupDifference> {
        let mut groups = self.groups.iter().filter(|group| group.answers.n() > 0);
        let Some(base) = groups.next() else { return Vec::new() };
        groups.flat_map(|group| self.between(group, base)).collect()
    }

    fn between(&self, group: &GroupPart, base: &GroupPart) -> Vec<GroupDifference> {
        let named = |option: &str, difference: f64, (low, high): (f64, f64)| GroupDifference {
            part: self.part.clone(),
            option: option.to_owned(),
            group: group.group.clone(),
            base: base.group.clone(),
            difference,
            low,
            high,
            ..GroupDifference::default()
        };
        match (&group.answers, &base.answers) {
            (GroupAnswers::Mean { mean: of, .. }, GroupAnswers::Mean { mean: first, .. }) => {
                let found = of.zip(*first).and_then(|(of, first)| welch(of, first, LEVEL));
                let row = found.map(|found| GroupDifference {
                    t: Some(found.t),
                    df: Some(found.df),
                    p: Some(found.p),
                    d: Some(found.d),
                    ..named("", found.difference, (found.low, found.high))
                });
                row.into_iter().collect()
            }
            (GroupAnswers::Counts { n, counts }, GroupAnswers::Counts { n: m, counts: first }) => {
                let share = |(place, option): (usize, &String)| {
                    let (a, b) = (*counts.get(place)?, *first.get(place)?);
                    let (difference, interval) = newcombe(a as f64, *n as f64, b as f64, *m as f64, LEVEL)?;
                    Some(named(option, difference, (interval.low, interval.high)))
                };
                self.options.iter().enumerate().filter_map(share).collect()
            }
            _ => Vec::new(),
        }
    }

    /// How far the distribution of the group that is furthest from the first lies from it, 0 (alike) to 1. Of means: as far
    /// as two normal distributions whose means lie so many standard deviations apart.
    pub(super) fn distance(&self) -> Option<f64> {
        let (base, others) = self.groups.split_first()?;
        let from_base = |group: &GroupPart| match (&group.answers, &base.answers) {
            (GroupAnswers::Mean { mean: of, .. }, GroupAnswers::Mean { mean: first, .. }) => {
                let found = welch((*of)?, (*first)?, LEVEL)?;
                Some(1.0 - normal_two_sided(found.d / 2.0))
            }
            (GroupAnswers::Counts { n, .. }, GroupAnswers::Counts { n: m, .. }) if *n == 0 || *m == 0 => None,
            (GroupAnswers::Counts { n, counts }, GroupAnswers::Counts { n: m, counts: first })
                if self.is_single_option() =>
            {
                let share = |counts: &[u64], n: u64| counts.first().map(|count| *count as f64 / n as f64);
                Some((share(counts, *n)? - share(first, *m)?).abs())
            }
            (GroupAnswers::Counts { counts, .. }, GroupAnswers::Counts { counts: first, .. }) => {
                Some(total_variation(&shares(counts)?, &shares(first)?))
            }
            _ => None,
        };
        others.iter().filter_map(from_base).reduce(f64::max)
    }
}

fn shares(counts: &[u64]) -> Option<Vec<f64>> {
    let whole = counts.iter().sum::<u64>() as f64;
    (whole > 0.0).then(|| counts.iter().map(|count| *count as f64 / whole).collect())
}

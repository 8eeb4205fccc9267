//! Whether groups of twins, or runs, answer a question differently, and by how much.
//!
//! A question has one part, or several: the rows of a matrix, the options of several answers. Each part has one test, which
//! its answers decide: counts have χ², the means of two groups Welch's t, those of more Welch's analysis of variance. A new
//! method is a file beside [`chi_squared`], a variant of [`TestMethod`] and its line in [`PartFigures::figures`].

mod chi_squared;
mod differences;
mod families;
mod means;

use serde::Serialize;

pub use chi_squared::chi_squared;
pub use differences::GroupDifference;
pub use families::{AdjustedTest, adjust, adjust_families};
pub use means::{welch_anova, welch_t};

use crate::effects::welch;
use crate::intervals::Interval;
use crate::multiplicity::TestRule;
use crate::sample::Mean;

/// Coverage of all intervals.
pub const LEVEL: f64 = 0.95;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TestMethod {
    /// Pearson's χ², without continuity correction.
    ChiSquared,
    WelchT,
    WelchAnova,
}

impl TestMethod {
    pub fn name(self) -> &'static str {
        match self {
            Self::ChiSquared => "chi_squared",
            Self::WelchT => "welch_t",
            Self::WelchAnova => "welch_anova",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EffectMeasure {
    /// Cramér's V.
    V,
    /// Cohen's d, the first group less the second.
    D,
    /// η², the share of the variance that the groups explain.
    EtaSquared,
}

impl EffectMeasure {
    pub fn name(self) -> &'static str {
        match self {
            Self::V => "v",
            Self::D => "d",
            Self::EtaSquared => "eta_squared",
        }
    }

    /// Cohen's (1988) bounds of small, medium and large: of w for V.
    fn bounds(self) -> [f64; 3] {
        match self {
            Self::V => [0.1, 0.3, 0.5],
            Self::D => [0.2, 0.5, 0.8],
            Self::EtaSquared => [0.01, 0.06, 0.14],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EffectSize {
    Negligible,
    Small,
    Medium,
    Large,
}

impl EffectSize {
    pub fn name(self) -> &'static str {
        match self {
            Self::Negligible => "negligible",
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum GroupVerdict {
    /// The adjusted p is below alpha.
    Differs,
    NoClearDifference,
    /// There is no test: too few answers, or all alike.
    #[default]
    CannotTell,
}

impl GroupVerdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::Differs => "differs",
            Self::NoClearDifference => "no_clear_difference",
            Self::CannotTell => "cannot_tell",
        }
    }
}

/// Whether an analysis was planned before the answers were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum AnalysisKind {
    Preregistered,
    Exploratory,
}

impl AnalysisKind {
    pub fn classify(is_planned: bool) -> Self {
        if is_planned { Self::Preregistered } else { Self::Exploratory }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Preregistered => "preregistered",
            Self::Exploratory => "exploratory",
        }
    }
}

/// Result of a test method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestFigures {
    pub method: TestMethod,
    pub statistic: f64,
    pub df: f64,
    /// Denominator degrees of freedom of an F.
    pub df2: Option<f64>,
    pub p: f64,
    pub measure: EffectMeasure,
    pub effect: f64,
    /// The effect's interval at [`LEVEL`].
    pub interval: Option<Interval>,
    /// The effect on the scale of its measure's bounds.
    size: f64,
    /// Few answers are expected in many cells.
    pub is_rough: bool,
}

/// The answers of a group to a part of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupAnswers {
    /// How often each option was given, among `n` who answered.
    Counts { n: u64, counts: Vec<u64> },
    /// The mean of `n` answers; `None` for fewer than two.
    Mean { n: u64, mean: Option<Mean> },
}

impl GroupAnswers {
    fn n(&self) -> u64 {
        match self {
            Self::Counts { n, .. } | Self::Mean { n, .. } => *n,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct GroupPart {
    pub group: String,
    pub answers: GroupAnswers,
}

/// A part of a question with the answers of each group.
#[derive(Clone, Debug, PartialEq)]
pub struct PartFigures {
    /// Row of a matrix, or an option; empty: the whole question.
    pub part: String,
    /// The options that are counted; one where a part is one of several answers. Empty for means.
    pub options: Vec<String>,
    pub groups: Vec<GroupPart>,
}

/// The test of the groups in a question, in a row of it or in an option.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GroupTest {
    /// Row of a matrix, or an option of several answers or with a mean; empty: the whole question.
    pub part: String,
    pub method: TestMethod,
    /// χ², t or F; null where there is no test: too few answers, or all alike.
    #[cfg_attr(feature = "openapi", schema(example = 8.0))]
    pub statistic: Option<f64>,
    #[cfg_attr(feature = "openapi", schema(example = 1.0))]
    pub df: Option<f64>,
    /// Denominator degrees of freedom of F.
    pub df2: Option<f64>,
    #[cfg_attr(feature = "openapi", schema(example = 0.0047))]
    pub p: Option<f64>,
    #[serde(flatten)]
    pub adjusted: AdjustedTest,
    pub effect_measure: EffectMeasure,
    pub effect: Option<f64>,
    /// Ends of the effect's 95 % interval, by the noncentral distribution of its statistic; V's from 0. Null where there is no
    /// effect, where p is rough, and where the interval would not contain the effect.
    #[cfg_attr(feature = "openapi", schema(example = 0.06))]
    pub effect_low: Option<f64>,
    #[cfg_attr(feature = "openapi", schema(example = 0.34))]
    pub effect_high: Option<f64>,
    pub effect_size: Option<EffectSize>,
    /// Few answers are expected in many cells: p is rough (Cochran 1954).
    pub is_rough: bool,
    /// Pairs of groups whose means are compared by Welch's t, where there are more than two groups.
    pub pairs: Option<usize>,
    /// How many of them differ, p adjusted over the pairs.
    pub pairs_differing: Option<usize>,
    /// How far the group furthest from the first lies from it: total variation of the distributions, 0 (alike) to 1.
    pub distance: Option<f64>,
}

impl PartFigures {
    fn is_single_option(&self) -> bool {
        self.options.len() == 1
    }

    /// Tests the groups, p not yet adjusted for other tests.
    pub fn test(&self, rule: TestRule, analysis: Option<AnalysisKind>) -> GroupTest {
        let (method, measure, figures) = self.figures();
        let [small, medium, large] = measure.bounds();
        let effect_size = |size: f64| match size {
            size if size >= large => EffectSize::Large,
            size if size >= medium => EffectSize::Medium,
            size if size >= small => EffectSize::Small,
            _ => EffectSize::Negligible,
        };
        let (pairs, pairs_differing) = self.pairs(rule).unzip();
        let interval = figures.and_then(|figures| figures.interval.filter(|of| of.contains(figures.effect)));
        GroupTest {
            part: self.part.clone(),
            method,
            statistic: figures.map(|figures| figures.statistic),
            df: figures.map(|figures| figures.df),
            df2: figures.and_then(|figures| figures.df2),
            p: figures.map(|figures| figures.p),
            adjusted: AdjustedTest::new(rule, analysis),
            effect_measure: measure,
            effect: figures.map(|figures| figures.effect),
            effect_low: interval.map(|interval| interval.low),
            effect_high: interval.map(|interval| interval.high),
            effect_size: figures.map(|figures| effect_size(figures.size)),
            is_rough: figures.is_some_and(|figures| figures.is_rough),
            pairs,
            pairs_differing,
            distance: self.distance(),
        }
    }

    /// The method that the answers take, and what it finds.
    fn figures(&self) -> (TestMethod, EffectMeasure, Option<TestFigures>) {
        if self.groups.iter().any(|group| matches!(group.answers, GroupAnswers::Counts { .. })) {
            return (TestMethod::ChiSquared, EffectMeasure::V, chi_squared(&self.table()));
        }
        match self.means().as_slice() {
            [first, second] => (TestMethod::WelchT, EffectMeasure::D, welch_t(*first, *second)),
            means if means.len() < 2 => (TestMethod::WelchT, EffectMeasure::D, None),
            means => (TestMethod::WelchAnova, EffectMeasure::EtaSquared, welch_anova(means)),
        }
    }

    /// A row of counts for each group; where a part is one option, those who chose it and those who did not.
    fn table(&self) -> Vec<Vec<u64>> {
        let row = |group: &GroupPart| match &group.answers {
            GroupAnswers::Counts { n, counts } if self.is_single_option() => {
                let chosen = counts.first().copied().unwrap_or_default();
                Some(vec![chosen, n.saturating_sub(chosen)])
            }
            GroupAnswers::Counts { counts, .. } => Some(counts.clone()),
            GroupAnswers::Mean { .. } => None,
        };
        self.groups.iter().filter_map(row).collect()
    }

    /// The groups that have a mean with a spread.
    fn means(&self) -> Vec<Mean> {
        let mean = |group: &GroupPart| match group.answers {
            GroupAnswers::Mean { mean, .. } => mean,
            GroupAnswers::Counts { .. } => None,
        };
        self.groups.iter().filter_map(mean).collect()
    }

    /// The pairs of more than two means, and how many of them differ.
    fn pairs(&self, rule: TestRule) -> Option<(usize, usize)> {
        let means = self.means();
        if means.len() < 3 {
            return None;
        }
        let others = |(place, one): (usize, &Mean)| {
            let found = means.iter().skip(place + 1).filter_map(|other| welch(*one, *other, LEVEL));
            found.map(|found| found.p).collect::<Vec<_>>()
        };
        let p: Vec<f64> = means.iter().enumerate().flat_map(others).collect();
        let differing = rule.adjustment.adjust(&p).into_iter().filter(|p| *p < rule.alpha).count();
        Some((p.len(), differing))
    }
}

//! p of several tests, adjusted within the families of a rule.

use serde::Serialize;

use super::{AnalysisKind, GroupTest, GroupVerdict};
use crate::multiplicity::{Multiplicity, TestRule};

/// A test among the others of its family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AdjustedTest {
    /// p adjusted over the tests of the same family; null where there is no test.
    #[serde(rename = "adjustedP")]
    #[cfg_attr(feature = "openapi", schema(example = 0.0188))]
    pub p: Option<f64>,
    pub adjustment: Multiplicity,
    /// The number of tests that are counted together.
    #[cfg_attr(feature = "openapi", schema(example = 4))]
    pub family_size: usize,
    /// An adjusted p below it is called a difference.
    #[cfg_attr(feature = "openapi", schema(example = 0.05))]
    pub alpha: f64,
    pub verdict: GroupVerdict,
    /// Whether the frozen plan names the test: the tests that it names are one family, all others another. Null: there is no
    /// frozen plan.
    pub analysis: Option<AnalysisKind>,
}

impl AdjustedTest {
    /// A test whose p is not adjusted yet.
    pub fn new(rule: TestRule, analysis: Option<AnalysisKind>) -> Self {
        Self { adjustment: rule.adjustment, alpha: rule.alpha, analysis, ..Self::default() }
    }

    fn adjusted(self, p: f64, family_size: usize) -> Self {
        let p = (!p.is_nan()).then_some(p);
        let verdict = match p {
            None => GroupVerdict::CannotTell,
            Some(p) if p < self.alpha => GroupVerdict::Differs,
            Some(_) => GroupVerdict::NoClearDifference,
        };
        Self { p, family_size, verdict, ..self }
    }
}

/// Adjusts p as found over the tests of one rule: those that a plan names are one family, all others another.
pub fn adjust_families<'t>(tests: impl IntoIterator<Item = (Option<f64>, &'t mut AdjustedTest)>) {
    let mut tests: Vec<(f64, &mut AdjustedTest)> =
        tests.into_iter().map(|(p, test)| (p.unwrap_or(f64::NAN), test)).collect();
    for family in [None, Some(AnalysisKind::Preregistered), Some(AnalysisKind::Exploratory)] {
        let mut own: Vec<&mut (f64, &mut AdjustedTest)> =
            tests.iter_mut().filter(|(_, test)| test.analysis == family).collect();
        let Some(adjustment) = own.first().map(|(_, test)| test.adjustment) else { continue };
        let p: Vec<f64> = own.iter().map(|(p, _)| *p).collect();
        let size = p.iter().filter(|p| !p.is_nan()).count();
        for ((_, test), adjusted) in own.iter_mut().zip(adjustment.adjust(&p)) {
            **test = test.adjusted(adjusted, size);
        }
    }
}

/// Adjusts p over the tests of groups.
pub fn adjust(tests: &mut [&mut GroupTest]) {
    adjust_families(tests.iter_mut().map(|test| (test.p, &mut test.adjusted)));
}

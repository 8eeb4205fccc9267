//! Attributes as columns of a regression: a dummy for each level but the first.

use std::collections::BTreeSet;

use crate::compare::Respondents;

/// Levels that an attribute may have.
const MOST_LEVELS: usize = 20;

pub(crate) struct Factors {
    /// Attribute and level.
    terms: Vec<(String, String)>,
}

impl Factors {
    /// Of the attributes that a side has. Errors: one of them has too many levels to be one.
    pub fn of(side: &Respondents, attributes: &[String]) -> Result<Self, String> {
        let mut terms = Vec::new();
        for name in attributes {
            let levels: BTreeSet<&String> = side.attributes.get(name).into_iter().flatten().flatten().collect();
            if levels.len() > MOST_LEVELS {
                return Err(format!("{name} has more than {MOST_LEVELS} values: it is no attribute to regress on"));
            }
            terms.extend(levels.into_iter().skip(1).map(|level| (name.clone(), level.clone())));
        }
        Ok(Self { terms })
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// `Gender: Male`, in the order of the columns behind the intercept.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.terms.iter().map(|(name, level)| format!("{name}: {level}"))
    }

    /// A respondent's row, with 1 for the intercept; `None`: an attribute is not known.
    pub fn row(&self, side: &Respondents, row: usize) -> Option<Vec<f64>> {
        let value = |name: &str| side.attributes.get(name)?.get(row)?.as_deref();
        let dummies = self.terms.iter().map(|(name, level)| Some(f64::from(u8::from(value(name)? == level))));
        std::iter::once(Some(1.0)).chain(dummies).collect()
    }
}

/// Rows and values times the root of a weight: least squares of these are those weighted.
pub(crate) fn weighted(x: &[Vec<f64>], y: &[f64], weights: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
    let roots = || weights.iter().map(|weight| weight.sqrt());
    let rows = x.iter().zip(roots()).map(|(row, root)| row.iter().map(|value| value * root).collect());
    (rows.collect(), y.iter().zip(roots()).map(|(value, root)| value * root).collect())
}

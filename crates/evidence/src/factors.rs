//! Attributes as columns of a regression: a dummy for each level but the first.

use std::collections::BTreeSet;

use crate::compare::Respondents;

/// Maximum number of levels of an attribute.
const MAX_LEVELS: usize = 20;

pub(crate) struct Factors {
    /// The attribute and level of each column.
    terms: Vec<(String, String)>,
}

impl Factors {
    /// Finds the levels of a side's attributes. Fails if an attribute has too many.
    pub fn find(side: &Respondents, attributes: &[String]) -> Result<Self, String> {
        let mut terms = Vec::new();
        for name in attributes {
            let levels: BTreeSet<&String> = side.attributes.get(name).into_iter().flatten().flatten().collect();
            if levels.len() > MAX_LEVELS {
                return Err(format!("{name} has more than {MAX_LEVELS} values: it is no attribute to regress on"));
            }
            terms.extend(levels.into_iter().skip(1).map(|level| (name.clone(), level.clone())));
        }
        Ok(Self { terms })
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Names of the columns after the intercept, e.g. `Gender: Male`.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.terms.iter().map(|(name, level)| format!("{name}: {level}"))
    }

    /// Returns a respondent's row, with 1 for the intercept. `None` if an attribute is unknown.
    pub fn row(&self, side: &Respondents, row: usize) -> Option<Vec<f64>> {
        let value = |name: &str| side.attributes.get(name)?.get(row)?.as_deref();
        let dummies = self.terms.iter().map(|(name, level)| Some(f64::from(u8::from(value(name)? == level))));
        std::iter::once(Some(1.0)).chain(dummies).collect()
    }
}

/// Multiplies rows and values by the root of their weight, so that ordinary least squares are weighted ones.
pub(crate) fn weighted(x: &[Vec<f64>], y: &[f64], weights: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
    let roots = || weights.iter().map(|weight| weight.sqrt());
    let rows = x.iter().zip(roots()).map(|(row, root)| row.iter().map(|value| value * root).collect());
    (rows.collect(), y.iter().zip(roots()).map(|(value, root)| value * root).collect())
}

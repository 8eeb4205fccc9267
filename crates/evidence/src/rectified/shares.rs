use serde::Serialize;

use super::figure::{Figure, FigureRefused, effective, sentence};
use super::mean::{estimate, ratio};
use super::{ASSUMPTION, check, covariance};
use crate::sample::sample_variance;

/// Shares of categories; the rectified ones add up to 1, since all have one λ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shares {
    pub n: usize,
    pub others: usize,
    pub lambda: f64,
    /// For each category: people alone, twins alone, rectified.
    pub people: Vec<Figure>,
    pub twins: Vec<Figure>,
    pub rectified: Vec<Figure>,
    /// Over all categories together.
    pub n_effective: f64,
    pub sentence: String,
    pub assumption: &'static str,
}

/// Of people, their twins and other twins.
type OfParts<'a> = dyn Fn(&[f64], &[f64], &[f64]) -> Figure + 'a;

/// Shares of categories 1 to K, with intervals within 0..1. Errors as for the mean.
pub fn shares(
    people: &[f64],
    twins: &[f64],
    others: &[f64],
    categories: usize,
    level: f64,
) -> Result<Shares, FigureRefused> {
    if people.len() != twins.len() {
        return Err(FigureRefused::NoPairing);
    }
    let (n, more) = (people.len(), others.len());
    check(n, more)?;
    let is =
        |values: &[f64], k: usize| -> Vec<f64> { values.iter().map(|value| f64::from(*value == k as f64)).collect() };
    let of = |k: usize| (is(people, k), is(twins, k), is(others, k));
    let (mut joint, mut spread) = (0.0, 0.0);
    for k in 1..=categories {
        let (y, f, rest) = of(k);
        joint += covariance(&y, &f);
        spread += sample_variance(&[f, rest].concat()).unwrap_or(0.0);
    }
    let lambda = ratio(joint, (1.0 + n as f64 / more as f64) * spread);
    let figures = |figure: &OfParts| -> Vec<Figure> {
        (1..=categories)
            .map(|k| {
                let (y, f, rest) = of(k);
                figure(&y, &f, &rest).within(0.0, 1.0)
            })
            .collect()
    };
    let classic = figures(&|y, f, rest| estimate(y, f, rest, 0.0, level));
    let rectified = figures(&|y, f, rest| estimate(y, f, rest, lambda, level));
    let total = |figures: &[Figure]| figures.iter().map(|figure| figure.variance).sum::<f64>();
    let n_effective = effective(n, total(&classic), total(&rectified));
    Ok(Shares {
        n,
        others: more,
        lambda,
        twins: figures(&|_, _, rest| {
            Figure::new(super::average(rest), super::variance(rest) / rest.len() as f64, level)
        }),
        people: classic,
        rectified,
        n_effective,
        sentence: sentence(n, n_effective),
        assumption: ASSUMPTION,
    })
}

use serde::Serialize;

use super::ASSUMPTION;
use super::figure::{Figure, FigureRefused, effective, sentence};
use super::mean::{PairedSample, ratio};

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
    /// Kish's effective number of people, where they have weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kish: Option<f64>,
    pub sentence: String,
    pub assumption: &'static str,
}

/// Shares of categories 1 to K without weights, with intervals within 0..1. Errors as for the mean.
pub fn shares(
    people: &[f64],
    twins: &[f64],
    others: &[f64],
    categories: usize,
    level: f64,
) -> Result<Shares, FigureRefused> {
    PairedSample::new(people, twins, others).shares(categories, level)
}

impl PairedSample<'_> {
    /// Shares of categories 1 to K, with intervals within 0..1. Errors as for the mean.
    pub fn shares(&self, categories: usize, level: f64) -> Result<Shares, FigureRefused> {
        self.check()?;
        let is = |values: &[f64], k: usize| -> Vec<f64> {
            values.iter().map(|value| f64::from(*value == k as f64)).collect()
        };
        let parts: Vec<[Vec<f64>; 3]> =
            (1..=categories).map(|k| [is(self.people, k), is(self.twins, k), is(self.others, k)]).collect();
        let samples: Vec<PairedSample> =
            parts.iter().map(|[people, twins, others]| PairedSample { people, twins, others, ..*self }).collect();
        let (joint, spread) = samples
            .iter()
            .map(PairedSample::lambda_parts)
            .fold((0.0, 0.0), |(joint, spread), (a, b)| (joint + a, spread + b));
        let lambda = ratio(joint, spread);
        let figures = |figure: &dyn Fn(&PairedSample) -> Figure| -> Vec<Figure> {
            samples.iter().map(|sample| figure(sample).within(0.0, 1.0)).collect()
        };
        let classic = figures(&|of| of.estimate(0.0, level));
        let rectified = figures(&|of| of.estimate(lambda, level));
        let total = |figures: &[Figure]| figures.iter().map(|figure| figure.variance).sum::<f64>();
        let n_effective = effective(self.people.len(), total(&classic), total(&rectified));
        Ok(Shares {
            n: self.people.len(),
            others: self.others.len(),
            lambda,
            twins: figures(&|of| Figure::new(of.others().mean(), of.others().squared_error(), level)),
            people: classic,
            rectified,
            n_effective,
            kish: self.kish(),
            sentence: sentence(self.people.len(), n_effective),
            assumption: ASSUMPTION,
        })
    }
}

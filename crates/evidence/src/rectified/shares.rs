use super::figure::{Figure, FigureRefused, Rectified, effective, sentence};
use super::mean::{PairedSample, ratio};

/// Shares of categories 1 to K without weights. See [`PairedSample::shares`].
pub fn shares(
    people: &[f64],
    twins: &[f64],
    others: &[f64],
    categories: usize,
    level: f64,
) -> Result<Vec<Rectified>, FigureRefused> {
    PairedSample::new(people, twins, others).shares(categories, level)
}

impl PairedSample<'_> {
    /// Shares of categories 1 to K, with intervals within 0..1. The rectified shares add up to 1, since all have one λ;
    /// `n_effective` is over all of them. Fails as the mean does.
    pub fn shares(&self, categories: usize, level: f64) -> Result<Vec<Rectified>, FigureRefused> {
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
        let share = |sample: &PairedSample| {
            let others = sample.others();
            let twins = Figure::new(others.mean(), others.squared_error(), level);
            let with = |lambda| sample.estimate(lambda, level);
            let figures = [with(0.0), twins, with(lambda), with(lambda)];
            let found = Rectified::new(self.people.len(), self.others.len(), lambda, sample.rho(), figures).of_share();
            Rectified { full_weight: None, n_weighted: self.kish(), ..found }
        };
        let found: Vec<Rectified> = samples.iter().map(share).collect();
        let total = |figure: fn(&Rectified) -> Figure| found.iter().map(|of| figure(of).variance).sum::<f64>();
        let n_effective = effective(self.people.len(), total(|of| of.people), total(|of| of.rectified));
        let sentence = sentence(self.people.len(), n_effective);
        Ok(found.into_iter().map(|of| Rectified { n_effective, sentence: sentence.clone(), ..of }).collect())
    }
}

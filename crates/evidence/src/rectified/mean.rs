use super::figure::{Figure, FigureRefused, Rectified};
use super::{WeightedValues, check};
use crate::metrics::pearson;
use crate::sample::effective_n;
use crate::sample::sample_variance;

/// Answers of people, of their own twins in the same order, and of twins of people who were not asked. Without weights
/// all count the same.
#[derive(Clone, Copy, Debug)]
pub struct PairedSample<'a> {
    pub people: &'a [f64],
    pub twins: &'a [f64],
    /// Weight of each person, above 0.
    pub weights: Option<&'a [f64]>,
    pub others: &'a [f64],
    pub weights_of_others: Option<&'a [f64]>,
}

impl<'a> PairedSample<'a> {
    /// A sample without weights.
    pub fn new(people: &'a [f64], twins: &'a [f64], others: &'a [f64]) -> Self {
        Self { people, twins, weights: None, others, weights_of_others: None }
    }

    pub(super) fn check(&self) -> Result<(), FigureRefused> {
        let fits = |weights: Option<&[f64]>, n: usize| weights.is_none_or(|weights| weights.len() == n);
        let is_paired = self.people.len() == self.twins.len() && fits(self.weights, self.people.len());
        if !is_paired || !fits(self.weights_of_others, self.others.len()) {
            return Err(FigureRefused::NoPairing);
        }
        check(self.people.len(), self.others.len())
    }

    pub(super) fn people(&self) -> WeightedValues<'a> {
        WeightedValues::new(self.people, self.weights)
    }

    pub(super) fn twins(&self) -> WeightedValues<'a> {
        WeightedValues::new(self.twins, self.weights)
    }

    pub(super) fn others(&self) -> WeightedValues<'a> {
        WeightedValues::new(self.others, self.weights_of_others)
    }

    /// Kish's effective number of people. `None` without weights.
    pub(super) fn kish(&self) -> Option<f64> {
        self.weights.and_then(effective_n)
    }

    pub(super) fn rho(&self) -> f64 {
        pearson(self.people, self.twins, &self.people().weights()).unwrap_or(0.0)
    }

    /// The residuals `Y − λf`.
    fn rest(&self, lambda: f64) -> Vec<f64> {
        self.people.iter().zip(self.twins).map(|(y, f)| y - lambda * f).collect()
    }

    /// `mean(Y − λf)` and its squared error.
    pub(super) fn own_part(&self, lambda: f64) -> (f64, f64) {
        let rest = self.rest(lambda);
        let rest = WeightedValues::new(&rest, self.weights);
        (rest.mean(), rest.squared_error())
    }

    /// `θ(λ) = λ·mean f + mean(Y − λf)` with `SE² = λ²·var f/N + var(Y − λf)/n`. With weights both means are weighted
    /// and the errors linearised, `Σw²(x − mean)²/(Σw)²`.
    pub fn estimate(&self, lambda: f64, level: f64) -> Figure {
        let (mean, squared) = self.own_part(lambda);
        let others = self.others();
        Figure::new(lambda * others.mean() + mean, lambda * lambda * others.squared_error() + squared, level)
    }

    /// Numerator and denominator of λ*, see [`best_lambda`]. Weighted as in ppi-python, by the gradients at plain PPI.
    pub(super) fn lambda_parts(&self) -> (f64, f64) {
        let theta = self.others().mean() + self.own_part(1.0).0;
        let gradients =
            |of: WeightedValues| -> Vec<f64> { of.scaled().map(|(value, weight)| weight * (value - theta)).collect() };
        let (y, f, rest) = (gradients(self.people()), gradients(self.twins()), gradients(self.others()));
        let joint = super::covariance(&y, &f);
        let spread = sample_variance(&[f, rest].concat()).unwrap_or(0.0);
        (joint, (1.0 + self.people.len() as f64 / self.others.len() as f64) * spread)
    }

    /// Estimates the mean of the population. Fails if there are too few people or no other twins, or lists have
    /// different lengths.
    pub fn mean(&self, level: f64) -> Result<Rectified, FigureRefused> {
        self.check()?;
        let (joint, spread) = self.lambda_parts();
        let lambda = ratio(joint, spread);
        let with = |lambda| self.estimate(lambda, level);
        let others = self.others();
        let alone = Figure::new(others.mean(), others.squared_error(), level);
        let figures = [with(0.0), alone, with(1.0), with(lambda)];
        let found = Rectified::new(self.people.len(), self.others.len(), lambda, self.rho(), figures);
        Ok(Rectified { n_weighted: self.kish(), ..found })
    }
}

/// Estimates the mean of the population without weights. `people[i]` and `twins[i]` are a pair; `others` are twins of
/// people who were not asked. Fails if there are too few people or no other twins.
pub fn mean(people: &[f64], twins: &[f64], others: &[f64], level: f64) -> Result<Rectified, FigureRefused> {
    PairedSample::new(people, twins, others).mean(level)
}

/// [`PairedSample::estimate`] without weights.
pub fn estimate(people: &[f64], twins: &[f64], others: &[f64], lambda: f64, level: f64) -> Figure {
    PairedSample::new(people, twins, others).estimate(lambda, level)
}

/// `λ* = cov(Y, f)/((1 + n/N)·var f)`, 0 to 1: the weight with the narrowest interval. The covariance has ddof 0, the
/// variance of all twins together ddof 1, as in ppi-python. 0 if the twins never differ.
pub fn best_lambda(people: &[f64], twins: &[f64], others: &[f64]) -> f64 {
    let (joint, spread) = PairedSample::new(people, twins, others).lambda_parts();
    ratio(joint, spread)
}

/// Returns the ratio clipped to 0..1; 0 if the twins have no spread.
pub(super) fn ratio(covariance: f64, spread: f64) -> f64 {
    // Floating point can leave the gradients of equal twins slightly above 0.
    if spread > 1e-24 { (covariance / spread).clamp(0.0, 1.0) } else { 0.0 }
}

use super::figure::{Figure, FigureRefused, Rectified};
use super::mean::{estimate, mean, ratio};
use super::{average, check, covariance, variance};

/// The people of one arm with their twins' answers in that arm.
#[derive(Clone, Copy, Debug)]
pub struct Arm<'a> {
    pub people: &'a [f64],
    pub twins: &'a [f64],
}

/// First less second arm, where other twins were split over the arms as people are: two estimates whose variances add.
/// λ and ρ shown are the means of both arms'.
pub fn split_arms(first: Arm, second: Arm, others: (&[f64], &[f64]), level: f64) -> Result<Rectified, FigureRefused> {
    let a = mean(first.people, first.twins, others.0, level)?;
    let b = mean(second.people, second.twins, others.1, level)?;
    let less = |a: Figure, b: Figure| Figure::new(a.estimate - b.estimate, a.variance + b.variance, level);
    let figures = [
        less(a.people, b.people),
        less(a.twins, b.twins),
        less(a.full_weight, b.full_weight),
        less(a.rectified, b.rectified),
    ];
    let (lambda, rho) = ((a.lambda + b.lambda) / 2.0, (a.rho + b.rho) / 2.0);
    Ok(Rectified::new(a.n + b.n, a.others + b.others, lambda, rho, figures))
}

/// First less second arm, where every other twin stood in both: `others` are the differences of its two answers.
///
/// `θ = λ·mean(f_A − f_B) + mean_A(Y − λf_A) − mean_B(Y − λf_B)`,
/// `V = λ²·var(f_A − f_B)/N + Σ var_a(Y − λf_a)/n_a`.
pub fn all_arms(first: Arm, second: Arm, others: &[f64], level: f64) -> Result<Rectified, FigureRefused> {
    let arms = [first, second];
    if arms.iter().any(|arm| arm.people.len() != arm.twins.len()) {
        return Err(FigureRefused::NoPairing);
    }
    for arm in arms {
        check(arm.people.len(), others.len())?;
    }
    let size = |arm: &Arm| arm.people.len() as f64;
    let own = variance(others) / others.len() as f64;
    let joint: f64 = arms.iter().map(|arm| covariance(arm.people, arm.twins) / size(arm)).sum();
    let spread: f64 = arms.iter().map(|arm| variance(arm.twins) / size(arm)).sum();
    let lambda = ratio(joint, own + spread);
    let with = |lambda: f64| {
        // An arm's own part is the estimate without other twins.
        let [a, b] = arms.map(|arm| estimate(arm.people, arm.twins, &[0.0], lambda, level));
        let theta = lambda * average(others) + a.estimate - b.estimate;
        Figure::new(theta, lambda * lambda * own + a.variance + b.variance, level)
    };
    let rho = {
        let spread_of_people: f64 = arms.iter().map(|arm| variance(arm.people) / size(arm)).sum();
        let product = (spread * spread_of_people).sqrt();
        if product > 0.0 { joint / product } else { 0.0 }
    };
    let n = first.people.len() + second.people.len();
    let figures = [with(0.0), Figure::new(average(others), own, level), with(1.0), with(lambda)];
    Ok(Rectified::new(n, others.len(), lambda, rho, figures))
}

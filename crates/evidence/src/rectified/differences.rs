use super::WeightedValues;
use super::estimators::{of_all_arms, of_split_arms};
use super::figure::{Figure, FigureRefused, Rectified};
use super::mean::{PairedSample, ratio};

/// First less second arm, if the other twins are split over the arms as people are: two estimates whose variances add.
/// Returns the means of both arms' λ and ρ.
pub fn split_arms(first: PairedSample, second: PairedSample, level: f64) -> Result<Rectified, FigureRefused> {
    let (a, b) = (first.mean(level)?, second.mean(level)?);
    let less = |a: Figure, b: Figure| Figure::new(a.estimate - b.estimate, a.variance + b.variance, level);
    let rectified = less(a.rectified, b.rectified);
    let full_weight = a.full_weight.zip(b.full_weight).map(|(a, b)| less(a, b));
    let figures = [less(a.people, b.people), less(a.twins, b.twins), full_weight.unwrap_or(rectified), rectified];
    let (lambda, rho) = ((a.lambda + b.lambda) / 2.0, (a.rho + b.rho) / 2.0);
    let found = Rectified::new(a.n + b.n, a.others + b.others, lambda, rho, figures);
    let estimators = of_split_arms([first, second], [a.lambda, b.lambda], level);
    Ok(Rectified { n_weighted: sum(a.n_weighted, b.n_weighted), estimators, ..found })
}

/// First less second arm, if every other twin answered in both. `others` of both samples are the same twins in the same
/// order.
///
/// `θ = λ·mean(f_A − f_B) + mean_A(Y − λf_A) − mean_B(Y − λf_B)`,
/// `V = λ²·var(f_A − f_B)/N + Σ var_a(Y − λf_a)/n_a`.
pub fn all_arms(first: PairedSample, second: PairedSample, level: f64) -> Result<Rectified, FigureRefused> {
    let arms = [first, second];
    if first.others.len() != second.others.len() {
        return Err(FigureRefused::NoPairing);
    }
    for arm in arms {
        arm.check()?;
    }
    let differences: Vec<f64> = first.others.iter().zip(second.others).map(|(a, b)| a - b).collect();
    let others = WeightedValues::new(&differences, first.weights_of_others);
    let own = others.squared_error();
    let joint: f64 = arms.iter().map(|arm| arm.people().joint_error(&arm.twins())).sum();
    let spread: f64 = arms.iter().map(|arm| arm.twins().squared_error()).sum();
    let lambda = ratio(joint, own + spread);
    let with = |lambda: f64| {
        let [(a, of_a), (b, of_b)] = arms.map(|arm| arm.own_part(lambda));
        Figure::new(lambda * others.mean() + a - b, lambda * lambda * own + of_a + of_b, level)
    };
    let rho = {
        let spread_of_people: f64 = arms.iter().map(|arm| arm.people().squared_error()).sum();
        let product = (spread * spread_of_people).sqrt();
        if product > 0.0 { joint / product } else { 0.0 }
    };
    let n = first.people.len() + second.people.len();
    let figures = [with(0.0), Figure::new(others.mean(), own, level), with(1.0), with(lambda)];
    let found = Rectified::new(n, differences.len(), lambda, rho, figures);
    let estimators = of_all_arms(arms, lambda, level);
    Ok(Rectified { n_weighted: sum(first.kish(), second.kish()), estimators, ..found })
}

fn sum(first: Option<f64>, second: Option<f64>) -> Option<f64> {
    Some(first? + second?)
}

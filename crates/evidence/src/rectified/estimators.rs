//! Estimators of an arm's effect from people and twins together (van Loon and Kanopka 2026): which twins they take, and how
//! many weights.

use super::WeightedValues;
use super::figure::{EstimatedEffect, Estimator, Figure, effective};
use super::mean::{PairedSample, ratio};

/// Variances of the parts of an estimate, as functions of both weights.
struct Spreads {
    /// Variance of the people's means in both arms, of their twins' means, and the covariance of both.
    people: [f64; 2],
    twins: [f64; 2],
    joint: [f64; 2],
    /// Variances of the other twins' means, and their covariance. It is 0 if each twin stood in one arm.
    others: [f64; 2],
    shared: f64,
}

impl Spreads {
    /// `Σ var(Y − λf)/n + var(λ₁f₁ − λ₂f₂)/N`.
    fn variance(&self, lambdas: [f64; 2]) -> f64 {
        let of_arm = |arm: usize| {
            let lambda = lambdas[arm];
            self.people[arm] - 2.0 * lambda * self.joint[arm] + lambda * lambda * (self.twins[arm] + self.others[arm])
        };
        of_arm(0) + of_arm(1) - 2.0 * lambdas[0] * lambdas[1] * self.shared
    }

    /// The best weight of one arm if the other's is given.
    fn best_of(&self, arm: usize, other: f64) -> f64 {
        ratio(self.joint[arm] + other * self.shared, self.twins[arm] + self.others[arm])
    }

    /// The weights of least variance, each 0 to 1.
    fn best(&self) -> [f64; 2] {
        let [a, b] = [0, 1].map(|arm| self.twins[arm] + self.others[arm]);
        let determinant = a * b - self.shared * self.shared;
        let inside = [
            (self.joint[0] * b + self.joint[1] * self.shared) / determinant,
            (self.joint[1] * a + self.joint[0] * self.shared) / determinant,
        ];
        if inside.iter().all(|lambda| (0.0..=1.0).contains(lambda)) {
            return inside;
        }
        // The variance is convex, so that its least value in the square is on an edge.
        let edges = [0.0, 1.0].into_iter().flat_map(|end| [[end, self.best_of(1, end)], [self.best_of(0, end), end]]);
        edges.min_by(|a, b| self.variance(*a).total_cmp(&self.variance(*b))).unwrap_or_default()
    }
}

fn estimated(
    estimator: Estimator,
    figure: Figure,
    lambdas: [f64; 2],
    n_effective: f64,
    reported: Estimator,
) -> EstimatedEffect {
    let is_reported = estimator == reported;
    EstimatedEffect {
        estimator,
        name: estimator.name(),
        advice: estimator.advice(),
        figure,
        lambdas,
        n_effective,
        reported: is_reported,
    }
}

/// First less second arm by each estimator for twins that stood in one arm each. `tuned` are the weights of both arms as
/// PPI++ finds them.
pub(super) fn of_split_arms(arms: [PairedSample; 2], tuned: [f64; 2], level: f64) -> Vec<EstimatedEffect> {
    let parts = arms.map(|arm| {
        let (joint, spread) = arm.lambda_parts();
        let n = arm.people.len() as f64;
        (joint / n, spread / n)
    });
    let one = ratio(parts[0].0 + parts[1].0, parts[0].1 + parts[1].1);
    let n = arms.iter().map(|arm| arm.people.len()).sum();
    let figure = |lambdas: [f64; 2]| {
        let [a, b] = [0, 1].map(|arm| arms[arm].estimate(lambdas[arm], level));
        Figure::new(a.estimate - b.estimate, a.variance + b.variance, level)
    };
    let people = figure([0.0, 0.0]).variance;
    let of = |estimator, lambdas: [f64; 2]| {
        let found = figure(lambdas);
        estimated(estimator, found, lambdas, effective(n, people, found.variance), Estimator::DoublyTuned)
    };
    vec![
        of(Estimator::DifferenceInMeans, [0.0; 2]),
        of(Estimator::Greg, [1.0; 2]),
        of(Estimator::PowerTuned, [one; 2]),
        of(Estimator::DoublyTuned, tuned),
    ]
}

/// First less second arm by each estimator for twins that stood in both arms. `others` of both samples are the same twins
/// in the same order. `tuned` is the one weight of DiP++.
pub(super) fn of_all_arms(arms: [PairedSample; 2], tuned: f64, level: f64) -> Vec<EstimatedEffect> {
    let weights = arms[0].weights_of_others;
    let [first, second] = arms.map(|arm| WeightedValues::new(arm.others, weights));
    let spreads = Spreads {
        people: arms.map(|arm| arm.people().squared_error()),
        twins: arms.map(|arm| arm.twins().squared_error()),
        joint: arms.map(|arm| arm.people().joint_error(&arm.twins())),
        others: [first.squared_error(), second.squared_error()],
        shared: first.joint_error(&second),
    };
    let n = arms.iter().map(|arm| arm.people.len()).sum();
    let figure = |lambdas: [f64; 2]| {
        let [a, b] = [0, 1].map(|arm| arms[arm].own_part(lambdas[arm]).0);
        let estimate = lambdas[0] * first.mean() - lambdas[1] * second.mean() + a - b;
        Figure::new(estimate, spreads.variance(lambdas), level)
    };
    let people = spreads.variance([0.0; 2]);
    let of = |estimator, lambdas: [f64; 2]| {
        let found = figure(lambdas);
        estimated(estimator, found, lambdas, effective(n, people, found.variance), Estimator::TunedDip)
    };
    vec![
        of(Estimator::DifferenceInMeans, [0.0; 2]),
        of(Estimator::DifferenceInPredictions, [1.0; 2]),
        of(Estimator::TunedDip, [tuned; 2]),
        of(Estimator::DoublyTunedDip, spreads.best()),
    ]
}

//! Distributions of numbers by quantiles.

/// A distribution of numbers by the corners of its quantile function: the probability that an answer is below, from 0 to 1,
/// and the number. Neither decreases, and between two corners the distribution is even.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantileCorners(pub Vec<(f64, f64)>);

impl QuantileCorners {
    fn stretches(&self) -> impl Iterator<Item = ((f64, f64), (f64, f64))> {
        self.0.windows(2).filter_map(|ends| Some((*ends.first()?, *ends.get(1)?)))
    }

    pub fn mean(&self) -> f64 {
        self.stretches().map(|((low, from), (high, to))| (high - low) * (from + to) / 2.0).sum()
    }

    /// The mean of the squares.
    pub fn mean_square(&self) -> f64 {
        self.stretches().map(|((low, from), (high, to))| (high - low) * (from * from + from * to + to * to) / 3.0).sum()
    }

    /// The standard deviation.
    pub fn sd(&self) -> f64 {
        (self.mean_square() - self.mean().powi(2)).max(0.0).sqrt()
    }

    /// The continuous ranked probability score against the true number: the integral over all levels of twice the pinball
    /// loss of the quantile. 0 is best; it has the unit of the answers.
    pub fn crps(&self, truth: f64) -> f64 {
        let of_stretch = |((low, from), (high, to)): ((f64, f64), (f64, f64))| {
            let share = if to > from { ((truth - from) / (to - from)).clamp(0.0, 1.0) } else { 1.0 };
            // Where the quantile passes the truth.
            let crossing = low + (high - low) * share;
            let number = |at: f64| if high > low { from + (to - from) * (at - low) / (high - low) } else { from };
            let loss = |at: f64| 2.0 * pinball_loss(at, number(at), truth);
            integral((low, crossing), loss) + integral((crossing, high), loss)
        };
        self.stretches().map(of_stretch).sum()
    }

    /// The mean of several quantile functions with the same levels. `None`: there is none, or their levels differ.
    pub fn mean_of(all: &[&Self]) -> Option<Self> {
        let (first, each) = (all.first()?, 1.0 / all.len() as f64);
        let is_like_first = |of: &&Self| {
            of.0.len() == first.0.len()
                && of.0.iter().zip(&first.0).all(|(one, other)| one.0.total_cmp(&other.0).is_eq())
        };
        let mean = |place: usize| all.iter().filter_map(|of| of.0.get(place)).map(|(_, number)| number * each).sum();
        let corners = first.0.iter().enumerate().map(|(place, (level, _))| (*level, mean(place)));
        all.iter().all(is_like_first).then(|| Self(corners.collect()))
    }
}

/// The pinball loss of a quantile at this level.
fn pinball_loss(level: f64, quantile: f64, truth: f64) -> f64 {
    let error = truth - quantile;
    (level * error).max((level - 1.0) * error)
}

/// The integral of a polynomial of second degree (Simpson's rule, which is exact for it).
fn integral((from, to): (f64, f64), of: impl Fn(f64) -> f64) -> f64 {
    (to - from) / 6.0 * (of(from) + 4.0 * of((from + to) / 2.0) + of(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures by numeric integration of the distribution function (scipy 1.17: `quad` of `(F(x) - 1{x >= y})²`).
    #[test]
    fn the_score_of_quantiles_is_that_of_their_distribution() {
        let between = |low: f64, high: f64| {
            QuantileCorners(vec![
                (0.0, low),
                (0.05, 1.0),
                (0.25, 2.0),
                (0.5, 4.0),
                (0.75, 5.0),
                (0.95, 9.0),
                (1.0, high),
            ])
        };
        let golden = [
            (between(0.75, 10.0), 4.0, 0.567_708_333),
            (between(0.75, 10.0), 0.5, 2.255_208_333),
            (between(0.75, 9.0), 9.5, 4.116_875),
            (between(0.75, 10.0), -3.0, 5.755_208_333),
        ];
        for (corners, truth, crps) in golden {
            assert!((corners.crps(truth) - crps).abs() < 1e-6, "{corners:?} {truth}: {}", corners.crps(truth));
        }
        assert!((between(0.75, 10.0).mean() - 4.093_75).abs() < 1e-9);
        assert!((between(0.75, 10.0).sd() - 2.397_169_011_7).abs() < 1e-6);
        // One number for sure scores its distance.
        assert!((QuantileCorners(vec![(0.0, 3.0), (1.0, 3.0)]).crps(5.0) - 2.0).abs() < 1e-12);
    }
}

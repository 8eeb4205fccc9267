//! Distributions of numbers as forecasts: their score, and whether they spread as people's answers do.

use serde::Serialize;

use super::draws::{Draws, estimate};
use crate::intervals::Estimate;
use crate::quantiles::QuantileCorners;

/// A twin's distribution of its person's number.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberForecast {
    /// Position of the person.
    pub person: usize,
    pub weight: f64,
    pub corners: QuantileCorners,
    /// The person's number.
    pub answer: f64,
}

/// A question of numbers, with a forecast for each person who answered it.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberItem {
    pub name: String,
    pub text: String,
    pub forecasts: Vec<NumberForecast>,
}

/// Scores of a question of numbers, as means over people. Intervals are a bootstrap's over people.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", schema(as = ForecastNumber))]
pub struct NumberScores {
    #[cfg_attr(feature = "openapi", schema(example = "hours"))]
    pub name: String,
    pub text: String,
    /// Continuous ranked probability score, in the unit of the answers. 0 is best.
    pub crps: Estimate,
    /// Score of all people's answers as a forecast for everybody, which needs no twin.
    pub crps_of_people: Estimate,
    /// Standard deviation of all twins' distributions together, divided by that of the people's answers: below 1 twins are too
    /// much alike. Null if all people answered the same.
    pub spread: Option<Estimate>,
}

/// Scores the forecasts of a question.
pub(super) fn scores(item: &NumberItem, draws: &Draws) -> Option<NumberScores> {
    let of = &item.forecasts;
    let by_twin: Vec<f64> = of.iter().map(|of| of.corners.crps(of.answer)).collect();
    let answers: Vec<(f64, f64)> = of.iter().map(|of| (of.answer, of.weight)).collect();
    let by_people: Vec<f64> = crps_of_answers(&answers);
    let persons: Vec<usize> = of.iter().map(|of| of.person).collect();
    let weighted = |values: &[f64], times: &dyn Fn(usize) -> f64| {
        let weight = |of: &NumberForecast| of.weight * times(of.person);
        let total: f64 = of.iter().map(weight).sum();
        (total > 0.0).then(|| of.iter().zip(values).map(|(of, value)| weight(of) * value).sum::<f64>() / total)
    };
    let mean = |values: &[f64]| estimate(&persons, draws, &|times| weighted(values, times)).map(|(found, _)| found);
    let moments: Vec<[f64; 2]> = of.iter().map(|of| [of.corners.mean(), of.corners.mean_square()]).collect();
    let spread = estimate(&persons, draws, &|times| {
        let weights: Vec<f64> = of.iter().map(|of| of.weight * times(of.person)).collect();
        spread(moments.iter().zip(of).zip(weights).map(|((twin, of), weight)| (*twin, of.answer, weight)))
    });
    Some(NumberScores {
        name: item.name.clone(),
        text: item.text.clone(),
        crps: mean(&by_twin)?,
        crps_of_people: mean(&by_people)?,
        spread: spread.map(|(found, _)| found),
    })
}

/// The standard deviation of the twins' distributions together, divided by that of the people's answers. Each is the mean of a
/// twin's distribution and of its squares, its person's answer, and a weight. `None`: all people answered the same.
pub(super) fn spread(each: impl Iterator<Item = ([f64; 2], f64, f64)>) -> Option<f64> {
    let [mut total, mut twin, mut twin_square, mut person, mut person_square] = [0.0; 5];
    for ([mean, square], answer, weight) in each {
        total += weight;
        twin += weight * mean;
        twin_square += weight * square;
        person += weight * answer;
        person_square += weight * answer * answer;
    }
    let variance = |mean: f64, square: f64| square / total - (mean / total).powi(2);
    let people = variance(person, person_square);
    (total > 0.0 && people > 1e-12 * (person_square / total))
        .then(|| (variance(twin, twin_square).max(0.0) / people).sqrt())
}

/// The score of all answers as a forecast of each: `E|X − y| − ½·E|X − X'|`. Answers with their weights.
fn crps_of_answers(answers: &[(f64, f64)]) -> Vec<f64> {
    let mut sorted = answers.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let all: f64 = sorted.iter().map(|(answer, weight)| answer * weight).sum();
    // Weights and weighted sums of the answers below each one.
    let (mut weight_below, mut sum_below) = (0.0, 0.0);
    let distances: Vec<(f64, f64)> = sorted
        .iter()
        .map(|(answer, weight)| {
            let below = answer * weight_below - sum_below;
            let above = (all - sum_below) - answer * (total - weight_below);
            weight_below += weight;
            sum_below += answer * weight;
            (*answer, (below + above) / total)
        })
        .collect();
    let among: f64 =
        distances.iter().zip(&sorted).map(|((_, distance), (_, weight))| distance * weight).sum::<f64>() / total;
    let of = |answer: f64| {
        let place = distances.partition_point(|(known, _)| *known < answer);
        distances.get(place).map_or(0.0, |(_, distance)| distance - among / 2.0)
    };
    answers.iter().map(|(answer, _)| of(*answer)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures by hand, for the answers 1 2 2 5.
    #[test]
    fn the_score_of_answers_is_half_the_difference_less_than_their_distance() {
        let found = crps_of_answers(&[(5.0, 1.0), (1.0, 1.0), (2.0, 1.0), (2.0, 1.0)]);
        // E|X - X'| = (4 + 3 + 3 + 1 + 1 + 0) * 2 / 16 = 1.5.
        let expected = [2.5 - 0.75, 1.5 - 0.75, 1.0 - 0.75, 1.0 - 0.75];
        assert!(found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-12), "{found:?}");
        // A person with double weight is two persons.
        let double = crps_of_answers(&[(5.0, 1.0), (1.0, 1.0), (2.0, 2.0)]);
        assert!((double[2] - 0.25).abs() < 1e-12, "{double:?}");
    }

    #[test]
    fn twins_that_are_sure_of_the_mean_spread_less_than_people() {
        let people = [1.0, 2.0, 4.0, 5.0];
        let sure = people.iter().map(|answer| ([3.0, 9.0], *answer, 1.0));
        assert_eq!(spread(sure), Some(0.0));
        // Each twin gives the people's own distribution: mean 3, mean of squares 46/4.
        let same = people.iter().map(|answer| ([3.0, 11.5], *answer, 1.0));
        assert!((spread(same).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(spread([([1.0, 1.0], 3.0, 1.0), ([2.0, 4.0], 3.0, 1.0)].into_iter()), None);
    }
}

//! Tests with twins that answered in every arm.

use serde::Deserialize;

use super::both_sides;
use crate::golden::cases;
use crate::metrics::close;
use evidence::compare::{Column, Respondents};
use evidence::rectified::{FigureRefused, PairedSample, all_arms, table};

#[derive(Deserialize)]
struct Case {
    /// People, their twins, other twins.
    first: [Vec<f64>; 3],
    second: [Vec<f64>; 3],
    /// Weights of the people of the first and the second arm, and of other twins.
    weights: Option<[Vec<f64>; 3]>,
    lambda: f64,
    estimate: f64,
    low: f64,
    high: f64,
}

#[test]
fn differences_within_twins_are_those_of_the_formula() {
    for case in cases::<Case>("all_arms") {
        let weights = |place: usize| case.weights.as_ref().map(|all| all[place].as_slice());
        let first = PairedSample {
            weights: weights(0),
            weights_of_others: weights(2),
            ..PairedSample::new(&case.first[0], &case.first[1], &case.first[2])
        };
        let second = PairedSample {
            weights: weights(1),
            weights_of_others: weights(2),
            ..PairedSample::new(&case.second[0], &case.second[1], &case.second[2])
        };
        let found = all_arms(first, second, 0.95).unwrap();
        close(found.lambda, case.lambda, 9);
        close(found.rectified.estimate, case.estimate, 9);
        close(found.rectified.interval().low, case.low, 9);
        close(found.rectified.interval().high, case.high, 9);
        let fewer = PairedSample { others: &case.second[2][1..], weights_of_others: None, ..second };
        assert_eq!(all_arms(first, fewer, 0.95), Err(FigureRefused::NoPairing));
    }
}

#[test]
fn the_table_compares_twins_that_stood_in_every_arm_with_themselves() {
    let (items, mut people, twins) = both_sides(500, 200);
    people.arms = Some((0..200).map(|row| ["a", "b"][row % 2].to_owned()).collect());
    // Every twin is listed twice; its answer in the second arm is .4 higher.
    let Column::Numbers(values) = &twins.answers["number"] else { panic!() };
    let again = |shift: f64| values.iter().map(move |value| value.map(|value| value + shift));
    let both = Respondents {
        ids: twins.ids.iter().chain(&twins.ids).cloned().collect(),
        arms: Some(["a", "b"].iter().flat_map(|arm| std::iter::repeat_n((*arm).to_owned(), 500)).collect()),
        answers: [("number".to_owned(), Column::Numbers(again(0.0).chain(again(0.4)).collect()))].into(),
        ..Respondents::default()
    };
    let found = table(&items[..1], &people, &both, &[], None, 0.95).unwrap();
    assert!(found.twins_in_all_arms);
    let row = &found.estimates[0];
    assert_eq!((row.arm.as_deref(), row.figures.n, row.figures.others), (Some("b"), 200, 300));
    // Twins alone: the same difference in each.
    close(row.figures.twins.estimate, 0.4, 9);
    assert!(row.figures.twins.variance < 1e-12 && row.figures.width_ratio < 1.0, "{row:?}");
    let Column::Numbers(said) = &people.answers["number"] else { panic!() };
    let pick = |of: &[Option<f64>], arm: usize, shift: f64| {
        (0..200).filter(|row| row % 2 == arm).map(|row| of[row].unwrap() + shift).collect::<Vec<f64>>()
    };
    let others: Vec<f64> = values[200..].iter().map(|value| value.unwrap()).collect();
    let higher: Vec<f64> = others.iter().map(|value| value + 0.4).collect();
    let (y, f, z, g) = (pick(said, 1, 0.0), pick(values, 1, 0.4), pick(said, 0, 0.0), pick(values, 0, 0.0));
    let expected =
        all_arms(PairedSample::new(&y, &f, &higher), PairedSample::new(&z, &g, &others), 0.95).unwrap().rectified;
    close(row.figures.rectified.estimate, expected.estimate, 9);
    close(row.figures.rectified.interval().low, expected.interval().low, 9);
}

//! Tests with weights of people and twins.

use serde::Deserialize;

use super::{both_sides, drawn};
use crate::golden::cases;
use crate::metrics::close;
use evidence::compare::Column;
use evidence::rectified::{PairedSample, table};
use random::{generator, uniform};

#[derive(Deserialize)]
struct Case {
    y: Vec<f64>,
    f: Vec<f64>,
    rest: Vec<f64>,
    w: Vec<f64>,
    wo: Vec<f64>,
    lambda: Option<f64>,
    chosen: f64,
    estimate: f64,
    low: f64,
    high: f64,
    rho: f64,
    kish: f64,
}

#[test]
fn weighted_means_are_those_of_ppi_python_with_linearised_errors() {
    for case in cases::<Case>("weighted_rectified") {
        let sample = PairedSample {
            weights: Some(&case.w),
            weights_of_others: Some(&case.wo),
            ..PairedSample::new(&case.y, &case.f, &case.rest)
        };
        let found = sample.mean(0.95).unwrap();
        let figure = match case.lambda {
            None => {
                close(found.lambda, case.chosen, 9);
                found.rectified
            }
            Some(1.0) => found.full_weight.unwrap(),
            Some(_) => found.people,
        };
        close(figure.estimate, case.estimate, 9);
        close(figure.interval().low, case.low, 9);
        close(figure.interval().high, case.high, 9);
        close(found.rho, case.rho, 9);
        close(found.n_weighted.unwrap(), case.kish, 9);
        // The ratio of weights matters, not their unit.
        let tenfold: Vec<f64> = case.w.iter().map(|weight| 10.0 * weight).collect();
        let again = PairedSample { weights: Some(&tenfold), ..sample }.mean(0.95).unwrap();
        close(again.rectified.interval().low, found.rectified.interval().low, 9);
    }
}

#[test]
fn people_drawn_more_often_from_one_side_are_put_right_by_their_weights() {
    let (mut covered, mut blind) = (0, 0);
    for seed in 0..1_000 {
        let mut random = generator(seed, &[b"weights"]);
        let [y, f, rest] = drawn(600, 2_000, 0.6, 0.3, seed);
        // People above the mean answer three times as often.
        let asked: Vec<usize> =
            (0..600).filter(|row| uniform(&mut random) < if y[*row] > 0.0 { 0.6 } else { 0.2 }).collect();
        let of = |values: &[f64]| asked.iter().map(|row| values[*row]).collect::<Vec<f64>>();
        let (y, f) = (of(&y), of(&f));
        let weights: Vec<f64> = y.iter().map(|y| if *y > 0.0 { 1.0 } else { 3.0 }).collect();
        let sample = PairedSample::new(&y, &f, &rest);
        let weighted = PairedSample { weights: Some(&weights), ..sample }.mean(0.95).unwrap();
        covered += u32::from(weighted.rectified.interval().contains(0.0));
        blind += u32::from(sample.mean(0.95).unwrap().rectified.interval().contains(0.0));
    }
    assert!((930..=970).contains(&covered), "{covered}");
    assert!(blind < 50, "{blind}");
}

#[test]
fn the_table_leaves_out_whoever_counts_for_nothing() {
    let (items, mut people, twins) = both_sides(600, 150);
    let weights: Vec<f64> = (0..150).map(|row| f64::from(u8::from(row < 100))).collect();
    people.weights = Some(weights);
    let found = table(&items, &people, &twins, &[], None, 0.95).unwrap();
    assert!(found.refused.is_empty());
    assert!(
        found
            .estimates
            .iter()
            .all(|row| row.figures.n == 100 && row.figures.others == 450 && row.figures.n_weighted == Some(100.0))
    );
    // Weight 0 has the same effect as no answer.
    people.weights = None;
    for column in people.answers.values_mut() {
        match column {
            Column::Numbers(values) => values[100..].fill(None),
            Column::Selections(values) => values[100..].fill(None),
        }
    }
    let without = table(&items, &people, &twins, &[], None, 0.95).unwrap();
    for (row, other) in found.estimates.iter().zip(&without.estimates) {
        close(row.figures.rectified.interval().low, other.figures.rectified.interval().low, 9);
        close(row.figures.lambda, other.figures.lambda, 9);
    }
}

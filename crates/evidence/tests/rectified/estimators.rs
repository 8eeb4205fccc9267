//! Estimators of an arm's effect.

use serde::Deserialize;

use super::{DRAWS, normal};
use crate::golden::effects;
use crate::metrics::close;
use evidence::rectified::{EstimatedEffect, Estimator, PairedSample, Rectified, all_arms, split_arms};
use random::generator;

#[derive(Deserialize)]
struct Expected {
    name: String,
    lambdas: [f64; 2],
    estimate: f64,
    variance: f64,
}

#[derive(Deserialize)]
struct Case {
    first: [Vec<f64>; 3],
    second: [Vec<f64>; 3],
    split: Vec<Expected>,
    all: Vec<Expected>,
}

fn sample([people, twins, others]: &[Vec<f64>; 3]) -> PairedSample<'_> {
    PairedSample::new(people, twins, others)
}

#[track_caller]
fn check(found: &Rectified, expected: &[Expected], reported: Estimator) {
    assert_eq!(found.estimators.len(), expected.len());
    for (of, expected) in found.estimators.iter().zip(expected) {
        assert_eq!(of.name, expected.name);
        // scipy's minimiser stops about 1e-6 before the least variance.
        let tuned = expected.name.contains("DiP") && expected.lambdas != [1.0, 1.0];
        let digits = if tuned { 4 } else { 10 };
        for (lambda, expected) in of.lambdas.iter().zip(expected.lambdas) {
            close(*lambda, expected, digits);
        }
        close(of.figure.estimate, expected.estimate, digits);
        close(of.figure.variance, expected.variance, if tuned { 9 } else { 12 });
        assert_eq!(of.reported, of.estimator == reported);
        if of.reported {
            close(of.figure.estimate, found.rectified.estimate, 12);
            close(of.figure.variance, found.rectified.variance, 12);
        }
    }
}

#[test]
fn estimators_have_the_weights_that_a_minimiser_finds() {
    let cases = effects::<Case>("estimators");
    assert_eq!(cases.len(), 3);
    for case in cases {
        let (first, second) = (sample(&case.first), sample(&case.second));
        check(&split_arms(first, second, 0.95).unwrap(), &case.split, Estimator::DoublyTuned);
        check(&all_arms(first, second, 0.95).unwrap(), &case.all, Estimator::TunedDip);
    }
}

/// Draws people of two arms with their twins, which follow people better in the first arm, and other twins that answered
/// in both arms with an error of their own in common.
fn drawn(seed: i64, effect: f64) -> [[Vec<f64>; 3]; 2] {
    let mut random = generator(seed, &[b"estimators"]);
    let mut arms = [(); 2].map(|()| [Vec::new(), Vec::new(), Vec::new()]);
    for (place, arm) in arms.iter_mut().enumerate() {
        for _ in 0..100 {
            let y = normal(&mut random);
            let twin = twin(place, y, 0.6 * normal(&mut random), normal(&mut random));
            arm[0].push(if place == 0 { y + effect } else { y });
            arm[1].push(twin);
        }
    }
    for _ in 0..400 {
        let (person, own) = (normal(&mut random), 0.6 * normal(&mut random));
        for (place, arm) in arms.iter_mut().enumerate() {
            arm[2].push(twin(place, person, own, normal(&mut random)));
        }
    }
    arms
}

/// A twin's answer: it exaggerates the first arm's effect and is off by a constant.
fn twin(arm: usize, person: f64, own: f64, noise: f64) -> f64 {
    match arm {
        0 => 1.2 + 0.8 * person + own + 0.3 * noise,
        _ => 0.3 + 0.4 * person + own + 0.3 * noise,
    }
}

#[test]
fn every_estimator_covers_the_truth_and_errs_as_often_as_it_says() {
    let mut counts: Vec<(&'static str, usize, usize, f64)> = Vec::new();
    for seed in 0..DRAWS {
        let both = |effect: f64| -> Vec<EstimatedEffect> {
            let [first, second] = drawn(seed, effect);
            let (first, second) = (sample(&first), sample(&second));
            // Twins split over the arms: each half answered in one.
            let half = |of: &PairedSample<'_>, from: usize| of.others[from..from + 200].to_vec();
            let (some, others) = (half(&first, 0), half(&second, 200));
            let split =
                split_arms(PairedSample { others: &some, ..first }, PairedSample { others: &others, ..second }, 0.95);
            let mut found = split.unwrap().estimators;
            found.extend(all_arms(first, second, 0.95).unwrap().estimators);
            found
        };
        let (with, without) = (both(0.4), both(0.0));
        counts.resize(with.len(), ("", 0, 0, 0.0));
        for (count, (with, without)) in counts.iter_mut().zip(with.iter().zip(&without)) {
            count.0 = with.name;
            count.1 += usize::from(with.figure.interval().contains(0.4));
            count.2 += usize::from(!without.figure.interval().contains(0.0));
            count.3 += with.figure.interval().width() / DRAWS as f64;
        }
    }
    for (name, covered, errors, _) in &counts {
        let [coverage, errors] = [covered, errors].map(|count| *count as f64 / DRAWS as f64);
        assert!((0.93..=0.97).contains(&coverage), "{name}: coverage {coverage}");
        assert!((0.03..=0.07).contains(&errors), "{name}: errors {errors}");
    }
    let width = |name: &str| counts.iter().rev().find(|count| count.0 == name).unwrap().3;
    // Two weights are worth most where twins follow people better in one arm, and the differences within twins where they
    // have an error in common.
    assert!(width("D-T") < width("PPI++") && width("PPI++") < width("difference in means"), "{counts:?}");
    assert!(width("D-T DiP") < width("DiP++") && width("DiP++") < width("PPI++"), "{counts:?}");
}

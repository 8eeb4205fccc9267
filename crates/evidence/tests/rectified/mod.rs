use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use crate::golden::cases;
use crate::metrics::close;
use evidence::distributions::normal_quantile;
use evidence::random::{below, generator, uniform};
use evidence::rectified::{
    Arm, Budget, Cells, FigureRefused, Prices, Subsample, all_arms, best_lambda, by_cell, dsl_mean, dsl_outcomes,
    dsl_regression, estimate, human_sd, mean, pair, planned_n, precision, shares, split_arms, two_arms, two_shares,
};

#[test]
fn the_example_of_the_design_has_its_golden_values() {
    let y = [3., 4., 2., 5., 4., 3., 1., 4., 5., 2.];
    let f = [3., 4., 3., 4., 4., 3., 2., 4., 4., 3.];
    let others = [4., 3., 3., 4., 4., 5., 3., 2., 4., 3., 4., 4., 3., 3., 5., 4., 2., 4., 3., 4.];
    let lambda = best_lambda(&y, &f, &others);
    close(lambda, 0.8617142857, 10);
    for (lambda, theta, low, high) in [
        (lambda, 3.4292571429, 2.86362857, 3.99488571),
        (1.0, 3.45, 2.89089472, 4.00910528),
        (0.0, 3.3, 2.51356827, 4.08643173),
    ] {
        let figure = estimate(&y, &f, &others, lambda, 0.95);
        close(figure.estimate, theta, 10);
        close(figure.interval.low, low, 8);
        close(figure.interval.high, high, 8);
    }
    assert_eq!(mean(&y, &f, &others, 0.95), Err(FigureRefused::FewPeople { n: 10 }));
}

#[derive(Deserialize)]
struct Case {
    y: Vec<f64>,
    f: Vec<f64>,
    rest: Vec<f64>,
    lambda: Option<f64>,
    estimate: f64,
    low: f64,
    high: f64,
}

#[test]
fn means_are_those_of_ppi_python() {
    for case in cases::<Case>("rectified") {
        let lambda = case.lambda.unwrap_or_else(|| best_lambda(&case.y, &case.f, &case.rest));
        let figure = estimate(&case.y, &case.f, &case.rest, lambda, 0.95);
        close(figure.estimate, case.estimate, 9);
        close(figure.interval.low, case.low, 9);
        close(figure.interval.high, case.high, 9);
        let whole = mean(&case.y, &case.f, &case.rest, 0.95).unwrap();
        let same = match case.lambda {
            None => whole.rectified,
            Some(1.0) => whole.full_weight,
            _ => whole.people,
        };
        assert_eq!(same, figure);
        assert_eq!(whole.note.is_some(), case.y.len() < 100);
    }
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    normal_quantile(uniform(random))
}

/// (people, their twins, other twins): twins correlate with people by `rho` and are off by `shift`.
fn drawn(n: usize, others: usize, rho: f64, shift: f64, seed: i64) -> [Vec<f64>; 3] {
    let mut random = generator(seed, &[b"rectified"]);
    let mut twin = |y: f64| shift + rho * y + (1.0 - rho * rho).sqrt() * normal(&mut random);
    let mut people = generator(seed, &[b"people"]);
    let y: Vec<f64> = (0..n).map(|_| normal(&mut people)).collect();
    let f = y.iter().map(|y| twin(*y)).collect();
    let rest = (0..others).map(|_| twin(normal(&mut people))).collect();
    [y, f, rest]
}

const DRAWS: i64 = 2_000;

#[test]
fn intervals_cover_the_truth_as_often_as_they_say() {
    for (rho, width) in [(0.2, 0.979), (0.5, 0.878), (0.8, 0.649)] {
        let (mut covered, mut ratios) = (0, 0.0);
        for seed in 0..DRAWS {
            let [y, f, others] = drawn(200, 2_000, rho, 0.0, seed);
            let found = mean(&y, &f, &others, 0.95).unwrap();
            covered += u32::from(found.rectified.interval.contains(0.0));
            ratios += found.width_ratio / DRAWS as f64;
        }
        let coverage = f64::from(covered) / DRAWS as f64;
        assert!((0.93..=0.965).contains(&coverage), "{rho}: {coverage}");
        assert!((ratios - width).abs() < 0.004, "{rho}: {ratios}");
    }
}

#[test]
fn intervals_of_shares_cover_the_truth() {
    let mut covered = 0;
    for seed in 0..DRAWS {
        let [y, f, others] = drawn(200, 2_000, 0.7, 0.3, seed);
        let category = |values: Vec<f64>| values.iter().map(|v| if *v > 0.5 { 2.0 } else { 1.0 }).collect::<Vec<_>>();
        let found = shares(&category(y), &category(f), &category(others), 2, 0.95).unwrap();
        let truth = 1.0 - evidence::distributions::normal_cdf(0.5);
        covered += u32::from(found.rectified[1].interval.contains(truth));
        let sum: f64 = found.rectified.iter().map(|figure| figure.estimate).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
    let coverage = f64::from(covered) / DRAWS as f64;
    assert!((0.93..=0.965).contains(&coverage), "{coverage}");
}

#[test]
fn twins_that_are_half_an_sd_off_leave_the_estimate_unbiased() {
    let (mut sum, mut twins_cover) = (0.0, 0);
    for seed in 0..DRAWS {
        let [y, f, others] = drawn(200, 2_000, 0.5, 0.5, seed);
        let found = mean(&y, &f, &others, 0.95).unwrap();
        sum += found.rectified.estimate / DRAWS as f64;
        twins_cover += u32::from(found.twins.interval.contains(0.0));
    }
    assert!(sum.abs() < 0.005, "{sum}");
    assert!(f64::from(twins_cover) / (DRAWS as f64) < 0.01);
}

#[test]
fn both_ways_to_split_arms_cover_the_difference() {
    let (mut split, mut all) = (0, 0);
    for seed in 0..1_000 {
        let [a, fa, ra] = drawn(100, 1_000, 0.6, 0.2, 2 * seed);
        let [b, fb, rb] = drawn(100, 1_000, 0.6, -0.1, 2 * seed + 1);
        let a: Vec<f64> = a.iter().map(|y| y + 0.4).collect();
        let (first, second) = (Arm { people: &a, twins: &fa }, Arm { people: &b, twins: &fb });
        let found = split_arms(first, second, (&ra, &rb), 0.95).unwrap();
        split += u32::from(found.rectified.interval.contains(0.4));
        assert_eq!((found.n, found.others), (200, 2_000));
        // The same twin in both arms answers alike but for the arm's shift.
        let mut random = generator(seed, &[b"both arms"]);
        let both: Vec<f64> = ra.iter().map(|_| 0.3 + 0.2 * normal(&mut random)).collect();
        let found = all_arms(first, second, &both, 0.95).unwrap();
        all += u32::from(found.rectified.interval.contains(0.4));
        assert!(found.width_ratio < 1.0 && found.rho > 0.0);
    }
    assert!((930..=970).contains(&split), "{split}");
    assert!((930..=970).contains(&all), "{all}");
}

#[test]
fn cells_stand_in_for_pairs() {
    let mut random = generator(5, &[b"cells"]);
    let mut covered = 0;
    let effect = [-1.0, 0.0, 1.5];
    let name = |cell: usize| format!("cell {cell}");
    let truth = effect.iter().sum::<f64>() / 3.0;
    let known: BTreeMap<String, f64> = (0..3).map(|cell| (name(cell), 1.0 / 3.0)).collect();
    let mut narrower = 0;
    for _ in 0..500 {
        let mut side = |n: usize, shift: f64| -> (Vec<f64>, Vec<String>) {
            (0..n)
                .map(|_| {
                    let cell = below(3, &mut random);
                    (effect[cell] + shift + normal(&mut random), name(cell))
                })
                .unzip()
        };
        let ((people, cells_of_people), (twins, cells_of_twins)) = (side(200, 0.0), side(1_000, 0.7));
        let cells = Cells {
            people: &people,
            cells_of_people: &cells_of_people,
            twins: &twins,
            cells_of_twins: &cells_of_twins,
            shares: None,
        };
        let found = by_cell(cells, 0.95).unwrap();
        covered += u32::from(found.rectified.interval.contains(truth));
        let typed = by_cell(Cells { shares: Some(&known), ..cells }, 0.95).unwrap();
        covered += u32::from(typed.rectified.interval.contains(truth));
        narrower += u32::from(typed.width_ratio < 0.9);
        assert!(typed.rectified.variance < found.rectified.variance * 1.05);
    }
    assert!((930..=970).contains(&covered), "{covered}");
    assert!(narrower > 400, "{narrower}");
    let far = vec!["elsewhere".to_owned(); 30];
    let lost =
        Cells { people: &[1.0; 30], cells_of_people: &far, twins: &[1.0], cells_of_twins: &[name(0)], shares: None };
    assert_eq!(by_cell(lost, 0.95), Err(FigureRefused::EmptyCell("elsewhere".into())));
    let near = vec![name(0); 30];
    let half = BTreeMap::from([(name(0), 0.5)]);
    let not_one = Cells { cells_of_people: &near, shares: Some(&half), ..lost };
    assert_eq!(by_cell(not_one, 0.95), Err(FigureRefused::SharesNotOne));
}

#[test]
fn a_drawn_subsample_gives_unbiased_outcomes() {
    let (mut covered, mut slopes) = (0, 0.0);
    for seed in 0..500 {
        let [y, f, _] = drawn(600, 1, 0.6, 0.5, seed);
        let mut random = generator(seed, &[b"asked"]);
        let probability: Vec<f64> = (0..600).map(|row| if row % 2 == 0 { 0.2 } else { 0.4 }).collect();
        let people: Vec<Option<f64>> =
            y.iter().zip(&probability).map(|(y, p)| (uniform(&mut random) < *p).then_some(*y)).collect();
        let of = Subsample { twins: &f, people: &people, probability: &probability };
        covered += u32::from(dsl_mean(of, 0.95).unwrap().interval.contains(0.0));
        let x: Vec<Vec<f64>> = y.iter().map(|y| vec![1.0, *y]).collect();
        slopes += dsl_regression(of, &x).unwrap().unwrap().coefficients[1] / 500.0;
    }
    assert!((465..=488).contains(&covered), "{covered}");
    // The answer on itself has slope 1, though the twins alone would say .6.
    assert!((slopes - 1.0).abs() < 0.02, "{slopes}");
    let never = Subsample { twins: &[1.0], people: &[None], probability: &[0.0] };
    assert_eq!(dsl_outcomes(never), Err(FigureRefused::Probability));
}

#[test]
fn the_sentence_says_what_twins_are_worth() {
    let [y, f, others] = drawn(200, 2_058, 0.8, 0.0, 3);
    let found = mean(&y, &f, &others, 0.95).unwrap();
    let extra = (found.n_effective - 200.0).round();
    assert!(extra > 150.0);
    let expected = format!(
        "The twins are worth {extra} extra people: 200 people with twins say as much as {} without.",
        found.n_effective.round()
    );
    assert_eq!(found.sentence, expected);
    let [y, f, others] = drawn(200, 2_058, 0.0, 0.0, 3);
    let useless = mean(&y, &f, &others, 0.95).unwrap();
    assert_eq!(useless.sentence, "The twins add almost nothing here: 200 people alone say as much.");
    let constant = mean(&y, &[3.0; 200], &[3.0; 50], 0.95).unwrap();
    assert_eq!((constant.lambda, constant.width_ratio), (0.0, 1.0));
}

#[test]
fn what_cannot_be_rectified_is_refused_with_the_reason() {
    let forty = [1.0; 40];
    let no_pairs = mean(&forty, &forty[1..], &forty, 0.95).unwrap_err();
    assert!(no_pairs.to_string().starts_with("no pairing: compare, do not rectify"));
    assert_eq!(mean(&forty, &forty, &[], 0.95), Err(FigureRefused::NoTwins));
    assert_eq!(shares(&forty[..29], &forty[..29], &forty, 2, 0.95), Err(FigureRefused::FewPeople { n: 29 }));
}

#[test]
fn the_planner_has_its_golden_values() {
    close(two_arms(0.3, 0.05, 0.8).unwrap(), 174.42, 2);
    assert_eq!(two_shares(0.5, 0.4, 0.05, 0.8).unwrap().ceil(), 385.0);
    close(precision(1.2, 0.1, 0.95).unwrap(), 553.17, 2);
    for (rho, expected) in [(0.2, 207.567), (0.5, 259.019), (0.8, 479.976)] {
        close(planned_n(rho, 200, 2_058.0), expected, 3);
    }
    let prices = Prices { person: 5.0, twin: 0.02 };
    let many = 100_000;
    let found = |rho, budget, twins| {
        let found = pair(rho, prices, budget, twins).unwrap();
        (found.people, found.others)
    };
    assert_eq!(found(0.5, Budget::Effective(400.0), many), (311, 2_528));
    assert_eq!(found(0.2, Budget::Effective(400.0), many), (389, 866));
    assert_eq!(found(0.5, Budget::Money(1_000.0), many), (193, 1_568));
    // Fewer twins than would be best: more people make up for them, or the money goes to people.
    let (people, others) = found(0.5, Budget::Effective(400.0), 2_058);
    assert_eq!(others, 2_058);
    assert!((planned_n(0.5, people, 2_058.0) - 400.0).abs() < 1.0 && people > 311);
    let short = pair(0.5, prices, Budget::Money(1_000.0), 500).unwrap();
    assert!(short.others == 500 && (short.cost - 1_000.0).abs() < 5.1);
    // Twins that know nothing, or cost as much as people, are not asked.
    assert_eq!(found(0.0, Budget::Effective(400.0), many), (400, 0));
    let dear = Prices { person: 1.0, twin: 1.0 };
    assert_eq!(pair(0.5, dear, Budget::Money(100.0), many).unwrap().others, 0);
}

#[test]
fn a_twins_spread_is_corrected_or_not_used() {
    close(human_sd(0.6, Some(0.5)).unwrap(), 1.2, 12);
    assert_eq!(human_sd(0.6, None), Err(FigureRefused::NotValidated));
    assert_eq!(two_arms(0.0, 0.05, 0.8), Err(FigureRefused::NotPositive("the effect")));
    assert_eq!(precision(0.0, 0.1, 0.95), Err(FigureRefused::NotPositive("the spread")));
}

//! Effects with covariates and with several rows of a respondent.

use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use super::{mean_of, near};
use crate::golden::effects;
use evidence::distributions::normal_quantile;
use evidence::effects::{ArmSample, Difference, clustered, lin, welch};
use evidence::sample::ones;

#[derive(Deserialize)]
struct GoldenArm {
    y: Vec<f64>,
    x: Vec<Vec<f64>>,
    w: Vec<f64>,
}

impl GoldenArm {
    fn sample(&self) -> ArmSample<'_> {
        ArmSample { values: &self.y, weights: &self.w }
    }
}

#[derive(Deserialize)]
struct Expected {
    difference: f64,
    error: f64,
    df: f64,
    p: f64,
    low: f64,
    high: f64,
}

impl Expected {
    #[track_caller]
    fn check(&self, found: Difference) {
        for (value, expected) in [
            (found.difference, self.difference),
            (found.squared_error.sqrt(), self.error),
            (found.df, self.df),
            (found.p, self.p),
            (found.low, self.low),
            (found.high, self.high),
        ] {
            near(value, expected);
        }
    }
}

#[derive(Deserialize)]
struct Lin {
    first: GoldenArm,
    second: GoldenArm,
    #[serde(flatten)]
    expected: Expected,
}

#[test]
fn effects_adjusted_for_covariates_are_those_of_statsmodels() {
    let cases = effects::<Lin>("lin");
    assert_eq!(cases.len(), 4);
    for Lin { first, second, expected } in cases {
        expected.check(lin(first.sample(), second.sample(), [&first.x, &second.x], 0.95).unwrap());
        // A constant covariate changes nothing, and alone it adjusts nothing.
        let with = |rows: &[Vec<f64>]| rows.iter().map(|row| [row.as_slice(), &[7.0]].concat()).collect::<Vec<_>>();
        let more = [with(&first.x), with(&second.x)];
        expected.check(lin(first.sample(), second.sample(), [&more[0], &more[1]], 0.95).unwrap());
        let constant = [vec![vec![7.0]; first.y.len()], vec![vec![7.0]; second.y.len()]];
        assert_eq!(lin(first.sample(), second.sample(), [&constant[0], &constant[1]], 0.95), None);
        let few = ArmSample { values: &first.y[..3], weights: &first.w[..3] };
        assert_eq!(lin(few, second.sample(), [&first.x[..3], &second.x], 0.95), None);
    }
}

#[derive(Deserialize)]
struct Rows {
    ids: Vec<String>,
    arm: Vec<f64>,
    y: Vec<f64>,
    w: Vec<f64>,
    #[serde(flatten)]
    expected: Expected,
}

#[test]
fn several_rows_of_a_respondent_have_the_errors_of_dense_matrices() {
    let cases = effects::<Rows>("clustered");
    assert_eq!(cases.len(), 6);
    for Rows { ids, arm, y, w, expected } in cases {
        let of = |side: f64| {
            let rows: Vec<usize> = (0..y.len()).filter(|row| arm[*row] == side).collect();
            let pick = |values: &[f64]| rows.iter().map(|row| values[*row]).collect::<Vec<_>>();
            let names = rows.iter().map(|row| ids[*row].as_str()).collect::<Vec<_>>();
            (pick(&y), pick(&w), names)
        };
        let ((a, of_a, first), (b, of_b, second)) = (of(1.0), of(0.0));
        let (a, b) = (ArmSample { values: &a, weights: &of_a }, ArmSample { values: &b, weights: &of_b });
        expected.check(clustered(a, b, [&first, &second], 0.95).unwrap());
    }
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    normal_quantile(random::uniform(random))
}

#[test]
fn respondents_with_one_row_have_the_error_of_welch() {
    let mut random = random::generator(21, &[b"one row"]);
    let a: Vec<f64> = (0..30).map(|_| 1.0 + 2.0 * normal(&mut random)).collect();
    let b: Vec<f64> = (0..50).map(|_| normal(&mut random)).collect();
    let names: Vec<String> = (0..80).map(|place| place.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (weights, more) = (ones(30), ones(50));
    let (first, second) = (ArmSample { values: &a, weights: &weights }, ArmSample { values: &b, weights: &more });
    let found = clustered(first, second, [&names[..30], &names[30..]], 0.95).unwrap();
    let expected = welch(mean_of(&a), mean_of(&b), 0.95).unwrap();
    near(found.difference, expected.difference);
    near(found.squared_error, expected.squared_error);
    near(found.d, expected.d);
    assert_eq!((found.n_first, found.n_second), (30, 50));
    // Nobody differs from anybody.
    let equal = [vec![2.0; 30], vec![2.0; 50]];
    let (first, second) = (ArmSample { values: &equal[0], ..first }, ArmSample { values: &equal[1], ..second });
    assert_eq!(clustered(first, second, [&names[..30], &names[30..]], 0.95), None);
}

const DRAWS: i64 = 2_000;

/// Checks the share of intervals that hold the true effect and the share of tests that find an effect that is none.
#[track_caller]
fn holds(shares: [usize; 2]) {
    let [coverage, errors] = shares.map(|count| count as f64 / DRAWS as f64);
    assert!((0.93..=0.97).contains(&coverage), "coverage {coverage}");
    assert!((0.03..=0.07).contains(&errors), "errors {errors}");
}

#[test]
fn adjusted_effects_cover_the_truth_and_are_narrower() {
    let (mut counts, mut ratios) = ([0, 0], 0.0);
    let weights = ones(80);
    for seed in 0..DRAWS {
        let mut random = random::generator(seed, &[b"lin"]);
        // The covariate counts for more in the first arm, whose answers are also more spread.
        let mut arm = |effect: f64, slope: f64| -> (Vec<f64>, Vec<Vec<f64>>) {
            let row = |_| {
                let x = normal(&mut random);
                (effect + slope * x + effect.mul_add(0.5, 0.7) * normal(&mut random), vec![x, normal(&mut random)])
            };
            (0..80).map(row).unzip()
        };
        let ((a, x), (b, z)) = (arm(0.4, 1.2), arm(0.0, 0.6));
        let sample = |values| ArmSample { values, weights: &weights };
        let found = lin(sample(&a), sample(&b), [&x, &z], 0.95).unwrap();
        counts[0] += usize::from(found.interval().contains(0.4));
        ratios += found.interval().width() / welch(mean_of(&a), mean_of(&b), 0.95).unwrap().interval().width();
        let none: Vec<f64> = a.iter().map(|y| y - 0.4).collect();
        counts[1] += usize::from(lin(sample(&none), sample(&b), [&x, &z], 0.95).unwrap().is_significant());
    }
    holds(counts);
    assert!(ratios / (DRAWS as f64) < 0.8, "{ratios}");
}

#[test]
fn clustered_effects_cover_the_truth_where_independent_rows_do_not() {
    let (mut counts, mut rows_alone) = ([0, 0], 0);
    for seed in 0..DRAWS {
        let mut random = random::generator(seed, &[b"rows"]);
        let mut arm = |effect: f64, first: usize| -> (Vec<f64>, Vec<String>) {
            let mut rows = Vec::new();
            for person in 0..20 {
                let own = normal(&mut random);
                let answers = 1 + random::below(6, &mut random);
                rows.extend((0..answers).map(|_| (effect + own + normal(&mut random), (first + person).to_string())));
            }
            rows.into_iter().unzip()
        };
        let ((a, of_a), (b, of_b)) = (arm(0.5, 0), arm(0.0, 20));
        let names = [&of_a, &of_b].map(|of| of.iter().map(String::as_str).collect::<Vec<&str>>());
        let (weights, more) = (ones(a.len()), ones(b.len()));
        let second = ArmSample { values: &b, weights: &more };
        let effect =
            |values| clustered(ArmSample { values, weights: &weights }, second, [&names[0], &names[1]], 0.95).unwrap();
        counts[0] += usize::from(effect(&a).interval().contains(0.5));
        let none: Vec<f64> = a.iter().map(|y| y - 0.5).collect();
        counts[1] += usize::from(effect(&none).is_significant());
        rows_alone += usize::from(welch(mean_of(&a), mean_of(&b), 0.95).unwrap().interval().contains(0.5));
    }
    holds(counts);
    assert!((rows_alone as f64) < 0.85 * DRAWS as f64, "{rows_alone}");
}

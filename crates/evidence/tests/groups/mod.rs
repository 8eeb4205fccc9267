//! Tests of groups against scipy and statsmodels, whose figures `scripts/statistics-golden.py` writes.

use evidence::distributions::normal_quantile;
use evidence::effects::{newcombe, welch};
use evidence::groups::{
    AnalysisKind, EffectSize, GroupAnswers, GroupPart, GroupTest, GroupVerdict, PartFigures, TestMethod, adjust,
    chi_squared, welch_anova, welch_t,
};
use evidence::intervals::{Interval, of_mean, of_share};
use evidence::multiplicity::{Multiplicity, TestRule};
use evidence::sample::Mean;
use serde::Deserialize;
use serde::de::DeserializeOwned;

fn cases<T: DeserializeOwned>(kind: &str) -> Vec<T> {
    let mut all: serde_json::Value = serde_json::from_str(include_str!("../golden/groups.json")).unwrap();
    serde_json::from_value(all[kind].take()).unwrap_or_else(|error| panic!("{kind}: {error}"))
}

/// Equal to 1e-9 of the expected figure, however small it is.
#[track_caller]
fn close(found: f64, expected: f64) {
    let bound = if expected.abs() < 1e-300 { 1e-15 } else { (1e-9 * expected.abs()).max(f64::MIN_POSITIVE) };
    assert!((found - expected).abs() <= bound, "{found} for {expected}");
}

/// Equal to 1e-9 of the figure, or to 1e-15 where that is 0 in exact arithmetic.
#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= (1e-9 * expected.abs()).max(1e-15), "{found} for {expected}");
}

#[derive(Clone, Copy, Deserialize)]
struct Sample {
    n: usize,
    mean: f64,
    sd: f64,
}

impl Sample {
    fn mean(self) -> Mean {
        Mean::of_moments(self.n, self.mean, self.sd).expect("two answers at least")
    }
}

#[derive(Deserialize)]
struct Share {
    count: f64,
    n: f64,
    level: f64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct MeanCase {
    sample: Sample,
    level: f64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct SharesCase {
    counts: [f64; 4],
    difference: f64,
    low: f64,
    high: f64,
}

#[derive(Deserialize)]
struct TableCase {
    table: Vec<Vec<u64>>,
    statistic: f64,
    df: f64,
    p: f64,
    v: f64,
    interval: Option<[f64; 2]>,
}

#[derive(Deserialize)]
struct PairCase {
    a: Sample,
    b: Sample,
    t: f64,
    df: f64,
    p: f64,
    difference: f64,
    low: f64,
    high: f64,
    d: f64,
    interval: [f64; 2],
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GroupsCase {
    groups: Vec<Sample>,
    f: f64,
    df1: f64,
    df2: f64,
    p: f64,
    eta_squared: f64,
    interval: [f64; 2],
}

#[derive(Deserialize)]
struct Adjusted {
    p: Vec<f64>,
    adjusted: Vec<f64>,
}

#[test]
fn intervals_of_shares_and_means_equal_those_of_statsmodels_and_scipy() {
    for Share { count, n, level, low, high } in cases("wilson") {
        let found = of_share(count, n, level).expect("an interval");
        near(found.low, low);
        near(found.high, high);
    }
    for MeanCase { sample: Sample { n, mean, sd }, level, low, high } in cases("means") {
        let found = of_mean(mean, sd, n, level).expect("an interval");
        near(found.low, low);
        near(found.high, high);
    }
    for SharesCase { counts: [a, n, b, m], difference, low, high } in cases("newcombe") {
        let (found, interval) = newcombe(a, n, b, m, 0.95).expect("an interval");
        near(found, difference);
        near(interval.low, low);
        near(interval.high, high);
    }
}

/// Compares the interval of an effect with that of scipy's noncentral distributions.
#[track_caller]
fn same_interval(found: Option<Interval>, expected: Option<[f64; 2]>) {
    assert_eq!(found.is_some(), expected.is_some());
    for (found, [low, high]) in found.into_iter().zip(expected) {
        near(found.low, low);
        near(found.high, high);
    }
}

#[test]
fn tests_equal_those_of_scipy_and_statsmodels() {
    for TableCase { table, statistic, df, p, v, interval } in cases("tables") {
        let found = chi_squared(&table).expect("a test");
        near(found.statistic, statistic);
        near(found.df, df);
        close(found.p, p);
        near(found.effect, v);
        same_interval(found.interval, interval);
    }
    for PairCase { a, b, t, df, p, difference, low, high, d, interval } in cases("pairs") {
        same_interval(welch_t(a.mean(), b.mean()).expect("a test").interval, Some(interval));
        let found = welch(a.mean(), b.mean(), 0.95).expect("a test");
        near(found.t, t);
        near(found.df, df);
        close(found.p, p);
        near(found.difference, difference);
        near(found.low, low);
        near(found.high, high);
        near(found.d, d);
    }
    for GroupsCase { groups, f, df1, df2, p, eta_squared, interval } in cases("groups") {
        let groups: Vec<Mean> = groups.into_iter().map(Sample::mean).collect();
        let found = welch_anova(&groups).expect("a test");
        near(found.statistic, f);
        near(found.df, df1);
        near(found.df2.expect("of F"), df2);
        close(found.p, p);
        near(found.effect, eta_squared);
        same_interval(found.interval, Some(interval));
    }
}

#[test]
fn p_is_adjusted_by_the_rule() {
    for Adjusted { p, adjusted } in cases("holm") {
        for (found, expected) in Multiplicity::Holm.adjust(&p).into_iter().zip(adjusted) {
            close(found, expected);
        }
    }
    let p = [0.01, f64::NAN, 0.6];
    let bonferroni = Multiplicity::Bonferroni.adjust(&p);
    assert_eq!((bonferroni[0], bonferroni[2]), (0.02, 1.0));
    assert!(bonferroni[1].is_nan() && Multiplicity::Holm.adjust(&p)[1].is_nan());
    assert_eq!(Multiplicity::None.adjust(&p)[0], 0.01);
}

#[test]
fn nothing_is_said_of_too_few_answers_or_of_answers_all_alike() {
    assert!(chi_squared(&[vec![3, 4]]).is_none());
    assert!(chi_squared(&[vec![3, 0], vec![4, 0]]).is_none());
    assert!(chi_squared(&[]).is_none());
    assert!(Mean::of_moments(1, 3.0, 0.0).is_none());
    let (alike, other) = (Mean::of_moments(5, 2.0, 0.0).unwrap(), Mean::of_moments(4, 1.0, 1.0).unwrap());
    assert!(welch(alike, alike, 0.95).is_none());
    assert!(welch_anova(&[alike, other]).is_none());
    assert!(welch_anova(&[other]).is_none());
    let test = counted("", &["Bus", "Car"], &[("Female", 4, &[4, 0])]).test(TestRule::default(), None);
    assert_eq!((test.method, test.p, test.adjusted.verdict), (TestMethod::ChiSquared, None, GroupVerdict::CannotTell));
}

fn counted(part: &str, options: &[&str], groups: &[(&str, u64, &[u64])]) -> PartFigures {
    let group = |(group, n, counts): &(&str, u64, &[u64])| GroupPart {
        group: (*group).to_owned(),
        answers: GroupAnswers::Counts { n: *n, counts: counts.to_vec() },
    };
    PartFigures {
        part: part.to_owned(),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        groups: groups.iter().map(group).collect(),
    }
}

fn averaged(groups: &[(&str, usize, f64, f64)]) -> PartFigures {
    let group = |(group, n, mean, sd): &(&str, usize, f64, f64)| GroupPart {
        group: (*group).to_owned(),
        answers: GroupAnswers::Mean { n: *n as u64, mean: Mean::of_moments(*n, *mean, *sd) },
    };
    PartFigures { part: String::new(), options: Vec::new(), groups: groups.iter().map(group).collect() }
}

/// 60 of 100 women and 40 of 100 men take the bus.
fn travel() -> PartFigures {
    counted("", &["Bus", "Car"], &[("Female", 100, &[60, 40]), ("Male", 100, &[40, 60])])
}

#[test]
fn counts_are_tested_by_chi_squared_and_an_option_of_several_by_whether_it_was_chosen() {
    let test = travel().test(TestRule::default(), None);
    // χ² of [[60, 40], [40, 60]]: 200 · (60² − 40²)² / 100⁴ = 8.
    near(test.statistic.unwrap(), 8.0);
    near(test.effect.unwrap(), 0.2);
    assert!((test.p.unwrap() - 0.004_677_7).abs() < 1e-6);
    assert_eq!((test.effect_size, test.is_rough), (Some(EffectSize::Small), false));
    let option = counted("Bus", &["Bus"], &[("Female", 100, &[60]), ("Male", 100, &[40])]);
    near(option.test(TestRule::default(), None).statistic.unwrap(), 8.0);
    let few = counted("", &["Bus", "Car"], &[("Female", 5, &[1, 4]), ("Male", 5, &[2, 3])]);
    assert!(few.test(TestRule::default(), None).is_rough);
}

#[test]
fn two_means_are_tested_by_t_and_more_by_f_and_in_pairs() {
    let two = averaged(&[("Female", 20, 5.0, 2.0), ("Male", 20, 3.0, 2.0)]).test(TestRule::default(), None);
    // 2 / √(4 / 20 + 4 / 20), 38 degrees of freedom, and 2 / 2.
    assert_eq!((two.method, two.pairs), (TestMethod::WelchT, None));
    near(two.statistic.unwrap(), 2.0 / 0.4_f64.sqrt());
    near(two.df.unwrap(), 38.0);
    near(two.effect.unwrap(), 1.0);
    assert_eq!(two.effect_size, Some(EffectSize::Large));
    let three = averaged(&[("A", 20, 5.0, 2.0), ("B", 20, 3.0, 2.0), ("C", 20, 3.1, 2.0)]);
    let three = three.test(TestRule::default(), None);
    assert_eq!((three.method, three.df), (TestMethod::WelchAnova, Some(2.0)));
    assert_eq!((three.pairs, three.pairs_differing), (Some(3), Some(2)));
}

#[test]
fn p_is_adjusted_over_the_family_that_the_plan_names_apart_from_the_others() {
    let rule = TestRule { adjustment: Multiplicity::Bonferroni, alpha: 0.01 };
    let of = |kind| travel().test(rule, Some(kind));
    let mut tests = [of(AnalysisKind::Preregistered), of(AnalysisKind::Exploratory), of(AnalysisKind::Exploratory)];
    tests[2].p = Some(0.5);
    adjust(&mut tests.each_mut());
    let family_and_verdict = |test: &GroupTest| (test.adjusted.family_size, test.adjusted.verdict);
    assert_eq!(
        tests.each_ref().map(family_and_verdict),
        [(1, GroupVerdict::Differs), (2, GroupVerdict::Differs), (2, GroupVerdict::NoClearDifference)]
    );
    near(tests[1].adjusted.p.unwrap(), 2.0 * tests[0].adjusted.p.unwrap());
    let mut strict = travel().test(TestRule { adjustment: Multiplicity::None, alpha: 0.004 }, None);
    adjust(&mut [&mut strict]);
    assert_eq!((strict.adjusted.verdict, strict.adjusted.p), (GroupVerdict::NoClearDifference, strict.p));
}

#[test]
fn differences_are_from_the_first_group_that_answered() {
    let groups: &[(&str, u64, &[u64])] = &[("none", 0, &[0, 0]), ("a", 50, &[20, 30]), ("b", 50, &[30, 20])];
    let found = counted("", &["Yes", "No"], groups).differences();
    let (expected, interval) = newcombe(30.0, 50.0, 20.0, 50.0, 0.95).unwrap();
    let first = &found[0];
    assert_eq!((first.base.as_str(), first.group.as_str(), first.option.as_str()), ("a", "b", "Yes"));
    assert_eq!((first.difference, first.low, first.high), (expected, interval.low, interval.high));
    assert_eq!((found.len(), first.p), (2, None));
    let means = averaged(&[("control", 40, 4.0, 1.0), ("fee", 50, 3.5, 1.2)]).differences();
    assert!((means[0].difference + 0.5).abs() < 1e-12 && (means[0].low + 0.96).abs() < 0.005, "{means:?}");
    assert!(means[0].d.is_some() && means[0].option.is_empty());
}

#[test]
fn a_distance_is_the_total_variation_of_two_distributions() {
    let distance = |part: PartFigures| part.test(TestRule::default(), None).distance.unwrap();
    near(distance(counted("", &["a", "b"], &[("x", 2, &[1, 1]), ("y", 4, &[1, 3])])), 0.25);
    near(distance(counted("", &["a", "b"], &[("x", 5, &[5, 0]), ("y", 9, &[0, 9])])), 1.0);
    near(distance(counted("a", &["a"], &[("x", 10, &[3]), ("y", 10, &[9])])), 0.6);
    // Of N(0, 1) and N(1, 1): 2Φ(1/2) − 1.
    let apart = averaged(&[("x", 20, 0.0, 1.0), ("y", 20, 1.0, 1.0)]);
    assert!((distance(apart) - 0.382_924_922_548_026).abs() < 1e-9);
}

#[test]
fn an_effect_has_no_interval_where_its_statistic_is_rough_or_smaller_than_chance_makes_it() {
    let interval = |groups: &[(&str, u64, &[u64])]| {
        let options: Vec<String> = (0..groups[0].2.len()).map(|place| place.to_string()).collect();
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let test = counted("", &options, groups).test(TestRule::default(), None);
        test.effect_low.zip(test.effect_high)
    };
    let (low, high) = interval(&[("Female", 100, &[60, 40]), ("Male", 100, &[40, 60])]).unwrap();
    assert!((low - 0.061_276).abs() < 1e-6 && (high - 0.338_590).abs() < 1e-6, "{low} to {high}");
    assert_eq!(interval(&[("Female", 5, &[1, 4]), ("Male", 5, &[2, 3])]), None);
    assert_eq!(interval(&[("Female", 100, &[50, 50]), ("Male", 100, &[50, 50])]), None);
    // χ² with 7 degrees of freedom of .64, which is among the smallest 2.5 %, and of 1.96, whose interval ends below its V.
    for gap in [4, 7] {
        let (even, odd): (&[u64], &[u64]) = (&[100; 8], &[100 + gap, 100 - gap].repeat(4));
        assert!(chi_squared(&[even.to_vec(), odd.to_vec()]).is_some_and(|test| test.effect > 0.0));
        assert_eq!(interval(&[("Female", 800, even), ("Male", 800, odd)]), None);
    }
    let flat: Vec<(&str, usize, f64, f64)> = ["A", "B", "C"].map(|group| (group, 50, 3.0, 1.0)).into();
    assert_eq!(averaged(&flat).test(TestRule::default(), None).effect_low, None);
}

#[test]
fn intervals_of_effects_hold_where_groups_vary_differently() {
    let mut random = random::generator(1, &[b"coverage"]);
    let mut drawn = |n: usize, mean: f64, sd: f64| {
        let values: Vec<f64> = (0..n).map(|_| mean + sd * normal_quantile(random::uniform(&mut random))).collect();
        Mean::compute(&values, &vec![1.0; n]).expect("a spread")
    };
    const DRAWS: usize = 1000;
    // Five women for each man, who vary three times as much: the sd of both is √((49 + 9 · 9)/58).
    let d = 1.0 / (130.0_f64 / 58.0).sqrt();
    let of_d = || welch_t(drawn(50, 1.0, 1.0), drawn(10, 0.0, 3.0)).and_then(|test| test.interval);
    let holding = std::iter::repeat_with(of_d).take(DRAWS).flatten().filter(|of| of.contains(d)).count();
    assert!((930..=970).contains(&holding), "d: {holding}");
    // Means of 1, .5 and 0, with sd of 1, 2 and 4.
    let of_groups = || welch_anova(&[drawn(100, 1.0, 1.0), drawn(20, 0.5, 2.0), drawn(10, 0.0, 4.0)]);
    let grand = 110.0 / 130.0;
    let between = [(100.0, 1.0), (20.0, 0.5), (10.0, 0.0)].map(|(n, mean): (f64, f64)| n * (mean - grand).powi(2));
    let ratio = between.iter().sum::<f64>() / 130.0 / ((99.0 + 19.0 * 4.0 + 9.0 * 16.0) / 127.0);
    let of_eta = std::iter::repeat_with(of_groups).take(DRAWS).flatten().filter_map(|test| test.interval);
    let holding = of_eta.filter(|of| of.contains(ratio / (1.0 + ratio))).count();
    assert!((930..=970).contains(&holding), "eta squared: {holding}");
}

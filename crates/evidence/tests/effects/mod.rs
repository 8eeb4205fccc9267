mod adjusted;

use serde::Deserialize;

use crate::golden::cases;
use crate::metrics::close;
use evidence::baselines::{cell_mean, human_marginal, modal, uniform_random};
use evidence::categories::{independence, marginal_homogeneity, uniformity};
use evidence::distributions::{chi_squared_above, normal_quantile, t_quantile};
use evidence::effects::{
    Difference, EffectPair, EffectSummary, Significance, agreement, equivalence, newcombe, paired, summarise, welch,
};
use evidence::intervals::Bootstrap;
use evidence::metrics::{MergedOrder, Scale, kolmogorov_smirnov_p, spearman};
use evidence::regression::{compare, least_squares};
use evidence::reliability::{disattenuated, nominal_alpha, ratio_to_ceiling, repeats, repeats_for};
use evidence::sample::{Mean, mean, ones, sample_variance};

#[track_caller]
fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{value} is not {expected}");
}

fn mean_of(values: &[f64]) -> Mean {
    Mean::compute(values, &ones(values.len())).unwrap()
}

#[derive(Deserialize)]
struct Quantile {
    p: f64,
    df: f64,
    normal: f64,
    t: f64,
    chi_above: f64,
}

#[test]
fn quantiles_are_those_of_scipy() {
    for case in cases::<Quantile>("quantiles") {
        near(normal_quantile(case.p), case.normal);
        near(t_quantile(case.p, case.df), case.t);
        near(chi_squared_above(case.t.abs() * 2.0, case.df), case.chi_above);
    }
}

#[derive(Deserialize)]
struct Groups {
    a: Vec<f64>,
    b: Vec<f64>,
    t: f64,
    df: f64,
    p: f64,
    low: f64,
    high: f64,
    margin: f64,
    equivalence_p: f64,
    ks: f64,
    ks_limit_p: f64,
    wasserstein: f64,
}

#[test]
fn two_groups_are_compared_as_scipy_does() {
    for case in cases::<Groups>("groups") {
        let found = welch(mean_of(&case.a), mean_of(&case.b), 0.95).unwrap();
        for (value, expected) in [
            (found.t, case.t),
            (found.df, case.df),
            (found.p, case.p),
            (found.low, case.low),
            (found.high, case.high),
            (equivalence(&found, case.margin).p, case.equivalence_p),
        ] {
            near(value, expected);
        }
        let (ks, area) =
            MergedOrder::new(&case.a, &case.b).distances(&ones(case.a.len()), &ones(case.b.len())).unwrap();
        near(ks, case.ks);
        near(area, case.wasserstein);
        near(kolmogorov_smirnov_p(ks, case.a.len() as f64, case.b.len() as f64), case.ks_limit_p);
    }
}

#[test]
fn welch_has_its_golden_value() {
    let found = welch(mean_of(&[5., 6., 4., 7., 6., 5.]), mean_of(&[4., 5., 3., 4., 5.]), 0.95).unwrap();
    close(found.difference, 1.3, 12);
    close(found.t, 2.2862204889, 10);
    close(found.df, 8.9952198853, 10);
    close(found.p, 0.0480857091, 10);
    close(found.low, 0.0135787806, 10);
    close(found.high, 2.5864212194, 10);
    close(found.d, 1.3537097623, 10);
    assert!(found.is_significant());
    assert_eq!(welch(mean_of(&[1., 1.]), mean_of(&[2., 2.]), 0.95), None);
}

#[derive(Deserialize)]
struct Pairs {
    a: Vec<f64>,
    b: Vec<f64>,
    t: f64,
    p: f64,
    low: f64,
    high: f64,
    margin: f64,
    equivalence_p: f64,
    spearman: f64,
}

#[test]
fn pairs_are_compared_as_scipy_does() {
    for case in cases::<Pairs>("pairs") {
        let weights = ones(case.a.len());
        let found = paired(&case.a, &case.b, &weights, 0.95).unwrap();
        near(found.t, case.t);
        near(found.p, case.p);
        near(found.low, case.low);
        near(found.high, case.high);
        near(equivalence(&found, case.margin).p, case.equivalence_p);
        near(spearman(&case.a, &case.b, &weights).unwrap(), case.spearman);
    }
}

#[derive(Deserialize)]
struct Shares {
    counts: [f64; 4],
    low: f64,
    high: f64,
}

#[test]
fn shares_are_compared_as_statsmodels_does() {
    for Shares { counts: [a, n, b, m], low, high } in cases::<Shares>("shares") {
        let (difference, interval) = newcombe(a, n, b, m, 0.95).unwrap();
        near(difference, a / n - b / m);
        near(interval.low, low);
        near(interval.high, high);
    }
}

#[derive(Deserialize)]
struct Table {
    table: Vec<Vec<usize>>,
    maxwell: f64,
    maxwell_p: f64,
    chi: f64,
    chi_p: f64,
    uniform: f64,
    uniform_p: f64,
}

#[test]
fn tables_of_counts_are_tested_as_scipy_and_statsmodels_do() {
    for case in cases::<Table>("tables") {
        let k = case.table.len();
        let mut answers = Vec::new();
        for (row, counts) in case.table.iter().enumerate() {
            for (column, count) in counts.iter().enumerate() {
                answers.extend(std::iter::repeat_n((row as f64 + 1.0, column as f64 + 1.0), *count));
            }
        }
        let (first, second): (Vec<f64>, Vec<f64>) = answers.into_iter().unzip();
        let maxwell = marginal_homogeneity(&first, &second, &ones(first.len()), k).unwrap();
        near(maxwell.statistic, case.maxwell);
        near(maxwell.p, case.maxwell_p);
        let rows: Vec<f64> = case.table.iter().map(|row| row.iter().sum::<usize>() as f64).collect();
        let columns: Vec<f64> =
            (0..k).map(|column| case.table.iter().map(|row| row[column]).sum::<usize>() as f64).collect();
        let chi = independence(&rows, &columns).unwrap();
        near(chi.statistic, case.chi);
        near(chi.p, case.chi_p);
        let (uniform, v) = uniformity(&rows).unwrap();
        near(uniform.statistic, case.uniform);
        near(uniform.p, case.uniform_p);
        near(v, (case.uniform / (rows.iter().sum::<f64>() * (k as f64 - 1.0))).sqrt());
    }
    assert_eq!(marginal_homogeneity(&[1., 2.], &[1., 2.], &ones(2), 2), None);
    assert_eq!(independence(&[3., 0.], &[2., 0.]), None);
}

#[derive(Deserialize)]
struct Regression {
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    coefficients: Vec<f64>,
    errors: Vec<f64>,
}

#[test]
fn regressions_have_the_robust_errors_of_statsmodels() {
    for case in cases::<Regression>("regressions") {
        let fit = least_squares(&case.x, &case.y).unwrap();
        for (value, expected) in
            fit.coefficients.iter().chain(&fit.errors).zip(case.coefficients.iter().chain(&case.errors))
        {
            near(*value, *expected);
        }
        let same = compare(&fit, &fit).unwrap();
        assert_eq!((same.compared, same.differ, same.flip_sign), (2, 0.0, 0.0));
        let turned: Vec<f64> = case.y.iter().map(|y| -100.0 * y).collect();
        let turned = compare(&fit, &least_squares(&case.x, &turned).unwrap()).unwrap();
        assert_eq!(turned.flip_sign, 1.0);
    }
    let twice = [vec![1., 2.], vec![1., 2.], vec![1., 2.]];
    assert_eq!(least_squares(&twice, &[1., 2., 3.]), None);
}

fn effect(difference: f64, error: f64, n: usize) -> Difference {
    Difference {
        details: None,
        difference,
        squared_error: error * error,
        t: difference / error,
        df: n as f64,
        p: if difference.abs() > 2.0 * error { 0.01 } else { 0.4 },
        low: difference - 2.0 * error,
        high: difference + 2.0 * error,
        d: difference,
        d_low: difference - 2.0 * error,
        d_high: difference + 2.0 * error,
        sd: 1.0,
        n_first: n,
        n_second: n,
    }
}

#[test]
fn effects_agree_in_sign_size_and_significance() {
    let contrasts = [
        (effect(0.5, 0.1, 100), effect(1.0, 0.1, 100)),
        (effect(0.1, 0.1, 100), effect(0.2, 0.2, 100)),
        (effect(-0.2, 0.05, 100), effect(0.4, 0.1, 100)),
    ];
    let first = agreement(&contrasts[0].0, &contrasts[0].1, 0.95);
    assert!(first.same_sign && first.same_significance && !first.people_hold_twins);
    close(first.gap.difference, 0.5, 12);
    assert!(first.gap.low > 0.0 && first.gap.low < 0.5 && first.gap.high > 0.5);
    let all = summarised(&contrasts).unwrap();
    assert_eq!(all.effects, 3);
    close(all.same_sign, 2.0 / 3.0, 12);
    close(all.people_hold_twins, 1.0 / 3.0, 12);
    assert!(all.r.as_ref().unwrap().value > 0.0 && all.slope.as_ref().unwrap().value < 1.0);
    assert_eq!(all.slope.unwrap().low, None, "of three questions nothing is drawn");
    assert_eq!(summarised(&[]), None);
}

/// Each contrast belongs to a different question.
fn summarised(contrasts: &[(Difference, Difference)]) -> Option<EffectSummary> {
    let names: Vec<String> = (0..contrasts.len()).map(|place| place.to_string()).collect();
    let pairs: Vec<EffectPair> = (names.iter().zip(contrasts))
        .map(|(item, (people, twins))| EffectPair { item, people: *people, twins: *twins })
        .collect();
    summarise(&pairs, Bootstrap { replicates: 400, ..Bootstrap::default() })
}

/// People have one significant effect of 17 and twins none: "94 % significant on both sides or on neither", although
/// twins predict nothing.
#[test]
fn significance_is_told_by_side_and_how_much_of_the_peoples_twins_find() {
    let nothing = (effect(0.05, 0.1, 100), effect(-0.05, 0.1, 100));
    let mut contrasts = vec![nothing; 16];
    contrasts.push((effect(0.5, 0.1, 100), effect(0.05, 0.1, 100)));
    let found = summarised(&contrasts).unwrap();
    let of = |both, both_same_sign, people_only, twins_only, neither| Significance {
        both,
        both_same_sign,
        people_only,
        twins_only,
        neither,
    };
    assert_eq!(found.significant, of(0, 0, 1, 0, 16));
    let sensitivity = found.sensitivity.unwrap();
    assert_eq!((sensitivity.value, sensitivity.n), (0.0, 1));
    contrasts.push((effect(0.5, 0.1, 100), effect(-0.5, 0.1, 100)));
    contrasts.push((effect(0.5, 0.1, 100), effect(0.5, 0.1, 100)));
    contrasts.push((effect(0.0, 0.1, 100), effect(0.5, 0.1, 100)));
    let found = summarised(&contrasts).unwrap();
    assert_eq!(found.significant, of(2, 1, 1, 1, 16));
    close(found.sensitivity.unwrap().value, 2.0 / 3.0, 12);
    let none = summarised(&[nothing]).unwrap();
    assert_eq!((none.sensitivity, none.r, none.slope), (None, None, None));
}

/// Twins whose true effects are those of people have a slope below 1, because their d have sampling errors.
#[test]
fn a_slope_is_corrected_for_the_sampling_errors_of_the_twins_effects() {
    let mut random = random::generator(11, &[b"attenuation"]);
    let mut normal = || normal_quantile(random::uniform(&mut random));
    let error = 0.3;
    let contrasts: Vec<(Difference, Difference)> = (0..40)
        .map(|_| {
            let truth = 0.4 * normal();
            (effect(truth + 0.05 * normal(), 0.05, 400), effect(truth + error * normal(), error, 100))
        })
        .collect();
    let found = summarised(&contrasts).unwrap();
    let (slope, exact) = (found.slope.unwrap(), found.deattenuated_slope.unwrap());
    assert!(slope.value < 0.85 && slope.interval().unwrap().high < 1.0, "{slope:?}");
    assert!(exact.interval().unwrap().contains(1.0), "{exact:?}");
    // Computed by hand: the slope over the share of the variance of the twins' d that is no error.
    let d: Vec<f64> = contrasts.iter().map(|(_, twins)| twins.d).collect();
    let errors: f64 = contrasts.iter().map(|(_, twins)| error * error + twins.d.powi(2) / 200.0).sum::<f64>() / 40.0;
    let reliability = 1.0 - errors / sample_variance(&d).unwrap();
    close(exact.value, slope.value / reliability, 12);
    assert!(found.deattenuated_r.unwrap().value > found.r.unwrap().value);
    // If errors explain all of the variance, there is no result.
    let noise: Vec<(Difference, Difference)> =
        contrasts.iter().map(|(people, twins)| (*people, effect(0.1 * twins.d, error, 100))).collect();
    let found = summarised(&noise).unwrap();
    assert!(found.slope.is_some());
    assert_eq!((found.deattenuated_slope, found.deattenuated_r), (None, None));
}

#[derive(serde::Deserialize)]
struct Repeated {
    rows: Vec<Vec<f64>>,
    alpha: f64,
    fleiss_kappa: f64,
}

/// The golden values are from scripts/reliability-golden.py.
#[test]
fn repeats_without_an_order_have_krippendorffs_alpha() {
    let cases: Vec<Repeated> = serde_json::from_str(include_str!("../golden/reliability.json")).unwrap();
    assert_eq!(cases.len(), 4);
    for Repeated { rows, alpha, fleiss_kappa } in cases {
        close(nominal_alpha(&rows).unwrap(), alpha, 12);
        close(repeats(&rows).unwrap().alpha.unwrap(), alpha, 12);
        // With the same number of repeats for each twin, alpha is Fleiss' kappa corrected for small samples.
        let n = (rows.len() * rows[0].len()) as f64;
        close(alpha, fleiss_kappa + (1.0 - fleiss_kappa) / n, 12);
    }
    assert_eq!(nominal_alpha(&[vec![2.0, 2.0], vec![2.0, 2.0]]), None, "nobody differs");
    assert_eq!(nominal_alpha(&[vec![1.0]]), None);
}

#[test]
fn repeats_have_their_golden_reliability() {
    let rows = [[3., 3., 4.], [1., 2., 1.], [5., 5., 5.], [2., 3., 2.]].map(|row| row.to_vec());
    let found = repeats(&rows).unwrap();
    close(found.icc.unwrap(), 0.9042553191, 10);
    close(found.identical, 0.5, 12);
    assert_eq!(found.repeats_for_90, Some(1));
    assert_eq!(repeats_for(0.9, 0.5), Some(9));
    assert_eq!(repeats(&rows[..1]), None);
    close(ratio_to_ceiling(&[(0.7, 0.8), (0.9, 0.9)]).unwrap(), 0.9375, 12);
    close(disattenuated(0.2, 0.64, 1.0).unwrap(), 0.25, 12);
    assert_eq!(disattenuated(0.2, 0.3, 1.0), None);
}

#[test]
fn baselines_know_no_person() {
    let human = [1., 1., 2., 5., 5., 1.];
    let scale = Scale::Ordinal { categories: 5 };
    assert_eq!(modal(&human), [1.0; 6]);
    let drawn = uniform_random(scale, &human, 7, "Q1");
    assert_eq!(drawn, uniform_random(scale, &human, 7, "Q1"));
    assert!(drawn.iter().all(|value| scale.holds(*value)));
    assert!(human_marginal(&human, 7, "Q1").iter().all(|value| human.contains(value)));
    let cells = ["a", "a", "a", "b", "b", "alone"].map(str::to_owned);
    // Each person's own answer is left out of its cell; a person alone in a cell gets the mean of all others.
    let expected = [1.5, 1.5, 1.0, 5.0, 5.0, 14.0 / 5.0];
    for (value, expected) in cell_mean(scale, &human, &cells).iter().zip(expected) {
        close(*value, expected, 12);
    }
}

#[test]
fn the_bootstrap_repeats_any_draw_and_covers_the_mean() {
    let bootstrap = Bootstrap { seed: 3, replicates: 400, level: 0.95 };
    assert_eq!(bootstrap.draw("r", 17, &[30, 4]), bootstrap.draw("r", 17, &[30, 4]));
    assert_ne!(bootstrap.draw("r", 17, &[30]), bootstrap.draw("r", 18, &[30]));
    assert_ne!(bootstrap.draw("r", 17, &[30]), bootstrap.draw("rho", 17, &[30]));
    assert_eq!(bootstrap.draw("r", 1, &[30, 4])[1].iter().sum::<f64>(), 4.0);
    let mut covered = 0;
    for sample in 0..300 {
        let mut random = random::generator(sample, &[b"sample"]);
        let values: Vec<f64> = (0..80).map(|_| normal_quantile(random::uniform(&mut random))).collect();
        let interval = bootstrap.interval("mean", &[80], |counts| mean(&values, &counts[0])).unwrap();
        covered += usize::from(interval.contains(0.0));
        let normal = 2.0 * 1.96 * (sample_variance(&values).unwrap() / 80.0).sqrt();
        assert!((interval.width() / normal - 1.0).abs() < 0.25);
    }
    assert!((270..=296).contains(&covered), "{covered} of 300");
}

#[test]
fn half_an_sd_between_arms_of_a_hundred_is_found_and_nothing_is_not() {
    let rate = |shift: f64| {
        let significant = (0..1_000).filter(|seed| {
            let mut random = random::generator(*seed, &[b"arms"]);
            let mut arm = |shift: f64| -> Vec<f64> {
                (0..100).map(|_| shift + normal_quantile(random::uniform(&mut random))).collect()
            };
            let (a, b) = (arm(shift), arm(0.0));
            welch(mean_of(&a), mean_of(&b), 0.95).unwrap().is_significant()
        });
        significant.count() as f64 / 1_000.0
    };
    let (found, false_alarms) = (rate(0.5), rate(0.0));
    assert!((found - 0.94).abs() <= 0.02, "{found}");
    assert!((false_alarms - 0.05).abs() <= 0.015, "{false_alarms}");
}

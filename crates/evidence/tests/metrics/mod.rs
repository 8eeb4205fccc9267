//! Golden values of the design, to the digits given.

use evidence::intervals::{of_correlation, of_mean, of_share};
use evidence::metrics::{
    Answers, Metric, Scale, brier, correlation_of_means, correlation_within_people, entropy,
    expected_calibration_error, jaccard, log_loss, mean_correlation, option_shares, ranked_probability, shares,
    smoothed,
};
use evidence::multiplicity::benjamini_hochberg;
use evidence::sample::effective_n;
use evidence::sample::ones;
use evidence::weights::{Margin, WeightsRefused, rake};

const H: [f64; 10] = [1., 2., 2., 3., 4., 5., 5., 4., 3., 2.];
const T: [f64; 10] = [2., 2., 3., 3., 4., 4., 5., 3., 3., 3.];
const FIVE: Scale = Scale::Ordinal { categories: 5 };

#[track_caller]
pub fn close(value: f64, expected: f64, digits: i32) {
    assert!((value - expected).abs() <= 0.51 * 10_f64.powi(-digits), "{value} is not {expected}");
}

#[test]
fn each_metric_has_its_golden_value() {
    let answers = Answers::new(FIVE, &H, &T);
    let golden = [
        (Metric::Accuracy, 0.875, 12),
        (Metric::Exact, 0.5, 12),
        (Metric::Pearson, 0.8647208430505792, 14),
        (Metric::Spearman, 0.8715147333, 10),
        (Metric::SdRatio, 0.6705998375, 10),
        (Metric::Glass, 0.0769230769, 10),
        (Metric::TotalVariation, 0.3, 12),
        (Metric::Wasserstein, 0.125, 12),
        (Metric::KolmogorovSmirnov, 0.2, 12),
        (Metric::JensenShannon, 0.1174257773, 10),
        (Metric::Kappa, 0.3589743590, 10),
        (Metric::QuadraticKappa, 0.7967479675, 10),
        (Metric::EntropyGap, 0.7584059348 - 0.9674887649, 9),
    ];
    assert_eq!(golden.len(), Metric::ALL.len());
    for (metric, expected, digits) in golden {
        close(answers.value(metric, &ones(10), &ones(10)).unwrap(), expected, digits);
    }
    let normal = |values: &[f64]| entropy(&shares(values, &ones(10), 5).unwrap()) / 5_f64.log2();
    close(normal(&H), 0.9674887649, 10);
    close(normal(&T), 0.7584059348, 10);
    let interval = of_correlation(0.8647208430505792, 10, 0.95).unwrap();
    close(interval.low, 0.5160686, 7);
    close(interval.high, 0.9675588, 7);
}

#[test]
fn a_person_that_weighs_two_counts_as_two_people() {
    let weights = [2., 1., 1., 3., 1., 1., 2., 1., 1., 1.];
    let repeated = |values: &[f64]| -> Vec<f64> {
        values.iter().zip(weights).flat_map(|(value, weight)| std::iter::repeat_n(*value, weight as usize)).collect()
    };
    let (h, t) = (repeated(&H), repeated(&T));
    let (whole, weighted) = (Answers::new(FIVE, &h, &t), Answers::new(FIVE, &H, &T));
    for metric in Metric::ALL {
        let expected = whole.value(metric, &ones(h.len()), &ones(h.len())).unwrap();
        close(weighted.value(metric, &weights, &weights).unwrap(), expected, 12);
    }
}

#[test]
fn people_as_their_own_twins_are_accurate_and_correlated() {
    for scale in [FIVE, Scale::Interval { min: 0., max: 9. }, Scale::Unbounded] {
        let answers = Answers::new(scale, &H, &H);
        for metric in Metric::ALL.into_iter().filter(|metric| metric.fits(scale)) {
            let perfect = match metric {
                Metric::Accuracy | Metric::Exact | Metric::Pearson | Metric::Spearman | Metric::SdRatio => 1.0,
                Metric::Kappa | Metric::QuadraticKappa => 1.0,
                _ => 0.0,
            };
            close(answers.value(metric, &ones(10), &ones(10)).unwrap(), perfect, 12);
        }
    }
}

#[test]
fn what_is_not_defined_has_no_value() {
    let constant = Answers::new(FIVE, &[3., 3., 3.], &[1., 2., 3.]);
    let value = |metric| constant.value(metric, &ones(3), &ones(3));
    assert_eq!(value(Metric::SdRatio), None);
    assert_eq!(value(Metric::Glass), None);
    assert_eq!(value(Metric::Pearson), Some(0.0));
    let nothing = Answers::new(FIVE, &[], &[]);
    for metric in Metric::ALL {
        assert_eq!(nothing.value(metric, &[], &[]), None, "{metric:?}");
    }
    let nominal = Scale::Nominal { categories: 3 };
    assert!(!Metric::Pearson.fits(nominal) && !Metric::QuadraticKappa.fits(nominal) && Metric::Kappa.fits(nominal));
    assert!(Metric::Kappa.needs_pairs() && !Metric::Glass.needs_pairs());
}

#[test]
fn unbounded_numbers_are_compared_as_deciles() {
    let h: Vec<f64> = (1..=100).map(f64::from).collect();
    let mut t = h.clone();
    t[99] = 1e9;
    t[0] = 100.0;
    let answers = Answers::new(Scale::Unbounded, &h, &t);
    close(answers.value(Metric::Accuracy, &ones(100), &ones(100)).unwrap(), 0.99, 12);
}

#[test]
fn forecasts_have_their_golden_scores() {
    let forecasts = [(vec![0.7, 0.2, 0.1], 0), (vec![0.2, 0.5, 0.3], 2), (vec![0.1, 0.1, 0.8], 2)];
    close(brier(&forecasts).unwrap(), 0.3266666667, 10);
    close(log_loss(&forecasts).unwrap(), 0.5945970999, 10);
    close(ranked_probability(&forecasts).unwrap(), 0.1133333333, 10);
    // Bins .7: right, .5: wrong, .8: right; gaps .3, .5, .2 of one forecast each.
    close(expected_calibration_error(&forecasts).unwrap(), 1.0 / 3.0, 12);
    assert_eq!(smoothed(&[3, 0, 1]), [3.5 / 5.5, 0.5 / 5.5, 1.5 / 5.5]);
    assert_eq!(brier(&[]), None);
}

#[test]
fn selections_are_compared_option_by_option() {
    let h = [vec![true, true, false], vec![false, false, false]];
    let t = [vec![true, false, true], vec![false, false, false]];
    close(jaccard(&h, &t, &ones(2)).unwrap(), (1.0 / 3.0 + 1.0) / 2.0, 12);
    assert_eq!(option_shares(&h, &ones(2), 3).unwrap(), [0.5, 0.5, 0.0]);
}

#[test]
fn correlations_over_items_ask_other_questions() {
    close(mean_correlation(&[(0.1, 7), (0.3, 7), (0.5, 7)]).unwrap(), 0.3092540522, 10);
    assert!(mean_correlation(&[(1.0, 5)]).unwrap() < 1.0);
    let rows = |rows: &[[f64; 3]]| rows.iter().map(|row| row.map(Some).to_vec()).collect::<Vec<_>>();
    let people = rows(&[[1., 5., 2.], [5., 1., 3.], [3., 3., 4.]]);
    let (r, each) = correlation_within_people(&people, &people, &ones(3)).unwrap();
    close(r, 1.0, 12);
    assert_eq!(each.len(), 3);
    close(correlation_of_means(&[1., 2., 3.], &[2., 4., 7.]).unwrap(), 0.9933992677987828, 12);
    assert_eq!(correlation_of_means(&[1., 2.], &[2., 4.]), None);
}

#[test]
fn shares_and_families_have_their_golden_values() {
    // The expected values are scipy's.
    let mean = of_mean(7.469716522313094, 3.7799759048196453, 2, 0.95).unwrap();
    close(mean.low, -26.492019542394964, 9);
    close(mean.high, 41.43145258702115, 9);
    assert_eq!(of_mean(1.0, 0.0, 1, 0.95), None);
    let wilson = of_share(7.0, 20.0, 0.95).unwrap();
    close(wilson.low, 0.1811918241, 10);
    close(wilson.high, 0.5671457233, 10);
    assert_eq!((of_share(0.0, 5.0, 0.95).unwrap().low, of_share(7.0, 7.0, 0.95).unwrap().high), (0.0, 1.0));
    let q = benjamini_hochberg(&[0.01, 0.04, 0.03, 0.005, 0.5]);
    for (q, expected) in q.iter().zip([0.025, 0.05, 0.05, 0.025, 0.5]) {
        close(*q, expected, 12);
    }
    assert!(benjamini_hochberg(&[f64::NAN, 0.02])[0].is_nan());
    close(benjamini_hochberg(&[f64::NAN, 0.02])[1], 0.02, 12);
    close(effective_n(&[1., 2., 3., 4.]).unwrap(), 3.3333333333, 10);
}

#[test]
fn raking_reaches_its_margins_or_says_why_not() {
    let sex = Margin { attribute: "sex".into(), levels: vec![0, 0, 0, 1, 1, 0], shares: vec![0.5, 0.5] };
    let age = Margin { attribute: "age".into(), levels: vec![0, 1, 1, 0, 1, 0], shares: vec![0.4, 0.6] };
    let raked = rake(6, &[sex.clone(), age.clone()]).unwrap();
    let share = |margin: &Margin| {
        let of = |level| raked.weights.iter().zip(&margin.levels).filter(move |(_, at)| **at == level);
        of(0).map(|(weight, _)| weight).sum::<f64>() / raked.weights.iter().sum::<f64>()
    };
    close(share(&sex), 0.5, 5);
    close(share(&age), 0.4, 5);
    assert_eq!(raked.trimmed, 0);
    assert!(raked.error <= 1e-6 && raked.n_effective < 6.0);
    let empty = Margin { shares: vec![0.5, 0.3, 0.2], ..sex.clone() };
    assert_eq!(rake(6, &[empty]), Err(WeightsRefused::Nobody { attribute: "sex".into(), level: 2 }));
    let not_one = Margin { shares: vec![0.5, 0.4], ..sex.clone() };
    assert_eq!(rake(6, &[not_one]), Err(WeightsRefused::NotOne("sex".into())));
    let against = Margin { shares: vec![0.9, 0.1], ..sex.clone() };
    assert!(matches!(rake(6, &[sex, against]), Err(WeightsRefused::NoConvergence { .. })));
}

#[test]
fn rare_people_get_five_times_the_mean_weight_at_most() {
    let levels: Vec<usize> = (0..100).map(|person| usize::from(person == 0)).collect();
    let rare = Margin { attribute: "rare".into(), levels, shares: vec![0.5, 0.5] };
    let raked = rake(100, &[rare]).unwrap();
    assert_eq!(raked.trimmed, 1);
    close(raked.weights[0] / raked.weights[1], 5.0 / (0.5 / 0.99), 9);
}

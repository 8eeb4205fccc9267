use std::collections::BTreeMap;

use serde::Deserialize;

use crate::golden::cases;
use crate::metrics::close;
use evidence::calibration::{BINS, CalibrationBin, calibrate, forecasts};
use evidence::compare::{Column, CompareRefused, Item, Respondents};
use evidence::intervals::Bootstrap;
use evidence::metrics::{Scale, brier, expected_calibration_error};
use random::{below, generator, uniform};

#[derive(Deserialize)]
struct Bin {
    n: usize,
    forecast: Option<f64>,
    observed: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
}

#[derive(Deserialize)]
struct Case {
    answers: Vec<f64>,
    /// The answers of each twin.
    said: Vec<Vec<f64>>,
    w: Vec<f64>,
    brier: f64,
    log_loss: f64,
    ranked: f64,
    ece: f64,
    brier_of_shares: f64,
    options: Vec<Bin>,
    likeliest: Vec<Bin>,
}

const BOOTSTRAP: Bootstrap = Bootstrap { seed: 1, replicates: 200, level: 0.95 };

fn side(prefix: &str, answers: impl Iterator<Item = f64>) -> Respondents {
    let answers: Vec<Option<f64>> = answers.map(Some).collect();
    Respondents {
        ids: (0..answers.len()).map(|row| format!("{prefix}{row}")).collect(),
        answers: BTreeMap::from([("fair".to_owned(), Column::Numbers(answers))]),
        ..Respondents::default()
    }
}

fn items(options: usize) -> [Item; 1] {
    [Item::single("fair", Scale::Ordinal { categories: options })]
}

#[test]
fn weighted_forecasts_have_the_scores_and_bins_of_numpy_and_statsmodels() {
    let case = cases::<Case>("calibration").remove(0);
    let people = Respondents { weights: Some(case.w.clone()), ..side("p", case.answers.iter().copied()) };
    let repeats: Vec<Respondents> =
        (0..5).map(|repeat| side("p", case.said.iter().map(move |of| of[repeat]))).collect();
    let of_items = forecasts(&items(4), &people, &repeats.iter().collect::<Vec<_>>()).unwrap();
    let found = calibrate(&of_items, &[], people.ids.len(), 5, BOOTSTRAP).unwrap();
    assert_eq!((found.people, found.repeats, found.questions.len()), (80, 5, 1));
    let scores = &found.all;
    close(scores.brier.value, case.brier, 10);
    close(scores.log_loss.value, case.log_loss, 10);
    close(scores.ranked_probability.as_ref().unwrap().value, case.ranked, 10);
    close(scores.expected_calibration_error.value, case.ece, 10);
    close(scores.brier_of_shares.value, case.brier_of_shares, 10);
    for estimate in [&scores.brier, &scores.expected_calibration_error] {
        let interval = estimate.interval().unwrap();
        assert!(interval.contains(estimate.value) && interval.width() < 0.4, "{estimate:?}");
    }
    for (bins, expected) in [(&found.options, &case.options), (&found.likeliest, &case.likeliest)] {
        assert_eq!(bins.len(), BINS);
        for (bin, expected) in bins.iter().zip(expected) {
            same(bin, expected);
        }
    }
}

fn same(bin: &CalibrationBin, expected: &Bin) {
    assert_eq!(bin.n, expected.n);
    let ends = (bin.observed_low, bin.observed_high);
    for (value, expected) in [
        (bin.forecast, expected.forecast),
        (bin.observed, expected.observed),
        (ends.0, expected.low),
        (ends.1, expected.high),
    ] {
        assert_eq!(value.is_some(), expected.is_some(), "{bin:?}");
        if let Some((value, expected)) = value.zip(expected) {
            close(value, expected, 9);
        }
    }
}

#[test]
fn scores_without_weights_are_the_plain_ones_and_the_gaps_of_the_chart_are_the_error() {
    let mut random = generator(3, &[b"calibration"]);
    let said: Vec<[f64; 4]> = (0..60).map(|_| std::array::from_fn(|_| 1.0 + below(3, &mut random) as f64)).collect();
    let people = side("p", said.iter().map(|of| of[0]));
    let repeats: Vec<Respondents> = (1..4).map(|repeat| side("p", said.iter().map(move |of| of[repeat]))).collect();
    let of_items = forecasts(&items(3), &people, &repeats.iter().collect::<Vec<_>>()).unwrap();
    let plain: Vec<(Vec<f64>, usize)> = of_items[0].forecasts.iter().map(|of| (of.p.clone(), of.answer)).collect();
    let found = calibrate(&of_items, &[], 60, 3, BOOTSTRAP).unwrap();
    close(found.all.brier.value, brier(&plain).unwrap(), 12);
    let error = expected_calibration_error(&plain).unwrap();
    close(found.all.expected_calibration_error.value, error, 12);
    let gap = |bin: &CalibrationBin| {
        bin.observed.zip(bin.forecast).map_or(0.0, |(is, said)| bin.n as f64 * (is - said).abs())
    };
    close(found.likeliest.iter().map(gap).sum::<f64>() / 60.0, error, 12);
    assert_eq!(found.options.iter().map(|bin| bin.n).sum::<usize>(), 180);
}

#[test]
fn twins_that_draw_from_their_persons_own_shares_lie_on_the_diagonal() {
    let mut random = generator(9, &[b"diagonal"]);
    let mut draw = |p: f64| if uniform(&mut random) < p { 1.0 } else { 2.0 };
    let taste: Vec<f64> = (0..4_000).map(|row| (row % 10) as f64 / 10.0 + 0.05).collect();
    let people = side("p", taste.iter().map(|p| draw(*p)).collect::<Vec<_>>().into_iter());
    let repeats: Vec<Respondents> =
        (0..60).map(|_| side("p", taste.iter().map(|p| draw(*p)).collect::<Vec<_>>().into_iter())).collect();
    let of_items = forecasts(&items(2), &people, &repeats.iter().collect::<Vec<_>>()).unwrap();
    let found = calibrate(&of_items, &[], 4_000, 60, Bootstrap { replicates: 20, ..BOOTSTRAP }).unwrap();
    for bin in &found.options {
        let gap = bin.observed.unwrap() - bin.forecast.unwrap();
        assert!(gap.abs() < 0.06, "{bin:?}");
    }
    assert!(found.all.expected_calibration_error.value < 0.04);
    assert!(found.all.brier.value < found.all.brier_of_shares.value);
}

#[test]
fn only_people_whose_twin_answered_in_every_repeat_are_forecast() {
    let people = side("p", [1.0, 2.0, 2.0].into_iter());
    let mut second = side("p", [1.0, 1.0, 2.0].into_iter());
    let Some(Column::Numbers(values)) = second.answers.get_mut("fair") else { panic!() };
    values[0] = None;
    let first = side("p", [1.0, 1.0].into_iter());
    let of_items = forecasts(&items(2), &people, &[&first, &second]).unwrap();
    let forecast = &of_items[0].forecasts;
    assert_eq!(forecast.len(), 1);
    assert_eq!((forecast[0].person, &forecast[0].p, forecast[0].answer), (1, &vec![2.5 / 3.0, 0.5 / 3.0], 1));
    let strangers = side("q", [1.0].into_iter());
    assert!(forecasts(&items(2), &strangers, &[&first]).unwrap().is_empty());
    assert!(calibrate(&[], &[], 3, 2, BOOTSTRAP).is_none());
    let few = calibrate(&of_items, &[], 3, 2, BOOTSTRAP).unwrap();
    assert_eq!((few.all.brier.note, few.all.brier.interval()), (Some("n too small"), None));
    let twice = Respondents { ids: vec!["p0".into(), "p0".into(), "p1".into()], ..people };
    assert_eq!(
        forecasts(&items(2), &twice, &[&first]),
        Err(CompareRefused::Doubled { side: "people", id: "p0".into() })
    );
    let numbers = [Item::single("fair", Scale::Unbounded)];
    assert!(forecasts(&numbers, &side("p", [1.0].into_iter()), &[&first]).unwrap().is_empty(), "of options only");
}

//! Calibration: how well the shares of a twin's repeated answers, or its probabilities, forecast its person's answer.
//!
//! Each twin with `k` repeats forecasts the answer to each question of options: an option's probability is its share of
//! the repeats, smoothed by half an answer for each option. The person's answer scores the forecast.

mod bins;
mod draws;
mod forecasts;
mod numbers;

use serde::Serialize;

pub use bins::{BINS, CalibrationBin};
pub use forecasts::{Forecast, ForecastItem, forecasts, number_forecasts, with_answers_as_forecasts};
pub use numbers::{NumberForecast, NumberItem, NumberScores};

use crate::intervals::{Bootstrap, Estimate, Interval};
use crate::metrics::probability::{brier_of, log_loss_of, ranked_probability_of};
use bins::{likeliest, of_likeliest, of_options};
use draws::{Draws, Times, estimate};

/// Calibration of twins' repeated answers as forecasts of their people's. Covers questions with one option as the
/// answer, and people whose twin answered in every repeat.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Calibration {
    pub people: usize,
    pub repeats: usize,
    /// Number of bootstrap samples over people.
    pub draws: usize,
    pub all: Scores,
    /// Ten bins of equal width with every option of every forecast: its probability, and whether it was the answer.
    pub options: Vec<CalibrationBin>,
    /// Ten bins with each forecast's most probable option alone. Their gaps make the expected calibration error.
    pub likeliest: Vec<CalibrationBin>,
    pub questions: Vec<ItemScores>,
    /// Questions of numbers, of twins that gave quantiles.
    pub numbers: Vec<NumberScores>,
    /// Whether the forecasts of all items are better than the people's own shares.
    pub verdict: ForecastVerdict,
}

/// Scores of a question of options, or of a row of a matrix.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = ForecastQuestion))]
pub struct ItemScores {
    #[cfg_attr(feature = "openapi", schema(example = "fair"))]
    pub name: String,
    pub text: String,
    #[serde(flatten)]
    pub scores: Scores,
}

/// Scores, as means over forecasts. 0 is best. Intervals are a bootstrap's over people.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", schema(as = ForecastScores))]
pub struct Scores {
    /// Brier score, 0 to 2.
    pub brier: Estimate,
    /// Negative log likelihood, in nats.
    pub log_loss: Estimate,
    /// Ranked probability score, 0 to 1; null if the options have no order.
    pub ranked_probability: Option<Estimate>,
    /// Expected calibration error, 0 to 1: the gap between the probability of the most probable option and how often it
    /// was the answer.
    pub expected_calibration_error: Estimate,
    /// Brier score of the people's own shares as a forecast for everybody, which needs no twin.
    pub brier_of_shares: Estimate,
    /// How much lower the twins' Brier score is than that of the shares, over the same people. Above 0 twins know more.
    pub gain: Estimate,
    /// Standard deviation of all twins' forecasts together, divided by that of the people's answers; null if options have no
    /// order. Over several items: the mean.
    pub spread: Option<Estimate>,
}

/// Whether forecasts are better than the people's own shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ForecastVerdict {
    Better,
    Worse,
    /// The interval contains 0, or there are too few people for one.
    CannotTell,
}

impl ForecastVerdict {
    /// The verdict as a sentence.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Better => "The twins know more than the people's own shares.",
            Self::Worse => "The twins know less than the people's own shares.",
            Self::CannotTell => "These people cannot tell whether the twins know more than the people's own shares.",
        }
    }
}

impl Scores {
    /// Compares the Brier score with that of the people's own shares.
    pub fn verdict(&self) -> ForecastVerdict {
        match self.gain.interval() {
            Some(gain) if gain.low > 0.0 => ForecastVerdict::Better,
            Some(gain) if gain.high < 0.0 => ForecastVerdict::Worse,
            _ => ForecastVerdict::CannotTell,
        }
    }
}

/// Scores the forecasts of all items. `None` without forecasts of options.
pub fn calibrate(
    items: &[ForecastItem],
    numbers: &[NumberItem],
    people: usize,
    repeats: usize,
    bootstrap: Bootstrap,
) -> Option<Calibration> {
    let scored: Vec<Vec<Scored>> = items.iter().enumerate().map(|(place, item)| scored(item, place)).collect();
    let all: Vec<&Scored> = scored.iter().flatten().collect();
    let drawn = Draws::new(people, bootstrap);
    let forecasts: Vec<&Forecast> = items.iter().flat_map(|item| &item.forecasts).collect();
    let of_item = |(item, scored): (&ForecastItem, &Vec<Scored>)| {
        let scores = scores(&scored.iter().collect::<Vec<_>>(), &drawn)?;
        Some(ItemScores { name: item.name.clone(), text: item.text.clone(), scores })
    };
    let of_all = scores(&all, &drawn)?;
    Some(Calibration {
        people: persons(&all),
        repeats,
        draws: bootstrap.replicates,
        verdict: of_all.verdict(),
        all: of_all,
        options: of_options(&forecasts, bootstrap.level),
        likeliest: of_likeliest(&forecasts, bootstrap.level),
        questions: items.iter().zip(&scored).filter_map(of_item).collect(),
        numbers: numbers.iter().filter_map(|item| numbers::scores(item, &drawn)).collect(),
    })
}

/// The scores of one forecast.
struct Scored {
    /// Position of the item.
    item: usize,
    person: usize,
    weight: f64,
    brier: f64,
    log_loss: f64,
    ranked_probability: Option<f64>,
    brier_of_shares: f64,
    /// Probability of the most probable option, its bin, and 1 if it was the answer.
    sure: f64,
    bin: usize,
    right: f64,
    /// Means of the forecast's positions and of their squares, and the position of the answer, if the options have an order.
    positions: Option<([f64; 2], f64)>,
}

fn scored(item: &ForecastItem, place: usize) -> Vec<Scored> {
    let shares = item.shares();
    let of = |Forecast { person, weight, p, answer }: &Forecast| {
        let (top, sure) = likeliest(p);
        let moment = |power: i32| p.iter().enumerate().map(|(option, p)| p * (option as f64).powi(power)).sum();
        Scored {
            item: place,
            person: *person,
            weight: *weight,
            brier: brier_of(p, *answer),
            log_loss: log_loss_of(p, *answer),
            ranked_probability: item.is_ordered.then(|| ranked_probability_of(p, *answer)),
            brier_of_shares: brier_of(&shares, *answer),
            sure,
            bin: bins::place(sure),
            right: f64::from(top == *answer),
            positions: item.is_ordered.then(|| ([moment(1), moment(2)], *answer as f64)),
        }
    };
    item.forecasts.iter().map(of).collect()
}

fn persons(scored: &[&Scored]) -> usize {
    scored.iter().map(|of| of.person).collect::<std::collections::BTreeSet<_>>().len()
}

fn scores(scored: &[&Scored], draws: &Draws) -> Option<Scores> {
    let persons: Vec<usize> = scored.iter().map(|of| of.person).collect();
    let mean = |score: fn(&Scored) -> f64| {
        estimate(&persons, draws, &move |times| weighted_mean(scored, times, score)).map(|(found, _)| found)
    };
    let is_ordered = !scored.is_empty() && scored.iter().all(|of| of.ranked_probability.is_some());
    Some(Scores {
        brier: mean(|of| of.brier)?,
        log_loss: mean(|of| of.log_loss)?,
        ranked_probability: if is_ordered { mean(|of| of.ranked_probability.unwrap_or_default()) } else { None },
        expected_calibration_error: centred(estimate(&persons, draws, &|times| calibration_error(scored, times))?),
        brier_of_shares: mean(|of| of.brier_of_shares)?,
        gain: mean(|of| of.brier_of_shares - of.brier)?,
        spread: estimate(&persons, draws, &|times| mean_spread(scored, times)).map(|(found, _)| found),
    })
}

fn weighted_mean(scored: &[&Scored], times: &Times, score: impl Fn(&Scored) -> f64) -> Option<f64> {
    let (mut sum, mut total) = (0.0, 0.0);
    for of in scored {
        let weight = of.weight * times(of.person);
        sum += weight * score(of);
        total += weight;
    }
    (total > 0.0).then(|| sum / total)
}

fn calibration_error(scored: &[&Scored], times: &Times) -> Option<f64> {
    let mut gaps = [0.0; BINS];
    let mut total = 0.0;
    for of in scored {
        let weight = of.weight * times(of.person);
        gaps[of.bin] += weight * (of.right - of.sure);
        total += weight;
    }
    (total > 0.0).then(|| gaps.iter().map(|gap| gap.abs()).sum::<f64>() / total)
}

/// The mean over the items with an order.
fn mean_spread(scored: &[&Scored], times: &Times) -> Option<f64> {
    let of_item = |item: &[&Scored]| {
        let each = item.iter().filter_map(|of| {
            let (moments, answer) = of.positions?;
            Some((moments, answer, of.weight * times(of.person)))
        });
        numbers::spread(each)
    };
    let ratios: Vec<f64> = scored.chunk_by(|one, other| one.item == other.item).filter_map(of_item).collect();
    (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
}

/// Moves the draws so that their median is the estimate, because a mean of distances grows in any resample.
fn centred((estimate, median): (Estimate, Option<f64>)) -> Estimate {
    let Some((Interval { low, high }, median)) = estimate.interval().zip(median) else { return estimate };
    let moved = |end: f64| (end - median + estimate.value).max(0.0);
    Estimate { low: Some(moved(low)), high: Some(moved(high)), ..estimate }
}

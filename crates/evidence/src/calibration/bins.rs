//! The calibration chart: forecasts in ten bins of equal width, and how often they came true.

use serde::Serialize;

use super::Forecast;
use crate::intervals::{ends, of_share};
use crate::sample::effective_n;

/// Number of bins, which have equal width. A probability on an edge belongs to the lower bin.
pub const BINS: usize = 10;

/// A bin: forecasts of about the same probability.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", schema(as = ForecastBin))]
pub struct CalibrationBin {
    #[cfg_attr(feature = "openapi", schema(example = 0.6))]
    pub low: f64,
    #[cfg_attr(feature = "openapi", schema(example = 0.7))]
    pub high: f64,
    /// Number of forecasts in the bin.
    pub n: usize,
    /// Mean of the forecasts; null without forecasts.
    pub forecast: Option<f64>,
    /// Share of the forecasts that came true.
    pub observed: Option<f64>,
    /// Lower end of Wilson's interval, which treats every forecast as another person's. With weights it uses Kish's n.
    pub observed_low: Option<f64>,
    pub observed_high: Option<f64>,
}

/// Returns the bin of a probability.
pub(super) fn place(p: f64) -> usize {
    ((p * BINS as f64).ceil() as usize).clamp(1, BINS) - 1
}

/// Returns the most probable option, the first of several, and its probability.
pub(super) fn likeliest(p: &[f64]) -> (usize, f64) {
    let best = p.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    best.unwrap_or_default()
}

pub(super) fn of_options(forecasts: &[&Forecast], level: f64) -> Vec<CalibrationBin> {
    let each = |of: &&Forecast| {
        let (answer, weight) = (of.answer, of.weight);
        of.p.iter().enumerate().map(move |(option, p)| (*p, option == answer, weight)).collect::<Vec<_>>()
    };
    bins(forecasts.iter().flat_map(each), level)
}

pub(super) fn of_likeliest(forecasts: &[&Forecast], level: f64) -> Vec<CalibrationBin> {
    let of = |of: &&Forecast| {
        let (top, p) = likeliest(&of.p);
        (p, top == of.answer, of.weight)
    };
    bins(forecasts.iter().map(of), level)
}

/// Puts forecasts into bins. A forecast is its probability, whether it came true, and its weight.
fn bins(forecasts: impl Iterator<Item = (f64, bool, f64)>, level: f64) -> Vec<CalibrationBin> {
    let mut all: [Vec<(f64, bool, f64)>; BINS] = std::array::from_fn(|_| Vec::new());
    for forecast in forecasts.filter(|(_, _, weight)| *weight > 0.0) {
        all[place(forecast.0)].push(forecast);
    }
    let bin = |(number, forecasts): (usize, Vec<(f64, bool, f64)>)| {
        let weights: Vec<f64> = forecasts.iter().map(|(_, _, weight)| *weight).collect();
        let total = crate::sample::total(&weights);
        let mean = |value: fn(&(f64, bool, f64)) -> f64| {
            (total > 0.0).then(|| forecasts.iter().map(|of| of.2 * value(of)).sum::<f64>() / total)
        };
        let observed = mean(|(_, is_so, _)| f64::from(*is_so));
        let of_observed = observed.zip(effective_n(&weights)).and_then(|(share, n)| of_share(share * n, n, level));
        let (observed_low, observed_high) = ends(of_observed);
        CalibrationBin {
            low: number as f64 / BINS as f64,
            high: (number + 1) as f64 / BINS as f64,
            n: forecasts.len(),
            forecast: mean(|(p, _, _)| *p),
            observed,
            observed_low,
            observed_high,
        }
    };
    all.into_iter().enumerate().map(bin).collect()
}

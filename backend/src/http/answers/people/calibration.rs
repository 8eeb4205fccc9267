//! What repeats forecast, and what people answered.

use evidence::calibration::{self, CalibrationBin, ItemScores, Scores};
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::answers::figures::{Figure, ends};

/// Forecasts of about the same probability.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ForecastBin {
    #[schema(example = 0.6)]
    low: f64,
    #[schema(example = 0.7)]
    high: f64,
    /// Forecasts in it.
    n: usize,
    /// Their mean; null without any.
    forecast: Option<f64>,
    /// The share that came true, with Wilson's interval.
    observed: Option<f64>,
    observed_low: Option<f64>,
    observed_high: Option<f64>,
}

impl From<&CalibrationBin> for ForecastBin {
    fn from(CalibrationBin { low, high, n, forecast, observed, interval }: &CalibrationBin) -> Self {
        let (observed_low, observed_high) = ends(*interval);
        let (low, high, n, forecast, observed) = (*low, *high, *n, *forecast, *observed);
        Self { low, high, n, forecast, observed, observed_low, observed_high }
    }
}

/// Means over forecasts: 0 is best.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ForecastScores {
    /// 0 to 2.
    brier: Figure,
    /// Negative log likelihood, in nats.
    log_loss: Figure,
    /// Ranked probability score, 0 to 1; null where options have no order.
    ranked_probability: Option<Figure>,
    /// How far the likeliest option's probability is from how often it was the answer, 0 to 1.
    expected_calibration_error: Figure,
    /// The Brier score of the people's own shares as a forecast of everybody, which needs no twin.
    brier_of_shares: Figure,
}

impl From<&Scores> for ForecastScores {
    fn from(of: &Scores) -> Self {
        Self {
            brier: Figure::from(&of.brier),
            log_loss: Figure::from(&of.log_loss),
            ranked_probability: of.ranked_probability.as_ref().map(Figure::from),
            expected_calibration_error: Figure::from(&of.expected_calibration_error),
            brier_of_shares: Figure::from(&of.brier_of_shares),
        }
    }
}

/// A question of options, or a row of a matrix.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ForecastQuestion {
    #[schema(example = "fair")]
    name: String,
    text: String,
    #[serde(flatten)]
    scores: ForecastScores,
}

impl From<&ItemScores> for ForecastQuestion {
    fn from(ItemScores { name, text, scores }: &ItemScores) -> Self {
        Self { name: name.clone(), text: text.clone(), scores: ForecastScores::from(scores) }
    }
}

/// How far the shares of a twin's repeated answers can be believed as forecasts of its person's answer. Of questions with one
/// option as the answer, and people whose twin answered in every repeat.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct Calibration {
    people: usize,
    repeats: usize,
    /// Bootstrap samples drawn over people.
    draws: usize,
    all: ForecastScores,
    /// Ten bins of equal width: of every option of every forecast its probability, and whether it was the answer.
    options: Vec<ForecastBin>,
    /// The same of each forecast's likeliest option alone; their gaps make the expected calibration error.
    likeliest: Vec<ForecastBin>,
    questions: Vec<ForecastQuestion>,
}

impl From<&calibration::Calibration> for Calibration {
    fn from(of: &calibration::Calibration) -> Self {
        Self {
            people: of.people,
            repeats: of.repeats,
            draws: of.draws,
            all: ForecastScores::from(&of.scores),
            options: of.options.iter().map(ForecastBin::from).collect(),
            likeliest: of.likeliest.iter().map(ForecastBin::from).collect(),
            questions: of.items.iter().map(ForecastQuestion::from).collect(),
        }
    }
}

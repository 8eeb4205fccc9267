//! What follows from a validation, by fixed rules: the same figures always give the same words.

use evidence::intervals::Estimate;
use evidence::validation::{ArmFigures, CEILING, Validated};
use serde::Serialize;
use utoipa::ToSchema;

use super::guard::LeakFinding;

/// An r that individual answers need.
const LEAST_R: f64 = 0.3;
/// A spread that variances, segments and power need, in the people's.
const LEAST_SPREAD: f64 = 0.8;

/// What may be done with the answers, or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ValidationVerdict)]
pub struct TrustVerdict {
    pub good: bool,
    #[schema(example = "Do not use individual answers.")]
    pub title: String,
    #[schema(example = "r = .21, at most .27; the limit is .30.")]
    pub text: String,
}

/// Of an arm. Nothing where the guard found a leak, or where there are no intervals.
pub fn verdicts(validated: &Validated, arm: &str, leaks: &[LeakFinding]) -> Vec<TrustVerdict> {
    let Some(of) = validated.arms.iter().find(|figures| figures.key == arm).filter(|_| leaks.is_empty()) else {
        return Vec::new();
    };
    [individuals(of), spread(of), profile(of)].into_iter().flatten().collect()
}

/// Twins that agree with people better than the people with themselves have been told the answers.
pub fn better_than_the_ceiling(validated: &Validated, arm: &str) -> Option<LeakFinding> {
    let of = |key: &str| validated.arms.iter().find(|figures| figures.key == key)?.accuracy.as_ref();
    let (twins, ceiling) = (of(arm)?, of(CEILING)?);
    (twins.value > ceiling.interval?.high).then(|| LeakFinding {
        step: "ceiling".into(),
        text: format!(
            "The twins agree with people better ({}) than the people with themselves weeks later ({}): they know the answers.",
            short(twins.value),
            with_interval(ceiling)
        ),
    })
}

fn individuals(arm: &ArmFigures) -> Option<TrustVerdict> {
    let r = arm.r.as_ref()?;
    let most = r.interval?.high;
    let good = most >= LEAST_R;
    let title = if good { "Individual answers carry information." } else { "Do not use individual answers." };
    let text = format!("r = {}; the limit is {}.", with_interval(r), short(LEAST_R));
    Some(TrustVerdict { good, title: title.into(), text })
}

fn spread(arm: &ArmFigures) -> Option<TrustVerdict> {
    let ratio = arm.sd_ratio.as_ref()?;
    let good = ratio.interval?.high >= LEAST_SPREAD;
    let title = if good { "Spread is not shown to be understated." } else { "Spread is understated." };
    let consequence = if good { "" } else { " Do not use it for variances, segmentation or power." };
    let text = format!("SD ratio {}; the limit is {}.{consequence}", with_interval(ratio), short(LEAST_SPREAD));
    Some(TrustVerdict { good, title: title.into(), text })
}

fn profile(arm: &ArmFigures) -> Option<TrustVerdict> {
    let (_, over) = arm.over.iter().find(|(key, _)| key == "empty")?;
    let interval = over.interval?;
    let (good, title) = match () {
        () if interval.contains(0.0) => (false, "The profile adds nothing measurable here."),
        () if over.value < 0.0 => (false, "The profile makes answers worse here."),
        () => (true, "The profile adds something."),
    };
    let text = format!("Accuracy {} over an empty profile.", with_interval(over));
    Some(TrustVerdict { good, title: title.into(), text })
}

fn with_interval(estimate: &Estimate) -> String {
    let interval = estimate.interval.map(|of| format!(", 95 % CI {} to {}", short(of.low), short(of.high)));
    format!("{}{}", short(estimate.value), interval.unwrap_or_default())
}

/// `.21`, `-.05`, `1.03`.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.strip_prefix("0.").map(|rest| format!(".{rest}")) {
        Some(short) => short,
        None => text.strip_prefix("-0.").map_or_else(|| text.clone(), |rest| format!("-.{rest}")),
    }
}

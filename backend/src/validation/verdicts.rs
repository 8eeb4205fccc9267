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
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.strip_prefix("0.").map(|rest| format!(".{rest}")) {
        Some(short) => short,
        None => text.strip_prefix("-0.").map_or_else(|| text.clone(), |rest| format!("-.{rest}")),
    }
}

#[cfg(test)]
mod tests {
    use evidence::intervals::Interval;

    use super::*;

    fn estimate(value: f64, low: f64, high: f64) -> Option<Estimate> {
        Some(Estimate::new(value, 100, Some(Interval { low, high })))
    }

    fn arm(key: &str, accuracy: Option<Estimate>) -> ArmFigures {
        ArmFigures {
            key: key.into(),
            people: 100,
            answers: 5_000,
            accuracy,
            of_ceiling: None,
            r: estimate(0.21, 0.15, 0.27),
            disattenuated: None,
            disattenuated_items: 0,
            sd_ratio: estimate(0.62, 0.57, 0.67),
            glass: None,
            exact: None,
            over: vec![("empty".into(), estimate(0.015, 0.005, 0.025).unwrap())],
        }
    }

    fn validated(of: ArmFigures) -> Validated {
        let ceiling = arm(CEILING, estimate(0.816, 0.807, 0.825));
        Validated { draws: 2_000, arms: vec![ceiling, of], tasks: Vec::new() }
    }

    fn titles(of: ArmFigures) -> Vec<(bool, String)> {
        verdicts(&validated(of), "wave1_3", &[]).into_iter().map(|verdict| (verdict.good, verdict.title)).collect()
    }

    #[test]
    fn the_rules_are_those_of_the_intervals_ends() {
        let of = arm("wave1_3", estimate(0.724, 0.712, 0.736));
        let found = verdicts(&validated(of.clone()), "wave1_3", &[]);
        assert_eq!(found[0].title, "Do not use individual answers.");
        assert_eq!(found[0].text, "r = .21, 95 % CI .15 to .27; the limit is .30.");
        assert_eq!(found[1].title, "Spread is understated.");
        assert_eq!((found[2].good, found[2].title.as_str()), (true, "The profile adds something."));

        let mut better = of.clone();
        better.r = estimate(0.35, 0.28, 0.42);
        better.sd_ratio = estimate(0.75, 0.69, 0.81);
        better.over[0].1 = estimate(0.004, -0.006, 0.014).unwrap();
        let expected = [
            (true, "Individual answers carry information.".to_owned()),
            (true, "Spread is not shown to be understated.".to_owned()),
            (false, "The profile adds nothing measurable here.".to_owned()),
        ];
        assert_eq!(titles(better), expected);
        let mut worse = of;
        worse.over[0].1 = estimate(-0.02, -0.03, -0.01).unwrap();
        assert_eq!(titles(worse)[2], (false, "The profile makes answers worse here.".to_owned()));
    }

    #[test]
    fn a_leak_leaves_no_verdict_and_more_than_the_ceiling_is_one() {
        let of = |accuracy| validated(arm("wave1_3", accuracy));
        assert_eq!(better_than_the_ceiling(&of(estimate(0.82, 0.81, 0.83)), "wave1_3"), None);
        let leak = better_than_the_ceiling(&of(estimate(0.83, 0.82, 0.84)), "wave1_3").unwrap();
        assert!(
            leak.text.contains("(.83) than the people with themselves weeks later (.82, 95 % CI .81 to .82)"),
            "{}",
            leak.text
        );
        assert_eq!(verdicts(&of(estimate(0.83, 0.82, 0.84)), "wave1_3", &[leak]), []);
    }

    #[test]
    fn figures_are_short() {
        assert_eq!([0.214, -0.05, 1.034, 0.0].map(short), [".21", "-.05", "1.03", ".00"]);
    }
}

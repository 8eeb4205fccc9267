//! Verdicts of a validation, which follow from its figures by fixed rules.

use evidence::intervals::{Estimate, Interval, MIN_PEOPLE};
use evidence::validation::{ArmFigures, BASELINES, CEILING, CONTENDERS, Validated};
use export::number;
use serde::Serialize;
use utoipa::ToSchema;

use super::guard::LeakFinding;

/// Correlation that individual answers need, a convention of this program. Below it a persona's answer explains less
/// than a tenth of the variance of people's answers.
const MIN_R: f64 = 0.3;
/// Ratio to the people's standard deviation that variances, segments and power need, also a convention of this program.
const MIN_SD_RATIO: f64 = 0.8;
/// Decimals of a figure, and of a difference of accuracies, as on the page.
const DIGITS: usize = 2;
const ACCURACY_DIGITS: usize = 3;
/// Upper limit of a stated number of twins.
const MAX_TWINS: f64 = 1e6;

/// Whether the answers meet a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictState {
    /// The whole interval is on the good side of the limit.
    Shown,
    /// The whole interval is on the other side.
    NotShown,
    /// The interval contains the limit, or there is none.
    TooFewTwins,
}

/// A statement about what the answers can be used for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ValidationVerdict)]
pub struct TrustVerdict {
    pub state: VerdictState,
    #[schema(example = "Do not use individual answers.")]
    pub title: String,
    #[schema(example = "r = .21, 95 % CI .15 to .27; the limit is .30, a convention of this program.")]
    pub text: String,
    /// If there are too few twins, about how many would decide it at the same figure; null if there is no interval or
    /// more than a million would be needed.
    pub twins_needed: Option<u64>,
}

/// The titles of a question's three answers, in the order of [`VerdictState`].
type Titles = [&'static str; 3];

/// The verdicts for an arm of twins. Empty if the guard found a leak or no twin answered.
pub fn verdicts(validated: &Validated, arm: &str, leaks: &[LeakFinding]) -> Vec<TrustVerdict> {
    let is_of_twins = arm != CEILING && !BASELINES.contains(&arm);
    let Some(of) = validated.arm(arm).filter(|of| is_of_twins && leaks.is_empty() && of.people > 0) else {
        return Vec::new();
    };
    let over = |key: &str| of.over.iter().find(|(other, _)| other == key).map(|(_, over)| over);
    let profile = validated.arm("empty").filter(|empty| empty.key != arm).map(|_| profile(over("empty")));
    let best = validated.best_without_model().map(|best| against_best(&best.key, over(&best.key)));
    [Some(individuals(of)), Some(spread(of)), profile, best].into_iter().flatten().collect()
}

/// Reports a leak if twins agree with people better than the people with themselves: they must know the answers.
pub fn better_than_the_ceiling(validated: &Validated, arm: &str) -> Option<LeakFinding> {
    let of = |key: &str| validated.arms.iter().find(|figures| figures.key == key)?.accuracy.as_ref();
    let (twins, ceiling) = (of(arm)?, of(CEILING)?);
    (twins.value > ceiling.high?).then(|| LeakFinding {
        step: "ceiling".into(),
        text: format!(
            "The twins agree with people better ({}) than the people with themselves weeks later ({}): they know the answers.",
            short(twins.value),
            with_interval(ceiling, DIGITS)
        ),
    })
}

fn individuals(arm: &ArmFigures) -> TrustVerdict {
    const TITLES: Titles = [
        "Individual answers carry information.",
        "Do not use individual answers.",
        "Too few twins to tell whether individual answers carry information.",
    ];
    let sentence = |r: &str| format!("r = {r}; the limit is {}, a convention of this program.", short(MIN_R));
    judged(arm.r.as_ref(), MIN_R, DIGITS, TITLES, sentence)
}

fn spread(arm: &ArmFigures) -> TrustVerdict {
    const TITLES: Titles = [
        "Spread is not understated.",
        "Spread is understated.",
        "Too few twins to tell whether spread is understated.",
    ];
    let sentence =
        |ratio: &str| format!("SD ratio {ratio}; the limit is {}, a convention of this program.", short(MIN_SD_RATIO));
    let mut verdict = judged(arm.sd_ratio.as_ref(), MIN_SD_RATIO, DIGITS, TITLES, sentence);
    if verdict.state == VerdictState::NotShown {
        verdict.text += " Do not use it for variances, segmentation or power.";
    }
    verdict
}

fn profile(over_empty: Option<&Estimate>) -> TrustVerdict {
    const TITLES: Titles = [
        "The profile adds something.",
        "The profile makes answers worse here.",
        "Too few twins to tell whether the profile adds something.",
    ];
    judged(over_empty, 0.0, ACCURACY_DIGITS, TITLES, |over| format!("Accuracy {over} over an empty profile."))
}

/// Compares with the most accurate answer without a model, whose key is `best`.
fn against_best(best: &str, over: Option<&Estimate>) -> TrustVerdict {
    const TITLES: Titles = [
        "More accurate than the best answer without a model.",
        "Not more accurate than the best answer without a model.",
        "Too few twins to tell whether they are more accurate than the best answer without a model.",
    ];
    let named = match best {
        "modal" => "everybody’s most frequent answer",
        "median" => "the median of everybody’s first answers",
        "cell_mean" => "the mean of the others of the same gender and age",
        _ => "a regression on demographics",
    };
    judged(over, 0.0, ACCURACY_DIGITS, TITLES, |over| {
        format!(
            "Accuracy {over} over {named}, which of {} answers without a model is the most accurate here; it is chosen by the \
             same answers, which favours it.",
            CONTENDERS.len()
        )
    })
}

/// Compares the ends of an interval with a limit. `sentence` puts the figure into a sentence.
fn judged(
    of: Option<&Estimate>,
    limit: f64,
    digits: usize,
    titles: Titles,
    sentence: impl Fn(&str) -> String,
) -> TrustVerdict {
    let [shown, not_shown, too_few] = titles;
    let verdict =
        |state, title: &str, text, twins_needed| TrustVerdict { state, title: title.to_owned(), text, twins_needed };
    let Some(of) = of.filter(|of| of.value.is_finite()) else {
        return verdict(VerdictState::TooFewTwins, too_few, "These answers give no figure.".to_owned(), None);
    };
    let text = sentence(&with_interval(of, digits));
    match of.interval() {
        Some(interval) if interval.low > limit => verdict(VerdictState::Shown, shown, text, None),
        Some(interval) if interval.high < limit => verdict(VerdictState::NotShown, not_shown, text, None),
        Some(interval) => {
            let needed = twins_needed(of, interval, limit);
            let outlook = match needed {
                Some(needed) => format!("About {} twins could tell, if the figure stays as it is.", grouped(needed)),
                None => "The figure is so near to the limit that no number of twins would tell.".to_owned(),
            };
            verdict(VerdictState::TooFewTwins, too_few, format!("{text} {outlook}"), needed)
        }
        None => {
            let outlook = format!("Without an interval, which needs {MIN_PEOPLE} twins or more, nothing follows.");
            verdict(VerdictState::TooFewTwins, too_few, format!("{text} {outlook}"), None)
        }
    }
}

/// Number of twins whose interval would exclude the limit if the figure stayed the same, since an interval's half width
/// falls with the root of the number. Rounded up to two digits.
fn twins_needed(of: &Estimate, interval: Interval, limit: f64) -> Option<u64> {
    let half = if of.value >= limit { of.value - interval.low } else { interval.high - of.value };
    let needed = (of.n as f64 * (half / (of.value - limit)).powi(2)).max(of.n as f64 + 1.0);
    let unit = 10_f64.powf((needed.log10().floor() - 1.0).max(0.0));
    (needed <= MAX_TWINS).then(|| ((needed / unit).ceil() * unit) as u64)
}

/// Formats as `12,000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let thousands = digits.as_bytes().rchunks(3).rev().map(|three| String::from_utf8_lossy(three).into_owned());
    thousands.collect::<Vec<_>>().join(",")
}

fn with_interval(estimate: &Estimate, digits: usize) -> String {
    let figure = |value| number::short(value, digits);
    let interval = estimate.interval().map(|of| format!(", 95 % CI {} to {}", figure(of.low), figure(of.high)));
    format!("{}{}", figure(estimate.value), interval.unwrap_or_default())
}

/// Formats a figure as [`number::short`], with the usual decimals.
fn short(value: f64) -> String {
    number::short(value, DIGITS)
}

#[cfg(test)]
mod tests {
    use super::VerdictState::{NotShown, Shown, TooFewTwins};
    use super::*;

    fn of_people(n: usize, value: f64, low: f64, high: f64) -> Option<Estimate> {
        Some(Estimate::new(value, n, Some(Interval { low, high })))
    }

    fn estimate(value: f64, low: f64, high: f64) -> Option<Estimate> {
        of_people(100, value, low, high)
    }

    fn arm(key: &str, accuracy: Option<Estimate>) -> ArmFigures {
        let over = |key: &str| (key.to_owned(), estimate(0.02, 0.01, 0.03).unwrap());
        ArmFigures {
            key: key.into(),
            people: 100,
            answers: 5_000,
            accuracy,
            of_ceiling: None,
            r: estimate(0.21, 0.15, 0.27),
            disattenuated: None,
            disattenuated_items: None,
            sd_ratio: estimate(0.62, 0.57, 0.67),
            glass: None,
            exact: None,
            over: ["empty", "modal", "median"].map(over).to_vec(),
        }
    }

    fn validated(of: ArmFigures) -> Validated {
        let accuracies = [(CEILING, 0.816), ("empty", 0.7), ("modal", 0.69), ("median", 0.7)];
        let mut arms: Vec<ArmFigures> =
            accuracies.map(|(key, value)| arm(key, estimate(value, value - 0.009, value + 0.009))).to_vec();
        arms.push(of);
        Validated { draws: 2_000, arms, tasks: Vec::new() }
    }

    fn found(of: ArmFigures) -> Vec<TrustVerdict> {
        verdicts(&validated(of), "wave1_3", &[])
    }

    fn of_twins() -> ArmFigures {
        arm("wave1_3", estimate(0.724, 0.712, 0.736))
    }

    /// The verdict about individual answers, from one correlation.
    fn individuals_of(r: Option<Estimate>) -> TrustVerdict {
        found(ArmFigures { r, ..of_twins() }).remove(0)
    }

    #[test]
    fn green_needs_the_lower_end_and_red_the_upper_one() {
        let all = found(of_twins());
        let titled: Vec<(VerdictState, &str)> =
            all.iter().map(|verdict| (verdict.state, verdict.title.as_str())).collect();
        let expected = [
            (NotShown, "Do not use individual answers."),
            (NotShown, "Spread is understated."),
            (Shown, "The profile adds something."),
            (Shown, "More accurate than the best answer without a model."),
        ];
        assert_eq!(titled, expected);
        assert_eq!(all[0].text, "r = .21, 95 % CI .15 to .27; the limit is .30, a convention of this program.");
        assert_eq!(
            all[3].text,
            "Accuracy .020, 95 % CI .010 to .030 over the median of everybody’s first answers, which of 4 answers without a model is \
             the most accurate here; it is chosen by the same answers, which favours it."
        );
        let good = individuals_of(estimate(0.38, 0.31, 0.45));
        assert_eq!((good.state, good.title.as_str()), (Shown, "Individual answers carry information."));
        let mut worse = of_twins();
        worse.over[0].1 = estimate(-0.02, -0.03, -0.01).unwrap();
        worse.over[2].1 = estimate(-0.02, -0.03, -0.01).unwrap();
        let worse = found(worse);
        assert_eq!((worse[2].state, worse[2].title.as_str()), (NotShown, "The profile makes answers worse here."));
        assert_eq!(worse[3].title, "Not more accurate than the best answer without a model.");
        assert!(worse[3].text.starts_with("Accuracy −.020, 95 % CI −.030 to −.010 over"), "{}", worse[3].text);
    }

    /// Tests one model and people: with 20 twins all five verdicts were green, with 300 they were red.
    #[test]
    fn fewer_twins_never_make_a_verdict_better() {
        for (n, r, half) in [(300, 0.27, 0.025), (100, 0.24, 0.04), (40, 0.26, 0.1), (20, 0.30, 0.2), (20, 0.23, 0.2)] {
            let of = individuals_of(of_people(n, r, r - half, r + half));
            assert_ne!(of.state, Shown, "{n}");
        }
        let few = individuals_of(of_people(20, 0.23, 0.03, 0.43));
        assert_eq!(few.state, TooFewTwins);
        assert_eq!(few.title, "Too few twins to tell whether individual answers carry information.");
        // 20 · (.20/.07)² = 163.3
        assert_eq!(few.twins_needed, Some(170));
        assert!(few.text.ends_with("About 170 twins could tell, if the figure stays as it is."), "{}", few.text);
    }

    #[test]
    fn without_a_figure_or_an_interval_there_is_no_verdict() {
        let none = individuals_of(None);
        assert_eq!(
            (none.state, none.twins_needed, none.text.as_str()),
            (TooFewTwins, None, "These answers give no figure.")
        );
        let nan = individuals_of(Some(Estimate::new(f64::NAN, 9, None)));
        assert_eq!(nan.state, TooFewTwins);
        let few = individuals_of(of_people(9, 0.9, 0.8, 0.95));
        assert_eq!((few.state, few.twins_needed), (TooFewTwins, None));
        assert!(few.text.contains("which needs 20 twins or more"), "{}", few.text);
        let on_the_limit = individuals_of(estimate(MIN_R, 0.2, 0.4));
        assert_eq!((on_the_limit.state, on_the_limit.twins_needed), (TooFewTwins, None));
        assert_eq!(found(ArmFigures { people: 0, ..of_twins() }), []);
        assert_eq!(verdicts(&validated(of_twins()), "median", &[]), [], "it is no twin");
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
}

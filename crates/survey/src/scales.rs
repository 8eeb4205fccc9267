//! Infers whether the options of a choice are degrees of one scale: from their numbers, their words or their codes.

mod words;

use serde::Serialize;
use utoipa::ToSchema;

use self::words::is_monotone;
use crate::logic::Scale;

/// Minimum number of options of a scale. Two options have shares.
const MIN_DEGREES: usize = 3;

/// Why a question is scored as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScaleReason {
    /// Somebody stated the scale.
    Stated,
    /// The answers are numbers, or the numbers in the options rise or fall with their order.
    Numbers,
    /// The options are the words of a known scale, in order.
    Words,
    /// The labels of a matrix are degrees unless somebody says otherwise.
    Matrix,
    /// The codes are those of a scale: they fall from the number of options to 1, or begin at 0 or below.
    Codes,
    /// The options rise or fall, but their codes do not. Somebody has to decide.
    CodesDisagree,
    /// There are two options, which have shares.
    TwoOptions,
    /// The options have no order that their words, numbers or codes show.
    NoOrder,
}

/// Infers the scale of options with these labels, and says why. `codes` are those of the options if they are not 1, 2,
/// 3 and so on.
pub fn infer(labels: &[String], codes: Option<&[i64]>) -> (Scale, ScaleReason) {
    if labels.len() < MIN_DEGREES {
        return (Scale::Nominal, ScaleReason::TwoOptions);
    }
    let found = if are_numbered(labels) {
        Some(ScaleReason::Numbers)
    } else if words::are_degrees(labels) {
        Some(ScaleReason::Words)
    } else {
        codes.is_some_and(are_scale_codes).then_some(ScaleReason::Codes)
    };
    let Some(reason) = found else { return (Scale::Nominal, ScaleReason::NoOrder) };
    let codes = codes.map(|codes| codes.iter().map(|code| *code as f64).collect::<Vec<_>>());
    if codes.is_some_and(|codes| !is_monotone(&codes)) {
        return (Scale::Nominal, ScaleReason::CodesDisagree);
    }
    (Scale::Ordinal, reason)
}

/// Whether the codes run from the number of options down to 1, or one by one from 0 or below.
fn are_scale_codes(codes: &[i64]) -> bool {
    let steps = |by: i64| codes.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(by));
    steps(-1) || (steps(1) && codes.first().is_some_and(|first| *first <= 0))
}

/// Whether each label has a number that tells its place, e.g. `1 = Rarely`, `2`, `3 = Always` or `18 to 24`. The labels
/// of the ends may be words alone. Numbers that follow one word in all labels, as `Option 1`, are names.
fn are_numbered(labels: &[String]) -> bool {
    let values: Vec<Option<f64>> = labels.iter().map(|label| value(label)).collect();
    let numbers: Vec<f64> = values.iter().flatten().copied().collect();
    let Some(between) = values.get(1..values.len().saturating_sub(1)) else { return false };
    let is_told = values.iter().all(Option::is_some) || (between.len() > 1 && between.iter().all(Option::is_some));
    is_told && is_monotone(&numbers) && !are_numbered_names(labels)
}

fn are_numbered_names(labels: &[String]) -> bool {
    let name = |label: &String| {
        let letters: String = label.chars().take_while(|letter| !letter.is_ascii_digit()).collect();
        letters.trim().to_lowercase()
    };
    let first = labels.first().map(name).unwrap_or_default();
    first.chars().any(char::is_alphabetic) && labels.iter().all(|label| name(label) == first)
}

/// Returns the number that a label is about: the mean of its numbers, a little less or more for an open range.
fn value(label: &str) -> Option<f64> {
    let lower = label.to_lowercase().replace(',', "");
    let numbers: Vec<f64> = lower
        .split(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
        .filter_map(|part| part.trim_matches('.').parse().ok())
        .collect();
    let is_negative = numbers.len() == 1 && lower.trim().starts_with(['-', '−']);
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let has = |words: &[&str]| lower.split(|c: char| !c.is_alphabetic()).any(|word| words.contains(&word));
    let open = match numbers.len() {
        1 if has(&["less", "under", "fewer", "below"]) => -0.25,
        1 if has(&["more", "over", "above", "older"]) || lower.trim().ends_with('+') => 0.25,
        _ => 0.0,
    };
    (!numbers.is_empty()).then(|| if is_negative { -mean } else { mean } + open)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(labels: &str, codes: Option<&[i64]>) -> (Scale, ScaleReason) {
        let labels: Vec<String> = labels.split(" | ").map(str::to_owned).collect();
        infer(&labels, codes)
    }

    #[test]
    fn numbers_words_and_codes_tell_an_order() {
        for labels in [
            "1 = Very unfair | 2 | 3 | 4 | 5 = Very fair",
            "Not at all 1 | 2 | 3 | Extremely 4",
            "Not at all | 2 | 3 | 4 | Extremely",
            "less than 3 hours | 3 or more but less than 6 hours | 6 or more but less than 9 hours | 9 or more hours",
            "18-24 | 25-34 | 35-44 | 45+",
            "Less than $10,000 | $10,000 - $19,999 | $20,000 or more",
            "-2 | -1 | 0 | 1 | 2",
        ] {
            assert_eq!(of(labels, None), (Scale::Ordinal, ScaleReason::Numbers), "{labels}");
        }
        for labels in [
            "Strongly disagree | Disagree | Neither agree nor disagree | Agree | Strongly agree",
            "Strongly agree | Somewhat agree | Neutral | Somewhat disagree | Strongly disagree",
            "Extremely unlikely | Moderately unlikely | Slightly unlikely | Neither likely nor unlikely | Slightly likely | \
             Moderately likely | Extremely likely",
            "Not at all satisfied | Slightly satisfied | Moderately satisfied | Very satisfied | Extremely satisfied",
            "Never | Rarely | Sometimes | Often | Always",
            "Never | Sometimes | About half the time | Most of the time | Always",
            "None at all | A little | A moderate amount | A lot | A great deal",
            "Definitely not | Probably not | Might or might not | Probably yes | Definitely yes",
            "Terrible | Poor | Average | Good | Excellent",
            "Very unfair | Unfair | Fair | Very fair",
            "Not important at all | Slightly important | Important | Very important",
            "Much worse | Somewhat worse | About the same | Somewhat better | Much better",
            "Daily | Once per week | Every two weeks | Every month | Every two months | Every half a year | Never",
            "Strongly oppose | Oppose | Support | Strongly support",
            "Never | Now and then | Every week",
        ] {
            assert_eq!(of(labels, None), (Scale::Ordinal, ScaleReason::Words), "{labels}");
        }
        assert_eq!(of("left | middle | right", Some(&[3, 2, 1])), (Scale::Ordinal, ScaleReason::Codes));
        assert_eq!(of("left | middle | right", Some(&[-1, 0, 1])), (Scale::Ordinal, ScaleReason::Codes));
    }

    #[test]
    fn names_have_no_order() {
        for labels in [
            "Tea | Coffee | Water",
            "Option 1 | Option 2 | Option 3",
            "Male | Female | Other",
            "A mandatory fee for a group of services | A fee for paying late | A tip",
            "Agree | Disagree | I do not know",
            "Democrat | Republican | Independent",
            "Strongly agree | Strongly disagree | Agree",
            "Yes | No | Not sure",
            "Netflix | TikTok | Instagram | None",
            "2019 | 2021 | 2020",
        ] {
            assert_eq!(of(labels, None), (Scale::Nominal, ScaleReason::NoOrder), "{labels}");
        }
        assert_eq!(of("Tea | Coffee | Water", Some(&[1, 4, 5])), (Scale::Nominal, ScaleReason::NoOrder));
        assert_eq!(of("Never | Sometimes | Always", Some(&[4, 1, 2])), (Scale::Nominal, ScaleReason::CodesDisagree));
        assert_eq!(of("Yes | No", None), (Scale::Nominal, ScaleReason::TwoOptions));
    }
}

//! The few words that the demo model knows: positions of options on a scale, and plainly synthetic sentences.

use serde_json::Value;

use super::twin::Twin;

const STANCES: [&str; 5] = [
    "this is not for me",
    "I have my doubts about this",
    "I can see both sides of this",
    "I am mostly in favour of this",
    "I like this very much",
];

const REASONS: [&str; 6] = [
    "it fits how I live from day to day",
    "the people around me see it much the same way",
    "the cost matters more to me than anything else",
    "I have tried something like it before",
    "I would want to know more before I change my mind",
    "it is simply what I am used to",
];

/// Joins two halves of a sentence, which says that it is synthetic.
pub fn answer(twin: &Twin, question: &str) -> String {
    let stance = pick(&STANCES, twin.leaning(question));
    let reason = pick(&REASONS, twin.luck(question));
    format!("Synthetic answer: {stance}, because {reason}.")
}

fn pick(texts: &[&'static str], share: f64) -> &'static str {
    let last = texts.len() - 1;
    texts[((share * texts.len() as f64) as usize).min(last)]
}

/// Returns the position of each choice between -1 and 1, if all of them are on one scale: numbers, or the words of
/// rating scales.
pub fn scale(choices: &[Value]) -> Option<Vec<f64>> {
    let texts = choices.iter().map(|choice| Some(choice.as_str()?.to_lowercase())).collect::<Option<Vec<_>>>()?;
    numbers(&texts).or_else(|| texts.iter().map(|text| rating(text)).collect())
}

fn numbers(texts: &[String]) -> Option<Vec<f64>> {
    let number = |text: &String| {
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        text[..end].parse::<f64>().ok()
    };
    let numbers = texts.iter().map(number).collect::<Option<Vec<_>>>()?;
    let (min, max) = numbers.iter().fold((f64::MAX, f64::MIN), |(min, max), n| (min.min(*n), max.max(*n)));
    (max > min).then(|| numbers.iter().map(|n| 2.0 * (n - min) / (max - min) - 1.0).collect())
}

fn rating(text: &str) -> Option<f64> {
    const MIDDLE: [&str; 6] = ["neither", "neutral", "undecided", "sometimes", "not sure", "moderate"];
    const AGAINST: [&str; 14] = [
        "disagree",
        "never",
        "unlikely",
        "dissatisf",
        "bad",
        "poor",
        "not at all",
        "oppose",
        "unimportant",
        "worse",
        "rarely",
        "dislike",
        "negative",
        "unfavo",
    ];
    const FOR: [&str; 14] = [
        "agree",
        "always",
        "likely",
        "satisf",
        "good",
        "excellent",
        "support",
        "important",
        "better",
        "often",
        "like",
        "positive",
        "favo",
        "extremely",
    ];
    const STRONG: [&str; 8] =
        ["strongly", "very", "extremely", "completely", "always", "never", "not at all", "excellent"];
    const WEAK: [&str; 5] = ["somewhat", "slightly", "rather", "fairly", "a little"];
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let strength = if has(&STRONG) {
        1.0
    } else if has(&WEAK) {
        0.35
    } else {
        0.65
    };
    // Negative words are checked first, because "disagree" contains "agree".
    match (has(&MIDDLE), has(&AGAINST), has(&FOR)) {
        (true, _, _) => Some(0.0),
        (_, true, _) => Some(-strength),
        (_, _, true) => Some(strength),
        _ => None,
    }
}

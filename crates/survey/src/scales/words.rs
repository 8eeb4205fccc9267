//! The words of known scales, as degrees.

/// Words of the two sides of a scale. `fair` is left to the qualities where another label is one.
const POLES: [(&[&str], &[&str]); 26] = [
    (&["agree"], &["disagree"]),
    (&["likely", "probable"], &["unlikely", "improbable"]),
    (&["satisfied"], &["dissatisfied", "unsatisfied"]),
    (&["support"], &["oppose"]),
    (&["favor", "favour", "favorable", "favourable"], &["against", "unfavorable", "unfavourable"]),
    (&["approve"], &["disapprove"]),
    (&["important"], &["unimportant"]),
    (&["fair"], &["unfair"]),
    (&["true"], &["false", "untrue"]),
    (&["accurate"], &["inaccurate"]),
    (&["comfortable"], &["uncomfortable"]),
    (&["easy"], &["difficult", "hard"]),
    (&["positive", "positively"], &["negative", "negatively"]),
    (&["like"], &["dislike"]),
    (&["better"], &["worse"]),
    (&["more"], &["less"]),
    (&["higher"], &["lower"]),
    (&["increase", "increased"], &["decrease", "decreased"]),
    (&["pleasant"], &["unpleasant"]),
    (&["trust", "trustworthy"], &["distrust", "untrustworthy"]),
    (&["happy"], &["unhappy", "sad"]),
    (&["acceptable"], &["unacceptable"]),
    (&["willing"], &["unwilling"]),
    (&["confident"], &["unconfident"]),
    (&["liberal"], &["conservative"]),
    (&["yes"], &["not", "no"]),
];

/// How strong a word or phrase is, the longest phrases first.
const STRENGTHS: [(&str, f64); 63] = [
    ("all of the time", 6.0),
    ("about half the time", 3.5),
    ("half of the time", 3.5),
    ("most of the time", 5.0),
    ("some of the time", 3.0),
    ("a little of the time", 2.0),
    ("a moderate amount", 3.0),
    ("once in a while", 2.0),
    ("now and then", 2.5),
    ("to some extent", 3.0),
    ("a great deal", 6.0),
    ("almost always", 5.5),
    ("almost never", 1.0),
    ("hardly ever", 1.0),
    ("very much", 5.0),
    ("quite a bit", 4.0),
    ("none at all", 0.0),
    ("not at all", 0.0),
    ("not very", 1.0),
    ("not too", 1.0),
    ("a little", 2.0),
    ("a bit", 2.0),
    ("a lot", 4.5),
    ("extremely", 6.0),
    ("completely", 6.0),
    ("absolutely", 6.0),
    ("definitely", 6.0),
    ("totally", 6.0),
    ("entirely", 6.0),
    ("strongly", 6.0),
    ("fully", 6.0),
    ("always", 6.0),
    ("very", 5.0),
    ("highly", 5.0),
    ("mostly", 5.0),
    ("usually", 5.0),
    ("much", 5.0),
    ("far", 5.0),
    ("considerably", 4.5),
    ("quite", 4.5),
    ("frequently", 4.5),
    ("often", 4.5),
    ("fairly", 3.5),
    ("rather", 3.5),
    ("pretty", 3.5),
    ("generally", 4.5),
    ("probably", 3.5),
    ("moderately", 3.0),
    ("moderate", 3.0),
    ("somewhat", 3.0),
    ("sometimes", 3.0),
    ("occasionally", 2.5),
    ("slightly", 2.0),
    ("mildly", 2.0),
    ("slight", 2.0),
    ("little", 2.0),
    ("some", 3.0),
    ("rarely", 2.0),
    ("seldom", 2.0),
    ("barely", 1.5),
    ("hardly", 1.5),
    ("never", 0.0),
    ("none", 0.0),
];

/// Words of a quality, with their degrees.
const QUALITIES: [(&str, f64); 12] = [
    ("excellent", 6.0),
    ("outstanding", 6.0),
    ("great", 5.0),
    ("good", 4.0),
    ("okay", 1.0),
    ("ok", 1.0),
    ("average", 1.0),
    ("fair", 1.0),
    ("poor", -4.0),
    ("bad", -4.0),
    ("terrible", -6.0),
    ("awful", -6.0),
];

/// Phrases of the middle of a scale.
const MIDDLES: [&str; 9] = [
    "neither",
    "neutral",
    "might or might not",
    "about the same",
    "the same",
    "no change",
    "undecided",
    "no opinion",
    "equally",
];

/// Strength of a pole without another word: `Agree` is between `Strongly agree` and `Somewhat agree`.
const PLAIN: f64 = 4.0;

/// Whether the values rise, or fall, from each to the next.
pub(super) fn is_monotone(values: &[f64]) -> bool {
    let pairs = || values.windows(2);
    pairs().all(|pair| pair[0] < pair[1]) || pairs().all(|pair| pair[0] > pair[1])
}

/// Whether the labels are degrees of one known scale, in order.
pub fn are_degrees(labels: &[String]) -> bool {
    let texts: Vec<String> = labels.iter().map(|label| words(label)).collect();
    let degrees = |degree: &dyn Fn(&str) -> Option<f64>| {
        let all: Option<Vec<f64>> = texts.iter().map(|text| degree(text)).collect();
        all.is_some_and(|all| is_monotone(&all))
    };
    let poles = || POLES.iter().filter(|poles| texts.iter().any(|text| side(text, poles).is_some()));
    degrees(&of_quality)
        || poles().any(|poles| degrees(&|text| of_poles(text, poles)))
        || (poles().next().is_none() && degrees(&strength))
        || degrees(&rate)
}

/// Returns the words in lower case, with a blank before and after each.
fn words(label: &str) -> String {
    let lower = label.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    format!(" {} ", words.collect::<Vec<_>>().join(" "))
}

fn has(text: &str, phrase: &str) -> bool {
    text.contains(&format!(" {phrase} "))
}

fn strength(text: &str) -> Option<f64> {
    STRENGTHS.iter().find(|(phrase, _)| has(text, phrase)).map(|(_, strength)| *strength)
}

/// The side of a label: 1 or −1.
fn side(text: &str, (positive, negative): &(&[&str], &[&str])) -> Option<f64> {
    if negative.iter().any(|word| has(text, word)) {
        Some(-1.0)
    } else {
        positive.iter().any(|word| has(text, word)).then_some(1.0)
    }
}

fn of_poles(text: &str, poles: &(&[&str], &[&str])) -> Option<f64> {
    if MIDDLES.iter().any(|middle| has(text, middle)) {
        return Some(0.5);
    }
    let side = side(text, poles)?;
    if has(text, "not") && has(text, "at all") {
        return Some(0.0);
    }
    Some(side * strength(text).unwrap_or(PLAIN))
}

fn of_quality(text: &str) -> Option<f64> {
    let (_, degree) = QUALITIES.iter().find(|(word, _)| has(text, word))?;
    let extra = if has(text, "very") { 0.5 } else { 0.0 };
    Some(degree + extra * degree.signum())
}

/// Returns how often in a year something happens.
fn rate(text: &str) -> Option<f64> {
    let vague = [("never", 0.0), ("rarely", 0.3), ("seldom", 0.3), ("now and then", 0.6), ("occasionally", 0.6)];
    if let Some((_, rate)) = vague.iter().find(|(word, _)| has(text, word)) {
        return Some(*rate);
    }
    let units = [("dai", 365.0), ("day", 365.0), ("week", 52.0), ("month", 12.0), ("year", 1.0), ("annual", 1.0)];
    let (_, per_year) = units.iter().find(|(unit, _)| text.contains(&format!(" {unit}")))?;
    let numbers = [("half", 0.5), ("two", 2.0), ("three", 3.0), ("four", 4.0), ("five", 5.0), ("six", 6.0)];
    let number = numbers.iter().find(|(word, _)| has(text, word)).map_or(1.0, |(_, number)| *number);
    let is_between = has(text, "every") || has(text, "each");
    let several = if has(text, "several") || has(text, "few") { 3.0 } else { 1.0 };
    let twice = if has(text, "twice") { 2.0 } else { 1.0 };
    Some(if is_between { per_year / number } else { per_year * number } * several * twice)
}

//! A twin of the demo model: a point in the space of traits, and the answers that follow from it.

use std::collections::HashSet;

use super::direction::{DIMENSIONS, Vector, uniform};

/// Labels of the lines of a profile that shape its twin, from the dataset's `persona_summary`.
const LABELS: [&str; 8] = [
    "Gender",
    "Age",
    "Education level",
    "Religion",
    "Political affiliation",
    "Political views",
    "Income",
    "Employment status",
];

#[derive(Clone, Debug)]
pub struct Twin {
    point: Vector,
    /// Scores by the words of their names, in standard deviations.
    scores: Vec<(Vec<String>, f64)>,
    /// The part that no trait explains: differs for every text and seed.
    own: [u8; 8],
    /// The variation of this call.
    mood: Option<[u8; 8]>,
}

/// Weight of a score that a question names. It says more about the answer than the whole person.
const NAMED: f64 = 1.1;
/// Words of scores that do not identify them.
const UNSPECIFIC_WORDS: [&str; 6] = ["score", "need", "self", "rate", "game", "test"];

impl Twin {
    /// Reads a profile. A text without scores and labels becomes a point by its hash.
    pub fn read(profile: &str, seed: u64) -> Self {
        let seed = seed.to_le_bytes();
        let own = uniform(&[b"own", &seed, profile.as_bytes()]).to_le_bytes();
        let mut point = Vector::of_bytes(&[b"point", &own]);
        let mut scores = Vec::new();
        for line in profile.lines() {
            if let Some((name, percentile)) = score(line) {
                // The standard deviation of percentiles is about 29 points.
                let deviation = (percentile - 50.0) / 29.0;
                point.add(&Vector::of_text(name), deviation);
                scores
                    .push((stems(name).filter(|word| !UNSPECIFIC_WORDS.contains(&word.as_str())).collect(), deviation));
            } else if let Some((label, _)) = line.split_once(':')
                && LABELS.contains(&label.trim())
            {
                point.add(&Vector::of_text(line), 0.5);
            }
        }
        Self { point: point.normalised(), scores, own, mood: None }
    }

    /// Sets the seed of the call. Another seed changes some answers a little.
    pub fn asked_with(self, seed: Option<i64>) -> Self {
        Self { mood: seed.map(i64::to_le_bytes), ..self }
    }

    /// How much the twin is in favour of the text, 0..1.
    pub fn leaning(&self, text: &str) -> f64 {
        let along = self.point.dot(&Vector::of_text(text)) * (DIMENSIONS as f64).sqrt();
        let luck = 2.0 * self.luck(text) - 1.0;
        let mood = |seed: [u8; 8]| 2.0 * uniform(&[b"mood", &seed, &self.own, text.as_bytes()]) - 1.0;
        let mood = self.mood.map_or(0.0, mood);
        logistic(1.3 * along + NAMED * self.named(text) + 0.6 * luck + 0.3 * mood)
    }

    /// The mean of the scores that the text names with all words of their names; 0 if there is none.
    fn named(&self, text: &str) -> f64 {
        let words: HashSet<String> = stems(text).collect();
        let named = |words_of: &Vec<String>| !words_of.is_empty() && words_of.iter().all(|word| words.contains(word));
        let found: Vec<f64> = self.scores.iter().filter(|(name, _)| named(name)).map(|(_, value)| *value).collect();
        if found.is_empty() { 0.0 } else { found.iter().sum::<f64>() / found.len() as f64 }
    }

    /// A number in 0..1, evenly distributed over twins and texts, and the same in every call.
    pub fn luck(&self, text: &str) -> f64 {
        uniform(&[b"luck", &self.own, text.as_bytes()])
    }
}

/// The words of a text without their endings.
fn stems(text: &str) -> impl Iterator<Item = String> {
    let lower = text.to_lowercase();
    let words: Vec<String> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 3)
        .map(|word| word.chars().take(6).collect())
        .collect();
    words.into_iter()
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Parses `Extraversion = 3.4 (62nd percentile)` to the name and the percentile.
fn score(line: &str) -> Option<(&str, f64)> {
    let (name, rest) = line.split_once('=')?;
    let (_, rest) = rest.split_once('(')?;
    let (ordinal, _) = rest.split_once("percentile")?;
    let number = ordinal.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let percentile = number.parse::<f64>().ok().filter(|number| (0.0..=100.0).contains(number))?;
    Some((name.trim(), percentile))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(extraversion: u8, politics: &str) -> String {
        format!("Age: 30-49\nPolitical views: {politics}\nExtraversion = 3.1 ({extraversion}th percentile)\n")
    }

    fn mean_distance(twin: &Twin, pairs: &[(String, String)]) -> f64 {
        let distance = |(a, b): &(String, String)| (twin.leaning(a) - twin.leaning(b)).abs();
        pairs.iter().map(distance).sum::<f64>() / pairs.len() as f64
    }

    #[test]
    fn score_lines_are_read() {
        assert_eq!(score("Need for cognition = 3.56 (71st percentile)"), Some(("Need for cognition", 71.0)));
        assert_eq!(score("Wave 1 = blue (percentile)"), None);
        assert_eq!(score("x = 1 (999th percentile)"), None);
    }

    #[test]
    fn a_twin_answers_alike_over_similar_questions_and_not_over_all() {
        let topics = ["public libraries", "electric cars", "remote working", "organic vegetables", "space travel"];
        let similar = topics.map(|topic| (format!("How do you like {topic}?"), format!("Do you enjoy {topic}?")));
        let different = [0, 1, 2, 3].map(|i| (format!("How do you like {}?", topics[i]), topics[i + 1].to_owned()));
        let mean = |pairs: &[(String, String)]| {
            (0..60).map(|n| mean_distance(&Twin::read(&profile(n, "Liberal"), 0), pairs)).sum::<f64>() / 60.0
        };
        assert!(mean(&similar) < 0.8 * mean(&different), "{} {}", mean(&similar), mean(&different));
    }

    #[test]
    fn a_score_that_a_question_names_shows_in_the_answer() {
        let leaning = |score: u8, question: &str| Twin::read(&profile(score, "Moderate"), 0).leaning(question);
        let gap = |question: &str| {
            let mean = |scores: std::ops::Range<u8>| {
                let n = scores.len() as f64;
                scores.map(|score| leaning(score, question)).sum::<f64>() / n
            };
            mean(80..99) - mean(1..20)
        };
        assert!(gap("My extraversion shows at parties") > 0.3, "{}", gap("My extraversion shows at parties"));
    }

    #[test]
    fn another_seed_of_the_call_changes_minds_a_little() {
        let question = "How interested are you in politics?";
        let leaning = |n, seed| Twin::read(&profile(n, "Moderate"), 7).asked_with(seed).leaning(question);
        let gaps: Vec<f64> = (0..100).map(|n| (leaning(n, Some(1)) - leaning(n, Some(2))).abs()).collect();
        let mean = gaps.iter().sum::<f64>() / 100.0;
        assert!((0.01..0.1).contains(&mean), "{mean}");
        assert_eq!(leaning(3, Some(1)), leaning(3, Some(1)));
        assert_eq!(leaning(3, None), Twin::read(&profile(3, "Moderate"), 7).leaning(question));
    }

    #[test]
    fn twins_differ_and_a_twin_stays_itself() {
        let question = "How interested are you in politics?";
        let leanings: Vec<_> = (0..100).map(|n| Twin::read(&profile(n, "Moderate"), 7).leaning(question)).collect();
        let (low, high) = leanings.iter().fold((1.0, 0.0), |(low, high), x| (f64::min(low, *x), f64::max(high, *x)));
        assert!(low < 0.35 && high > 0.65, "{low} {high}");
        assert_eq!(Twin::read(&profile(3, "Moderate"), 7).leaning(question), leanings[3]);
        assert_ne!(Twin::read(&profile(3, "Moderate"), 8).leaning(question), leanings[3]);
    }
}

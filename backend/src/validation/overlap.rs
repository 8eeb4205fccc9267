//! Decides whether two questions are the same in other words, by shared runs of five words.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use import::text::plain;

/// Number of words in a run.
const RUN_WORDS: usize = 5;
/// Lower limit of runs in a question: fewer say too little.
const MIN_RUNS: usize = 4;

/// Containment from which on the profile holds the person's answer to the question.
pub const MIN_SAME_CONTAINMENT: f64 = 0.5;
/// Containment from which on a question of the profile is similar.
pub const MIN_SIMILAR_CONTAINMENT: f64 = 0.3;

/// Lower-case text without tags and punctuation, with one blank between words.
pub fn normal(text: &str) -> String {
    words(text).join(" ")
}

fn words(text: &str) -> Vec<String> {
    let plain = if text.contains('<') { plain(text).text } else { text.to_owned() };
    let lower = plain.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The runs of five words in the parts of a question; no run crosses the end of a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs(HashSet<u64>);

impl Runs {
    pub fn collect<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let of_part = |part: &str| {
            let words = words(part);
            words.windows(RUN_WORDS).map(hash).collect::<Vec<_>>()
        };
        Self(parts.into_iter().flat_map(of_part).collect())
    }

    /// The share of these runs that `other` has, 0 to 1. `None`: there are too few to say.
    pub fn contained_in(&self, other: &Self) -> Option<f64> {
        let shared = self.0.iter().filter(|run| other.0.contains(*run)).count();
        (self.0.len() >= MIN_RUNS).then(|| shared as f64 / self.0.len() as f64)
    }
}

fn hash(run: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    run.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: &str = "I avoid buying things that I do not really need in my everyday life";

    #[test]
    fn the_same_words_are_contained_whatever_the_tags_and_signs() {
        let of = |text: &str| Runs::collect(text.lines());
        let profile =
            of("How much do you agree?\n<b>I avoid</b> buying things, that I do NOT really need in my everyday life!");
        assert_eq!(of(ASKED).contained_in(&profile), Some(1.0));
        assert_eq!(of("How do you like the colour of the sea at night?").contained_in(&profile), Some(0.0));
        let half = of("I avoid buying things that I do not know well enough to judge what they cost");
        let share = half.contained_in(&profile).unwrap();
        assert!((MIN_SIMILAR_CONTAINMENT..MIN_SAME_CONTAINMENT).contains(&share), "{share}");
    }

    #[test]
    fn runs_do_not_go_over_the_end_of_a_part_and_short_questions_say_nothing() {
        assert_eq!(Runs::collect(["one two three four", "five six seven eight"]), Runs::default());
        assert_eq!(Runs::collect(["How old are you today my friend"]).contained_in(&Runs::collect([ASKED])), None);
    }
}

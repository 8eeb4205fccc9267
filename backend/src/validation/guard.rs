//! The leak guard: whether profiles hold what they are measured by, or what a survey asks.

use std::collections::{BTreeMap, BTreeSet};

use evidence::categories::cramers_v;
use regex::Regex;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::overlap::{Runs, SAME, SIMILAR, normal};
use crate::models::held_out::{HeldOutAnswers, HeldOutQuestion};
use crate::models::questions::Question;

/// Words of a stem, without which it is found anywhere.
const FEWEST_WORDS: usize = 8;
/// Bias-corrected Cramér's V from which an attribute says what a held-out item asks.
const MOST_ASSOCIATED: f64 = 0.7;
/// People, without whom V says nothing.
const FEWEST_PEOPLE: usize = 30;

/// What the guard found before anything was asked: a reason not to trust figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeakFinding {
    /// `profile`: a question stands in a twin's text; `attribute`: an attribute tells the answer; `ceiling`: twins agree
    /// with people better than the people with themselves.
    #[schema(example = "profile")]
    pub step: String,
    pub text: String,
}

/// The questions whose stem stands in the text of one of these twins.
pub fn stems_in<'a>(questions: &[HeldOutQuestion], texts: impl IntoIterator<Item = &'a str>) -> Option<LeakFinding> {
    let stems: BTreeMap<String, &str> = (questions.iter())
        .map(|question| (normal(&question.text), question.qid.as_str()))
        .filter(|(stem, _)| stem.split(' ').count() >= FEWEST_WORDS)
        .collect();
    if stems.is_empty() {
        return None;
    }
    // Letters, digits and blanks only: nothing in them is a pattern.
    let search = Regex::new(&stems.keys().map(String::as_str).collect::<Vec<_>>().join("|")).ok()?;
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for text in texts {
        let text = normal(text);
        let hits: BTreeSet<&str> = search.find_iter(&text).map(|hit| hit.as_str()).collect();
        for qid in hits.into_iter().filter_map(|stem| stems.get(stem)) {
            *found.entry(qid).or_default() += 1;
        }
    }
    let (first, twins) = found.iter().next()?;
    let questions = if found.len() == 1 { "question stands" } else { "questions stand" };
    let text = format!(
        "{} held-out {questions} in the twins' own texts, as {first} in {twins} of them: their answers are told.",
        found.len(),
    );
    Some(LeakFinding { step: "profile".into(), text })
}

/// Items whose first answers an attribute tells.
pub fn told_by_attributes(
    answers: &BTreeMap<i32, HeldOutAnswers>,
    attributes: &BTreeMap<i32, BTreeMap<String, String>>,
    items: &[String],
) -> Vec<LeakFinding> {
    let labels: BTreeSet<&String> = attributes.values().flat_map(BTreeMap::keys).collect();
    let told = |item: &String, label: &String| {
        let both = |(twin, answers): (&i32, &HeldOutAnswers)| {
            Some((answers.get(item)?.0?.to_bits(), attributes.get(twin)?.get(label)?.as_str()))
        };
        let pairs: Vec<(u64, &str)> = answers.iter().filter_map(both).collect();
        let place = |of: &BTreeSet<u64>, value: u64| of.range(..value).count();
        let values: BTreeSet<u64> = pairs.iter().map(|(value, _)| *value).collect();
        let levels: Vec<&str> = pairs.iter().map(|(_, level)| *level).collect::<BTreeSet<_>>().into_iter().collect();
        // Where nearly everybody is alone in a level, each level tells an answer.
        if pairs.len() < FEWEST_PEOPLE || levels.len() * 3 > pairs.len() || values.len() * 3 > pairs.len() {
            return None;
        }
        let mut table = vec![vec![0.0; values.len()]; levels.len()];
        for (value, level) in &pairs {
            table[levels.binary_search(level).ok()?][place(&values, *value)] += 1.0;
        }
        let v = cramers_v(&table).filter(|v| *v >= MOST_ASSOCIATED)?;
        let people = pairs.len();
        let text = format!("{label} tells what people answered to {item}: Cramér's V {v:.2} over {people} people.");
        Some(LeakFinding { step: "attribute".into(), text })
    };
    items.iter().flat_map(|item| labels.iter().filter_map(move |label| told(item, label))).collect()
}

/// A question of a survey that the profiles hold, or one like it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileOverlap {
    /// Its name.
    #[schema(example = "min_1")]
    pub question: String,
    pub text: String,
    /// Share of its runs of five words that the profile's question has, 0 to 1.
    #[schema(example = 0.84)]
    pub containment: f64,
    /// The profile holds the person's answer; otherwise it holds a similar question.
    pub same: bool,
    pub profile_question: String,
}

/// Compares a survey's questions with those of the profiles.
pub fn overlaps(questions: &[Question], profile: &[String]) -> Vec<ProfileOverlap> {
    let known: Vec<(&String, Runs)> = profile.iter().map(|text| (text, Runs::of(text.lines()))).collect();
    let of = |question: &Question| {
        let parts = std::iter::once(&question.text).chain(question.rows());
        let asked = Runs::of(parts.map(String::as_str));
        let best = known.iter().filter_map(|(text, runs)| Some((asked.contained_in(runs)?, *text)));
        let (containment, text) = best.max_by(|a, b| a.0.total_cmp(&b.0))?;
        (containment >= SIMILAR).then(|| ProfileOverlap {
            question: question.name.clone(),
            text: question.text.clone(),
            containment,
            same: containment >= SAME,
            profile_question: text.clone(),
        })
    };
    questions.iter().filter_map(of).collect()
}

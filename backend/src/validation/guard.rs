//! The leak guard: finds profiles that hold what they are measured by, or what a survey asks.

use std::collections::{BTreeMap, BTreeSet};

use evidence::categories::cramers_v;
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use survey::question::Question;
use utoipa::ToSchema;

use super::overlap::{MIN_SAME_CONTAINMENT, MIN_SIMILAR_CONTAINMENT, Runs, normal};
use crate::models::held_out::{HeldOutAnswers, HeldOutQuestion};

/// Lower limit of words in a stem: a shorter one would be found anywhere.
const MIN_STEM_WORDS: usize = 8;
/// Bias-corrected Cramér's V from which an attribute predicts a held-out item.
const MAX_ASSOCIATION: f64 = 0.7;
/// Lower limit of people for V.
const MIN_PEOPLE: usize = 30;

/// A finding of the guard before anything was asked: a reason not to trust figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeakFinding {
    /// `profile`: a question is in a twin's text; `attribute`: an attribute predicts the answer; `ceiling`: twins agree
    /// with people better than the people with themselves.
    #[schema(example = "profile")]
    pub step: String,
    pub text: String,
}

/// Searches the personas' texts for the stems of held-out questions.
#[derive(Debug)]
pub struct StemSearch {
    stems: BTreeMap<String, String>,
    /// `None`: no stem is long enough.
    pattern: Option<Regex>,
    /// Number of personas by question.
    found: BTreeMap<String, usize>,
}

impl StemSearch {
    pub fn new(questions: &[HeldOutQuestion]) -> Self {
        let stems: BTreeMap<String, String> = (questions.iter())
            .map(|question| (normal(&question.text), question.qid.clone()))
            .filter(|(stem, _)| stem.split(' ').count() >= MIN_STEM_WORDS)
            .collect();
        // Stems have letters, digits and blanks only, so they need no escaping.
        let any = stems.keys().map(String::as_str).collect::<Vec<_>>().join("|");
        let pattern = RegexBuilder::new(&any).size_limit(usize::MAX).build();
        Self { pattern: pattern.ok().filter(|_| !stems.is_empty()), stems, found: BTreeMap::new() }
    }

    /// Searches one persona's text.
    pub fn read(&mut self, text: &str) {
        let Some(pattern) = &self.pattern else { return };
        let text = normal(text);
        let hits: BTreeSet<&str> = pattern.find_iter(&text).map(|hit| hit.as_str()).collect();
        for qid in hits.into_iter().filter_map(|stem| self.stems.get(stem)) {
            *self.found.entry(qid.clone()).or_default() += 1;
        }
    }

    pub fn finding(&self) -> Option<LeakFinding> {
        let (first, twins) = self.found.iter().next()?;
        let questions = if self.found.len() == 1 { "question is" } else { "questions are" };
        let text = format!(
            "{} held-out {questions} in the twins' own texts, as {first} in {twins} of them: the twins know the answers.",
            self.found.len(),
        );
        Some(LeakFinding { step: "profile".into(), text })
    }
}

/// Finds items whose first answers an attribute predicts.
pub fn find_attribute_leaks(
    answers: &BTreeMap<i32, HeldOutAnswers>,
    attributes: &BTreeMap<i32, BTreeMap<String, String>>,
    items: &[String],
) -> Vec<LeakFinding> {
    let labels: BTreeSet<&String> = attributes.values().flat_map(BTreeMap::keys).collect();
    let find = |item: &String, label: &String| {
        let both = |(twin, answers): (&i32, &HeldOutAnswers)| {
            Some((answers.get(item)?.0?.to_bits(), attributes.get(twin)?.get(label)?.as_str()))
        };
        let pairs: Vec<(u64, &str)> = answers.iter().filter_map(both).collect();
        let place = |of: &BTreeSet<u64>, value: u64| of.range(..value).count();
        let values: BTreeSet<u64> = pairs.iter().map(|(value, _)| *value).collect();
        let levels: Vec<&str> = pairs.iter().map(|(_, level)| *level).collect::<BTreeSet<_>>().into_iter().collect();
        // If nearly every level has one person, each level predicts an answer.
        if pairs.len() < MIN_PEOPLE || levels.len() * 3 > pairs.len() || values.len() * 3 > pairs.len() {
            return None;
        }
        let mut table = vec![vec![0.0; values.len()]; levels.len()];
        for (value, level) in &pairs {
            table[levels.binary_search(level).ok()?][place(&values, *value)] += 1.0;
        }
        let v = cramers_v(&table).filter(|v| *v >= MAX_ASSOCIATION)?;
        let people = pairs.len();
        let text = format!("{label} tells what people answered to {item}: Cramér's V {v:.2} over {people} people.");
        Some(LeakFinding { step: "attribute".into(), text })
    };
    items.iter().flat_map(|item| labels.iter().filter_map(move |label| find(item, label))).collect()
}

/// A question of a survey with the most similar question of the profiles.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileOverlap {
    /// Name of the question.
    #[schema(example = "min_1")]
    pub question: String,
    pub text: String,
    /// Share of its runs of five words that the profile's question has, 0 to 1.
    #[schema(example = 0.84)]
    pub containment: f64,
    /// Whether the profile holds the person's answer; otherwise it holds a similar question.
    pub same: bool,
    pub profile_question: String,
}

/// Compares a survey's questions with those of the profiles.
pub fn overlaps(questions: &[Question], profile: &[String]) -> Vec<ProfileOverlap> {
    let known: Vec<(&String, Runs)> = profile.iter().map(|text| (text, Runs::collect(text.lines()))).collect();
    let of = |question: &Question| {
        let parts = std::iter::once(&question.text).chain(question.rows());
        let asked = Runs::collect(parts.map(String::as_str));
        let best = known.iter().filter_map(|(text, runs)| Some((asked.contained_in(runs)?, *text)));
        let (containment, text) = best.max_by(|a, b| a.0.total_cmp(&b.0))?;
        (containment >= MIN_SIMILAR_CONTAINMENT).then(|| ProfileOverlap {
            question: question.name.clone(),
            text: question.text.clone(),
            containment,
            same: containment >= MIN_SAME_CONTAINMENT,
            profile_question: text.clone(),
        })
    };
    questions.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::held_out::HeldOutKind;

    fn question(qid: &str, text: &str) -> HeldOutQuestion {
        HeldOutQuestion { qid: qid.into(), text: text.into(), kind: HeldOutKind::Choice(Vec::new()) }
    }

    #[test]
    fn a_stem_is_found_whatever_its_signs_and_a_short_one_is_not_looked_for() {
        let questions = [
            question("QID157", "Imagine that the country prepares for a disease: which programme do you choose?"),
            question("QID1", "How old are you?"),
        ];
        let texts =
            ["How old are you? 42", "imagine that the country prepares for a DISEASE - which programme do you choose"];
        let found = |questions: &[HeldOutQuestion], texts: &[&str]| {
            let mut search = StemSearch::new(questions);
            texts.iter().for_each(|text| search.read(text));
            search.finding()
        };
        assert_eq!(
            found(&questions, &texts).unwrap().text,
            "1 held-out question is in the twins' own texts, as QID157 in 1 of them: the twins know the answers."
        );
        assert_eq!(found(&questions, &["How old are you? 42"]), None);
        assert_eq!(found(&[], &texts), None);
    }

    #[test]
    fn an_attribute_that_tells_an_answer_is_named_and_others_are_not() {
        let people = || 0..60;
        let answers: BTreeMap<i32, HeldOutAnswers> = people()
            .map(|twin| (twin, HeldOutAnswers::from([("Q1".to_owned(), (Some(f64::from(twin % 3)), None))])))
            .collect();
        let attributes: BTreeMap<i32, BTreeMap<String, String>> = people()
            .map(|twin| {
                let party = ["Left", "Middle", "Right"][(twin % 3) as usize];
                let gender = ["Female", "Male"][(twin / 3 % 2) as usize];
                let of = [("Party", party.to_owned()), ("Gender", gender.to_owned()), ("Name", format!("Twin {twin}"))];
                (twin, of.map(|(label, value)| (label.to_owned(), value)).into())
            })
            .collect();
        let found = find_attribute_leaks(&answers, &attributes, &["Q1".to_owned(), "Q2".to_owned()]);
        let texts: Vec<&str> = found.iter().map(|leak| leak.text.as_str()).collect();
        assert_eq!(texts, ["Party tells what people answered to Q1: Cramér's V 1.00 over 60 people."]);
    }

    /// The scale that people were also asked in the first wave, and two questions that no study asks.
    const PROFILE: [&str; 3] = [
        "Do you agree with these statements?\n\"Less is more\" when it comes to owning things.\nI actively avoid acquiring \
         excess possessions.\nI avoid accumulating lots of stuff.\nI restrict the number of things I own.\nI am drawn to \
         visually sparse environments.\nI prefer leaving spaces visually empty over filling them.\nI keep the aesthetic in \
         my home very sparse.\nI prefer simplicity in design.\nIt is important to me to be thoughtful about what I choose to \
         own.\nI am mindful of what I own.\nMy belongings are mindfully selected.\nThe selection of things I own has been \
         carefully curated.",
        "Here are a number of characteristics that may or may not apply to you. I see myself as someone who..\nIs talkative\n\
         Tends to find fault with others",
        "Some people have trouble limiting their spending: they often spend money when they would do better not to",
    ];

    /// The studies in the folder that ask what the profile holds, and whether in the same words.
    fn flagged(folder: &std::path::Path, profile: &[String]) -> Vec<(String, bool)> {
        let mut flagged = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
        {
            let file = std::fs::read(entry.join("survey.qsf")).unwrap();
            let survey = import::import(&file).unwrap().document;
            let questions: Vec<Question> = survey.items.into_iter().map(Question::from).collect();
            let study = entry.file_name().unwrap().to_string_lossy().into_owned();
            flagged.extend(overlaps(&questions, profile).into_iter().map(|of| (study.clone(), of.same)));
        }
        flagged
    }

    #[test]
    fn an_imported_study_is_flagged_only_where_the_profile_holds_what_it_asks() {
        let fixtures =
            std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/import/tests/fixtures/studies"));
        let others = PROFILE.map(str::to_owned);
        assert_eq!(flagged(fixtures, &others), []);
        let asked = "How much do you agree with these statements?\nThe new price is fair.\nI would still go there.\nOther \
                     cafés would do the same.";
        let with_asked = [others.to_vec(), vec![asked.to_owned()]].concat();
        assert_eq!(flagged(fixtures, &with_asked), [("corner_cafe".to_owned(), true)]);
    }

    #[test]
    #[ignore = "needs the studies that TWINLAB_STUDIES_DIR names: make check-studies"]
    fn of_six_published_studies_one_asks_what_the_profile_holds() {
        let folder =
            std::env::var_os("TWINLAB_STUDIES_DIR").expect("TWINLAB_STUDIES_DIR names the folder of the studies");
        let profile = PROFILE.map(str::to_owned);
        assert_eq!(flagged(folder.as_ref(), &profile), [("consumer_minimalism".to_owned(), true)]);
    }
}

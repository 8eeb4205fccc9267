//! Questions of a survey that the twins' profiles hold word for word, with the people's own answers to them.

use std::collections::BTreeMap;

use evidence::compare::{Column, Comparison, Respondents, Settings, compare};
use evidence::intervals::Bootstrap;
use evidence::upload::part_name;
use simulation::items;
use survey::answer::AnswerShape;
use survey::question::Question;

use super::guard::{ProfileOverlap, overlaps};
use super::overlap::normal;
use crate::error::{Error, Result};
use crate::models::held_out::{HeldOutKind, HeldOutQuestion};

/// A question whose answers can be taken from the profile, or the reason why they cannot.
#[derive(Clone, Debug)]
pub struct OwnQuestion {
    pub overlap: ProfileOverlap,
    /// Items of the survey with their answers in the profile.
    pub taken: std::result::Result<Vec<TakenItem>, &'static str>,
}

/// An item of the survey, with the key of the profile's answers to it.
#[derive(Clone, Debug, PartialEq)]
pub struct TakenItem {
    /// The question's name, with the row of a matrix.
    pub item: String,
    /// Key of the profile's answers.
    pub key: String,
    /// The survey's position for each of the profile's options, both from 1; empty: numbers, which stay as they are.
    pub places: Vec<usize>,
}

/// The questions that the profiles hold literally, in the survey's order.
pub fn own_questions(questions: &[Question], profile: &[HeldOutQuestion]) -> Vec<OwnQuestion> {
    let texts: Vec<String> = profile.iter().map(|question| question.texts().collect::<Vec<_>>().join("\n")).collect();
    let own = |overlap: ProfileOverlap| {
        let question = questions.iter().find(|question| question.name == overlap.question)?;
        let place = texts.iter().position(|text| *text == overlap.profile_question)?;
        Some(OwnQuestion { taken: taken(question, profile.get(place)?), overlap })
    };
    overlaps(questions, &texts).into_iter().filter(|overlap| overlap.same).filter_map(own).collect()
}

const OTHER_OPTIONS: &str = "the profile's question has other options";
const OTHER_RANGE: &str = "the profile's question has another range";
const OTHER_KIND: &str = "the profile's question takes another kind of answer";
const OTHER_ROWS: &str = "no row of it is in the profile word for word";

/// Only texts that are equal except for case, tags and punctuation are taken over.
fn taken(question: &Question, profile: &HeldOutQuestion) -> std::result::Result<Vec<TakenItem>, &'static str> {
    match (question.shape(), &profile.kind) {
        (Some(AnswerShape::Choice), HeldOutKind::Choice(options)) => {
            let places = places(options, &question.options).ok_or(OTHER_OPTIONS)?;
            Ok(vec![TakenItem { item: question.name.clone(), key: profile.key(None), places }])
        }
        (Some(AnswerShape::Labels), HeldOutKind::Matrix { rows, columns }) => {
            let places = places(columns, &question.scale_labels).ok_or(OTHER_OPTIONS)?;
            let row = |(number, text): (usize, &String)| {
                let of_profile = rows.iter().find(|row| normal(&row.text) == normal(text))?;
                let item = part_name(&question.name, number + 1);
                Some(TakenItem { item, key: profile.key(Some(of_profile)), places: places.clone() })
            };
            let found: Vec<TakenItem> = question.sub_questions.iter().enumerate().filter_map(row).collect();
            if found.is_empty() { Err(OTHER_ROWS) } else { Ok(found) }
        }
        (Some(AnswerShape::Number), HeldOutKind::Numbers { rows, bounds }) => {
            if !rows.is_empty() {
                return Err(OTHER_KIND);
            }
            if question.min_value.zip(question.max_value) != *bounds {
                return Err(OTHER_RANGE);
            }
            Ok(vec![TakenItem { item: question.name.clone(), key: profile.key(None), places: Vec::new() }])
        }
        _ => Err(OTHER_KIND),
    }
}

/// The survey's position of each of the profile's options, from 1. `None`: the options differ.
fn places(profile: &[String], survey: &[String]) -> Option<Vec<usize>> {
    let of_survey: Vec<String> = survey.iter().map(|option| normal(option)).collect();
    let place = |option: &String| Some(of_survey.iter().position(|other| *other == normal(option))? + 1);
    let places: Vec<usize> = profile.iter().map(place).collect::<Option<_>>()?;
    let mut sorted = places.clone();
    sorted.sort_unstable();
    sorted.dedup();
    (sorted.len() == profile.len() && profile.len() == survey.len()).then_some(places)
}

/// Compares the people's own answers with their twins', for a run that asked these questions. `answers` are by persona,
/// `pids` the ids of the dataset. `None`: nothing was taken over. Takes seconds: do not call it on a thread that serves
/// requests.
pub fn compare_with_people(
    asked: &[Question],
    twins: &Respondents,
    taken: &[TakenItem],
    answers: &BTreeMap<i32, BTreeMap<String, f64>>,
    pids: &BTreeMap<i32, String>,
) -> Result<Option<Comparison>> {
    let value = |item: &TakenItem, answers: &BTreeMap<String, f64>| {
        let value = *answers.get(&item.key)?;
        if item.places.is_empty() {
            return Some(value);
        }
        Some(*item.places.get((value as usize).checked_sub(1)?)? as f64)
    };
    let column = |item: &TakenItem| Column::Numbers(answers.values().map(|of| value(item, of)).collect());
    let people = Respondents {
        ids: answers.keys().map(|twin| pids.get(twin).cloned().unwrap_or_default()).collect(),
        answers: taken.iter().map(|item| (item.item.clone(), column(item))).collect(),
        ..Respondents::default()
    };
    if taken.is_empty() || people.ids.is_empty() {
        return Ok(None);
    }
    let settings = Settings { bootstrap: Bootstrap::over(taken.len() * people.ids.len()), ..Settings::default() };
    let refused = |refusal: evidence::compare::CompareRefused| Error::internal(refusal.to_string());
    compare(&items::items(asked), &people, twins, settings).map(Some).map_err(refused)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::models::held_out::HeldOutRow;

    const STEM: &str = "How much do you agree with each of these statements about the things that you own?";

    fn matrix(columns: [&str; 2]) -> HeldOutQuestion {
        let row = |id: &str, text: &str| HeldOutRow { id: id.into(), text: text.into() };
        let rows = vec![row("1", "I avoid accumulating lots of stuff."), row("3", "I am mindful of what I own.")];
        let kind = HeldOutKind::Matrix { rows, columns: columns.map(str::to_owned).to_vec() };
        HeldOutQuestion { qid: "QID35".into(), text: STEM.into(), kind }
    }

    fn survey() -> Vec<Question> {
        let document = json!({ "title": "Owning", "questions": [{
            "name": "min", "type": "MATRIX", "text": STEM,
            "sub_questions": ["I am <b>mindful</b> of what I own", "I buy what I like", "I avoid accumulating lots of stuff"],
            "scale_labels": ["Disagree", "Agree"],
        }, { "name": "other", "type": "OPENENDED", "text": "Why?" }] });
        let document = survey::document::Document::read(document).expect("a survey");
        document.items.into_iter().map(Question::from).collect()
    }

    #[test]
    fn rows_and_options_are_taken_over_where_they_are_the_same_words() {
        let found = own_questions(&survey(), &[matrix(["agree!", "Disagree"])]);
        assert_eq!(found.len(), 1);
        let item = |item: &str, key: &str| TakenItem { item: item.into(), key: key.into(), places: vec![2, 1] };
        assert_eq!(found[0].taken, Ok(vec![item("min_1", "QID35_3"), item("min_3", "QID35_1")]));
    }

    #[test]
    fn what_is_not_the_same_is_not_guessed() {
        let of = |profile: HeldOutQuestion| own_questions(&survey(), &[profile]).remove(0).taken;
        assert_eq!(of(matrix(["Agree", "Strongly disagree"])), Err(OTHER_OPTIONS));
        let choice = HeldOutQuestion { kind: HeldOutKind::Choice(vec!["Agree".into()]), ..matrix(["a", "b"]) };
        assert_eq!(of(choice), Err(OTHER_KIND));
        assert_eq!(places(&["a".into(), "A.".into()], &["a".into(), "b".into()]), None);
        assert!(own_questions(&survey(), &[]).is_empty());
    }
}

//! Finds the questions that several runs asked alike, and puts their answers side by side.

mod alike;
mod merged;

use serde::Serialize;
use survey::question::Question;
use utoipa::ToSchema;

use crate::models::summaries::{GroupFigures, QuestionSummary};
use alike::QuestionWords;
use merged::merged;

/// Names of the runs, in their order.
pub const RUN_NAMES: [&str; 4] = ["A", "B", "C", "D"];

/// A question as a run asked it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionAsAsked {
    #[schema(example = "A")]
    pub run: &'static str,
    #[schema(example = 31)]
    pub question_id: i64,
    /// 1-based place in the run's survey.
    #[schema(example = 1)]
    pub order: i32,
    #[schema(example = "How do you usually get to work?")]
    pub text: String,
}

/// A question that several runs asked. Its groups are the runs, and its figures are of all their answers.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionInSimulations {
    #[serde(flatten)]
    pub summary: QuestionSummary,
    /// The question in each run that asked it, in the order of the runs.
    pub asked: Vec<QuestionAsAsked>,
}

/// The questions of a run, with their summaries in the same order.
pub struct AnsweredRun<'a> {
    pub questions: &'a [Question],
    pub summaries: &'a [QuestionSummary],
}

/// The first run's questions that another asked too, with the questions themselves: of one type and the same options, first
/// those of the same words, then those whose words are most alike. A question stands for one other at most. Free text is
/// left out.
pub fn match_questions<'a>(runs: &[AnsweredRun<'a>]) -> Vec<(Question, QuestionInSimulations)> {
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    let words = |run: &AnsweredRun<'a>| run.questions.iter().map(QuestionWords::new).collect::<Vec<_>>();
    let first_words = words(first);
    let found: Vec<Vec<Option<usize>>> = others.iter().map(|other| places(&first_words, &words(other))).collect();
    let is_compared = |question: &Question| question.is_request() && !question.is_text();
    let matched = |(place, question): (usize, &Question)| {
        let places = found.iter().map(|found| found.get(place).copied().flatten());
        let places: Vec<Option<usize>> = std::iter::once(Some(place)).chain(places).collect();
        if places.iter().flatten().count() < 2 {
            return None;
        }
        let asked = places.iter().zip(runs).zip(RUN_NAMES);
        let asked: Vec<(&'static str, &QuestionSummary)> =
            asked.filter_map(|((place, run), name)| Some((name, run.summaries.get((*place)?)?))).collect();
        Some((question.clone(), beside(&asked)?))
    };
    first.questions.iter().enumerate().filter(|(_, question)| is_compared(question)).filter_map(matched).collect()
}

/// Finds, for each of the first run's questions, the place of the same one among the other's.
fn places(first: &[QuestionWords<'_>], other: &[QuestionWords<'_>]) -> Vec<Option<usize>> {
    let mut free: Vec<usize> = (0..other.len()).collect();
    let mut take = |found: Option<usize>| {
        free.retain(|place| Some(*place) != found);
        free.clone()
    };
    let mut left = take(None);
    let mut places: Vec<Option<usize>> = vec![None; first.len()];
    for (found, question) in places.iter_mut().zip(first) {
        *found = left.iter().copied().find(|place| question.is_same(&other[*place]));
        left = take(*found);
    }
    for (found, question) in places.iter_mut().zip(first).filter(|(found, _)| found.is_none()) {
        *found = question.most_alike(left.iter().map(|place| (*place, &other[*place])));
        left = take(*found);
    }
    places
}

/// The question that these runs asked, with the runs as its groups.
fn beside(asked: &[(&'static str, &QuestionSummary)]) -> Option<QuestionInSimulations> {
    let (_, first) = asked.first()?;
    let figures = merged(&asked.iter().map(|(_, summary)| &summary.figures).collect::<Vec<_>>());
    let group = |(name, summary): &(&'static str, &QuestionSummary)| {
        let mut figures_of_run = summary.figures.clone();
        if figures.bins.is_empty() {
            // Intervals with other edges cannot stand side by side.
            figures_of_run.bins.clear();
        }
        GroupFigures { value: (*name).to_owned(), figures: figures_of_run }
    };
    let groups = asked.iter().map(group).collect();
    let as_asked = |(run, summary): &(&'static str, &QuestionSummary)| QuestionAsAsked {
        run,
        question_id: summary.question_id,
        order: summary.order,
        text: summary.text.clone(),
    };
    Some(QuestionInSimulations {
        summary: QuestionSummary { figures, texts: Vec::new(), groups, ..(*first).clone() },
        asked: asked.iter().map(as_asked).collect(),
    })
}

//! How the questions of a run are scored, and why.

use std::collections::BTreeMap;

use evidence::upload::{Choice, QuestionKind, ScoredAs};
use serde::Serialize;
use survey::item::Item;
use survey::logic::Scale;
use survey::question::{Question, QuestionType};
use survey::scales::{ScaleReason, infer};
use utoipa::ToSchema;

use crate::items::kind;

/// How a question is scored in comparisons with people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScoredQuestion {
    #[schema(example = "fair")]
    pub name: String,
    pub text: String,
    pub question_type: QuestionType,
    /// Its options or labels in their order; empty if its answers are numbers.
    pub labels: Vec<String>,
    /// The codes of the options or labels. Means are those of the codes if these rise or fall with the order.
    pub codes: Vec<i64>,
    /// Number of rows of a matrix; 1 for other questions.
    pub rows: usize,
    /// Null if its options have shares, because several can be chosen.
    pub scale: Option<ScoredAs>,
    pub reason: ScaleReason,
    /// Whether `scales` says so.
    pub is_chosen: bool,
}

/// Returns the questions that are compared, as they are scored with these choices.
pub fn scoring(questions: &[Question], chosen: &BTreeMap<String, ScoredAs>) -> Vec<ScoredQuestion> {
    questions.iter().filter_map(|question| scored(question, chosen.get(&question.name).copied())).collect()
}

fn scored(question: &Question, chosen: Option<ScoredAs>) -> Option<ScoredQuestion> {
    let kind = kind(&Item::from(question.clone()))?;
    let stated = question.logic.scale;
    let (scale, reason, choices) = match kind {
        QuestionKind::Number { .. } => (Some(ScoredAs::Interval), ScaleReason::Numbers, Vec::new()),
        QuestionKind::Multiple { choices } => (None, ScaleReason::NoOrder, choices),
        QuestionKind::Single { choices, .. } => {
            let (scale, reason) = why(&choices, stated, Scale::Nominal, ScaleReason::NoOrder);
            (Some(scale), reason, choices)
        }
        QuestionKind::Matrix { choices, .. } => {
            let (scale, reason) = why(&choices, stated, Scale::Ordinal, ScaleReason::Matrix);
            (Some(scale), reason, choices)
        }
    };
    Some(ScoredQuestion {
        name: question.name.clone(),
        text: question.text.clone(),
        question_type: question.question_type,
        codes: choices.iter().map(|choice| choice.code).collect(),
        labels: choices.into_iter().map(|choice| choice.label).collect(),
        rows: question.sub_questions.len().max(1),
        scale: chosen.filter(|_| scale.is_some()).or(scale),
        reason,
        is_chosen: chosen.is_some(),
    })
}

/// Returns the scale of these choices, which is `usual` unless it is stated, and the reason for it.
fn why(choices: &[Choice], stated: Option<Scale>, usual: Scale, reason: ScaleReason) -> (ScoredAs, ScaleReason) {
    let labels: Vec<String> = choices.iter().map(|choice| choice.label.clone()).collect();
    let codes: Vec<i64> = choices.iter().map(|choice| choice.code).collect();
    let scale = stated.unwrap_or(usual);
    let reason = match infer(&labels, Some(&codes)) {
        (found, reason) if found == scale || (found == Scale::Ordinal && scale == Scale::Interval) => reason,
        (_, ScaleReason::CodesDisagree) if stated.is_none() => ScaleReason::CodesDisagree,
        _ if stated.is_some() => ScaleReason::Stated,
        _ => reason,
    };
    (scored_as(scale), reason)
}

fn scored_as(scale: Scale) -> ScoredAs {
    match scale {
        Scale::Nominal => ScoredAs::Nominal,
        Scale::Ordinal => ScoredAs::Ordinal,
        Scale::Interval => ScoredAs::Interval,
    }
}

#[cfg(test)]
mod tests {
    use survey::logic::QuestionLogic;

    use super::*;

    fn choice(name: &str, options: &[&str], logic: QuestionLogic) -> Question {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        Question {
            name: name.to_owned(),
            question_type: QuestionType::SingleChoice,
            options,
            logic,
            ..Question::default()
        }
    }

    #[test]
    fn questions_are_scored_by_their_scale_and_by_choice() {
        let often = ["Never", "Sometimes", "Always"];
        let stated = |scale| QuestionLogic { scale: Some(scale), ..QuestionLogic::default() };
        let questions = [
            choice("drink", &["Tea", "Milk", "Rum"], QuestionLogic::default()),
            choice("often", &often, stated(Scale::Ordinal)),
            choice("mixed", &often, QuestionLogic { codes: Some(vec![4, 1, 2]), ..QuestionLogic::default() }),
            choice("said", &["Tea", "Milk", "Rum"], stated(Scale::Interval)),
            choice("old", &often, QuestionLogic::default()),
        ];
        let chosen = BTreeMap::from([("mixed".to_owned(), ScoredAs::Ordinal)]);
        let found: Vec<_> =
            scoring(&questions, &chosen).into_iter().map(|of| (of.name, of.scale, of.reason, of.is_chosen)).collect();
        let expected = [
            ("drink", ScoredAs::Nominal, ScaleReason::NoOrder, false),
            ("often", ScoredAs::Ordinal, ScaleReason::Words, false),
            ("mixed", ScoredAs::Ordinal, ScaleReason::CodesDisagree, true),
            ("said", ScoredAs::Interval, ScaleReason::Stated, false),
            ("old", ScoredAs::Nominal, ScaleReason::NoOrder, false),
        ];
        assert_eq!(found, expected.map(|(name, scale, reason, chosen)| (name.to_owned(), Some(scale), reason, chosen)));
    }
}

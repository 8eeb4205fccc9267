//! Values of answers, fields and attributes at the current point of a walk.

use std::borrow::Cow;

use super::{Fate, InterviewState, Walk};
use crate::answer::Answer;
use crate::condition::{Facts, Known, Left};
use crate::given::Given;

impl Facts for Walk<'_> {
    fn look(&self, left: &Left) -> Cow<'_, Known> {
        match left {
            Left::Answer { question, row } => Cow::Owned(self.answer(question, *row)),
            Left::Field(name) => self.fields.get(name.as_str()).map_or(Cow::Owned(Known::Nothing), Cow::Borrowed),
            Left::Twin(_) | Left::HeldOut(_) => Cow::Owned(self.interview.twin.look(left)),
        }
    }

    fn cell(&self, turns: &str, turn: usize, column: usize) -> Option<String> {
        let row = *self.interview.assignment.rows.get(turns)?.get(turn)?;
        self.interview.plan.cell(turns, usize::try_from(row).ok()?.checked_sub(1)?, column)
    }
}

impl Walk<'_> {
    fn answer(&self, question: &str, row: Option<u32>) -> Known {
        let InterviewState { plan, answers, failed, .. } = self.interview;
        let Some(place) = plan.item(question) else { return Known::Nothing };
        match self.fates.get(place) {
            Some(Fate::InCall) => Known::Pending,
            Some(Fate::Upstream) => Known::Failed,
            Some(Fate::Earlier(at)) => {
                let (Some(shown), Some(item)) = (self.earlier.get(*at), plan.items.get(place)) else {
                    return Known::Nothing;
                };
                match answers.get(&item.question.id) {
                    Some(stored) => {
                        let answer = Answer::decode(&shown.question, stored).ok();
                        let given = answer.and_then(|answer| Given::answer(item, &shown.question, row, &answer));
                        given.map_or(Known::Nothing, Known::Given)
                    }
                    None if failed.contains(&item.question.id) => Known::Failed,
                    None => Known::Nothing,
                }
            }
            Some(Fate::Unseen | Fate::Skipped) | None => Known::Nothing,
        }
    }
}

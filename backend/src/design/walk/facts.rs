//! What is known of answers, fields and the twin at this point of a walk.

use super::{Fate, InterviewState, Walk};
use crate::design::condition::{Facts, Known, Left};
use crate::design::given::Given;

impl Facts for Walk<'_> {
    fn look(&self, left: &Left) -> Known {
        let (question, row) = match left {
            Left::Answer { question, row } => (question, *row),
            Left::Field(name) => return self.fields.get(name).cloned().unwrap_or(Known::Nothing),
            Left::Twin(_) | Left::HeldOut(_) => return self.interview.twin.look(left),
        };
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
                    Some(value) => {
                        Given::answer(item, &shown.question, row, value).map_or(Known::Nothing, Known::Given)
                    }
                    None if failed.contains(&item.question.id) => Known::Failed,
                    None => Known::Nothing,
                }
            }
            Some(Fate::Unseen | Fate::Skipped) | None => Known::Nothing,
        }
    }

    fn cell(&self, turns: &str, turn: usize, column: usize) -> Option<String> {
        let row = *self.interview.assignment.rows.get(turns)?.get(turn)?;
        self.interview.plan.cell(turns, usize::try_from(row).ok()?.checked_sub(1)?, column)
    }
}

//! An interview about a survey with a design: call by call, as the walk through the design says.

use survey::plan::Plan;
use survey::walk::{self, InterviewState, Stage};

use super::outcome::CallSettlement;
use crate::llm::PromptItem;
use crate::llm::prompt::Sheet;
use crate::models::assignments::Standing;
use crate::models::run::Parameters;
use crate::models::settlement::{NewAnswer, NewFailure, NotShown};

/// The call that comes next, and what is known since the last look.
#[derive(Debug, Default)]
pub struct Next {
    /// `None`: nothing is left to ask.
    pub stage: Option<Stage>,
    pub not_shown: Vec<NotShown>,
    /// Requests that depend on an answer that failed.
    pub failures: Vec<NewFailure>,
}

/// Which call a request is in.
#[derive(Clone, Copy)]
pub enum Call<'a> {
    /// Of a plain survey. `is_last`: nothing is asked after it.
    Chunk {
        is_last: bool,
    },
    Staged(&'a Sheet),
}

impl Call<'_> {
    /// What its prompt says of earlier calls.
    pub fn earlier(&self) -> &str {
        match self {
            Self::Chunk { .. } => "",
            Self::Staged(sheet) => sheet.earlier(),
        }
    }
}

impl Standing {
    pub(super) fn note(&mut self, outcome: &CallSettlement<'_>) {
        for NewAnswer { question_id, answer_value, .. } in &outcome.answers {
            self.open.remove(question_id);
            self.answers.insert(*question_id, answer_value.clone());
        }
        for failure in &outcome.failures {
            self.open.remove(&failure.question_id);
            self.failed.insert(failure.question_id);
        }
    }

    /// Walks on from what is known. A request that is not open in this pass counts as failed: nothing waits for it.
    pub(super) fn next(&mut self, plan: &Plan, parameters: &Parameters) -> Next {
        let mut next = Next::default();
        loop {
            let progress = walk::next(InterviewState {
                plan,
                twin: &self.twin,
                assignment: &self.assignment,
                parameters: parameters.of_walk(),
                walked: Some(&self.walked),
                answers: &self.answers,
                failed: &self.failed,
            });
            for (question_id, reason) in progress.skipped {
                if self.open.remove(&question_id) {
                    self.not_shown.insert(question_id, reason);
                    next.not_shown.push(NotShown { question_id, reason });
                }
            }
            for question_id in progress.upstream {
                self.fail(question_id, &mut next);
            }
            let Some(mut stage) = progress.stage else { break };
            self.walked.note(&stage);
            let (open, others): (Vec<i64>, Vec<i64>) = stage.open.iter().partition(|id| self.open.contains(id));
            if !open.is_empty() {
                stage.open = open;
                next.stage = Some(stage);
                return next;
            }
            self.failed.extend(others);
        }
        // A walk settles all that the assignment reaches.
        let left: Vec<i64> = self.open.iter().copied().collect();
        left.into_iter().for_each(|question_id| self.fail(question_id, &mut next));
        next
    }

    fn fail(&mut self, question_id: i64, next: &mut Next) {
        self.failed.insert(question_id);
        if self.open.remove(&question_id) {
            let message = "an answer that decides on this question, or stands in it, failed".to_owned();
            let failure = NewFailure { question_id, code: "upstream", message, detail: None, attempts: 0 };
            next.failures.push(failure);
        }
    }
}

/// The items of a sheet that are open.
pub fn open_items<'a>(sheet: &'a Sheet, stage: &Stage) -> impl Iterator<Item = PromptItem<'a>> {
    let open = stage.open.clone();
    sheet.items().into_iter().filter(move |item| open.contains(&item.question.id))
}

//! An interview about a survey with a design: call by call, as the walk through the design says.

use simulation::parameters::Parameters;
use simulation::progress::InterviewProgress;
use survey::plan::Plan;
use survey::walk::{self, InterviewState, Stage};

use super::outcome::CallSettlement;
use crate::engine::messages::RunContext;
use crate::llm::prompt::{Recipe, Sheet};
use crate::llm::{Dialect, PromptItem};
use crate::models::settlement::{NewAnswer, NewFailure, NotShown};

/// The walk of one interview through its design.
pub struct StagedWalk {
    progress: InterviewProgress,
    /// The stage that is asked next; `None`: nothing is left to ask.
    next: Option<Stage>,
    /// Requests that turned out to be hidden, and are not reported yet.
    not_shown: Vec<NotShown>,
}

impl StagedWalk {
    pub fn new(progress: InterviewProgress) -> Self {
        Self { progress, next: None, not_shown: Vec::new() }
    }

    /// Walks on from what is known to the next stage. Returns the requests that fail by it, because they depend on an
    /// answer that failed. A request that is not open in this pass counts as failed: nothing waits for it.
    pub fn advance(&mut self, plan: &Plan, parameters: &Parameters) -> Vec<NewFailure> {
        let mut failures = Vec::new();
        loop {
            let InterviewProgress { twin, assignment, walked, answers, failed, .. } = &self.progress;
            let parameters = parameters.of_walk();
            let progress = walk::next(InterviewState {
                plan,
                twin,
                assignment,
                parameters,
                walked: Some(walked),
                answers,
                failed,
            });
            for (question_id, reason) in progress.skipped {
                if self.progress.open.remove(&question_id) {
                    self.progress.not_shown.insert(question_id, reason);
                    self.not_shown.push(NotShown { question_id, reason });
                }
            }
            for question_id in progress.upstream {
                failures.extend(self.fail(question_id));
            }
            let Some(mut stage) = progress.stage else { break };
            self.progress.walked.note(&stage);
            let (open, others): (Vec<i64>, Vec<i64>) =
                stage.open.iter().partition(|id| self.progress.open.contains(id));
            if !open.is_empty() {
                stage.open = open;
                self.next = Some(stage);
                return failures;
            }
            self.progress.failed.extend(others);
        }
        // A walk settles all that the assignment reaches.
        let left: Vec<i64> = self.progress.open.iter().copied().collect();
        failures.extend(left.into_iter().filter_map(|question_id| self.fail(question_id)));
        failures
    }

    /// Notes what a call settled.
    pub fn note(&mut self, settlement: &CallSettlement<'_>) {
        for NewAnswer { question_id, answer_value, .. } in &settlement.answers {
            self.progress.open.remove(question_id);
            self.progress.answers.insert(*question_id, answer_value.clone());
        }
        for failure in &settlement.failures {
            self.progress.open.remove(&failure.question_id);
            self.progress.failed.insert(failure.question_id);
        }
    }

    pub fn is_over(&self) -> bool {
        self.next.is_none()
    }

    /// Takes the next stage, with its call as this twin is shown it.
    pub fn take_stage(&mut self, plan: &Plan, parameters: &Parameters) -> Option<(Stage, Sheet)> {
        let stage = self.next.take()?;
        let InterviewProgress { twin, answers, .. } = &self.progress;
        let sheet = Sheet::new(plan, &stage, answers, parameters, twin.id);
        Some((stage, sheet))
    }

    /// The hidden requests that were not taken before.
    pub fn take_not_shown(&mut self) -> Vec<NotShown> {
        std::mem::take(&mut self.not_shown)
    }

    /// The failure of a request whose answer depends on one that failed; `None`: the request is not open.
    fn fail(&mut self, question_id: i64) -> Option<NewFailure> {
        self.progress.failed.insert(question_id);
        let message = "an answer that decides on this question, or stands in it, failed".to_owned();
        let failure = NewFailure { question_id, code: "upstream", message, detail: None, attempts: 0 };
        self.progress.open.remove(&question_id).then_some(failure)
    }
}

/// The call that a request is in.
#[derive(Clone, Copy)]
pub enum Call<'a> {
    /// A call of a plain survey. `is_last`: nothing is asked after it.
    Chunk {
        is_last: bool,
    },
    Staged(&'a Sheet),
}

impl Call<'_> {
    /// Text about earlier calls in its prompt.
    pub fn earlier(&self) -> &str {
        match self {
            Self::Chunk { .. } => "",
            Self::Staged(sheet) => sheet.earlier(),
        }
    }

    /// How the prompt that asked these items is built again.
    pub fn recipe(&self, asked: &[PromptItem<'_>], dialect: Dialect, max_tokens: u32) -> Recipe {
        match self {
            Self::Chunk { .. } => Recipe::of(asked, dialect, max_tokens),
            Self::Staged(sheet) => Recipe::of_sheet(sheet, asked, dialect, max_tokens),
        }
    }

    /// The recipe of nearly all calls that ask this question, which is not stored.
    pub fn usual_recipe(&self, run: &RunContext, question_id: i64) -> Option<Recipe> {
        match self {
            Self::Chunk { .. } => Recipe::standard(&run.questions, question_id, &run.parameters),
            Self::Staged(sheet) => Some(Recipe::standard_of_sheet(sheet, &run.parameters)),
        }
    }
}

/// The items of a sheet that are open.
pub fn open_items<'a>(sheet: &'a Sheet, stage: &Stage) -> impl Iterator<Item = PromptItem<'a>> {
    let open = stage.open.clone();
    sheet.items().into_iter().filter(move |item| open.contains(&item.question.id))
}

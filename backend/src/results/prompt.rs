//! Rebuilds the prompt of a stored answer.

use std::collections::HashMap;

use diesel_async::AsyncPgConnection;
use serde::Deserialize;
use simulation::parameters::Parameters;
use simulation::progress::InterviewProgress;
use simulation::run::Run;
use survey::plan::Plan;
use survey::walk::{self, InterviewState};

use crate::error::{Error, Result};
use crate::llm::prompt::{PromptItem, Recipe, Sheet};
use crate::llm::{CheckedAnswer, EncodedPrompt, answer};
use crate::models::{assignments, personas, responses};

/// The prompt of an answer.
pub struct AnswerPrompt {
    /// SHA-256 of the prompt, as stored with the answer.
    pub hash: Vec<u8>,
    /// The prompt. `None` if the rebuilt one has another hash, because another version of the program asked.
    pub prompt: Option<EncodedPrompt>,
}

/// Rebuilds the prompt of an answer. `None` if the run has no such answer.
pub async fn of_answer(
    conn: &mut AsyncPgConnection,
    run: &Run,
    persona_id: i32,
    question_id: i64,
) -> Result<Option<AnswerPrompt>> {
    let Some((hash, recipe)) = responses::prompt(conn, run.facts.id, persona_id, question_id).await? else {
        return Ok(None);
    };
    let recipe = recipe.map(Recipe::deserialize).transpose().map_err(|error| Error::internal(error.to_string()))?;
    let standing = match &run.plan {
        Some(plan) => {
            assignments::interview_progress(conn, run.facts.id, plan, false, &[persona_id]).await?.remove(&persona_id)
        }
        None => None,
    };
    let set = run.facts.persona_set_id;
    let texts = personas::texts(conn, set, run.parameters.persona_variant, &[persona_id]).await?;
    let prompt = texts.first().and_then(|(_, text)| {
        let interview = KnownInterview { persona_id, standing: standing.as_ref() };
        interview.prompt(run, text, question_id, recipe)
    });
    Ok(Some(AnswerPrompt { prompt: prompt.filter(|prompt| prompt.hash()[..] == hash), hash }))
}

/// A twin, and in a run with a design its assignment and answers.
pub struct KnownInterview<'a> {
    pub persona_id: i32,
    pub standing: Option<&'a InterviewProgress>,
}

impl KnownInterview<'_> {
    /// Rebuilds the prompt of the call that asked the question of the twin with this text. Without a recipe the call
    /// was built in the usual way.
    pub fn prompt(&self, run: &Run, text: &str, question_id: i64, recipe: Option<Recipe>) -> Option<EncodedPrompt> {
        let (questions, parameters) = (&run.survey.questions, &run.parameters);
        if let Some(plan) = &run.plan {
            let (recipe, sheet) = self.staged(plan, parameters, question_id, recipe)?;
            return Some(recipe.build_sheet(text, &sheet, parameters));
        }
        let recipe = recipe.or_else(|| Recipe::standard(questions, question_id, parameters))?;
        Some(recipe.build(text, self.persona_id, questions, parameters))
    }

    /// Reads a reply to that call with the checks of answers.
    pub fn read_reply(
        &self,
        run: &Run,
        question_id: i64,
        recipe: Option<Recipe>,
        content: &str,
    ) -> Option<HashMap<i64, CheckedAnswer>> {
        let (questions, parameters) = (&run.survey.questions, &run.parameters);
        if let Some(plan) = &run.plan {
            let (recipe, sheet) = self.staged(plan, parameters, question_id, recipe)?;
            return Some(checked(&recipe.items_of_sheet(&sheet), content));
        }
        let recipe = recipe.or_else(|| Recipe::standard(questions, question_id, parameters))?;
        Some(checked(&recipe.items(self.persona_id, questions, parameters), content))
    }

    /// Rebuilds a prompt of a survey with a design: walks through the interview again, with its answers, up to the
    /// question's call.
    fn staged(
        &self,
        plan: &Plan,
        parameters: &Parameters,
        question_id: i64,
        recipe: Option<Recipe>,
    ) -> Option<(Recipe, Sheet)> {
        let standing = self.standing?;
        let mut failed = standing.failed.clone();
        failed.extend(recipe.iter().flat_map(Recipe::unanswered));
        let mut answers = HashMap::new();
        // Each stage settles at least one question, so this bound is never reached.
        for _ in 0..=plan.items.len() {
            let progress = walk::next(InterviewState {
                plan,
                twin: &standing.twin,
                assignment: &standing.assignment,
                parameters: parameters.of_walk(),
                walked: None,
                answers: &answers,
                failed: &failed,
            });
            let stage = progress.stage?;
            if stage.open.contains(&question_id) {
                let sheet = Sheet::new(plan, &stage, &answers, parameters, self.persona_id);
                return Some((recipe.unwrap_or_else(|| Recipe::standard_of_sheet(&sheet, parameters)), sheet));
            }
            for id in stage.open {
                match standing.answers.get(&id) {
                    Some(answer) => drop(answers.insert(id, answer.clone())),
                    None => drop(failed.insert(id)),
                }
            }
        }
        None
    }
}

/// Returns the answers of a reply that pass their checks, by question.
fn checked(items: &[PromptItem<'_>], content: &str) -> HashMap<i64, CheckedAnswer> {
    let read = items.iter().zip(answer::read(items, content));
    read.filter_map(|(item, answer)| Some((item.question.id, answer.ok()?))).collect()
}

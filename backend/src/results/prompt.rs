//! The prompt of a stored answer, built again.

use std::collections::HashMap;

use diesel_async::AsyncPgConnection;
use serde::Deserialize;

use super::run::Run;
use crate::design::plan::Plan;
use crate::design::walk::{self, InterviewState};
use crate::error::{Error, Result};
use crate::llm::prompt::Sheet;
use crate::llm::prompt::{Prompt, Recipe};
use crate::models::{assignments, personas, responses};

/// The prompt that an answer came from.
pub struct AnswerPrompt {
    /// As it is stored with the answer.
    pub hash: Vec<u8>,
    /// `None`: what is built now has another hash, since another version of the program asked.
    pub prompt: Option<Prompt>,
}

/// `None`: the run has no such answer.
pub async fn of_answer(
    conn: &mut AsyncPgConnection,
    run: &Run,
    persona_id: i32,
    question_id: i64,
) -> Result<Option<AnswerPrompt>> {
    let Some((hash, recipe)) = responses::prompt(conn, run.facts.id, persona_id, question_id).await? else {
        return Ok(None);
    };
    let (questions, parameters) = (&run.survey.questions, &run.parameters);
    if let Some(plan) = run.survey.plan().map_err(Error::internal)? {
        let prompt = staged(conn, run, &plan, persona_id, question_id, recipe).await?;
        return Ok(Some(AnswerPrompt { prompt: prompt.filter(|prompt| prompt.hash()[..] == hash), hash }));
    }
    let recipe = match recipe {
        Some(recipe) => Recipe::deserialize(recipe).map(Some).map_err(|error| Error::internal(error.to_string()))?,
        None => Recipe::standard(questions, question_id, parameters),
    };
    let set = run.facts.persona_set_id;
    let texts = personas::texts(conn, set, parameters.persona_variant, &[persona_id]).await?;
    let prompt = recipe.zip(texts.first());
    let prompt = prompt.map(|(recipe, (_, text))| recipe.build(text, persona_id, questions, parameters));
    Ok(Some(AnswerPrompt { prompt: prompt.filter(|prompt| prompt.hash()[..] == hash), hash }))
}

/// Of a survey with a design: the interview is walked through again, with what was answered, up to the question's call.
async fn staged(
    conn: &mut AsyncPgConnection,
    run: &Run,
    plan: &Plan,
    persona_id: i32,
    question_id: i64,
    recipe: Option<serde_json::Value>,
) -> Result<Option<Prompt>> {
    let recipe: Option<Recipe> =
        recipe.map(Recipe::deserialize).transpose().map_err(|error| Error::internal(error.to_string()))?;
    let parameters = &run.parameters;
    let standing = assignments::standings(conn, run.facts.id, plan, false, &[persona_id]).await?.remove(&persona_id);
    let Some(standing) = standing else { return Ok(None) };
    let mut failed = standing.failed;
    failed.extend(recipe.iter().flat_map(Recipe::unanswered));
    let mut answers = HashMap::new();
    // Each stage settles a question at least.
    for _ in 0..=plan.items.len() {
        let progress = walk::next(InterviewState {
            plan,
            twin: &standing.twin,
            assignment: &standing.assignment,
            parameters: parameters.of_walk(),
            answers: &answers,
            failed: &failed,
        });
        let Some(stage) = progress.stage else { return Ok(None) };
        if stage.open.contains(&question_id) {
            let sheet = Sheet::new(plan, &stage, &answers, parameters, persona_id);
            let recipe = recipe.unwrap_or_else(|| Recipe::standard_of_sheet(&sheet));
            let texts =
                personas::texts(conn, run.facts.persona_set_id, parameters.persona_variant, &[persona_id]).await?;
            return Ok(texts.first().map(|(_, text)| recipe.build_sheet(text, &sheet, parameters)));
        }
        for id in stage.open {
            match standing.answers.get(&id) {
                Some(answer) => drop(answers.insert(id, answer.clone())),
                None => drop(failed.insert(id)),
            }
        }
    }
    Ok(None)
}

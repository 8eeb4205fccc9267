//! The prompt of a stored answer, built again.

use diesel_async::AsyncPgConnection;
use serde::Deserialize;

use super::run::Run;
use crate::error::{Error, Result};
use crate::llm::prompt::{Prompt, Recipe};
use crate::models::{personas, responses};

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

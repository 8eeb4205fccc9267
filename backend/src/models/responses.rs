//! Stored answers and their provenance.

use std::collections::HashMap;

use diesel::dsl::{auto_type, count_star};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::answers::{Answer, Provenance};

use crate::schema::{prompts, request_failures, responses, simulation_personas};

/// The columns of an answer, in the order of its fields.
#[auto_type]
fn answer_columns() -> _ {
    (
        responses::id,
        responses::persona_id,
        responses::question_id,
        responses::answer,
        responses::answer_value,
        responses::created_at,
        responses::distribution,
    )
}

/// The columns of an answer's provenance, in the order of its fields.
#[auto_type]
fn provenance_columns() -> _ {
    (
        responses::option_order,
        responses::attempt,
        responses::model,
        responses::fingerprint,
        responses::prompt_hash,
        responses::latency_ms,
        responses::prompt_tokens,
        responses::cached_tokens,
        responses::completion_tokens,
        responses::reasoning_tokens,
        responses::cache_write_tokens,
    )
}

/// The hash of the prompt that an answer came from, and how that prompt is built again if it was an unusual one.
/// `None`: there is no such answer.
pub async fn prompt(
    conn: &mut AsyncPgConnection,
    simulation: i64,
    persona: i32,
    question: i64,
) -> QueryResult<Option<(Vec<u8>, Option<serde_json::Value>)>> {
    let same_prompt =
        prompts::simulation_id.eq(responses::simulation_id).and(prompts::prompt_hash.eq(responses::prompt_hash));
    responses::table
        .find((simulation, persona, question))
        .left_join(prompts::table.on(same_prompt))
        .select((responses::prompt_hash, prompts::recipe.nullable()))
        .first(conn)
        .await
        .optional()
}

/// Returns the next `limit` prompt hashes after `after` that have a recipe, because their prompts are unusual, by hash.
pub async fn recipes(
    conn: &mut AsyncPgConnection,
    simulation: i64,
    after: &[u8],
    limit: i64,
) -> QueryResult<Vec<(Vec<u8>, serde_json::Value)>> {
    prompts::table
        .filter(prompts::simulation_id.eq(simulation))
        .filter(prompts::prompt_hash.gt(after))
        .order(prompts::prompt_hash)
        .limit(limit)
        .select((prompts::prompt_hash, prompts::recipe))
        .load(conn)
        .await
}

/// Returns the model versions of the other runs in the study that asked the same model, from the first 500 answers of
/// each.
pub async fn fingerprints_of_other_runs(conn: &mut AsyncPgConnection, simulation: i64) -> QueryResult<Vec<String>> {
    #[derive(QueryableByName)]
    struct Version {
        #[diesel(sql_type = Text)]
        fingerprint: String,
    }
    let versions: Vec<Version> = sql_query(
        "SELECT DISTINCT answer.fingerprint
         FROM simulations AS run
             JOIN study_runs AS own ON own.simulation_id = run.id
             JOIN study_runs AS other ON other.study_id = own.study_id AND other.simulation_id <> own.simulation_id
             JOIN simulations AS beside ON beside.id = other.simulation_id
                 AND beside.parameters ->> 'model' = run.parameters ->> 'model'
             CROSS JOIN LATERAL
                 (SELECT fingerprint FROM responses WHERE simulation_id = beside.id LIMIT 500) AS answer
         WHERE run.id = $1 AND answer.fingerprint <> ''",
    )
    .bind::<BigInt, _>(simulation)
    .load(conn)
    .await?;
    Ok(versions.into_iter().map(|Version { fingerprint }| fingerprint).collect())
}

/// Returns the answers of a run's personas from `after` (exclusive) to `last` (inclusive), by persona and question; if
/// `only` is given, of these personas alone.
pub async fn of_personas(
    mut conn: &AsyncPgConnection,
    simulation: i64,
    after: i32,
    last: i32,
    only: Option<&[i32]>,
) -> QueryResult<Vec<Answer>> {
    let answers = between(simulation, after, last).select(answer_columns());
    match only {
        None => answers.load(&mut conn).await,
        Some(only) => answers.filter(responses::persona_id.eq_any(only)).load(&mut conn).await,
    }
}

/// Like [`of_personas`], with the provenance of each answer.
pub async fn with_provenance(
    mut conn: &AsyncPgConnection,
    simulation: i64,
    after: i32,
    last: i32,
    only: Option<&[i32]>,
) -> QueryResult<Vec<(Answer, Provenance)>> {
    let answers = between(simulation, after, last).select((answer_columns(), provenance_columns()));
    match only {
        None => answers.load(&mut conn).await,
        Some(only) => answers.filter(responses::persona_id.eq_any(only)).load(&mut conn).await,
    }
}

#[auto_type]
fn between(simulation: i64, after: i32, last: i32) -> _ {
    responses::table
        .filter(responses::simulation_id.eq(simulation))
        .filter(responses::persona_id.gt(after).and(responses::persona_id.le(last)))
        .order((responses::persona_id, responses::question_id))
}

/// Counts the answers of these personas.
pub async fn count_of(conn: &mut AsyncPgConnection, simulation: i64, personas: &[i32]) -> QueryResult<i64> {
    let answers = responses::table.filter(responses::simulation_id.eq(simulation));
    answers.filter(responses::persona_id.eq_any(personas)).count().get_result(conn).await
}

/// Returns the position of the answer at `offset`, by persona and survey order: how many personas of the run precede
/// its own, and how many answers of its own persona precede it.
pub async fn locate(conn: &mut AsyncPgConnection, simulation: i64, offset: u64) -> QueryResult<(u64, u64)> {
    let answered = responses::table
        .filter(responses::simulation_id.eq(simulation_personas::simulation_id))
        .filter(responses::persona_id.eq(simulation_personas::persona_id))
        .count()
        .single_value();
    let counts: Vec<Option<i64>> = simulation_personas::table
        .filter(simulation_personas::simulation_id.eq(simulation))
        .order(simulation_personas::persona_id)
        .select(answered)
        .load(conn)
        .await?;
    let (mut personas, mut left) = (0, offset);
    for count in counts {
        let count = count.and_then(|count| u64::try_from(count).ok()).unwrap_or_default();
        if left < count {
            break;
        }
        (personas, left) = (personas + 1, left - count);
    }
    Ok((personas, left))
}

/// Number of answered and of failed requests for a question.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub answered: i64,
    pub failed: i64,
}

/// Returns the tallies of a run by question id, without questions that have none.
pub async fn tallies(conn: &mut AsyncPgConnection, simulation: i64) -> QueryResult<HashMap<i64, Tally>> {
    let answered: Vec<(i64, i64)> = responses::table
        .filter(responses::simulation_id.eq(simulation))
        .group_by(responses::question_id)
        .select((responses::question_id, count_star()))
        .load(conn)
        .await?;
    let failed: Vec<(i64, i64)> = request_failures::table
        .filter(request_failures::simulation_id.eq(simulation))
        .filter(request_failures::retrying.eq(false))
        .group_by(request_failures::question_id)
        .select((request_failures::question_id, count_star()))
        .load(conn)
        .await?;
    let mut tallies: HashMap<i64, Tally> = HashMap::new();
    for (question, count) in answered {
        tallies.entry(question).or_default().answered = count;
    }
    for (question, count) in failed {
        tallies.entry(question).or_default().failed = count;
    }
    Ok(tallies)
}

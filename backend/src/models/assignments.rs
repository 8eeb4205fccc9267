//! Assignments of the personas in a run with a design, and the progress of their interviews.

use std::collections::HashMap;

use diesel::dsl::count_star;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Jsonb, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use simulation::json::JsonText;
use simulation::progress::{InterviewProgress, twin};
use survey::assign::Assignment;
use survey::plan::Plan;
use survey::twin::Twin;
use survey::walk::{Reason, Walked, reachable};

use crate::models::json::unreadable;
use crate::schema::{not_shown, request_failures, responses};

/// A persona's assignment.
#[derive(Clone, Debug)]
pub struct TwinAssignment {
    pub twin: Twin,
    pub assignment: Assignment,
    /// Requests that this assignment can reach.
    pub requests: i32,
}

/// Stores the assignments of a run, in the order in which they were made.
pub async fn insert(conn: &mut AsyncPgConnection, simulation_id: i64, dealt: &[TwinAssignment]) -> QueryResult<()> {
    sql_query("INSERT INTO simulation_designs (simulation_id) VALUES ($1)")
        .bind::<BigInt, _>(simulation_id)
        .execute(conn)
        .await?;
    let unserialisable = |error| diesel::result::Error::SerializationError(Box::new(error));
    // Sorted as in the index, so that inserts hit neighbouring pages.
    let mut rows: Vec<(i32, &TwinAssignment)> = (1..).zip(dealt).collect();
    rows.sort_unstable_by_key(|(_, dealt)| dealt.twin.id);
    let fields = rows.iter().map(|(_, dealt)| serde_json::to_string(&dealt.assignment));
    let fields = fields.collect::<serde_json::Result<Vec<_>>>().map_err(unserialisable)?;
    sql_query(
        "INSERT INTO assignments (simulation_id, persona_id, place, requests, fields)
         SELECT $1, persona, place, requests, fields::jsonb
         FROM unnest($2, $3, $4, $5) AS dealt (persona, place, requests, fields)",
    )
    .bind::<BigInt, _>(simulation_id)
    .bind::<Array<Integer>, _>(rows.iter().map(|(_, dealt)| dealt.twin.id).collect::<Vec<_>>())
    .bind::<Array<Integer>, _>(rows.iter().map(|(place, _)| *place).collect::<Vec<_>>())
    .bind::<Array<Integer>, _>(rows.iter().map(|(_, dealt)| dealt.requests).collect::<Vec<_>>())
    .bind::<Array<Text>, _>(fields)
    .execute(conn)
    .await?;
    Ok(())
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Integer)]
    persona_id: i32,
    #[diesel(sql_type = Integer)]
    requests: i32,
    #[diesel(sql_type = Jsonb)]
    fields: JsonText,
    #[diesel(sql_type = Jsonb)]
    attributes: Value,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    held_out: Option<Vec<String>>,
}

/// Selects assignments with their personas. $2 adds the attributes, which are the largest part of a persona.
const DEALT: &str = "
    SELECT dealt.persona_id, dealt.requests, dealt.fields, held_out.asked AS held_out,
        CASE WHEN $2 THEN personas.attributes ELSE '{}' END AS attributes
    FROM assignments AS dealt
        JOIN simulation_personas AS asked USING (simulation_id, persona_id)
        JOIN personas ON (personas.set_id, personas.id) = (asked.persona_set_id, asked.persona_id)
        LEFT JOIN held_out_answers AS held_out
            ON (held_out.set_id, held_out.persona_id) = (asked.persona_set_id, asked.persona_id)
    WHERE dealt.simulation_id = $1";

/// Returns all assignments of a run, in the order in which they were made.
pub async fn dealt(mut conn: &AsyncPgConnection, simulation_id: i64) -> QueryResult<Vec<TwinAssignment>> {
    let all = sql_query(format!("{DEALT} ORDER BY dealt.place")).bind::<BigInt, _>(simulation_id);
    let rows: Vec<Row> = all.bind::<Bool, _>(true).load(&mut conn).await?;
    rows.into_iter().map(Row::into_dealt).collect()
}

/// Returns the assignments of these personas, in the order in which they were made. Attributes are read only if the
/// plan needs them.
pub async fn dealt_to(
    mut conn: &AsyncPgConnection,
    simulation_id: i64,
    plan: &Plan,
    personas: &[i32],
) -> QueryResult<Vec<TwinAssignment>> {
    // Both tables are filtered: with a filter on one alone, the planner may read the whole run for each page.
    let these = sql_query(format!(
        "{DEALT} AND dealt.persona_id = ANY($3) AND asked.persona_id = ANY($3) ORDER BY dealt.place"
    ));
    let these = these.bind::<BigInt, _>(simulation_id).bind::<Bool, _>(plan.reads_attributes());
    let rows: Vec<Row> = these.bind::<Array<Integer>, _>(personas).load(&mut conn).await?;
    rows.into_iter().map(Row::into_dealt).collect()
}

impl Row {
    fn into_dealt(self) -> QueryResult<TwinAssignment> {
        let Self { persona_id, requests, fields, attributes, held_out } = self;
        let assignment = fields.parse().map_err(unreadable)?;
        let twin = twin(persona_id, &attributes, held_out.unwrap_or_default());
        Ok(TwinAssignment { twin, assignment, requests })
    }
}

#[derive(QueryableByName)]
struct TwinRow {
    #[diesel(sql_type = Integer)]
    id: i32,
    #[diesel(sql_type = Jsonb)]
    attributes: Value,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    held_out: Option<Vec<String>>,
}

/// Returns personas of a set as designs see them, ascending by id: these, or all.
pub async fn twins(conn: &mut AsyncPgConnection, set_id: i32, personas: Option<&[i32]>) -> QueryResult<Vec<Twin>> {
    let rows: Vec<TwinRow> = sql_query(
        "SELECT personas.id, personas.attributes, held_out.asked AS held_out
         FROM personas
             LEFT JOIN held_out_answers AS held_out
                 ON (held_out.set_id, held_out.persona_id) = (personas.set_id, personas.id)
         WHERE personas.set_id = $1 AND ($2 IS NULL OR personas.id = ANY($2)) ORDER BY personas.id",
    )
    .bind::<Integer, _>(set_id)
    .bind::<Nullable<Array<Integer>>, _>(personas)
    .load(conn)
    .await?;
    let read = |TwinRow { id, attributes, held_out }: TwinRow| twin(id, &attributes, held_out.unwrap_or_default());
    Ok(rows.into_iter().map(read).collect())
}

/// Returns the progress of some interviews. With `retries_failed` the pass asks only failed requests, otherwise all
/// unsettled ones.
pub async fn interview_progress(
    mut conn: &AsyncPgConnection,
    simulation_id: i64,
    plan: &Plan,
    retries_failed: bool,
    personas: &[i32],
) -> QueryResult<HashMap<i32, InterviewProgress>> {
    let dealt = dealt_to(conn, simulation_id, plan, personas).await?;
    let mut answers: HashMap<i32, HashMap<i64, Value>> = HashMap::new();
    let stored: Vec<(i32, i64, Value)> = responses::table
        .filter(responses::simulation_id.eq(simulation_id))
        .filter(responses::persona_id.eq_any(personas))
        .select((responses::persona_id, responses::question_id, responses::answer_value))
        .load(&mut conn)
        .await?;
    for (persona, question, value) in stored {
        answers.entry(persona).or_default().insert(question, value);
    }
    let failures: Vec<(i32, i64, bool)> = request_failures::table
        .filter(request_failures::simulation_id.eq(simulation_id))
        .filter(request_failures::persona_id.eq_any(personas))
        .select((request_failures::persona_id, request_failures::question_id, request_failures::retrying))
        .load(&mut conn)
        .await?;
    let failures: HashMap<(i32, i64), bool> =
        failures.into_iter().map(|(persona, question, retrying)| ((persona, question), retrying)).collect();
    let mut hidden = hidden(conn, simulation_id, personas).await?;
    let progress = |TwinAssignment { twin, assignment, .. }: TwinAssignment| {
        let answers = answers.remove(&twin.id).unwrap_or_default();
        let not_shown = hidden.remove(&twin.id).unwrap_or_default();
        let reached = reachable(plan, &twin, &assignment);
        let items = reached.iter().filter_map(|place| plan.items.get(*place));
        let left =
            items.map(|item| item.question.id).filter(|id| !answers.contains_key(id) && !not_shown.contains_key(id));
        let is_open = |id: &i64| match failures.get(&(twin.id, *id)) {
            Some(retrying) => *retrying,
            None => !retries_failed,
        };
        let (open, failed) = left.partition(is_open);
        let walked = Walked::none(reached);
        (twin.id, InterviewProgress { twin, assignment, walked, answers, open, failed, not_shown })
    };
    Ok(dealt.into_iter().map(progress).collect())
}

/// Returns the requests of these personas that were not shown, by persona and question id.
pub async fn hidden(
    mut conn: &AsyncPgConnection,
    simulation_id: i64,
    personas: &[i32],
) -> QueryResult<HashMap<i32, HashMap<i64, Reason>>> {
    let rows: Vec<(i32, i64, String)> = not_shown::table
        .filter(not_shown::simulation_id.eq(simulation_id))
        .filter(not_shown::persona_id.eq_any(personas))
        .select((not_shown::persona_id, not_shown::question_id, not_shown::reason))
        .load(&mut conn)
        .await?;
    let reason = |name: &str| if name == Reason::ScreenedOut.name() { Reason::ScreenedOut } else { Reason::Logic };
    let mut hidden: HashMap<i32, HashMap<i64, Reason>> = HashMap::new();
    for (persona, question, name) in rows {
        hidden.entry(persona).or_default().insert(question, reason(&name));
    }
    Ok(hidden)
}

/// Returns, by question id, how many personas' assignments can reach the question and how many of these were not shown
/// it.
pub async fn reach(mut conn: &AsyncPgConnection, simulation_id: i64, plan: &Plan) -> QueryResult<HashMap<i64, Reach>> {
    let mut reach: HashMap<i64, Reach> = HashMap::new();
    for TwinAssignment { twin, assignment, .. } in dealt(conn, simulation_id).await? {
        for item in reachable(plan, &twin, &assignment).into_iter().filter_map(|place| plan.items.get(place)) {
            reach.entry(item.question.id).or_default().twins += 1;
        }
    }
    let skipped: Vec<(i64, i64)> = not_shown::table
        .filter(not_shown::simulation_id.eq(simulation_id))
        .group_by(not_shown::question_id)
        .select((not_shown::question_id, count_star()))
        .load(&mut conn)
        .await?;
    for (question, count) in skipped {
        reach.entry(question).or_default().skipped = count;
    }
    Ok(reach)
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Reach {
    pub twins: i64,
    /// Personas among them who were not shown the question.
    pub skipped: i64,
}

/// Returns how many requests of a run were not shown.
pub async fn skipped(conn: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<i32> {
    #[derive(QueryableByName)]
    struct Skipped {
        #[diesel(sql_type = Integer)]
        skipped: i32,
    }
    let found: Option<Skipped> = sql_query("SELECT skipped FROM simulation_designs WHERE simulation_id = $1")
        .bind::<BigInt, _>(simulation_id)
        .get_result(conn)
        .await
        .optional()?;
    Ok(found.map_or(0, |found| found.skipped))
}

/// Draws ids for questions that belong to a run but to no survey.
pub async fn new_question_ids(conn: &mut AsyncPgConnection, count: usize) -> QueryResult<Vec<i64>> {
    #[derive(QueryableByName)]
    struct Id {
        #[diesel(sql_type = BigInt)]
        id: i64,
    }
    let ids: Vec<Id> = sql_query(
        "SELECT nextval(pg_get_serial_sequence('questions', 'id')) AS id FROM generate_series(1, $1) ORDER BY id",
    )
    .bind::<BigInt, _>(count as i64)
    .load(conn)
    .await?;
    Ok(ids.into_iter().map(|Id { id }| id).collect())
}

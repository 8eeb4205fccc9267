//! Searches a run's personas by the words of their names, attributes and answers.

use diesel::QueryResult;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Integer, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::search::containing;

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Integer)]
    id: i32,
}

/// Returns the ids of a run's personas that have each of the words in their name, id in the dataset, attributes or
/// answers, in letters of either case; ascending. The word `failed` also finds personas with a failed request. If `only`
/// is given, searches these personas alone.
///
/// Reads each persona's answers by their primary key until all words are found.
pub async fn personas_with(
    conn: &mut AsyncPgConnection,
    simulation: i64,
    words: &[String],
    only: Option<&[i32]>,
) -> QueryResult<Vec<i32>> {
    let found: Vec<Found> = sql_query(
        "SELECT asked.persona_id AS id FROM simulation_personas AS asked
             JOIN personas ON (personas.set_id, personas.id) = (asked.persona_set_id, asked.persona_id)
         WHERE asked.simulation_id = $1 AND ($3 IS NULL OR asked.persona_id = ANY($3)) AND NOT EXISTS (
             SELECT FROM unnest($2) AS word (pattern)
             WHERE NOT (personas.name ILIKE pattern OR personas.pid ILIKE pattern
                 OR EXISTS (SELECT FROM jsonb_each_text(personas.attributes) AS attribute WHERE value ILIKE pattern)
                 OR EXISTS (SELECT FROM responses WHERE responses.simulation_id = $1
                     AND responses.persona_id = asked.persona_id AND responses.answer ILIKE pattern)
                 OR 'failed' ILIKE pattern AND EXISTS (SELECT FROM request_failures AS failure
                     WHERE failure.simulation_id = $1 AND failure.persona_id = asked.persona_id AND NOT retrying)))
         ORDER BY asked.persona_id",
    )
    .bind::<BigInt, _>(simulation)
    .bind::<Array<Text>, _>(words.iter().map(|word| containing(word)).collect::<Vec<_>>())
    .bind::<Nullable<Array<Integer>>, _>(only)
    .load(conn)
    .await?;
    Ok(found.into_iter().map(|Found { id }| id).collect())
}

/// A persona's text in a column by which personas are sorted.
#[derive(Debug, QueryableByName)]
pub struct ColumnText {
    #[diesel(sql_type = Integer)]
    pub persona_id: i32,
    /// The first 200 characters.
    #[diesel(sql_type = Text)]
    pub text: String,
}

/// Returns the name of each of a run's personas, or its id if it has no name.
pub async fn names(conn: &mut AsyncPgConnection, simulation: i64) -> QueryResult<Vec<ColumnText>> {
    sql_query(
        "SELECT asked.persona_id, left(coalesce(nullif(personas.name, ''), asked.persona_id::text), 200) AS text
         FROM simulation_personas AS asked
             JOIN personas ON (personas.set_id, personas.id) = (asked.persona_set_id, asked.persona_id)
         WHERE asked.simulation_id = $1",
    )
    .bind::<BigInt, _>(simulation)
    .load(conn)
    .await
}

/// Returns the answers of a run's personas to a question; of a matrix, those in the row with this text. Personas without
/// an answer are missing.
pub async fn answers(
    conn: &mut AsyncPgConnection,
    simulation: i64,
    question: i64,
    row: Option<&str>,
) -> QueryResult<Vec<ColumnText>> {
    sql_query(
        "SELECT persona_id, left(text, 200) AS text
         FROM (
             SELECT responses.persona_id, CASE WHEN $3 IS NULL THEN answer ELSE answer_value ->> $3 END AS text
             FROM simulation_personas AS asked
                 JOIN responses ON responses.simulation_id = $1 AND responses.persona_id = asked.persona_id
                     AND responses.question_id = $2
             WHERE asked.simulation_id = $1
         ) AS answered
         WHERE text IS NOT NULL",
    )
    .bind::<BigInt, _>(simulation)
    .bind::<BigInt, _>(question)
    .bind::<Nullable<Text>, _>(row)
    .load(conn)
    .await
}

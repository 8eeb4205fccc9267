//! Means of the probabilities that twins gave.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Double, Integer, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::summaries::figures::MeanProbability;

/// Mean probabilities by question, row and label. The row of a choice has no name.
pub(super) type Probabilities = HashMap<(i64, String, String), MeanProbability>;

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    question_id: i64,
    #[diesel(sql_type = Text)]
    part: String,
    #[diesel(sql_type = Text)]
    label: String,
    #[diesel(sql_type = BigInt)]
    n: i64,
    #[diesel(sql_type = Double)]
    mean: f64,
    #[diesel(sql_type = Nullable<Double>)]
    sd: Option<f64>,
}

const MEANS: &str = "
    WITH given AS (
        SELECT question_id, distribution FROM responses
        WHERE simulation_id = $1 AND distribution IS NOT NULL AND ($2 IS NULL OR persona_id = ANY ($2)))
    SELECT question_id, part, label, count(*) AS n, avg(p) AS mean, stddev_samp(p) AS sd FROM (
        SELECT question_id, '' AS part, option.key AS label, option.value::double precision AS p
        FROM given, jsonb_each_text(distribution -> 'options') AS option
        UNION ALL
        SELECT question_id, row.key, option.key, option.value::double precision
        FROM given, jsonb_each(distribution -> 'rows') AS row, jsonb_each_text(row.value) AS option
    ) AS each GROUP BY 1, 2, 3";

/// Returns the means over these personas, or over all.
pub(super) async fn means(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    twins: Option<&[i32]>,
) -> QueryResult<Probabilities> {
    let rows: Vec<Row> =
        sql_query(MEANS).bind::<BigInt, _>(simulation_id).bind::<Nullable<Array<Integer>>, _>(twins).load(conn).await?;
    let mean = |of: Row| ((of.question_id, of.part, of.label), MeanProbability::of_moments(of.n, of.mean, of.sd));
    Ok(rows.into_iter().map(mean).collect())
}

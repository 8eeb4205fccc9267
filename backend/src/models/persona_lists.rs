//! Twins as people look for them: by text, by attributes, by chance.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use diesel::dsl::{count_star, sql};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::models::json::Json;
use crate::models::search;
use crate::schema::personas;

/// A digital twin, without the texts that it is asked with.
#[derive(Clone, Debug, Queryable, Selectable, Serialize, ToSchema)]
#[diesel(table_name = personas, check_for_backend(Pg))]
pub struct Persona {
    /// Within the current set, from 1.
    #[schema(example = 17)]
    pub id: i32,
    /// The dataset's own id of the person.
    #[schema(example = "1204")]
    pub pid: String,
    #[schema(example = "Twin 17")]
    pub name: String,
    #[schema(example = "Female, 30-49, South, Some college, Full-time employment")]
    pub description: String,
    /// Demographics by label.
    #[schema(value_type = BTreeMap<String, String>, example = json!({"Gender": "Female", "Age": "30-49"}))]
    pub attributes: Json,
}

/// A digital twin with the texts that it is asked with.
#[derive(Clone, Debug, Queryable, Selectable, Serialize, ToSchema)]
#[diesel(table_name = personas, check_for_backend(Pg))]
#[serde(rename_all = "camelCase")]
pub struct PersonaProfile {
    #[serde(flatten)]
    #[diesel(embed)]
    pub persona: Persona,
    /// What runs ask with, unless they ask for the full text.
    #[schema(example = "Gender: Female\nAge: 30-49\n…")]
    pub summary: Option<String>,
    pub full_text: Option<String>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Which twins are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Text in the name, the description, the id of the dataset or the value of an attribute, in letters of either
    /// case.
    pub q: Option<String>,
    /// By label: the twin's value must be one of these.
    pub attributes: BTreeMap<String, Vec<String>>,
}

fn matching(set_id: i32, filter: &Filter) -> personas::BoxedQuery<'static, Pg> {
    let mut twins = personas::table.filter(personas::set_id.eq(set_id)).into_boxed();
    if let Some(q) = &filter.q {
        twins = twins.filter(personas::searched.ilike(search::containing(q)));
    }
    for (label, values) in &filter.attributes {
        // Containment, since that is what the index on attributes answers.
        let mut any: Option<Box<dyn BoxableExpression<personas::table, Pg, SqlType = Bool>>> = None;
        for value in values {
            let mut wanted = serde_json::Map::new();
            wanted.insert(label.clone(), json!(value));
            let has = personas::attributes.contains(Value::Object(wanted));
            any = Some(match any {
                Some(others) => Box::new(others.or(has)),
                None => Box::new(has),
            });
        }
        if let Some(any) = any {
            twins = twins.filter(any);
        }
    }
    twins
}

/// In the order of their ids, and how many there are in all.
pub async fn list(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    filter: &Filter,
    limit: i64,
    offset: i64,
) -> QueryResult<(Vec<Persona>, i64)> {
    let rows: Vec<Persona> = matching(set_id, filter)
        .order(personas::id)
        .limit(limit)
        .offset(offset)
        .select(Persona::as_select())
        .load(conn)
        .await?;
    let is_all = offset == 0 && (rows.len() as i64) < limit;
    let total = if is_all { rows.len() as i64 } else { count(conn, set_id, filter).await? };
    Ok((rows, total))
}

pub async fn count(conn: &mut AsyncPgConnection, set_id: i32, filter: &Filter) -> QueryResult<i64> {
    matching(set_id, filter).count().get_result(conn).await
}

/// The twins that match, in the order of their ids.
pub async fn matching_ids(conn: &mut AsyncPgConnection, set_id: i32, filter: &Filter) -> QueryResult<Vec<i32>> {
    // One array: a row for each of thousands would cost more than to find them.
    matching(set_id, filter)
        .select(sql::<Array<Integer>>("coalesce(array_agg(id ORDER BY id), '{}')"))
        .get_result(conn)
        .await
}

/// `n` of the twins that match, each as likely as any other, in the order of their ids; all of them if there are fewer.
/// The same seed and matching twins give the same.
pub async fn random(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    matching: &[i32],
    n: usize,
    seed: i64,
) -> QueryResult<Vec<Persona>> {
    let chosen = super::personas::sample(matching.to_vec(), n, seed);
    personas::table
        .filter(personas::set_id.eq(set_id))
        .filter(personas::id.eq_any(chosen))
        .order(personas::id)
        .select(Persona::as_select())
        .load(conn)
        .await
}

pub async fn find(conn: &mut AsyncPgConnection, set_id: i32, id: i32) -> QueryResult<Option<PersonaProfile>> {
    personas::table.find((set_id, id)).select(PersonaProfile::as_select()).first(conn).await.optional()
}

/// What a set's rows are: it changes with every change of any of them, whoever makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetState {
    set_id: i32,
    twins: i64,
    /// Sum of the ids of the transactions that wrote the rows.
    writers: i64,
}

impl SetState {
    pub async fn now(conn: &mut AsyncPgConnection, set_id: i32) -> QueryResult<Self> {
        let writers = sql::<BigInt>("coalesce(sum(xmin::text::bigint), 0)::bigint");
        let rows = personas::table.filter(personas::set_id.eq(set_id));
        let (twins, writers) = rows.select((count_star(), writers)).get_result(conn).await?;
        Ok(Self { set_id, twins, writers })
    }
}

/// A value of an attribute and how many twins have it.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct AttributeValue {
    #[diesel(sql_type = Text)]
    pub label: String,
    #[diesel(sql_type = Text)]
    pub value: String,
    #[diesel(sql_type = BigInt)]
    pub count: i64,
}

/// The attributes of a set in the order of their labels, each with its `most` commonest values, these first.
pub async fn attribute_values(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    most: i32,
) -> QueryResult<Vec<AttributeValue>> {
    diesel::sql_query(
        "SELECT label, value, count FROM (
            SELECT label, value, count(*) AS count,
                row_number() OVER (PARTITION BY label ORDER BY count(*) DESC, value) AS place
            FROM personas, jsonb_each_text(attributes) AS attribute (label, value)
            WHERE set_id = $1
            GROUP BY label, value
        ) counted
        WHERE place <= $2
        ORDER BY label, place",
    )
    .bind::<Integer, _>(set_id)
    .bind::<Integer, _>(most)
    .load(conn)
    .await
}

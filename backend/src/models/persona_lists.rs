//! Searches personas by text and attributes, and draws random ones.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::result::Error::DeserializationError;
use diesel::sql_types::{Array, Integer, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use simulation::json::JsonText;
use utoipa::ToSchema;

use crate::models::search;
use crate::schema::personas;

/// A digital twin, without the texts that prompts use.
#[derive(Clone, Debug, Queryable, Selectable, Serialize, ToSchema)]
#[diesel(table_name = personas, check_for_backend(Pg))]
pub struct Persona {
    /// Number within the current set, from 1.
    #[schema(example = 17)]
    pub id: i32,
    /// The person's id in the dataset.
    #[schema(example = "1204")]
    pub pid: String,
    #[schema(example = "Twin 17")]
    pub name: String,
    #[schema(example = "Female, 30-49, South, Some college, Full-time employment")]
    pub description: String,
    /// Demographics by label.
    #[schema(value_type = BTreeMap<String, String>, example = json!({"Gender": "Female", "Age": "30-49"}))]
    pub attributes: JsonText,
}

/// A digital twin with the texts that prompts use.
#[derive(Clone, Debug, Queryable, Selectable, Serialize, ToSchema)]
#[diesel(table_name = personas, check_for_backend(Pg))]
#[serde(rename_all = "camelCase")]
pub struct PersonaProfile {
    #[serde(flatten)]
    #[diesel(embed)]
    pub persona: Persona,
    /// The text that runs use unless they choose the full text.
    #[schema(example = "Gender: Female\nAge: 30-49\n…")]
    pub summary: Option<String>,
    pub full_text: Option<String>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// A selection of personas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonaFilter {
    /// Text in the name, the description, the dataset's id or the value of an attribute; case is ignored.
    pub q: Option<String>,
    /// Allowed values by label: the persona must have one of them.
    pub attributes: BTreeMap<String, Vec<String>>,
}

fn matching(set_id: i32, filter: &PersonaFilter) -> personas::BoxedQuery<'static, Pg> {
    let mut twins = personas::table.filter(personas::set_id.eq(set_id)).into_boxed();
    if let Some(q) = &filter.q {
        twins = twins.filter(personas::searched.ilike(search::containing(q)));
    }
    for (label, values) in &filter.attributes {
        // One array, however many values: a chain of conditions could overflow the stack.
        twins = twins.filter(personas::attributes.retrieve_as_text(label.clone()).eq_any(values.clone()));
    }
    twins
}

/// Returns a page of the matching personas, by id, and how many match.
pub async fn list(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    filter: &PersonaFilter,
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
    Ok((rows, count(conn, set_id, filter).await?))
}

pub async fn count(conn: &mut AsyncPgConnection, set_id: i32, filter: &PersonaFilter) -> QueryResult<i64> {
    matching(set_id, filter).count().get_result(conn).await
}

/// Draws `n` of the matching personas with equal probability, or all if there are fewer; returns them by id. The same
/// seed draws the same ones from the same personas.
pub async fn random(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    filter: &PersonaFilter,
    n: usize,
    seed: i64,
) -> QueryResult<Vec<Persona>> {
    let ids: Vec<i32> = matching(set_id, filter).order(personas::id).select(personas::id).load(conn).await?;
    personas::table
        .filter(personas::set_id.eq(set_id))
        .filter(personas::id.eq_any(super::persona_draws::sample(ids, n, seed)))
        .order(personas::id)
        .select(Persona::as_select())
        .load(conn)
        .await
}

pub async fn find(conn: &mut AsyncPgConnection, set_id: i32, id: i32) -> QueryResult<Option<PersonaProfile>> {
    personas::table.find((set_id, id)).select(PersonaProfile::as_select()).first(conn).await.optional()
}

/// Returns the first of these labels that no persona of the set has.
pub async fn first_unknown_label(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    labels: &[&str],
) -> QueryResult<Option<String>> {
    #[derive(QueryableByName)]
    struct Unknown {
        #[diesel(sql_type = Text)]
        label: String,
    }
    let unknown: Option<Unknown> = diesel::sql_query(
        "SELECT label FROM unnest($1) AS asked (label)
         WHERE NOT EXISTS (SELECT FROM personas WHERE set_id = $2 AND jsonb_exists(attributes, label)) LIMIT 1",
    )
    .bind::<Array<Text>, _>(labels)
    .bind::<Integer, _>(set_id)
    .get_result(conn)
    .await
    .optional()?;
    Ok(unknown.map(|Unknown { label }| label))
}

/// A value of an attribute, with its frequency.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ValueCount {
    #[schema(example = "Female")]
    pub value: String,
    /// Number of twins with this value.
    #[schema(example = 1031)]
    pub count: i64,
}

/// A text of a JSON document, borrowed from it unless it holds an escape: thousands of personas repeat a few values.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Word<'a>(#[serde(borrow)] Cow<'a, str>);

/// Returns the attributes of a set by label, each with its `max_values` most frequent values, in descending order.
pub async fn attribute_values(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    max_values: usize,
) -> QueryResult<BTreeMap<String, Vec<ValueCount>>> {
    let twins: Vec<JsonText> =
        personas::table.filter(personas::set_id.eq(set_id)).select(personas::attributes).load(conn).await?;
    // Values are counted here: PostgreSQL takes three times as long to expand and sort the objects.
    let mut counts: BTreeMap<Word, HashMap<Word, i64>> = BTreeMap::new();
    for twin in &twins {
        let attributes: BTreeMap<Word, Word> = twin.parse().map_err(|error| DeserializationError(Box::new(error)))?;
        for (label, value) in attributes {
            *counts.entry(label).or_default().entry(value).or_default() += 1;
        }
    }
    let commonest = |values: HashMap<Word, i64>| {
        let mut values: Vec<_> =
            values.into_iter().map(|(value, count)| ValueCount { value: value.0.into_owned(), count }).collect();
        values.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
        values.truncate(max_values);
        values
    };
    Ok(counts.into_iter().map(|(label, values)| (label.0.into_owned(), commonest(values))).collect())
}

//! Personas and their sets. At most one set is current; new runs use it.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use diesel::PgAnyJsonExpressionMethods;
use diesel::prelude::{
    ExpressionMethods, NullableExpressionMethods, OptionalExtension, QueryDsl, QueryResult, Queryable, QueryableByName,
    Selectable, SelectableHelper,
};
use diesel::sql_types::{Array, BigInt, Integer, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Deserializer, Serialize};
use simulation::parameters::PersonaVariant;
use utoipa::ToSchema;

use super::held_out::HeldOut;
use super::persona_draws::sample;
use super::profile_answers::ProfileAnswers;
use crate::models::persona_texts;
use crate::schema::{persona_sets, personas};

#[derive(Clone, Debug, PartialEq, Queryable, Selectable)]
pub struct PersonaSet {
    pub id: i32,
    /// Source of the set, for example `Twin-2K-500 full_persona (twins.parquet)`.
    pub source: String,
    /// Whether the profiles are invented: every view and download of their answers says so.
    pub synthetic: bool,
    pub created_at: DateTime<Utc>,
}

/// A persona to be added or imported.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewPersona {
    /// The person's id in the dataset; one is made up if it is left out.
    #[serde(default, deserialize_with = "text_or_null")]
    #[schema(value_type = Option<String>, example = "1204", max_length = 200)]
    pub pid: String,
    /// Not blank.
    #[schema(example = "Twin 2059", min_length = 1, max_length = 200)]
    pub name: String,
    #[serde(default)]
    #[schema(example = "Female, 30-49, South")]
    pub description: String,
    /// Demographics by label.
    #[serde(default)]
    #[schema(example = json!({"Gender": "Female", "Age": "30-49"}))]
    pub attributes: BTreeMap<String, String>,
    /// The text that it is asked with; by default the description.
    #[serde(default)]
    #[schema(example = "Gender: Female\nAge: 30-49")]
    pub summary: Option<String>,
    /// A longer text, for runs that ask with it.
    #[serde(default, alias = "full_text")]
    pub full_text: Option<String>,
    /// Questions that the person answered twice. The twin does not see the answers.
    #[serde(skip)]
    pub held_out: Vec<HeldOut>,
    /// The questions that the texts were made from; of the first twins of a set.
    #[serde(skip)]
    pub profile_questions: Vec<String>,
    /// The person's answers to these questions, if the file has them.
    #[serde(skip)]
    pub profile_answers: Vec<ProfileAnswers>,
}

fn text_or_null<'de, D: Deserializer<'de>>(text: D) -> Result<String, D::Error> {
    Option::deserialize(text).map(Option::unwrap_or_default)
}

/// The set that new runs use.
pub async fn current_set(conn: &mut AsyncPgConnection) -> QueryResult<Option<PersonaSet>> {
    let current = persona_sets::table.filter(persona_sets::is_current).select(PersonaSet::as_select());
    current.get_result(conn).await.optional()
}

/// Returns [`current_set`] and protects it from deletion until the transaction ends, for the start of a run.
pub async fn hold_current_set(conn: &mut AsyncPgConnection) -> QueryResult<Option<PersonaSet>> {
    // If an import ends meanwhile, the first query misses the row and the second one finds the new set.
    for _ in 0..2 {
        let current = persona_sets::table.filter(persona_sets::is_current).select(PersonaSet::as_select());
        let held = current.for_key_share().get_result(conn).await.optional()?;
        if held.is_some() {
            return Ok(held);
        }
    }
    Ok(None)
}

pub async fn count(conn: &mut AsyncPgConnection, set_id: i32) -> QueryResult<i64> {
    personas::table.filter(personas::set_id.eq(set_id)).count().get_result(conn).await
}

/// A persona's id, name and description, for selection lists.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Serialize, ToSchema)]
#[diesel(table_name = personas)]
pub struct PersonaName {
    #[schema(example = 17)]
    pub id: i32,
    #[schema(example = "Twin 17")]
    pub name: String,
    #[schema(example = "Female, 30-49, Northeast")]
    pub description: String,
}

/// Returns a page of the current set's personas, by id, and how many there are.
pub async fn names(conn: &mut AsyncPgConnection, limit: i64, offset: i64) -> QueryResult<(Vec<PersonaName>, i64)> {
    let Some(set) = current_set(conn).await? else { return Ok((Vec::new(), 0)) };
    let page = personas::table.filter(personas::set_id.eq(set.id)).order(personas::id).limit(limit).offset(offset);
    let rows = page.select(PersonaName::as_select()).load(conn).await?;
    Ok((rows, count(conn, set.id).await?))
}

/// Draws `n` ids of the set uniformly at random, or all if it has fewer; ascending. The same seed and set give the same
/// ids on every machine and with every version of the program.
pub async fn choose(conn: &mut AsyncPgConnection, set_id: i32, n: i32, seed: i64) -> QueryResult<Vec<i32>> {
    let ids = personas::table.filter(personas::set_id.eq(set_id)).select(personas::id).order(personas::id);
    Ok(sample(ids.load(conn).await?, usize::try_from(n).unwrap_or(0), seed))
}

/// Draws like [`choose`] among personas that have, for each label, one of its values, and are not in `others`; fewer than `n`
/// if fewer match.
pub async fn choose_among(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    attributes: &BTreeMap<String, Vec<String>>,
    others: &[i32],
    n: i32,
    seed: i64,
) -> QueryResult<Vec<i32>> {
    let mut twins = personas::table.filter(personas::set_id.eq(set_id)).into_boxed();
    for (label, values) in attributes {
        twins = twins.filter(personas::attributes.retrieve_as_text(label.clone()).eq_any(values.clone()));
    }
    let ids = twins.filter(personas::id.ne_all(others)).select(personas::id).order(personas::id);
    Ok(sample(ids.load(conn).await?, usize::try_from(n).unwrap_or(0), seed))
}

/// Returns the highest id of the set's personas, 0 if it is empty.
pub async fn last_id(conn: &mut AsyncPgConnection, set_id: i32) -> QueryResult<i32> {
    let of_set = personas::table.filter(personas::set_id.eq(set_id));
    let last: Option<i32> = of_set.select(diesel::dsl::max(personas::id)).first(conn).await?;
    Ok(last.unwrap_or_default())
}

/// An id that no persona of a set has.
#[derive(QueryableByName)]
struct Unknown {
    #[diesel(sql_type = Integer)]
    id: i32,
}

/// Returns at most `limit` of the lowest ids between 1 and the highest one that no persona of the current set has.
pub async fn missing_ids(conn: &mut AsyncPgConnection, limit: i64) -> QueryResult<Vec<i32>> {
    let Some(set) = current_set(conn).await? else { return Ok(Vec::new()) };
    let last = last_id(conn, set.id).await?;
    let query = diesel::sql_query(
        "SELECT number AS id FROM generate_series(1, $1) AS number \
         WHERE NOT EXISTS (SELECT FROM personas WHERE set_id = $2 AND personas.id = number) \
         ORDER BY number LIMIT $3",
    );
    let missing = query.bind::<Integer, _>(last).bind::<Integer, _>(set.id).bind::<BigInt, _>(limit);
    Ok(missing.load::<Unknown>(conn).await?.into_iter().map(|missing| missing.id).collect())
}

/// Returns the first of `ids` that is not in the set.
pub async fn first_unknown(conn: &mut AsyncPgConnection, set_id: i32, ids: &[i32]) -> QueryResult<Option<i32>> {
    let query = diesel::sql_query(
        "SELECT asked.id FROM unnest($1) WITH ORDINALITY AS asked (id, position) \
         WHERE NOT EXISTS (SELECT FROM personas WHERE set_id = $2 AND personas.id = asked.id) \
         ORDER BY position LIMIT 1",
    );
    let query = query.bind::<Array<Integer>, _>(ids).bind::<Integer, _>(set_id);
    let unknown: Option<Unknown> = query.get_result(conn).await.optional()?;
    Ok(unknown.map(|unknown| unknown.id))
}

/// Returns the first of `ids` whose persona has no text of this variant.
pub async fn first_without_text(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    ids: &[i32],
    variant: PersonaVariant,
) -> QueryResult<Option<i32>> {
    let asked = personas::table.filter(personas::set_id.eq(set_id)).filter(personas::id.eq_any(ids));
    let lacking = asked.filter(persona_texts::column(variant).is_null());
    lacking.select(personas::id).order(personas::id).first(conn).await.optional()
}

/// Returns texts by persona id, ascending, without personas that have no such text or are not in the set.
pub async fn texts(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    variant: PersonaVariant,
    ids: &[i32],
) -> QueryResult<Vec<(i32, String)>> {
    personas::table
        .filter(personas::set_id.eq(set_id))
        .filter(personas::id.eq_any(ids))
        .filter(persona_texts::column(variant).is_not_null())
        .order(personas::id)
        .select((personas::id, persona_texts::column(variant).assume_not_null()))
        .load(conn)
        .await
}

/// Whether every persona of the set has a text of this variant.
pub async fn has_texts(conn: &mut AsyncPgConnection, set_id: i32, variant: PersonaVariant) -> QueryResult<bool> {
    let lacking = personas::table.filter(personas::set_id.eq(set_id)).filter(persona_texts::column(variant).is_null());
    let lacks = lacking.select(personas::id).first::<i32>(conn).await.optional()?;
    Ok(lacks.is_none())
}

/// Returns the variants for which every persona of the current set has a text; `long` includes the full text.
pub async fn variants(conn: &mut AsyncPgConnection, long: bool) -> QueryResult<Vec<PersonaVariant>> {
    let Some(set) = current_set(conn).await? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    if has_texts(conn, set.id, PersonaVariant::Summary).await? {
        found.push(PersonaVariant::Summary);
    }
    // If the last wave is held out, the full text is that of the earlier waves.
    for variant in [PersonaVariant::Waves1To3, PersonaVariant::Full] {
        if long && has_texts(conn, set.id, variant).await? {
            found.push(variant);
            break;
        }
    }
    found.extend([PersonaVariant::Demographics, PersonaVariant::Empty]);
    Ok(found)
}

/// Returns id, dataset's id and attributes (an object of texts by label) of these personas.
pub async fn facts(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    ids: &[i32],
) -> QueryResult<Vec<(i32, String, serde_json::Value)>> {
    let wanted = personas::table.filter(personas::set_id.eq(set_id)).filter(personas::id.eq_any(ids));
    wanted.select((personas::id, personas::pid, personas::attributes)).load(conn).await
}

/// Returns the labels of the attributes of a set's personas.
pub async fn attribute_labels(conn: &mut AsyncPgConnection, set_id: i32) -> QueryResult<Vec<String>> {
    #[derive(QueryableByName)]
    struct Label {
        #[diesel(sql_type = Text)]
        label: String,
    }
    let labels: Vec<Label> = diesel::sql_query(
        "SELECT DISTINCT label FROM personas, jsonb_object_keys(attributes) AS label WHERE set_id = $1 ORDER BY label",
    )
    .bind::<Integer, _>(set_id)
    .load(conn)
    .await?;
    Ok(labels.into_iter().map(|Label { label }| label).collect())
}

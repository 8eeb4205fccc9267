//! Changes to single personas. A set that a run refers to is never changed: its copy is, and becomes the current set.

use std::collections::BTreeMap;

use diesel::dsl::{exists, max, now};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Integer;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use serde::Deserialize;
use serde_json::json;
use simulation::persona_source::{self, BY_HAND};
use utoipa::ToSchema;

use super::persona_lists::{self, PersonaProfile};
use super::personas::{NewPersona, PersonaSet};
use crate::schema::{persona_sets, personas, simulations};

/// A change to a persona. A field that is left out stays as it is.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonaChange {
    #[serde(default)]
    #[schema(example = "Twin 17", min_length = 1, max_length = 200)]
    pub name: Option<String>,
    #[serde(default)]
    #[schema(example = "Female, 30-49, South")]
    pub description: Option<String>,
    /// Not blank.
    #[serde(default)]
    #[schema(example = "Gender: Female\nAge: 30-49", min_length = 1)]
    pub summary: Option<String>,
    /// Not blank.
    #[serde(default, alias = "full_text")]
    #[schema(min_length = 1)]
    pub full_text: Option<String>,
    /// All attributes by label: they replace the old ones.
    #[serde(default)]
    #[schema(example = json!({"Gender": "Female", "Age": "30-49"}))]
    pub attributes: Option<BTreeMap<String, String>>,
}

/// Adds a persona at the end of the set. A persona without `pid` gets one.
pub async fn add(conn: &mut AsyncPgConnection, new: NewPersona) -> QueryResult<PersonaProfile> {
    conn.transaction(async |conn| {
        let set_id = match lock_current(conn).await? {
            Some(set) => editable(conn, set).await?,
            None => create_first(conn).await?,
        };
        let last: Option<i32> =
            personas::table.filter(personas::set_id.eq(set_id)).select(max(personas::id)).first(conn).await?;
        let id = last.unwrap_or(0) + 1;
        let pid = if new.pid.is_empty() { format!("added-{id}") } else { new.pid };
        diesel::insert_into(personas::table)
            .values((
                personas::set_id.eq(set_id),
                personas::id.eq(id),
                personas::pid.eq(pid),
                personas::name.eq(new.name),
                personas::description.eq(new.description),
                personas::attributes.eq(json!(new.attributes)),
                personas::summary.eq(new.summary),
                personas::full_text.eq(new.full_text),
            ))
            .returning(PersonaProfile::as_returning())
            .get_result(conn)
            .await
    })
    .await
}

/// Changes a persona. `None`: the current set has no such persona.
pub async fn change(
    conn: &mut AsyncPgConnection,
    id: i32,
    change: PersonaChange,
) -> QueryResult<Option<PersonaProfile>> {
    conn.transaction(async |conn| {
        let Some(set_id) = editable_with(conn, id).await? else { return Ok(None) };
        diesel::update(personas::table.find((set_id, id)))
            .set((
                change.name.map(|name| personas::name.eq(name)),
                change.description.map(|description| personas::description.eq(description)),
                change.summary.map(|summary| personas::summary.eq(summary)),
                change.full_text.map(|full_text| personas::full_text.eq(full_text)),
                change.attributes.map(|attributes| personas::attributes.eq(json!(attributes))),
                personas::updated_at.eq(now),
            ))
            .returning(PersonaProfile::as_returning())
            .get_result(conn)
            .await
            .optional()
    })
    .await
}

/// Removes a persona. `false`: the current set has no such persona.
pub async fn remove(conn: &mut AsyncPgConnection, id: i32) -> QueryResult<bool> {
    conn.transaction(async |conn| {
        let Some(set_id) = editable_with(conn, id).await? else { return Ok(false) };
        Ok(diesel::delete(personas::table.find((set_id, id))).execute(conn).await? == 1)
    })
    .await
}

/// Deletes the current set and returns how many personas it had. If runs refer to the set, it is kept for them.
pub async fn remove_all(conn: &mut AsyncPgConnection) -> QueryResult<i64> {
    conn.transaction(async |conn| {
        let Some(set) = lock_current(conn).await? else { return Ok(0) };
        let twins = super::personas::count(conn, set.id).await?;
        if is_used(conn, set.id).await? {
            diesel::update(persona_sets::table.find(set.id))
                .set(persona_sets::is_current.eq(false))
                .execute(conn)
                .await?;
        } else {
            diesel::delete(persona_sets::table.find(set.id)).execute(conn).await?;
        }
        Ok(twins)
    })
    .await
}

/// Returns the current set and locks it: until the transaction ends no run starts with it and no import replaces it.
async fn lock_current(conn: &mut AsyncPgConnection) -> QueryResult<Option<PersonaSet>> {
    conn.batch_execute("SELECT pg_advisory_xact_lock(hashtext('persona_sets.is_current'))").await?;
    persona_sets::table
        .filter(persona_sets::is_current)
        .select(PersonaSet::as_select())
        .for_update()
        .first(conn)
        .await
        .optional()
}

async fn is_used(conn: &mut AsyncPgConnection, set_id: i32) -> QueryResult<bool> {
    diesel::select(exists(simulations::table.filter(simulations::persona_set_id.eq(set_id)))).get_result(conn).await
}

/// Returns a set that may be changed and has the persona. `None`: the current set does not have it.
async fn editable_with(conn: &mut AsyncPgConnection, id: i32) -> QueryResult<Option<i32>> {
    let Some(set) = lock_current(conn).await? else { return Ok(None) };
    if persona_lists::find(conn, set.id, id).await?.is_none() {
        return Ok(None);
    }
    editable(conn, set).await.map(Some)
}

async fn editable(conn: &mut AsyncPgConnection, set: PersonaSet) -> QueryResult<i32> {
    if is_used(conn, set.id).await? { copy(conn, set).await } else { Ok(set.id) }
}

/// Creates the first set, for personas that are added by hand.
async fn create_first(conn: &mut AsyncPgConnection) -> QueryResult<i32> {
    diesel::insert_into(persona_sets::table)
        .values((persona_sets::source.eq(BY_HAND), persona_sets::is_current.eq(true)))
        .returning(persona_sets::id)
        .get_result(conn)
        .await
}

/// Copies the set and makes the copy the current one.
async fn copy(conn: &mut AsyncPgConnection, set: PersonaSet) -> QueryResult<i32> {
    diesel::update(persona_sets::table.find(set.id)).set(persona_sets::is_current.eq(false)).execute(conn).await?;
    let source = persona_source::edited(set.source);
    let id: i32 = diesel::insert_into(persona_sets::table)
        .values((
            persona_sets::source.eq(source),
            persona_sets::synthetic.eq(set.synthetic),
            persona_sets::is_current.eq(true),
        ))
        .returning(persona_sets::id)
        .get_result(conn)
        .await?;
    sql_query(
        "INSERT INTO personas (set_id, id, pid, name, description, attributes, summary, full_text, created_at)
         SELECT $1, id, pid, name, description, attributes, summary, full_text, created_at
         FROM personas WHERE set_id = $2",
    )
    .bind::<Integer, _>(id)
    .bind::<Integer, _>(set.id)
    .execute(conn)
    .await?;
    for (table, columns) in [
        ("held_out_questions", "position, qid, question"),
        ("held_out_answers", "persona_id, asked, answers"),
        ("profile_questions", "position, text"),
        ("profile_items", "position, question"),
        ("profile_answers", "persona_id, answers"),
    ] {
        sql_query(format!(
            "INSERT INTO {table} (set_id, {columns}) SELECT $1, {columns} FROM {table} WHERE set_id = $2"
        ))
        .bind::<Integer, _>(id)
        .bind::<Integer, _>(set.id)
        .execute(conn)
        .await?;
    }
    Ok(id)
}

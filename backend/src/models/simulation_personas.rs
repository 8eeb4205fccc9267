//! The personas that a run froze at its start.

use diesel::dsl::{auto_type, sql};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::answers::AskedPersona;
use simulation::parameters::PersonaVariant;

use crate::models::persona_texts;
use crate::schema::{personas, simulation_personas};

/// The columns of a persona, in the order of its fields.
#[auto_type]
fn columns() -> _ {
    (personas::id, personas::pid, personas::name, personas::attributes)
}

#[auto_type]
fn asked(simulation: i64) -> _ {
    let same_set = personas::set_id.eq(simulation_personas::persona_set_id);
    let same_persona = personas::id.eq(simulation_personas::persona_id);
    simulation_personas::table
        .inner_join(personas::table.on(same_set.and(same_persona)))
        .filter(simulation_personas::simulation_id.eq(simulation))
        .order(simulation_personas::persona_id)
}

/// Returns the next `limit` personas of a run after `after`, by id; if `only` is given, from these alone.
pub async fn after(
    mut conn: &AsyncPgConnection,
    simulation: i64,
    after: i32,
    limit: i64,
    only: Option<&[i32]>,
) -> QueryResult<Vec<AskedPersona>> {
    let next = asked(simulation).filter(simulation_personas::persona_id.gt(after)).limit(limit).select(columns());
    match only {
        None => next.load(&mut conn).await,
        Some(only) => next.filter(simulation_personas::persona_id.eq_any(only)).load(&mut conn).await,
    }
}

/// Returns a page of a run's personas, by id, each with the text that the run's prompts use.
pub async fn page(
    conn: &mut AsyncPgConnection,
    simulation: i64,
    variant: PersonaVariant,
    limit: i64,
    offset: i64,
) -> QueryResult<Vec<(AskedPersona, Option<String>)>> {
    let page = asked(simulation).limit(limit).offset(offset);
    page.select((columns(), persona_texts::column(variant))).load(conn).await
}

/// Returns one of a run's personas with the text that the run's prompts use. `None`: the run does not ask it.
pub async fn with_text(
    conn: &mut AsyncPgConnection,
    simulation: i64,
    variant: PersonaVariant,
    persona: i32,
) -> QueryResult<Option<(AskedPersona, Option<String>)>> {
    let found = asked(simulation).filter(simulation_personas::persona_id.eq(persona));
    found.select((columns(), persona_texts::column(variant))).first(conn).await.optional()
}

/// Returns the next `limit` personas of a run after `after`, by id, each with the SHA-256 of the text that the run's
/// prompts use. `None`: the text no longer exists.
pub async fn text_hashes(
    conn: &mut AsyncPgConnection,
    simulation: i64,
    variant: PersonaVariant,
    after: i32,
    limit: i64,
) -> QueryResult<Vec<(i32, Option<Vec<u8>>)>> {
    let next = asked(simulation).filter(simulation_personas::persona_id.gt(after)).limit(limit);
    let hash = sql::<Nullable<Binary>>(&format!("sha256(convert_to({}, 'UTF8'))", persona_texts::sql(variant)));
    next.select((simulation_personas::persona_id, hash)).load(conn).await
}

/// Like [`text_hashes`], with the texts themselves.
pub async fn texts(
    conn: &mut AsyncPgConnection,
    simulation: i64,
    variant: PersonaVariant,
    after: i32,
    limit: i64,
) -> QueryResult<Vec<(i32, Option<String>)>> {
    let next = asked(simulation).filter(simulation_personas::persona_id.gt(after)).limit(limit);
    next.select((simulation_personas::persona_id, persona_texts::column(variant))).load(conn).await
}

/// Returns the ids of a run's personas, ascending.
pub async fn ids(conn: &mut AsyncPgConnection, simulation: i64) -> QueryResult<Vec<i32>> {
    asked(simulation).select(simulation_personas::persona_id).load(conn).await
}

/// Returns the labels of the attributes of a run's personas, sorted.
pub async fn attribute_labels(conn: &mut AsyncPgConnection, simulation: i64) -> QueryResult<Vec<String>> {
    #[derive(QueryableByName)]
    struct Label {
        #[diesel(sql_type = Text)]
        label: String,
    }
    let labels: Vec<Label> = sql_query(
        "SELECT DISTINCT label FROM simulation_personas AS asked
             JOIN personas ON (personas.set_id, personas.id) = (asked.persona_set_id, asked.persona_id),
             jsonb_object_keys(personas.attributes) AS label
         WHERE asked.simulation_id = $1 ORDER BY label",
    )
    .bind::<BigInt, _>(simulation)
    .load(conn)
    .await?;
    Ok(labels.into_iter().map(|Label { label }| label).collect())
}

/// Returns the id of the run's `n`th persona, counted from 1. `None`: the run has fewer.
pub async fn nth(conn: &mut AsyncPgConnection, simulation: i64, n: i64) -> QueryResult<Option<i32>> {
    simulation_personas::table
        .filter(simulation_personas::simulation_id.eq(simulation))
        .order(simulation_personas::persona_id)
        .offset(n - 1)
        .select(simulation_personas::persona_id)
        .first(conn)
        .await
        .optional()
}

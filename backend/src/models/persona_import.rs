//! Stores a set of twins in one transaction on a blocking connection, by COPY.

use diesel::ExecuteCopyFromDsl;
use diesel::connection::SimpleConnection;
use diesel::pg::PgConnection;
use diesel::prelude::*;
use serde_json::{Value, json};

use super::personas::NewPersona;
use crate::error::{Error, Result};
use crate::schema::{persona_sets, personas, simulations};

/// Twins sent by one COPY; their texts are in memory together.
const CHUNK_ROWS: usize = 64;

/// Stores a new set and makes it the current one in one transaction: readers see the old set until the new one is
/// complete. Twins get the ids 1..N in their order. Older sets that no run uses are deleted. Returns the set's id and N.
///
/// The first error of `twins` is returned and leaves everything as it was. No twins at all are bad input.
pub fn replace_current(
    conn: &mut PgConnection,
    source: &str,
    synthetic: bool,
    twins: impl Iterator<Item = Result<NewPersona>>,
) -> Result<(i32, usize)> {
    conn.transaction(|conn| {
        let set_id: i32 = diesel::insert_into(persona_sets::table)
            .values((persona_sets::source.eq(source), persona_sets::synthetic.eq(synthetic)))
            .returning(persona_sets::id)
            .get_result(conn)?;
        let stored = copy(conn, set_id, twins)?;
        if stored == 0 {
            return Err(Error::bad_input("no twins to store"));
        }
        make_current(conn, set_id)?;
        Ok((set_id, stored))
    })
}

fn make_current(conn: &mut PgConnection, set_id: i32) -> Result<()> {
    // Of two imports that end together, the second must see the first's set as the current one.
    conn.batch_execute("SELECT pg_advisory_xact_lock(hashtext('persona_sets.is_current'))")?;
    diesel::update(persona_sets::table.filter(persona_sets::is_current))
        .set(persona_sets::is_current.eq(false))
        .execute(conn)?;
    diesel::update(persona_sets::table.find(set_id)).set(persona_sets::is_current.eq(true)).execute(conn)?;
    let of_run = simulations::table.filter(simulations::persona_set_id.eq(persona_sets::id));
    let unused = persona_sets::table
        .filter(persona_sets::is_current.eq(false))
        .filter(diesel::dsl::not(diesel::dsl::exists(of_run)));
    // Waits for runs that are being started with one of these sets, so that the DELETE sees them.
    unused.select(persona_sets::id).for_update().load::<i32>(conn)?;
    diesel::delete(unused).execute(conn)?;
    Ok(())
}

fn copy(conn: &mut PgConnection, set_id: i32, twins: impl Iterator<Item = Result<NewPersona>>) -> Result<usize> {
    let mut rows = twins.zip(1..).map(|(twin, id)| Ok(Row::new(set_id, id, twin?)));
    let mut stored = 0;
    loop {
        let chunk: Vec<Row> = rows.by_ref().take(CHUNK_ROWS).collect::<Result<_>>()?;
        if chunk.is_empty() {
            return Ok(stored);
        }
        stored += diesel::copy_from(personas::table).from_insertable(chunk).execute(conn)?;
    }
}

#[derive(Insertable)]
#[diesel(table_name = personas, treat_none_as_default_value = false)]
struct Row {
    set_id: i32,
    id: i32,
    pid: String,
    name: String,
    description: String,
    attributes: Value,
    summary: Option<String>,
    full_text: Option<String>,
}

impl Row {
    fn new(set_id: i32, id: i32, twin: NewPersona) -> Self {
        let NewPersona { pid, name, description, attributes, summary, full_text } = twin;
        Self { set_id, id, pid, name, description, attributes: json!(attributes), summary, full_text }
    }
}

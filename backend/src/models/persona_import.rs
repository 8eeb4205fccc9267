//! Writing a set of twins: one transaction over a blocking connection, rows by COPY.

use std::cell::RefCell;
use std::io::{self, Write};

use diesel::ExecuteCopyFromDsl;
use diesel::connection::SimpleConnection;
use diesel::pg::{CopyFormat, PgConnection};
use diesel::prelude::*;

use super::personas::NewPersona;
use crate::error::{Error, Result};
use crate::schema::{persona_sets, personas, simulations};

/// Stores a new set and makes it the current one, in one transaction: readers see the old set until all of the new one
/// is there, and an error in `twins` (whose error it returns) leaves everything as it was. Older sets that no run
/// speaks of go. Twins get the ids 1..N in their order. Returns the set's id and N.
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
    // Two imports that end together: the second sees the first's set as the current one only with the lock in hand.
    conn.batch_execute("SELECT pg_advisory_xact_lock(hashtext('persona_sets.is_current'))")?;
    diesel::update(persona_sets::table.filter(persona_sets::is_current))
        .set(persona_sets::is_current.eq(false))
        .execute(conn)?;
    diesel::update(persona_sets::table.find(set_id)).set(persona_sets::is_current.eq(true)).execute(conn)?;
    let of_run = simulations::table.filter(simulations::persona_set_id.eq(persona_sets::id));
    let unused = persona_sets::table
        .filter(persona_sets::is_current.eq(false))
        .filter(diesel::dsl::not(diesel::dsl::exists(of_run)));
    // Waits for runs that are being started with one of these sets; the DELETE then sees them.
    unused.select(persona_sets::id).for_update().load::<i32>(conn)?;
    diesel::delete(unused).execute(conn)?;
    Ok(())
}

fn copy(conn: &mut PgConnection, set_id: i32, twins: impl Iterator<Item = Result<NewPersona>>) -> Result<usize> {
    let twins = RefCell::new(twins.zip(1..));
    // Diesel reports an aborted COPY in the server's words: the reason is kept here.
    let reason = RefCell::new(None);
    let copied = diesel::copy_from(personas::table)
        .from_raw_data(
            (
                personas::set_id,
                personas::id,
                personas::pid,
                personas::name,
                personas::description,
                personas::attributes,
                personas::summary,
                personas::full_text,
            ),
            |out: &mut dyn Write| -> Result<(), diesel::result::Error> {
                let abort = |error| {
                    reason.replace(Some(error));
                    diesel::result::Error::RollbackTransaction
                };
                let lost = |error: io::Error| abort(Error::internal(format!("database: {error}")));
                out.write_all(COPY_START).map_err(lost)?;
                let mut row = Vec::new();
                for (twin, id) in &mut *twins.borrow_mut() {
                    row.clear();
                    encode(&mut row, set_id, id, &twin.map_err(abort)?);
                    out.write_all(&row).map_err(lost)?;
                }
                out.write_all(&COPY_END).map_err(lost)
            },
        )
        .with_format(CopyFormat::Binary)
        .execute(conn);
    match reason.into_inner() {
        Some(reason) => Err(reason),
        None => Ok(copied?),
    }
}

/// PostgreSQL's binary COPY: a signature, flags and an empty extension.
const COPY_START: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const COPY_END: [u8; 2] = (-1i16).to_be_bytes();

fn encode(row: &mut Vec<u8>, set_id: i32, id: i32, twin: &NewPersona) {
    fn field(row: &mut Vec<u8>, parts: &[&[u8]]) {
        // No field is near 2 GiB: cells are capped at 32 MiB where they are read.
        let len = parts.iter().map(|part| part.len()).sum::<usize>() as i32;
        row.extend_from_slice(&len.to_be_bytes());
        parts.iter().for_each(|part| row.extend_from_slice(part));
    }
    let attributes = serde_json::json!(twin.attributes).to_string();
    row.extend_from_slice(&8i16.to_be_bytes());
    field(row, &[&set_id.to_be_bytes()]);
    field(row, &[&id.to_be_bytes()]);
    field(row, &[twin.pid.as_bytes()]);
    field(row, &[twin.name.as_bytes()]);
    field(row, &[twin.description.as_bytes()]);
    // jsonb's binary form is its version and the text.
    field(row, &[&[1], attributes.as_bytes()]);
    for text in [&twin.summary, &twin.full_text] {
        match text {
            Some(text) => field(row, &[text.as_bytes()]),
            None => row.extend_from_slice(&(-1i32).to_be_bytes()),
        }
    }
}

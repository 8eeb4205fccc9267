//! Personas from files or invented, and their use by the rest of the program.

mod bad_files;
mod calls;
mod files;
mod formats;
mod held_out;
mod sets;
mod synthesis;

use std::path::Path;

use diesel::prelude::*;
use twinlab::schema::{persona_sets, personas};

use crate::support::{Database, Outcome, twinlab};

/// Runs `twinlab personas ..` on this database.
fn run(database: &Database, words: &[&str]) -> Outcome {
    Outcome::of(twinlab().arg("personas").args(words).env("DATABASE_URL", database.url()).env("RUST_LOG", "warn"))
}

fn import(database: &Database, file: &Path) -> Outcome {
    run(database, &["import", &file.to_string_lossy()])
}

#[derive(Clone, Debug, PartialEq, Queryable)]
struct Stored {
    id: i32,
    pid: String,
    name: String,
    description: String,
    attributes: serde_json::Value,
    summary: Option<String>,
    full_text: Option<String>,
}

/// Source, whether it is synthetic, and the personas of the current set.
fn current(database: &Database) -> (String, bool, Vec<Stored>) {
    let mut connection = database.connect();
    let (id, source, synthetic): (i32, String, bool) = persona_sets::table
        .filter(persona_sets::is_current)
        .select((persona_sets::id, persona_sets::source, persona_sets::synthetic))
        .get_result(&mut connection)
        .expect("there is a current set");
    let twins = personas::table
        .filter(personas::set_id.eq(id))
        .order(personas::id)
        .select((
            personas::id,
            personas::pid,
            personas::name,
            personas::description,
            personas::attributes,
            personas::summary,
            personas::full_text,
        ))
        .load(&mut connection)
        .expect("its twins can be read");
    (source, synthetic, twins)
}

fn sets(database: &Database) -> i64 {
    persona_sets::table.count().get_result(&mut database.connect()).expect("sets can be counted")
}

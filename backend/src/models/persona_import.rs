//! Stores a set of personas in one transaction, by COPY on a blocking connection.

use std::collections::{BTreeMap, HashSet};

use diesel::ExecuteCopyFromDsl;
use diesel::connection::SimpleConnection;
use diesel::pg::PgConnection;
use diesel::prelude::*;
use diesel::sql_types::Integer;
use serde_json::{Value, json};
use simulation::persona_source::PersonaSource;

use super::held_out::{HeldOut, HeldOutAnswers, HeldOutQuestion};
use super::personas::NewPersona;
use super::profile_answers::ProfileAnswers;
use crate::error::{Error, Result};
use crate::schema::{
    held_out_answers, held_out_questions, persona_sets, personas, profile_answers, profile_items, profile_questions,
    simulations,
};

/// Personas sent by one COPY; their texts are in memory together.
const CHUNK_ROWS: usize = 64;
/// Personas whose texts are searched for the profile's questions if the file does not list these.
const MAX_PERSONAS_READ: i32 = 50;
const MAX_PROFILE_QUESTIONS: usize = 2_000;

/// Stores a new set and makes it the current one in one transaction: readers see the old set until the new one is
/// complete. Personas get the ids 1..N in their order. Older sets that no run uses are deleted. Returns the set's id
/// and N.
///
/// The first error of `twins` is returned and nothing is stored. An empty set is bad input.
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
        let mut questionnaires = Questionnaires::default();
        let stored = copy(conn, set_id, twins, &mut questionnaires)?;
        if stored == 0 {
            return Err(Error::bad_input("no twins to store"));
        }
        let has_held_out = !questionnaires.held_out.is_empty();
        questionnaires.store(conn, set_id)?;
        if has_held_out && !synthetic {
            add_summaries(conn, set_id, PersonaSource::classify(source, synthetic))?;
        }
        make_current(conn, set_id)?;
        Ok((set_id, stored))
    })
}

fn make_current(conn: &mut PgConnection, set_id: i32) -> Result<()> {
    // If two imports end together, the second must see the first's set as the current one.
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

/// Copies summaries and attributes of the same people from the current set. A file without the last wave has one text
/// only, and a run compares texts within one set. Texts of a user's own file never get into a set that carries a
/// dataset's name.
fn add_summaries(conn: &mut PgConnection, set_id: i32, kind: PersonaSource) -> Result<()> {
    let current = persona_sets::table.filter(persona_sets::is_current);
    let current: Option<(String, bool)> =
        current.select((persona_sets::source, persona_sets::synthetic)).first(conn).optional()?;
    if current.is_none_or(|(source, synthetic)| PersonaSource::classify(&source, synthetic) != kind) {
        return Ok(());
    }
    let added = diesel::sql_query(
        "UPDATE personas AS new SET summary = old.summary, attributes = old.attributes || new.attributes,
             description = CASE new.description WHEN '' THEN old.description ELSE new.description END
         FROM personas AS old JOIN persona_sets ON persona_sets.id = old.set_id
         WHERE persona_sets.is_current AND NOT persona_sets.synthetic AND new.set_id = $1 AND old.pid = new.pid
             AND new.summary IS NULL AND old.summary IS NOT NULL",
    )
    .bind::<Integer, _>(set_id)
    .execute(conn)?;
    if added > 0 {
        diesel::sql_query(
            "UPDATE persona_sets AS new SET source = new.source || ', with the summaries of ' || old.source
             FROM persona_sets AS old WHERE old.is_current AND new.id = $1",
        )
        .bind::<Integer, _>(set_id)
        .execute(conn)?;
    }
    Ok(())
}

fn copy(
    conn: &mut PgConnection,
    set_id: i32,
    twins: impl Iterator<Item = Result<NewPersona>>,
    questionnaires: &mut Questionnaires,
) -> Result<usize> {
    let mut twins = twins.zip(1..);
    let mut stored = 0;
    loop {
        let (mut chunk, mut answers, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for (twin, id) in twins.by_ref().take(CHUNK_ROWS) {
            let mut twin = twin?;
            questionnaires.profile(id, &mut twin);
            answers.extend(questionnaires.answers(set_id, id, std::mem::take(&mut twin.held_out)));
            own.extend(questionnaires.own(set_id, id, std::mem::take(&mut twin.profile_answers)));
            let NewPersona { pid, name, description, attributes, summary, full_text, .. } = twin;
            chunk.push((
                personas::set_id.eq(set_id),
                personas::id.eq(id),
                personas::pid.eq(pid),
                personas::name.eq(name),
                personas::description.eq(description),
                personas::attributes.eq(json!(attributes)),
                personas::summary.eq(summary),
                personas::full_text.eq(full_text),
            ));
        }
        if chunk.is_empty() {
            return Ok(stored);
        }
        stored += diesel::copy_from(personas::table).from_insertable(chunk).execute(conn)?;
        if !answers.is_empty() {
            diesel::copy_from(held_out_answers::table).from_insertable(answers).execute(conn)?;
        }
        if !own.is_empty() {
            diesel::copy_from(profile_answers::table).from_insertable(own).execute(conn)?;
        }
    }
}

/// The questions of a set, collected from its personas, none of whom was asked all of them.
#[derive(Default)]
struct Questionnaires {
    held_out: Vec<HeldOutQuestion>,
    profile: Vec<String>,
    /// Questions of the profile that a survey can ask.
    items: Vec<HeldOutQuestion>,
    has_names: bool,
    /// Ids and texts of the questions collected so far.
    seen: HashSet<String>,
}

impl Questionnaires {
    /// Collects the profile's questions. If the file does not list them, paragraphs of the first personas' texts are
    /// used; paragraphs with the same beginning are one question with different answers.
    fn profile(&mut self, id: i32, twin: &mut NewPersona) {
        let named = std::mem::take(&mut twin.profile_questions);
        self.has_names |= !named.is_empty();
        let text =
            twin.full_text.as_ref().or(twin.summary.as_ref()).filter(|_| !self.has_names && id <= MAX_PERSONAS_READ);
        let paragraphs = text.iter().flat_map(|text| text.split("\n\n")).map(|paragraph| paragraph.trim().to_owned());
        for question in named.into_iter().chain(paragraphs).filter(|question| !question.is_empty()) {
            let first = question.lines().next().unwrap_or_default();
            let is_new = self.seen.insert(format!("profile {}", if self.has_names { &question } else { first }));
            if is_new && self.profile.len() < MAX_PROFILE_QUESTIONS {
                self.profile.push(question);
            }
        }
    }

    fn answers(&mut self, set_id: i32, persona_id: i32, held_out: Vec<HeldOut>) -> Option<AnswersRow> {
        let (mut asked, mut answers) = (Vec::new(), HeldOutAnswers::new());
        for of in held_out {
            if of.answers.values().any(|(first, _)| first.is_some()) {
                asked.push(of.question.qid.clone());
            }
            answers.extend(of.answers);
            if self.seen.insert(format!("held out {}", of.question.qid)) {
                self.held_out.push(of.question);
            }
        }
        (!answers.is_empty()).then(|| AnswersRow { set_id, persona_id, asked, answers: json!(answers) })
    }

    fn own(&mut self, set_id: i32, persona_id: i32, profile: Vec<ProfileAnswers>) -> Option<OwnRow> {
        let mut answers = BTreeMap::new();
        for of in profile {
            answers.extend(of.answers);
            let is_new = self.seen.insert(format!("item {}", of.question.qid));
            if is_new && self.items.len() < MAX_PROFILE_QUESTIONS {
                self.items.push(of.question);
            }
        }
        (!answers.is_empty()).then(|| OwnRow { set_id, persona_id, answers: json!(answers) })
    }

    fn store(self, conn: &mut PgConnection, set_id: i32) -> Result<()> {
        let held_out: Vec<_> = (self.held_out.iter().zip(1..))
            .map(|(question, position)| {
                (
                    held_out_questions::set_id.eq(set_id),
                    held_out_questions::position.eq(position),
                    held_out_questions::qid.eq(&question.qid),
                    held_out_questions::question.eq(json!(question)),
                )
            })
            .collect();
        diesel::insert_into(held_out_questions::table).values(held_out).execute(conn)?;
        let profile: Vec<_> = (self.profile.iter().zip(1..))
            .map(|(text, position)| {
                (
                    profile_questions::set_id.eq(set_id),
                    profile_questions::position.eq(position),
                    profile_questions::text.eq(text),
                )
            })
            .collect();
        diesel::insert_into(profile_questions::table).values(profile).execute(conn)?;
        let items: Vec<_> = (self.items.iter().zip(1..))
            .map(|(question, position)| {
                (
                    profile_items::set_id.eq(set_id),
                    profile_items::position.eq(position),
                    profile_items::question.eq(json!(question)),
                )
            })
            .collect();
        diesel::insert_into(profile_items::table).values(items).execute(conn)?;
        Ok(())
    }
}

#[derive(Insertable)]
#[diesel(table_name = held_out_answers, treat_none_as_default_value = false)]
struct AnswersRow {
    set_id: i32,
    persona_id: i32,
    asked: Vec<String>,
    answers: Value,
}

#[derive(Insertable)]
#[diesel(table_name = profile_answers, treat_none_as_default_value = false)]
struct OwnRow {
    set_id: i32,
    persona_id: i32,
    answers: Value,
}

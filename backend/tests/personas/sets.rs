//! Sets of personas: the current one, those that stay, and the texts that runs use.

use std::thread;

use diesel::prelude::*;
use diesel_async::{AsyncConnection, SimpleAsyncConnection};
use simulation::parameters::PersonaVariant;
use twinlab::error::{Error, Result};
use twinlab::models::persona_import::replace_current;
use twinlab::models::personas::{self, NewPersona};
use twinlab::schema::persona_sets;

use super::sets;
use crate::support::Database;

fn twin(number: usize) -> NewPersona {
    let pid = format!("p{number}");
    NewPersona {
        name: format!("Twin {number}"),
        summary: Some(format!("summary {pid}")),
        full_text: number.is_multiple_of(2).then(|| format!("full {pid}")),
        attributes: [("Gender".to_owned(), "Female".to_owned())].into(),
        pid,
        ..NewPersona::default()
    }
}

fn store(connection: &mut PgConnection, count: usize) -> Result<(i32, usize)> {
    replace_current(connection, "test", false, (1..=count).map(|number| Ok(twin(number))))
}

/// SQL that inserts a run of a survey with this set.
fn a_run_of(set: i32) -> String {
    format!(
        "INSERT INTO users (id, email, role) VALUES (1, 'ada@example.org', 'admin');
         INSERT INTO groups (id, group_name, owner_id) VALUES (1, 'EngineFixture', 1);
         INSERT INTO group_members (group_id, user_id) VALUES (1, 1);
         INSERT INTO surveys (id, user_id, group_id, title) VALUES (1, 1, 1, 'Survey');
         INSERT INTO simulations (survey_id, user_id, group_id, persona_set_id, status, persona_count, question_count,
             total_requests, held, parameters, survey_snapshot, survey_hash, demo_model, program_version, open_requests)
         VALUES (1, 1, 1, {set}, 'QUEUED', 1, 1, 1, 1, '{{}}', '{{}}', '', true, '0', 1);"
    )
}

#[test]
fn an_import_replaces_the_set_before_it_unless_a_run_speaks_of_that() {
    let database = Database::new();
    let mut connection = database.connect();
    let (first, stored) = store(&mut connection, 3).expect("it is stored");
    assert_eq!(stored, 3);
    let (second, _) = store(&mut connection, 2).expect("it is stored");
    assert_eq!(sets(&database), 1, "the first is gone");
    assert_ne!(first, second);

    diesel::connection::SimpleConnection::batch_execute(&mut connection, &a_run_of(second)).expect("a run is there");
    let (third, _) = store(&mut connection, 1).expect("it is stored");
    let (fourth, _) = store(&mut connection, 1).expect("it is stored");
    let left: Vec<(i32, bool)> = persona_sets::table
        .select((persona_sets::id, persona_sets::is_current))
        .order(persona_sets::id)
        .load(&mut connection)
        .expect("sets can be read");
    assert_eq!(left, [(second, false), (fourth, true)], "{third} went, and {second} stays with its run");
}

#[test]
fn an_import_that_breaks_off_leaves_everything_as_it_was() {
    let database = Database::new();
    let mut connection = database.connect();
    let (first, _) = store(&mut connection, 3).expect("it is stored");
    let broken =
        (1..=500).map(|number| if number < 500 { Ok(twin(number)) } else { Err(Error::bad_input("line 501")) });
    let error = replace_current(&mut connection, "broken", false, broken).expect_err("it breaks off");
    assert_eq!((error.to_string().as_str(), error.exit_code()), ("line 501", 2));
    let error = store(&mut connection, 0).expect_err("there is nothing to store");
    assert_eq!(error.exit_code(), 2);
    let current: i32 = persona_sets::table
        .filter(persona_sets::is_current)
        .select(persona_sets::id)
        .get_result(&mut connection)
        .expect("the connection is as good as before");
    assert_eq!((current, sets(&database)), (first, 1));
}

#[test]
fn imports_at_the_same_time_leave_one_current_set() {
    let database = Database::new();
    thread::scope(|scope| {
        for count in 1..=6 {
            let database = &database;
            scope.spawn(move || store(&mut database.connect(), count).expect("it is stored"));
        }
    });
    assert_eq!(sets(&database), 1);
}

#[tokio::test]
async fn a_run_that_is_being_started_keeps_its_set_from_an_import() {
    let database = Database::new();
    let pool = database.pool().await;
    let (first, _) = store(&mut database.connect(), 3).expect("it is stored");
    let importing = {
        let mut connection = pool.get().await.expect("a connection");
        let mut other = database.connect();
        connection
            .transaction::<_, diesel::result::Error, _>(async |connection| {
                let held = personas::hold_current_set(connection).await?.expect("there is a set");
                assert_eq!(held.id, first);
                let importing = thread::spawn(move || store(&mut other, 2));
                connection.batch_execute(&a_run_of(held.id)).await?;
                Ok(importing)
            })
            .await
            .expect("the run starts")
    };
    importing.join().expect("no panic").expect("the import ends well");
    assert_eq!(sets(&database), 2, "the run's set is still there");
}

#[tokio::test]
async fn runs_find_ids_and_texts_of_the_current_set() {
    let database = Database::new();
    let pool = database.pool().await;
    let mut connection = pool.get().await.expect("a connection");
    assert_eq!(personas::current_set(&mut connection).await.expect("it answers"), None);
    assert_eq!(personas::hold_current_set(&mut connection).await.expect("it answers"), None);
    let (set, _) = store(&mut database.connect(), 10).expect("it is stored");

    let current = personas::current_set(&mut connection).await.expect("it answers").expect("there is a set");
    assert_eq!((current.id, current.source.as_str(), current.synthetic), (set, "test", false));
    assert_eq!(personas::count(&mut connection, set).await.expect("it answers"), 10);

    let chosen = personas::choose(&mut connection, set, 4, 7).await.expect("it answers");
    assert_eq!(chosen, personas::choose(&mut connection, set, 4, 7).await.expect("it answers"));
    assert_eq!(chosen.len(), 4);
    let all = personas::choose(&mut connection, set, 99, 7).await.expect("it answers");
    assert_eq!(all, (1..=10).collect::<Vec<_>>());

    let unknown = personas::first_unknown(&mut connection, set, &[3, 12, 0, 1]).await.expect("it answers");
    assert_eq!(unknown, Some(12), "in the order asked for");
    assert_eq!(personas::first_unknown(&mut connection, set, &all).await.expect("it answers"), None);

    let summaries = personas::texts(&mut connection, set, PersonaVariant::Summary, &[9, 2, 77]).await;
    assert_eq!(summaries.expect("it answers"), [(2, "summary p2".to_owned()), (9, "summary p9".to_owned())]);
    let full = personas::texts(&mut connection, set, PersonaVariant::Full, &[2, 9]).await.expect("it answers");
    assert_eq!(full, [(2, "full p2".to_owned())]);
    let ids = [2, 9, 4];
    let lacking = personas::first_without_text(&mut connection, set, &ids, PersonaVariant::Full).await;
    assert_eq!(lacking.expect("it answers"), Some(9));
    let lacking = personas::first_without_text(&mut connection, set, &ids, PersonaVariant::Summary).await;
    assert_eq!(lacking.expect("it answers"), None);

    let facts = personas::facts(&mut connection, set, &[10]).await.expect("it answers");
    assert_eq!(facts, [(10, "p10".to_owned(), serde_json::json!({"Gender": "Female"}))]);
    // This set has no held-out answers, so its full text may hold all waves.
    let waves = personas::texts(&mut connection, set, PersonaVariant::Waves1To3, &[2]).await.expect("it answers");
    assert_eq!(waves, []);
}

//! Invariants that the database itself keeps, whatever code writes to it.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_types::BigInt;

use crate::support::Database;
use crate::support::sample::{PlantedRun, plant};

/// A database with the run 7 of three personas and nine questions. The third persona has no answer.
async fn planted() -> Database {
    let database = Database::new();
    plant(&mut database.pool().await.get().await.expect("a connection"), PlantedRun::Failed).await;
    database
}

fn answer(persona: &str, question: &str) -> String {
    format!(
        "INSERT INTO responses (simulation_id, persona_id, question_id, answer, answer_value, attempt, model,
             prompt_hash, latency_ms, prompt_tokens, cached_tokens, completion_tokens)
         SELECT simulation_id, {persona}, {question}, answer, answer_value, attempt, model, prompt_hash, latency_ms,
             prompt_tokens, cached_tokens, completion_tokens
         FROM responses WHERE persona_id = 1"
    )
}

fn answers(connection: &mut PgConnection, which: &str) -> i64 {
    diesel::select(diesel::dsl::sql::<BigInt>(&format!("(SELECT count(*) FROM responses WHERE {which})")))
        .get_result(connection)
        .expect("the answers are counted")
}

/// The kind of the database's error, and the constraint or message.
fn refusal(connection: &mut PgConnection, sql: &str) -> (DatabaseErrorKind, String) {
    match connection.batch_execute(sql) {
        Err(Error::DatabaseError(kind, information)) => {
            (kind, information.constraint_name().unwrap_or(information.message()).to_owned())
        }
        other => panic!("{sql} gave {other:?}"),
    }
}

#[actix_web::test]
async fn an_answer_is_of_a_twin_and_to_a_question_that_its_run_froze() {
    let database = planted().await;
    let connection = &mut database.connect();
    let nobodys = refusal(connection, &answer("99", "question_id"));
    assert_eq!(nobodys, (DatabaseErrorKind::ForeignKeyViolation, "responses_persona".to_owned()));
    let unasked = refusal(connection, &answer("3", "question_id + 9999"));
    assert_eq!(unasked, (DatabaseErrorKind::ForeignKeyViolation, "responses_question".to_owned()));
    // One wrong question among nine answers is enough.
    let one = "question_id + CASE WHEN question_id = (SELECT max(question_id) FROM responses) THEN 1 ELSE 0 END";
    let one_unasked = refusal(connection, &answer("3", one));
    assert_eq!(one_unasked, (DatabaseErrorKind::ForeignKeyViolation, "responses_question".to_owned()));
    assert_eq!(answers(connection, "true"), 17);
    connection.batch_execute(&answer("3", "question_id")).expect("the run froze the twin and the questions");
    assert_eq!(answers(connection, "true"), 26);
}

#[actix_web::test]
async fn answers_go_with_the_twin_the_question_or_the_run_that_they_are_of() {
    let database = planted().await;
    let connection = &mut database.connect();
    connection.batch_execute("DELETE FROM simulation_personas WHERE persona_id = 2").expect("deleted");
    assert_eq!(answers(connection, "true"), 9);
    let first = "question_id = (SELECT min(question_id) FROM simulation_questions)";
    connection.batch_execute(&format!("DELETE FROM simulation_questions WHERE {first}")).expect("deleted");
    assert_eq!(answers(connection, "true"), 8);
    connection
        .batch_execute(
            "ALTER TABLE transactions DROP CONSTRAINT transactions_simulation_id_fkey; DELETE FROM simulations",
        )
        .expect("deleted");
    assert_eq!(answers(connection, "true"), 0);
}

#[actix_web::test]
async fn a_run_freezes_twins_of_its_set_and_they_stay_as_long_as_it_does() {
    let database = planted().await;
    let connection = &mut database.connect();
    connection
        .batch_execute("INSERT INTO personas (set_id, id, pid, name, summary) VALUES (1, 4, 'd', 'Twin 4', 'Four')")
        .expect("a fourth twin");
    let freeze =
        |run: i32, twin: i32, set: i32| format!("INSERT INTO simulation_personas VALUES ({run}, {twin}, {set})");
    for (sql, promise) in [
        (freeze(7, 5, 1), "simulation_personas_twin"),
        (freeze(7, 4, 2), "simulation_personas_twin"),
        (freeze(8, 4, 1), "simulation_personas_simulation_id_fkey"),
        ("DELETE FROM personas WHERE id IN (3, 4)".to_owned(), "simulation_personas_twin"),
    ] {
        assert_eq!(refusal(connection, &sql), (DatabaseErrorKind::ForeignKeyViolation, promise.to_owned()), "{sql}");
    }
    connection.batch_execute("DELETE FROM personas WHERE id = 4").expect("no run has frozen it");
    connection.batch_execute("DELETE FROM simulation_personas; DELETE FROM personas").expect("none has any more");
}

#[actix_web::test]
async fn the_ledger_and_the_audit_log_only_grow() {
    let database = planted().await;
    let connection = &mut database.connect();
    connection
        .batch_execute("INSERT INTO audit_log (action, subject) VALUES ('grant', 'user 1')")
        .expect("it takes entries");
    for table in ["transactions", "audit_log"] {
        for change in ["DELETE FROM", "TRUNCATE"] {
            assert_eq!(refusal(connection, &format!("{change} {table}")).1, format!("{table} is append-only"));
        }
    }
    for change in ["amount = amount - 1", "description = ''", "user_id = user_id + 1", "type = 'ADD'"] {
        let sql = format!("UPDATE transactions SET {change}");
        assert_eq!(refusal(connection, &sql).1, "transactions is append-only", "{change}");
    }
    assert_eq!(refusal(connection, "UPDATE audit_log SET action = 'other'").1, "audit_log is append-only");
}

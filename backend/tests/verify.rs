//! `twinlab verify`: a sound database has no findings, and every breach is found.

use std::collections::BTreeSet;

use diesel::result::Error::RollbackTransaction;
use diesel_async::{AsyncConnection, SimpleAsyncConnection};
use twinlab::db::AsyncPool;
use twinlab::models::ledger_check::{self, CheckResult};

use crate::support::sample::{self, PlantedRun, plant};
use crate::support::{Database, Outcome, twinlab};

/// The check whose breach needs a run with a design, planted by `staged_files`.
const OF_DESIGNS: &str = "what a twin was not shown is what its arms and answers hide";

const OF_ANSWERS: [&str; 2] = ["one that its question takes", "what its value says"];

/// A part of a check's name, the stage of the run, and a statement that breaks the check's invariant.
const BREACHES: &[(&str, PlantedRun, &str)] = &[
    ("sum of the ledger's effects", PlantedRun::Failed, "UPDATE group_members SET budget = budget + 1"),
    ("sum of the ledger's effects", PlantedRun::Failed, "DELETE FROM transactions WHERE type = 'SET'"),
    ("holds of their active runs", PlantedRun::Running, "UPDATE group_members SET held = held - 1"),
    ("holds of their active runs", PlantedRun::Failed, "UPDATE group_members SET held = 5"),
    ("a credit for each open request", PlantedRun::Running, "UPDATE simulations SET held = 9"),
    ("a credit for each open request", PlantedRun::Running, "UPDATE simulations SET held = 11"),
    ("paid one credit for each stored answer", PlantedRun::Failed, "DELETE FROM responses WHERE persona_id = 2"),
    (
        "paid one credit for each stored answer",
        PlantedRun::Failed,
        "UPDATE transactions SET amount = 18, effect = -18 WHERE type = 'MINES'",
    ),
    ("paid one credit for each stored answer", PlantedRun::Failed, "UPDATE simulations SET successful_requests = 16"),
    ("one entry a pass", PlantedRun::Failed, "UPDATE transactions SET attempt = 2 WHERE type = 'MINES'"),
    (
        "one entry a pass",
        PlantedRun::Failed,
        "INSERT INTO transactions (group_id, user_id, type, amount, effect, description, simulation_id, attempt)
         SELECT group_id, user_id, type, 0, 0, description, simulation_id, attempt FROM transactions
         WHERE type = 'MINES'",
    ),
    (
        "one entry a pass",
        PlantedRun::Failed,
        "UPDATE transactions SET user_id = (SELECT id FROM users WHERE role = 'admin') WHERE type = 'MINES'",
    ),
    ("each reversal undoes", PlantedRun::Failed, "UPDATE transactions SET reversed_at = now() WHERE type = 'SET'"),
    (
        "each reversal undoes",
        PlantedRun::Failed,
        "UPDATE transactions SET reversed_at = now() WHERE type = 'SET';
         INSERT INTO transactions (group_id, user_id, type, amount, effect, description, reverses)
         SELECT group_id, user_id, 'ADD', 1 - amount, 1 - amount, 'too little', id FROM transactions
         WHERE type = 'SET'",
    ),
    ("at most one answer", PlantedRun::Failed, "INSERT INTO responses SELECT * FROM responses WHERE persona_id = 1"),
    (
        "both answered and failed",
        PlantedRun::Failed,
        "INSERT INTO request_failures (simulation_id, persona_id, question_id, code, message, attempts)
         SELECT simulation_id, persona_id, question_id, 'poison', 'x', 1 FROM responses LIMIT 1",
    ),
    ("had not frozen", PlantedRun::Failed, "UPDATE responses SET persona_id = 99 WHERE persona_id = 1"),
    ("had not frozen", PlantedRun::Failed, "UPDATE request_failures SET question_id = 9999 WHERE persona_id = 2"),
    (
        "personas and questions that it froze",
        PlantedRun::Failed,
        "DELETE FROM simulation_personas WHERE persona_id = 3",
    ),
    ("personas and questions that it froze", PlantedRun::Failed, "UPDATE simulations SET total_requests = 28"),
    ("counts its failed requests", PlantedRun::Failed, "DELETE FROM request_failures WHERE persona_id = 2"),
    ("counts its failed requests", PlantedRun::Failed, "UPDATE simulations SET failed_requests = 11"),
    ("counts its open requests", PlantedRun::Running, "UPDATE simulations SET open_requests = 9"),
    ("counts its open requests", PlantedRun::Running, "UPDATE simulations SET retries_failed = true"),
    ("counts what was not shown", PlantedRun::Failed, "INSERT INTO simulation_designs SELECT id, 1 FROM simulations"),
    ("was dealt what the seed", PlantedRun::Failed, "INSERT INTO simulation_designs SELECT id FROM simulations"),
    (
        "waits for a batch that has not ended",
        PlantedRun::Running,
        "INSERT INTO batch_calls (simulation_id, persona_id, prompt_hash, body_rest, bytes, state)
         SELECT simulation_id, persona_id, '', '', 1, '{}' FROM simulation_personas WHERE persona_id = 3",
    ),
    ("an ended run is complete", PlantedRun::Failed, "UPDATE simulations SET status = 'COMPLETED'"),
    ("an ended run is complete", PlantedRun::Running, "UPDATE simulations SET status = 'FAILED'"),
    ("an ended run is complete", PlantedRun::Failed, "UPDATE simulations SET held = 1"),
    (
        "an ended run is complete",
        PlantedRun::Failed,
        "UPDATE request_failures SET retrying = true WHERE persona_id = 2",
    ),
    (
        "at most one active run",
        PlantedRun::Running,
        "INSERT INTO simulations (survey_id, user_id, group_id, persona_set_id, status, persona_count, question_count,
            total_requests, open_requests, held, parameters, survey_snapshot, survey_hash, demo_model, program_version)
         SELECT survey_id, user_id, group_id, persona_set_id, 'PAUSED', 3, 9, 27, 27, 27, parameters, survey_snapshot,
            survey_hash, demo_model, program_version FROM simulations",
    ),
    ("the queue of interviews exists", PlantedRun::Failed, "SELECT pgmq.drop_queue('interviews')"),
    (
        "no message in the queue",
        PlantedRun::Failed,
        "SELECT pgmq.send('interviews', '{\"simulation\": 7, \"persona\": 1}')",
    ),
    (
        "no message in the queue",
        PlantedRun::Running,
        "SELECT pgmq.send('interviews', '{\"simulation\": 7, \"persona\": 4}')",
    ),
    ("no message in the queue", PlantedRun::Running, "SELECT pgmq.send('interviews', '{\"simulation\": \"?\"}')"),
    ("has a message in the queue", PlantedRun::Running, "SELECT pgmq.purge_queue('interviews')"),
    (
        "has a message in the queue",
        PlantedRun::Running,
        "DELETE FROM pgmq.q_interviews WHERE message @> '{\"persona\": 2}'",
    ),
    (
        "no interview has two messages",
        PlantedRun::Running,
        "SELECT pgmq.send('interviews', '{\"persona\": 2, \"simulation\": 7, \"calls\": 3}')",
    ),
    // The effect is wrong, but the budget agrees with it.
    (
        "what its type and amount say",
        PlantedRun::Failed,
        "UPDATE transactions SET effect = effect + 7 WHERE type = 'MINES';
         UPDATE group_members SET budget = budget + 7 WHERE budget > 0",
    ),
    (
        "what its type and amount say",
        PlantedRun::Failed,
        "INSERT INTO transactions (group_id, user_id, type, amount, effect, description)
         SELECT group_id, user_id, 'ADD', 5, 500, 'too much' FROM transactions WHERE type = 'SET';
         UPDATE group_members SET budget = budget + 500 WHERE budget > 0",
    ),
    ("entries of the ledger are counted", PlantedRun::Failed, "UPDATE group_members SET entries = entries + 1"),
    (
        "is in one",
        PlantedRun::Failed,
        "UPDATE simulations SET parameters = parameters || '{\"cell\": {\"repeat\": 1}}'",
    ),
    (
        "the hash that was stored at its start",
        PlantedRun::Failed,
        "UPDATE simulations SET survey_snapshot = jsonb_set(survey_snapshot, '{questions,0,text}', '\"Which?\"')",
    ),
    (
        "the texts that it had then",
        PlantedRun::Failed,
        "UPDATE personas SET summary = 'One, who is now older' WHERE id = 1",
    ),
    (
        "each kept reply is as it was stored",
        PlantedRun::Failed,
        "INSERT INTO call_replies (simulation_id, persona_id, received_at, call_id, prompt_hash, reply, reply_hash)
         VALUES (7, 1, now(), gen_random_uuid(), '', 'another', sha256('a reply'))",
    ),
    ("at least the calls and tokens", PlantedRun::Failed, "UPDATE simulations SET calls = calls / 2"),
    ("at least the calls and tokens", PlantedRun::Failed, "UPDATE simulations SET prompt_tokens = prompt_tokens / 2"),
    ("at least the calls and tokens", PlantedRun::Failed, "UPDATE simulations SET cached_tokens = cached_tokens / 2"),
    (
        "at least the calls and tokens",
        PlantedRun::Failed,
        "UPDATE simulations SET completion_tokens = completion_tokens / 2",
    ),
    ("at least the calls and tokens", PlantedRun::Failed, "UPDATE simulations SET reasoning_tokens = -1"),
    ("at least the calls and tokens", PlantedRun::Failed, "UPDATE simulations SET cache_write_tokens = -1"),
    ("names the prompt", PlantedRun::Failed, "UPDATE responses SET prompt_hash = '' WHERE persona_id = 1"),
    (
        "names the prompt",
        PlantedRun::Failed,
        "UPDATE simulations SET parameters = parameters || '{\"keepReplies\": true}'",
    ),
    (
        "is one of its question",
        PlantedRun::Failed,
        "UPDATE simulations SET parameters = parameters || '{\"answerMode\": \"stated\"}';
         UPDATE responses SET distribution = '{\"options\": {\"-red\": 0.5, \"blue\": 0.4}}' WHERE question_id = 1",
    ),
    (
        "its run's seed draws",
        PlantedRun::Failed,
        "UPDATE simulations SET parameters = parameters || '{\"answerMode\": \"stated\"}';
         UPDATE responses SET distribution = '{\"options\": {\"-red\": 0, \"blue\": 1}}', answer = '-red', answer_value = '\"-red\"'
         WHERE question_id = 1",
    ),
    (
        "its run's seed draws",
        PlantedRun::Failed,
        "UPDATE simulations SET parameters = parameters || '{\"draws\": 5}';
         UPDATE responses SET distribution = '{\"options\": {\"-red\": 0, \"blue\": 1}}', answer = '-red', answer_value = '\"-red\"'
         WHERE question_id = 1",
    ),
    ("guard the ledger and the answers", PlantedRun::Failed, "SELECT 'their guards are off already'"),
];

/// An answer that each question of the planted run does not accept, and a text that differs from its value.
const WRONG_ANSWERS: &[(&str, &str, &str)] = &[
    ("green", "\"green\"", "red"),
    ("=A1 | green", "[\"=A1\", \"green\"]", "@home | =A1"),
    ("Q1: Agree | Q2: Never", "{\"Tea\": \"Agree\", \"Coffee\": \"Never\"}", "Q1: Neutral | Q2: Agree"),
    ("11", "11", "7.5"),
    ("0", "0", "three"),
    ("12", "\"many\"", "1"),
    ("Yes", "\"yes\"", "No"),
    ("x", "[\"x\"]", "y"),
    ("x", "null", "y"),
];

/// SQL that drops the triggers, foreign keys, checks and unique indexes that prevent these breaches.
const WITHOUT_GUARDS: &str = "
    SET LOCAL session_replication_role = replica;
    DO $$ DECLARE guard record; BEGIN
        FOR guard IN SELECT conrelid::regclass AS holder, conname FROM pg_constraint
            JOIN pg_class ON pg_class.oid = conrelid
            WHERE contype IN ('c', 'u', 'f') AND relnamespace = 'public'::regnamespace
        LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I CASCADE', guard.holder, guard.conname);
        END LOOP;
    END $$;
    ALTER TABLE responses DROP CONSTRAINT responses_pkey;
    DROP INDEX simulations_one_active, transactions_one_per_attempt;";

/// A database with a planted run.
async fn planted(stage: PlantedRun) -> (Database, AsyncPool) {
    let database = Database::new();
    let pool = database.pool().await;
    plant(&mut pool.get().await.expect("a connection"), stage).await;
    (database, pool)
}

/// The findings after `breach`, which is rolled back.
async fn findings_after(pool: &AsyncPool, breach: &str) -> Vec<CheckResult> {
    let mut findings = Vec::new();
    let undone = pool
        .get()
        .await
        .expect("a connection")
        .transaction(async |connection| {
            sample::run(connection, WITHOUT_GUARDS).await;
            sample::run(connection, breach).await;
            findings = ledger_check::within(connection).await?;
            Err::<(), _>(RollbackTransaction)
        })
        .await;
    assert_eq!(undone, Err(RollbackTransaction));
    findings
}

fn breaches(findings: Vec<CheckResult>) -> Vec<CheckResult> {
    findings.into_iter().filter(CheckResult::is_breach).collect()
}

#[actix_web::test]
async fn a_sound_database_has_no_breach_before_during_and_after_a_run() {
    for stage in [PlantedRun::Failed, PlantedRun::Running] {
        let (_database, pool) = planted(stage).await;
        let findings = ledger_check::run(&mut pool.get().await.expect("a connection")).await.expect("the checks run");
        assert_eq!(breaches(findings), [], "{stage:?}");
    }
    let database = Database::new();
    let pool = database.pool().await;
    let findings = ledger_check::run(&mut pool.get().await.expect("a connection")).await.expect("the checks run");
    assert_eq!(breaches(findings), []);
}

#[actix_web::test]
async fn a_run_whose_failures_are_asked_again_is_sound() {
    let (_database, pool) = planted(PlantedRun::Failed).await;
    let connection = &mut *pool.get().await.expect("a connection");
    sample::run(
        connection,
        "UPDATE request_failures SET retrying = true;
         UPDATE simulations SET status = 'QUEUED', attempt = 2, retries_failed = true, failed_requests = 0, open_requests = 10, held = 10,
            completed_at = NULL;
         UPDATE group_members SET held = 10 WHERE budget > 0;
         SELECT pgmq.send('interviews', '{\"simulation\": 7, \"persona\": 2}'),
            pgmq.send('interviews', '{\"simulation\": 7, \"persona\": 3}')",
    )
    .await;
    assert_eq!(breaches(ledger_check::run(connection).await.expect("the checks run")), []);
}

#[actix_web::test]
async fn every_check_finds_what_it_looks_for_and_names_it() {
    let mut seen = BTreeSet::new();
    let mut all = BTreeSet::new();
    let (_failed, failed) = planted(PlantedRun::Failed).await;
    let (_running, running) = planted(PlantedRun::Running).await;
    for (check, stage, breach) in BREACHES {
        let pool = if *stage == PlantedRun::Failed { &failed } else { &running };
        let findings = findings_after(pool, breach).await;
        all.extend(findings.iter().map(|finding| finding.check));
        let finding = findings
            .iter()
            .find(|finding| finding.check.contains(check))
            .unwrap_or_else(|| panic!("no check is named {check}"));
        assert!(finding.is_breach(), "{} did not see: {breach}", finding.check);
        assert!(finding.examples.iter().all(|example| !example.is_empty()), "{finding:#?}");
        seen.insert(finding.check);
    }
    seen.insert(OF_DESIGNS);
    // A test of their own plants these for each type of question.
    seen.extend(all.iter().filter(|check| OF_ANSWERS.iter().any(|part| check.contains(part))));
    assert_eq!(seen, all, "every check has a breach planted here");
}

#[actix_web::test]
async fn an_answer_that_its_question_does_not_take_and_one_whose_text_differs_are_found_for_each_type() {
    let (_database, pool) = planted(PlantedRun::Failed).await;
    let found = async |breach: &str| -> Vec<String> {
        let findings = breaches(findings_after(&pool, breach).await);
        let of_answers =
            findings.into_iter().filter(|finding| OF_ANSWERS.iter().any(|part| finding.check.contains(part)));
        of_answers.flat_map(|finding| finding.examples).collect()
    };
    for (place, (answer, value, other)) in (1..).zip(WRONG_ANSWERS) {
        let at = format!("persona_id = 1 AND question_id = {place}");
        let taken =
            found(&format!("UPDATE responses SET answer = '{answer}', answer_value = '{value}' WHERE {at}")).await;
        assert!(!taken.is_empty(), "{answer} with {value}");
        let differs = found(&format!("UPDATE responses SET answer = '{other}' WHERE {at}")).await;
        assert_eq!(differs.len(), 1, "{other}: {differs:?}");
        for breach in taken.iter().chain(&differs) {
            assert!(breach.starts_with(&format!("simulation 7, persona 1, question {place} (")), "{breach}");
        }
    }
}

#[actix_web::test]
async fn a_missing_key_and_a_trigger_that_is_off_are_found() {
    let (_database, pool) = planted(PlantedRun::Failed).await;
    let conn = &mut *pool.get().await.expect("a connection");
    sample::run(
        conn,
        "ALTER TABLE responses DROP CONSTRAINT responses_pkey; ALTER TABLE transactions DISABLE TRIGGER transactions_guard",
    )
    .await;
    let findings = breaches(ledger_check::run(conn).await.expect("the checks run"));
    let found: Vec<&str> = findings.iter().flat_map(|finding| &finding.examples).map(String::as_str).collect();
    assert_eq!(
        found,
        [
            "responses: responses_pkey is missing or not valid",
            "transactions: trigger transactions_guard is switched off"
        ]
    );
}

#[actix_web::test]
async fn the_texts_of_twins_that_a_run_asked_cannot_be_changed() {
    let (_database, pool) = planted(PlantedRun::Failed).await;
    let conn = &mut *pool.get().await.expect("a connection");
    let changed = conn.batch_execute("UPDATE personas SET summary = 'Another'").await.expect_err("a run asked them");
    assert!(changed.to_string().contains("the texts of twins that a run asked cannot be changed"), "{changed}");
}

#[actix_web::test]
async fn all_breaches_are_counted_and_ten_are_named() {
    let (_database, pool) = planted(PlantedRun::Failed).await;
    let findings = findings_after(&pool, "UPDATE responses SET persona_id = persona_id + 90").await;
    let finding = findings.iter().find(|finding| finding.check.contains("had not frozen")).expect("the check");
    assert_eq!(finding.breaches, 17);
    assert_eq!(finding.examples.len(), 10);
    assert!(finding.examples[0].starts_with("simulation 7, persona 91, question "), "{}", finding.examples[0]);
}

#[actix_web::test]
async fn the_command_prints_each_check_and_exits_with_1_on_a_breach() {
    let (database, pool) = planted(PlantedRun::Failed).await;
    let verify = || Outcome::of(twinlab().arg("verify").env("DATABASE_URL", database.url()));
    let sound = verify();
    assert_eq!(sound.code, Some(0), "{sound:#?}");
    assert_eq!(sound.stdout.lines().filter(|line| line.starts_with("ok ")).count(), 35);

    sample::run(&mut pool.get().await.expect("a connection"), "UPDATE group_members SET budget = budget + 1").await;
    let breached = verify();
    assert_eq!(breached.code, Some(1), "{breached:#?}");
    assert!(breached.stdout.contains("BREACH each member's budget"), "{}", breached.stdout);
    assert!(breached.stdout.contains("budget 984, ledger 983"), "{}", breached.stdout);
}

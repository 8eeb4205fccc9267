//! `twinlab verify`: clean on a sound database, and every breach is found.

use std::collections::BTreeSet;

use diesel::result::Error::RollbackTransaction;
use diesel_async::AsyncConnection;
use twinlab::db::AsyncPool;
use twinlab::models::ledger_check::{self, CheckResult};

use crate::support::sample::{self, PlantedRun, plant};
use crate::support::{Database, Outcome, twinlab};

/// Its breach needs a run with a design: `staged_files` plants it.
const OF_DESIGNS: &str = "what a twin was not shown is what its arms and answers hide";

/// A part of a check's name, and a statement that breaks its invariant.
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
];

/// Drops the triggers, foreign keys, checks and unique indexes that prevent these breaches.
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
    assert_eq!(seen, all, "every check has a breach planted here");
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
    assert_eq!(sound.stdout.lines().filter(|line| line.starts_with("ok ")).count(), 21);

    sample::run(&mut pool.get().await.expect("a connection"), "UPDATE group_members SET budget = budget + 1").await;
    let breached = verify();
    assert_eq!(breached.code, Some(1), "{breached:#?}");
    assert!(breached.stdout.contains("BREACH each member's budget"), "{}", breached.stdout);
    assert!(breached.stdout.contains("budget 984, ledger 983"), "{}", breached.stdout);
}

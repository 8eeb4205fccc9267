//! A run that goes through failures, and the checks at its end.

use std::time::Duration;

use diesel::sql_types::BigInt;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use model_server::{Faults, ModelServer};
use serde_json::Value;
use simulation::row::Simulation;
use simulation::status::Status;
use simulation::wire::Wire;
use tokio::time::{Instant, sleep, timeout};
use twinlab::db;
use twinlab::models::simulations;

use super::cluster::Cluster;
use super::nine_checks::nine_checks;
use super::program::{Program, verify};
use super::workspace::{BUDGET, plain, staged, start_run};

/// Time limit of a run, including a lease, on a busy machine.
const RUN_TIMEOUT: Duration = Duration::from_secs(180);
/// Interval at which rows that other processes change are checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

pub struct Experiment {
    pub stub: ModelServer,
    pub cluster: Cluster,
    run: i64,
    wire: Wire,
    interview_lease_s: u32,
}

impl Experiment {
    /// Starts a run of `twins` × 10 requests, without an engine; a call to the model takes `latency_ms`.
    pub async fn prepare(twins: i32, latency_ms: u64) -> Self {
        Self::of(twins, &plain(), latency_ms, (Wire::default(), false)).await
    }

    /// Like [`Self::prepare`], on another wire.
    pub async fn prepare_on(wire: Wire, twins: i32, latency_ms: u64) -> Self {
        Self::of(twins, &plain(), latency_ms, (wire, false)).await
    }

    /// Starts a run through the Batch API: a batch for each of the ten questions.
    pub async fn prepare_in_batches(wire: Wire, twins: i32) -> Self {
        Self::of(twins, &plain(), 0, (wire, true)).await
    }

    /// Starts a run of a survey with arms, in which answers decide what is asked next.
    pub async fn prepare_staged(twins: i32, latency_ms: u64) -> Self {
        Self::of(twins, &staged(), latency_ms, (Wire::default(), false)).await
    }

    async fn of(twins: i32, survey: &Value, latency_ms: u64, (wire, batch): (Wire, bool)) -> Self {
        let cluster = Cluster::start();
        db::migrate(cluster.url()).await.expect("an empty database migrates");
        let run = start_run(&mut connect(cluster.url()).await, twins, survey, (wire, batch)).await;
        let stub = ModelServer::start(Faults::default().latency_ms(latency_ms));
        Self { stub, cluster, run, wire, interview_lease_s: 3 }
    }

    /// Uses production's leases instead of short ones, after which another worker soon asks a dead worker's interviews.
    pub fn with_production_leases(self) -> Self {
        Self { interview_lease_s: 30, ..self }
    }

    /// Uses leases longer than a run may take: a dead worker's interviews are asked again only if its death is noticed.
    pub fn with_endless_leases(self) -> Self {
        Self { interview_lease_s: 600, ..self }
    }

    pub fn worker(&self) -> Program {
        let lease = self.interview_lease_s.to_string();
        let words = ["serve", "--role", "worker", "--interview-lease-s", &lease, "--llm-wire", self.wire.name()];
        Program::start(&words, self.database(), &self.stub.base_url())
    }

    /// Starts a worker next to others, and waits until it has a share of the limits.
    pub async fn another_worker(&self) -> Program {
        const STARTED: &str = "(extract(epoch FROM started_at) * 1000000)::bigint";
        let last = self.number(&format!("SELECT max({STARTED}) AS number FROM workers")).await;
        let worker = self.worker();
        let has_share = format!(
            "SELECT count(*) AS number FROM workers JOIN worker_shares AS held ON worker_id = id
             WHERE share > 0 AND held.busy AND {STARTED} > {last}"
        );
        let shared = async {
            while self.number(&has_share).await == 0 {
                sleep(CHECK_INTERVAL).await;
            }
        };
        timeout(RUN_TIMEOUT, shared).await.expect("the other workers make room");
        worker
    }

    pub fn database(&self) -> (&str, &str) {
        ("DATABASE_URL", self.cluster.url())
    }

    /// Waits for this number of further calls.
    pub async fn calls_more(&self, calls: usize) {
        self.calls(self.stub.calls().len() + calls).await;
    }

    /// Waits for this number of calls in all.
    pub async fn calls(&self, calls: usize) {
        if timeout(RUN_TIMEOUT, self.stub.reached(calls)).await.is_err() {
            panic!("{} calls of {calls}, and no more: {:#?}", self.stub.calls().len(), self.run().await);
        }
    }

    /// Counts the calls whose answers are not stored, after the calls of dead workers have ended.
    pub async fn unsaved(&self) -> usize {
        while self.stub.calls().iter().any(|call| call.ended.is_none()) {
            sleep(CHECK_INTERVAL).await;
        }
        let connection = &mut connect(self.cluster.url()).await;
        let others = "SELECT count(*) AS number FROM pg_stat_activity
            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
        while number(connection, others).await > 0 {
            sleep(CHECK_INTERVAL).await;
        }
        let stored = number(connection, "SELECT count(*) AS number FROM responses").await;
        self.stub.calls().len() - stored as usize
    }

    pub async fn run(&self) -> Simulation {
        let connection = &mut connect(self.cluster.url()).await;
        simulations::find(connection, self.run).await.expect("the database answers").expect("the run")
    }

    /// The number that a query selects as `number`.
    pub async fn number(&self, sql: &str) -> i64 {
        number(&mut connect(self.cluster.url()).await, sql).await
    }

    /// Checks the invariants that hold at any moment, by two programs.
    pub async fn check(&self) {
        nine_checks(&mut connect(self.cluster.url()).await).await;
        verify(self.database());
    }

    /// Waits for the end and checks it: every request answered once, every answer paid once, every invariant kept.
    pub async fn conclude(&self) {
        let connection = &mut connect(self.cluster.url()).await;
        let begun = Instant::now();
        let ended = loop {
            let run = simulations::find(connection, self.run).await.expect("the database answers").expect("the run");
            if run.status.is_over() {
                break run;
            }
            assert!(begun.elapsed() < RUN_TIMEOUT, "the run got nowhere: {run:#?}");
            sleep(CHECK_INTERVAL).await;
        };
        assert_eq!(ended.status, Status::Completed, "{ended:#?}");
        assert_eq!((ended.successful_requests, ended.failed_requests), (ended.total_requests, 0));
        let requests = i64::from(ended.total_requests);
        for (count, expected) in [
            ("SELECT count(*) AS number FROM responses", requests),
            ("SELECT amount AS number FROM transactions WHERE type = 'MINES'", requests),
            ("SELECT sum(budget)::bigint AS number FROM group_members", BUDGET - requests),
            ("SELECT sum(held)::bigint AS number FROM group_members", 0),
            ("SELECT count(*) AS number FROM pgmq.q_interviews", 0),
        ] {
            assert_eq!(number(connection, count).await, expected, "{count}");
        }
        self.check().await;
    }

    /// Number of calls beyond one for each answer.
    pub async fn surplus(&self) -> usize {
        let answers = self.number("SELECT count(*) AS number FROM responses").await;
        self.stub.calls().len() - answers as usize
    }
}

async fn connect(url: &str) -> AsyncPgConnection {
    AsyncPgConnection::establish(url).await.expect("the database answers")
}

pub async fn number(connection: &mut AsyncPgConnection, sql: &str) -> i64 {
    #[derive(diesel::QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        number: i64,
    }
    let row: Row =
        diesel::sql_query(sql).get_result(connection).await.unwrap_or_else(|reason| panic!("{sql}: {reason}"));
    row.number
}

//! Progress of a run, read from few rows because pages poll it.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use simulation::status::Status;
use utoipa::ToSchema;
use uuid::Uuid;

/// The counters of a run, read together.
#[derive(Clone, Debug, PartialEq, QueryableByName, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RunCounters)]
pub struct Counters {
    #[diesel(sql_type = SqlUuid)]
    pub simulation_id: Uuid,
    #[diesel(sql_type = Text)]
    pub status: Status,
    /// Status of the latest run of the survey, which may be another.
    #[diesel(sql_type = Text)]
    #[serde(skip)]
    pub survey_status: Status,
    #[diesel(sql_type = Integer)]
    #[schema(example = 1000)]
    pub total_requests: i32,
    #[diesel(sql_type = Integer)]
    #[schema(example = 412)]
    pub successful_requests: i32,
    #[diesel(sql_type = Integer)]
    #[schema(example = 3)]
    pub failed_requests: i32,
    /// Not shown by the survey's logic, and not paid; 0 in a plain survey.
    #[diesel(sql_type = Integer)]
    #[schema(example = 0)]
    pub skipped_requests: i32,
    /// Open requests of this pass.
    #[diesel(sql_type = Integer)]
    #[serde(skip)]
    pub open_requests: i32,
    /// Running calls to the model of all workers, as reported within the last seconds.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 16)]
    pub in_flight: i64,
    #[diesel(sql_type = Integer)]
    #[serde(skip)]
    pub attempt: i32,
    /// Why it is paused, or what failed most often.
    #[diesel(sql_type = Nullable<Text>)]
    #[schema(example = "Incorrect API key provided")]
    pub error_message: Option<String>,
    /// No worker calls the model server before this; null if nothing waits.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub waiting_until: Option<DateTime<Utc>>,
    /// Why no call starts: the model server is down or asks to wait, it has a batch of the run, or no worker is running.
    /// Null if nothing waits.
    #[diesel(sql_type = Nullable<Text>)]
    #[schema(example = json!(null))]
    pub waiting_reason: Option<String>,
    /// Calls in batches that have not ended; `None`: there is no batch.
    #[diesel(sql_type = Nullable<BigInt>)]
    #[serde(skip)]
    pub batch_calls: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    #[serde(skip)]
    pub batch_done: Option<i64>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub started_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Timestamptz)]
    pub updated_at: DateTime<Utc>,
}

/// State of a run's batches at the model server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BatchProgress {
    /// Calls in batches that have not ended.
    #[schema(example = 2000)]
    pub calls: i64,
    /// Calls among them that the server has processed, successfully or not. Their answers arrive when the batch ends.
    #[schema(example = 120)]
    pub done: i64,
}

impl Counters {
    /// Progress of the batches. `None`: no batch is under way.
    pub fn batch(&self) -> Option<BatchProgress> {
        Some(BatchProgress { calls: self.batch_calls?, done: self.batch_done.unwrap_or_default() })
    }

    /// Requests that the flow does not skip.
    pub fn asked(&self) -> i32 {
        self.total_requests - self.skipped_requests
    }

    /// Answered and failed requests.
    pub fn settled(&self) -> i32 {
        self.successful_requests + self.failed_requests
    }

    /// Answered, failed and skipped requests: all that are not open any more.
    pub fn closed(&self) -> i32 {
        self.settled() + self.skipped_requests
    }
}

/// Settled requests in percent of those that the flow does not skip: 0 to 100, with one decimal, rounded down so that
/// it shows 100 only when done. 100 if the flow skips all.
pub fn percentage(settled: u64, asked: u64) -> f64 {
    if asked == 0 {
        return 100.0;
    }
    (settled as f64 / asked as f64 * 1000.0).floor().min(1000.0) / 10.0
}

/// Speed of a run in requests a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Answered and failed requests.
    pub settled: f64,
    /// Answered, failed and skipped requests: how fast the open ones decrease.
    pub closed: f64,
}

pub async fn counters(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Option<Counters>> {
    sql_query(
        "SELECT run.simulation_id, run.status, latest.status AS survey_status,
             run.total_requests + coalesce(design.skipped, 0) AS total_requests,
             coalesce(design.skipped, 0) AS skipped_requests,
             run.successful_requests, run.failed_requests, run.open_requests, run.attempt,
             CASE WHEN run.error_code IS NOT NULL AND (run.status = 'PAUSED' OR run.failed_requests > 0)
                     THEN run.error_message END AS error_message,
             coalesce((SELECT sum((worker.in_flight ->> run.id::text)::bigint) FROM workers AS worker
                 WHERE worker.lease_until > now()), 0)::bigint AS in_flight,
             CASE WHEN batch.calls IS NULL THEN server.blocked_until END AS waiting_until,
             batch.calls AS batch_calls, batch.done AS batch_done,
             CASE WHEN batch.calls IS NOT NULL
                     THEN format('the model server has done %s of %s calls in batches%s', batch.done, batch.calls,
                         ': ' || batch.trouble)
                 WHEN refused.said IS NOT NULL
                     THEN format('the model server has no room for the next batch yet: %s', refused.said)
                 WHEN server.blocked_until IS NOT NULL THEN coalesce(server.reason, 'the model server lets calls wait')
                 WHEN run.status = 'QUEUED' AND NOT EXISTS (SELECT FROM workers WHERE lease_until > now())
                     THEN 'no worker is running' END AS waiting_reason,
             run.started_at, run.updated_at
         FROM simulations AS run
             CROSS JOIN LATERAL (SELECT other.status FROM simulations AS other
                 WHERE other.survey_id = run.survey_id ORDER BY other.created_at DESC, other.id DESC LIMIT 1) AS latest
             LEFT JOIN simulation_designs AS design ON design.simulation_id = run.id
             LEFT JOIN LATERAL (SELECT sum(calls) AS calls, sum(calls_done) AS done, min(trouble) AS trouble
                 FROM simulation_batches WHERE simulation_id = run.id AND ended_at IS NULL) AS batch
                 ON run.status IN ('QUEUED', 'RUNNING')
             LEFT JOIN LATERAL (SELECT trouble AS said FROM simulation_batches
                 WHERE simulation_id = run.id AND limit_reached
                     AND number = (SELECT max(number) FROM simulation_batches WHERE simulation_id = run.id)) AS refused
                 ON run.status IN ('QUEUED', 'RUNNING')
             LEFT JOIN model_servers AS server
                 ON server.name = coalesce(run.model_server, 'default') AND server.blocked_until > now() AND run.status IN ('QUEUED', 'RUNNING')
         WHERE run.id = $1",
    )
    .bind::<BigInt, _>(id)
    .get_result(conn)
    .await
    .optional()
}

/// The progress of a run, for those who watch it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    #[serde(flatten)]
    pub counters: Counters,
    /// Equal to `status`.
    pub simulation_status: Status,
    /// Answered and failed requests in percent of those that are not skipped: 0 to 100, with one decimal.
    #[schema(example = 41.5)]
    pub progress_percentage: f64,
    /// Requests answered or failed a second, over the last seconds; null while nothing moves.
    #[schema(example = 23.4)]
    pub requests_per_second: Option<f64>,
    /// Seconds until the end at that pace.
    #[schema(example = 25)]
    pub eta_seconds: Option<i64>,
    /// State of the run's batches while the model server has one; else null.
    #[schema(example = json!(null))]
    pub batch_progress: Option<BatchProgress>,
    pub debug: Debugging,
}

/// The counters, with the status of the survey's latest run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ProgressDebug)]
pub struct Debugging {
    pub simulation_status: Status,
    pub survey_status: Status,
    #[schema(example = 412)]
    pub successful_requests: i32,
    #[schema(example = 3)]
    pub failed_requests: i32,
    #[schema(example = 1000)]
    pub total_requests: i32,
    /// Whether nothing more is asked.
    #[schema(example = false)]
    pub is_complete: bool,
}

impl Progress {
    pub fn from_counters(counters: &Counters, pace: Option<Pace>) -> Self {
        let Counters { status, survey_status, total_requests, successful_requests, failed_requests, .. } = *counters;
        let moves = status == Status::Running;
        let pace = pace.filter(|_| moves);
        let per_second = |of: fn(Pace) -> f64| pace.map(of).filter(|pace| *pace > 0.0);
        let (settled, asked) = (counters.settled().unsigned_abs(), counters.asked().unsigned_abs());
        Self {
            counters: Counters { in_flight: if moves { counters.in_flight } else { 0 }, ..counters.clone() },
            simulation_status: status,
            progress_percentage: percentage(settled.into(), asked.into()),
            requests_per_second: per_second(|pace| pace.settled).map(|pace| (pace * 10.0).round() / 10.0),
            eta_seconds: per_second(|pace| pace.closed)
                .map(|pace| (f64::from(counters.open_requests) / pace).ceil() as i64),
            batch_progress: counters.batch(),
            debug: Debugging {
                simulation_status: status,
                survey_status,
                successful_requests,
                failed_requests,
                total_requests,
                is_complete: status.is_over(),
            },
        }
    }
}

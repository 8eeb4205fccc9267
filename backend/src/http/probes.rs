//! Health, readiness and metrics, for operators.

use std::fmt::Write as _;
use std::time::Duration;

use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, Responder};
use diesel::sql_types::{BigInt, Text};
use diesel_async::RunQueryDsl;
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use super::authenticate::bearer;
use super::error::{ApiError, Result};
use super::extract::is_local;
use crate::app::App;
use crate::models::queue;
use crate::{db, metrics, postgres};

pub fn configure(routes: &mut ServiceConfig) {
    routes
        .route("/health", web::get().to(health))
        .route("/ready", web::get().to(ready))
        .route("/metrics", web::get().to(show_metrics));
}

/// Time limit of a check, so that the probe answers even if the database hangs.
const READY_TIMEOUT: Duration = Duration::from_millis(1500);

/// The process is up.
async fn health() -> impl Responder {
    HttpResponse::Ok().json(serde_json::json!({ "status": "ok" }))
}

/// The database and its queue can be reached, and the process is not about to end.
async fn ready(app: Data<App>) -> impl Responder {
    if app.is_stopping() {
        return not_ready("stopping", "this process is about to end: send new requests to another");
    }
    let asked = async {
        let mut connection = db::checkout(&app.pool).await?;
        let queues = diesel::sql_query("SELECT 1 FROM pgmq.meta WHERE queue_name = $1")
            .bind::<Text, _>(queue::QUEUE)
            .execute(&mut *connection)
            .await?;
        Ok::<_, crate::error::Error>(queues == 1)
    };
    let trouble = || postgres::trouble().map(|trouble| format!(": {trouble}")).unwrap_or_default();
    let Ok(answered) = timeout(READY_TIMEOUT, asked).await else {
        return not_ready("database_unavailable", &format!("the database does not answer{}", trouble()));
    };
    match answered {
        Ok(true) => HttpResponse::Ok().json(serde_json::json!({ "status": "ok" })),
        Ok(false) => not_ready("queue_missing", "the queue is missing"),
        Err(reason) => {
            tracing::warn!(%reason, "not ready");
            not_ready("database_unavailable", &format!("the database cannot be reached{}", trouble()))
        }
    }
}

fn not_ready(code: &str, message: &str) -> HttpResponse {
    HttpResponse::ServiceUnavailable().json(serde_json::json!({
        "statusCode": 503, "error": "Service Unavailable", "message": message, "code": code,
    }))
}

#[derive(diesel::QueryableByName)]
struct Metric {
    /// Name of the metric in Prometheus' spelling, without the product's name before it.
    #[diesel(sql_type = Text)]
    metric: String,
    /// `{status="running"}`, or nothing.
    #[diesel(sql_type = Text)]
    labels: String,
    #[diesel(sql_type = BigInt)]
    value: i64,
}

impl Metric {
    fn of_process(metric: &str, value: i64) -> Self {
        Self { metric: metric.to_owned(), labels: String::new(), value }
    }
}

/// The work done and waiting, over all processes, from the database.
const METRICS: &str = "
    SELECT 'queue_depth' AS metric, '' AS labels, count(*) AS value FROM pgmq.q_interviews
    UNION ALL
    SELECT 'queue_oldest_seconds', '', coalesce(extract(epoch FROM now() - min(enqueued_at))::bigint, 0)
    FROM pgmq.q_interviews
    UNION ALL
    SELECT 'mails_waiting', '', count(*) FROM mails WHERE sent_at IS NULL AND given_up_at IS NULL
    UNION ALL
    SELECT 'oldest_hold_seconds', '', coalesce(extract(epoch FROM now() - min(created_at))::bigint, 0)
    FROM simulations WHERE held > 0
    UNION ALL
    SELECT 'database_sessions', '', count(*) FROM pg_stat_activity WHERE datname = current_database()
    UNION ALL
    SELECT 'workers', '', count(*) FROM workers WHERE lease_until > now()
    UNION ALL
    SELECT 'model_calls_in_flight', '', coalesce(sum(calls::bigint), 0)::bigint
    FROM workers, jsonb_each_text(in_flight) AS run (id, calls) WHERE lease_until > now()
    UNION ALL
    SELECT 'model_server_blocked', '', count(*) FROM model_servers WHERE blocked_until > now()
    UNION ALL
    SELECT 'simulations', format('{status=\"%s\"}', lower(status)), count(*) FROM simulations GROUP BY status
    UNION ALL
    SELECT tally.metric, '', coalesce(sum(tally.value), 0)::bigint
    FROM simulations,
        LATERAL (VALUES ('model_calls_total', calls), ('prompt_tokens_total', prompt_tokens),
            ('cached_tokens_total', cached_tokens), ('completion_tokens_total', completion_tokens),
            ('reasoning_tokens_total', reasoning_tokens), ('cache_write_tokens_total', cache_write_tokens),
            ('requests_succeeded', successful_requests::bigint),
            ('requests_failed', failed_requests::bigint)) AS tally (metric, value)
    GROUP BY tally.metric
    ORDER BY metric, labels";

/// The metrics, for callers with the token; without a token in the settings, for this machine alone.
async fn show_metrics(app: Data<App>, request: HttpRequest) -> Result<HttpResponse> {
    let has_token = app.config.metrics_token.as_ref().is_some_and(|token| {
        // Hashes differ early whatever the caller guessed, so the time tells nothing.
        bearer(request.headers()).is_some_and(|sent| Sha256::digest(sent) == Sha256::digest(token.expose()))
    });
    // A proxy on this machine that names no caller looks like this machine: a token closes that way, too.
    if !has_token && (app.config.metrics_token.is_some() || !is_local(&request)) {
        let message =
            "Metrics are for callers with METRICS_TOKEN as bearer token, or, where none is set, for this machine";
        return Err(ApiError::Forbidden(message.to_owned()));
    }
    let mut conn = db::checkout(&app.pool).await?;
    let mut values: Vec<Metric> = diesel::sql_query(METRICS).load(&mut *conn).await?;
    let pool = app.pool.stats();
    for (metric, value) in [("database_connections", pool.connections), ("database_connections_idle", pool.idle)] {
        values.push(Metric::of_process(metric, value.into()));
    }
    for (metric, value) in [
        ("database_checkouts_total", pool.checkouts),
        ("database_checkouts_waited_total", pool.waited),
        ("database_checkouts_timed_out_total", pool.timed_out),
    ] {
        values.push(Metric::of_process(metric, i64::try_from(value).unwrap_or(i64::MAX)));
    }
    values.push(Metric::of_process("downloads", app.downloads.open()));
    let text = metrics::text().map_err(ApiError::internal)? + &written(&values);
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
}

/// Prometheus' text format, in which the values of one metric must follow each other.
fn written(values: &[Metric]) -> String {
    let mut text = String::new();
    let mut before = "";
    for Metric { metric, labels, value } in values {
        if metric != before {
            let kind = if metric.ends_with("_total") { "counter" } else { "gauge" };
            let _ = writeln!(text, "# TYPE twinlab_{metric} {kind}");
            before = metric;
        }
        let _ = writeln!(text, "twinlab_{metric}{labels} {value}");
    }
    text
}

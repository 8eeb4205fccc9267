//! The model servers, how they do, and what they have cost: for super administrators.

pub mod check;

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use actix_web::web::Data;
use chrono::{DateTime, NaiveDate, Utc};
use diesel_async::AsyncPgConnection;
use serde::Serialize;
use simulation::money::{Money, Price};
use simulation::wire::Wire;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::rules::Caller;
use crate::config::ModelConfig;
use crate::db;
use crate::engine::Limits;
use crate::http::error::Result;
use crate::models::model_checks::{self, StoredCheck};
use crate::models::model_servers;
use crate::models::model_servers::activity::{self, ServerMinute, ServerMonth, ServerTraffic};

/// How a model server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ServerState {
    /// Its last calls were answered.
    Answering,
    /// No run has asked it, so nothing is known of it.
    NotAsked,
    /// Calls wait for its limits.
    Slowed,
    /// No call reaches it, or none is answered.
    OutOfOrder,
    /// This process has no key for it.
    NoKey,
}

/// A model server.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ModelServerOverview {
    #[schema(example = "openai")]
    name: String,
    wire: Wire,
    /// Host and port of its address; null for the built-in demo model.
    #[schema(example = "api.openai.com")]
    host: Option<String>,
    #[schema(example = json!(["gpt-4.1-mini"]))]
    models: Vec<String>,
    state: ServerState,
    /// Why it is not asked, or why it has no key.
    #[schema(example = "rate limit")]
    reason: Option<String>,
    /// Nobody asks it before this.
    blocked_until: Option<DateTime<Utc>>,
    /// Limit of calls a minute over all workers; null: none is known.
    #[schema(example = 5000)]
    limit_requests: Option<u32>,
    /// Limit of tokens a minute, likewise.
    #[schema(example = 4_000_000)]
    limit_tokens: Option<u32>,
    /// Limit of calls at once, likewise.
    #[schema(example = 256)]
    limit_concurrency: Option<u32>,
    traffic: ServerTraffic,
    /// The last sixty full minutes, the oldest first.
    hour: Vec<ServerMinute>,
    month: ServerMonth,
    /// Seconds within which half of the calls of its newest run were answered; null: none was.
    #[schema(example = 1.1)]
    median_seconds: Option<f64>,
    /// Prices of its models, as far as they are known.
    prices: BTreeMap<String, Price>,
    /// The day on which the oldest of these prices was read; null: the installation sets them without one.
    prices_as_of: Option<NaiveDate>,
    /// The newest check of each of its models that was checked: what the server does with the parts of a request.
    checks: Vec<StoredCheck>,
    /// Estimated cost of a check of all its models; null: the price of one is not known, or currencies differ.
    #[schema(example = json!({"amount": "0.020000", "currency": "USD"}))]
    check_cost: Option<Money>,
    /// Whether its models are being checked.
    checking: bool,
    /// Why the last check found nothing out; null: it did, or there was none.
    #[schema(example = json!(null))]
    check_failure: Option<String>,
}

/// The model servers: their state, limits, traffic and money (super admin)
#[utoipa::path(
    get, path = "",
    responses((status = 200, description = "As they are now, in the order of the file", body = Vec<ModelServerOverview>))
)]
pub async fn list_model_servers(app: Data<App>, caller: Caller) -> Result<HttpResponse> {
    caller.must_be_super_admin()?;
    let mut conn = db::checkout(&app.pool).await?;
    let mut servers = Vec::new();
    for server in app.config.models.iter() {
        servers.push(ModelServerOverview::read(&mut conn, server).await?);
    }
    Ok(HttpResponse::Ok().json(servers))
}

impl ModelServerOverview {
    async fn read(conn: &mut AsyncPgConnection, server: &ModelConfig) -> Result<Self> {
        let name = server.name.as_str();
        let limits = Limits::new(server).shared(conn, name).await?;
        let blocked = model_servers::blocked(conn, name).await?;
        let traffic = activity::traffic(conn, name).await?;
        let price = |model: &String| Some((model.clone(), server.prices.find(model)?.clone()));
        let prices: BTreeMap<String, Price> = server.models.iter().filter_map(price).collect();
        let (blocked_until, reason) = blocked.map_or((None, None), |(until, reason)| (Some(until), reason));
        let missing_key = server.missing_key();
        let check = model_checks::progress(conn, name, check::MAX_DURATION.as_secs_f64()).await?;
        let state = match (&missing_key, &reason) {
            (Some(_), _) => ServerState::NoKey,
            (None, Some(reason)) if reason != "rate limit" => ServerState::OutOfOrder,
            (None, Some(_)) => ServerState::Slowed,
            (None, None) if traffic.waiting_calls > 0 => ServerState::Slowed,
            (None, None) if activity::was_asked(conn, name).await? => ServerState::Answering,
            (None, None) => ServerState::NotAsked,
        };
        Ok(Self {
            name: name.to_owned(),
            wire: server.wire,
            host: server.base_url.as_deref().and_then(host),
            models: server.models.clone(),
            state,
            reason: missing_key.or(reason),
            blocked_until,
            limit_requests: limits.rates.rpm,
            limit_tokens: limits.rates.tpm,
            limit_concurrency: limits.concurrency,
            traffic,
            hour: activity::last_hour(conn, name).await?,
            month: activity::this_month(conn, name).await?,
            median_seconds: activity::median_seconds(conn, name).await?,
            prices_as_of: prices.values().filter_map(|price| price.as_of).min(),
            prices,
            check_cost: check::estimated_cost(server),
            checks: model_checks::of_server(conn, name).await?,
            checking: check.under_way,
            check_failure: check.failure,
        })
    }
}

/// Host and port of an address, without a user or password in it.
fn host(address: &str) -> Option<String> {
    let url = reqwest::Url::parse(address).ok()?;
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn the_host_of_an_address_has_no_password() {
        assert_eq!(host("https://api.openai.com/v1").as_deref(), Some("api.openai.com"));
        assert_eq!(host("http://ada:secret@gpu.example:8000/v1").as_deref(), Some("gpu.example:8000"));
    }
}

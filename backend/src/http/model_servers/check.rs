//! Checks of the models of a model server, on a super administrator's wish.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Serialize;
use simulation::money::{Money, Tokens};
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::app::{App, DemoModel};
use crate::auth::rules::Caller;
use crate::config::ModelConfig;
use crate::db;
use crate::error::Error;
use crate::http::error::{ApiError, Result};
use crate::llm::{Llm, check};
use crate::models::model_checks;

/// Longest time that a check of all models of a server may take.
pub const MAX_DURATION: Duration = Duration::from_secs(600);

/// Tokens that a check of a model takes, roughly: most of them are the text that the cache is to keep.
const TOKENS_OF_CHECK: Tokens =
    Tokens { prompt: 22_000, cached: 0, cache_write: 0, completion: 4_000, reasoning: 2_000 };

/// Estimated cost of a check of all models of the server. `None`: the price of one is not known, or currencies differ.
pub fn estimated_cost(server: &ModelConfig) -> Option<Money> {
    let first = server.prices.find(server.models.first()?)?;
    let mut cost = 0;
    for model in &server.models {
        let price = server.prices.find(model).filter(|price| price.currency == first.currency)?;
        cost += price.cost(TOKENS_OF_CHECK);
    }
    Some(first.money(cost))
}

/// A check that has begun.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BegunCheck {
    /// The models that are checked, one after the other.
    #[schema(example = json!(["gpt-4.1-mini"]))]
    models: Vec<String>,
}

/// Checks the models of a model server (super admin)
///
/// Makes some twenty tiny calls to each model that find out what the server really does with schemas, seeds, temperatures, caches and
/// other parts of a request. It answers at once; the findings appear in `GET /admin/model-servers`, and starts of runs use them. A
/// check takes no credits: its cost by the server's bill is among the findings. It ends after ten minutes at the latest.
#[utoipa::path(
    post, path = "",
    responses(
        (status = 202, description = "The check has begun", body = BegunCheck),
        (status = 409, description = "The server is being checked, or has no key")
    )
)]
pub async fn check_model_server(app: Data<App>, caller: Caller, name: Path<String>) -> Result<HttpResponse> {
    caller.must_be_super_admin()?;
    let server = app.config.models.find(&name).ok_or_else(|| ApiError::not_found("Model server"))?.clone();
    if let Some(reason) = server.missing_key() {
        return Err(ApiError::Conflict(reason));
    }
    let conn = &mut *db::checkout(&app.pool).await?;
    if !model_checks::begin(conn, &server.name, MAX_DURATION.as_secs_f64()).await? {
        return Err(ApiError::conflict("The model server is being checked"));
    }
    let models = server.models.clone();
    // Nothing waits for it: a check that dies with the process is made again.
    actix_web::rt::spawn(async move {
        let checked = timeout(MAX_DURATION, check_models(&app, &server)).await;
        let checked = checked.unwrap_or_else(|_| Err(Error::internal("it took longer than ten minutes")));
        if let Err(error) = end(&app, &server.name, checked.err()).await {
            tracing::warn!(%error, server = server.name, "the end of a check could not be stored");
        }
    });
    Ok(HttpResponse::Accepted().json(BegunCheck { models }))
}

/// Checks each model of the server and stores what it finds.
async fn check_models(app: &App, server: &ModelConfig) -> std::result::Result<(), Error> {
    let demo = DemoModel::start(&app.config)?;
    let address = server.base_url.clone().unwrap_or_else(|| demo.base_url());
    for model in &server.models {
        // A new client knows nothing of the server yet.
        let checked = check(&Llm::new(server, &address)?, model, server.wire, server.prices.find(model)).await;
        let checked = checked.map_err(|error| Error::internal(format!("{model} does not answer: {error}")))?;
        let conn = &mut *db::checkout(&app.pool).await?;
        model_checks::store(conn, &server.name, &checked.check, &checked.known).await?;
    }
    Ok(())
}

async fn end(app: &App, server: &str, failure: Option<Error>) -> std::result::Result<(), Error> {
    let conn = &mut *db::checkout(&app.pool).await?;
    Ok(model_checks::end(conn, server, failure.map(|error| error.to_string()).as_deref()).await?)
}

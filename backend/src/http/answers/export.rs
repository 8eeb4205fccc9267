//! A run's answers flat, for spreadsheets and statistics programs: as JSON, or as a file.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Deserialize;
use simulation::rows::Row;

use super::conditions::Conditions;
use super::files::long;
use super::twin_query::TwinQuery;
use super::{Address, list};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::http::error::Result;
use crate::http::extract::Query;
use crate::http::page::WindowQuery;
use crate::results::files::Format;
use crate::results::list::ElementKind;

#[derive(Debug, Default, Deserialize)]
pub struct ExportQuery {
    /// A file of this format, as the calls `export.csv`, `export.xlsx`, `export.jsonl` and `export.parquet` give
    /// it; without it a JSON array.
    format: Option<Format>,
    #[serde(default)]
    raw: bool,
}

/// Every request of a run as a flat row
///
/// By twin and survey order, answered or not: all of them, or the part that `limit` and `offset` ask for. A run that is
/// not over says in every row that it is partial. With `format=csv`, `xlsx`, `jsonl` or `parquet` it answers as
/// `export.csv`, `export.xlsx`, `export.jsonl` and `export.parquet` do.
#[utoipa::path(
    get, path = "", operation_id = "export_answers",
    params(WindowQuery, Conditions),
    responses((status = 200, description = "The requests", body = Vec<Row>))
)]
pub async fn export(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    Query(wish): Query<ExportQuery>,
    window: WindowQuery,
    conditions: Conditions,
) -> Result<HttpResponse> {
    match wish.format {
        None => {
            let all = TwinQuery::default();
            list(&app, &caller, *path, ElementKind::Requests, window.into(), &all, conditions).await
        }
        Some(format) => long(&app, &caller, *path, format, wish.raw, &conditions).await,
    }
}

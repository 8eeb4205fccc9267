//! A run's answers flat, for spreadsheets and statistics programs: as JSON, or as a file.

use actix_web::body::SizedStream;
use actix_web::http::header::ContentEncoding;
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, HttpResponseBuilder};
use futures_util::StreamExt;
use serde::Deserialize;

use super::conditions::Conditions;
use super::files::long;
use super::{Address, about, list};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::error::ErrorKind;
use crate::http::download::attach;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::http::page::WindowQuery;
use crate::http::request_id::logged;
use crate::results::files::Format;
use crate::results::files::downloads::BuiltFile;
use crate::results::list::ElementKind;
use crate::results::pages::Pages;
use crate::results::rows::Row;
use crate::results::run::Run;
use crate::results::stream::{self, Encode};
use crate::work::Work;

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
        None => list(&app, &caller, *path, ElementKind::Requests, window.into(), conditions).await,
        Some(format) => long(&app, &caller, *path, format, wish.raw, &conditions).await,
    }
}

/// The head of a response that is a file of this name about the run.
pub(in crate::http) fn file(run: &Run, name: &str) -> HttpResponseBuilder {
    let mut answer = about(&run.notice);
    // Keeps the download uncompressed.
    attach(&mut answer, name).insert_header(ContentEncoding::Identity);
    answer
}

/// A file that is written page by page.
pub(super) fn streamed(
    app: &App,
    mut answer: HttpResponseBuilder,
    run: Run,
    pages: Pages,
    encode: impl Encode + 'static,
) -> HttpResponse {
    let download = app.downloads.begin();
    let bytes = stream::stream_pages(app.pool.clone(), run, pages, encode).map(move |chunk| {
        // Moves into the stream, so that the download counts as open until the stream is dropped.
        let _open = &download;
        chunk
    });
    answer.streaming(logged(bytes))
}

/// A file that is built before its first byte is sent.
pub(in crate::http) async fn built(
    app: &App,
    caller: &Caller,
    mut answer: HttpResponseBuilder,
    build: impl Future<Output = crate::error::Result<(BuiltFile, u64)>>,
) -> Result<HttpResponse> {
    let permit = admit(app, caller.id, Work::Download)?.start().await;
    let (file, size) = permit.scope(build).await.map_err(|error| match error.kind {
        // The format does not hold so much.
        ErrorKind::BadInput => ApiError::Invalid(error.to_string()),
        _ => error.into(),
    })?;
    Ok(answer.body(SizedStream::new(size, logged(file.stream()))))
}

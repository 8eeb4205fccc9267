//! A run's answers flat, for spreadsheets and statistics programs: as JSON, or as a file.

use actix_web::body::SizedStream;
use actix_web::http::header::{CONTENT_DISPOSITION, ContentEncoding};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, HttpResponseBuilder};
use futures_util::StreamExt;
use serde::Deserialize;

use super::conditions::Conditions;
use super::{Address, about, list, note, passing, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::error::ErrorKind;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, admit};
use crate::http::page::WindowQuery;
use crate::http::request_id::logged;
use crate::results::files::downloads::BuiltFile;
use crate::results::files::{Format, PROGRAM, csv, jsonl, long_parquet};
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

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Raw {
    /// Every text as it was given. Otherwise an apostrophe stands before text that a spreadsheet would run as a formula.
    #[param(default = false)]
    #[serde(default)]
    raw: bool,
}

/// Every request of a run as a flat row
///
/// By twin and survey order, answered or not: all of them, or the part that `limit` and `offset` ask for. A run that is
/// not over says in every row that it is partial. With `format=csv`, `xlsx`, `jsonl` or `parquet` it answers as
/// `export.csv`, `export.xlsx`, `export.jsonl` and `export.parquet` do.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/export", tag = "Answers",
    operation_id = "export_answers",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), WindowQuery, Conditions),
    responses((
        status = 200,
        description = "The requests",
        body = Vec<Row>,
        headers(
            ("X-Total-Count" = i64, description = "Requests of the run"),
            ("X-Notice" = String, description = "What nobody may read the answers without knowing")
        )
    ))
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
        Some(format) => download(&app, &caller, *path, format, wish.raw, &conditions).await,
    }
}

/// Every request of a run as CSV
///
/// RFC 4180 in UTF-8 with a byte order mark. Several options are joined by ` | ` in `answer`; `answerValue` has the answer
/// typed, as JSON.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/export.csv", tag = "Answers",
    operation_id = "export_answers_as_csv",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), Raw, Conditions),
    responses((
        status = 200,
        description = "The file",
        body = String,
        content_type = "text/csv",
        headers(
            ("X-Notice" = String, description = "What nobody may read the answers without knowing"),
            ("Content-Disposition" = String, description = "The name of the file")
        )
    ))
)]
pub async fn export_csv(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    Query(Raw { raw }): Query<Raw>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    download(&app, &caller, *path, Format::Csv, raw, &conditions).await
}

/// A run as a workbook
///
/// With the sheets List View, Matrix View (a row for each twin, with its attributes), Wide (a column for each part of an
/// answer, for statistics programs), Survey Questions, Codebook (of Wide) and Read Me.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/export.xlsx", tag = "Answers",
    operation_id = "export_answers_as_workbook",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), Conditions),
    responses((
        status = 200,
        description = "The file",
        body = Vec<u8>,
        content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        headers(
            ("X-Notice" = String, description = "What nobody may read the answers without knowing"),
            ("Content-Disposition" = String, description = "The name of the file")
        )
    ))
)]
pub async fn export_xlsx(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    download(&app, &caller, *path, Format::Xlsx, false, &conditions).await
}

/// Every request of a run as JSON Lines
///
/// One object a line, the same as an element of the JSON array.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/export.jsonl", tag = "Answers",
    operation_id = "export_answers_as_json_lines",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), Conditions),
    responses((
        status = 200,
        description = "The file",
        body = String,
        content_type = "application/x-ndjson",
        headers(
            ("X-Notice" = String, description = "What nobody may read the answers without knowing"),
            ("Content-Disposition" = String, description = "The name of the file")
        )
    ))
)]
pub async fn export_jsonl(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    download(&app, &caller, *path, Format::Jsonl, false, &conditions).await
}

/// Every request of a run as parquet
///
/// With the columns of `export.csv?raw=true`: numbers as numbers, everything else as texts, and null where a cell is
/// missing. The file's metadata hold the notice and the facts of the run.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/export.parquet", tag = "Answers",
    operation_id = "export_answers_as_parquet",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), Conditions),
    responses((
        status = 200,
        description = "The file",
        body = Vec<u8>,
        content_type = "application/vnd.apache.parquet",
        headers(
            ("X-Notice" = String, description = "What nobody may read the answers without knowing"),
            ("Content-Disposition" = String, description = "The name of the file")
        )
    ))
)]
pub async fn export_parquet(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    download(&app, &caller, *path, Format::Parquet, false, &conditions).await
}

async fn download(
    app: &App,
    caller: &Caller,
    address: Address,
    format: Format,
    raw: bool,
    conditions: &Conditions,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = run(&mut conn, caller, address).await?;
    let pages = Pages::new(&run).only(passing(&mut conn, &run, conditions).await?);
    note(&mut conn, caller, &run, None, conditions).await?;
    drop(conn);
    let media_type = match format {
        Format::Csv => "text/csv; charset=utf-8",
        Format::Jsonl => "application/x-ndjson",
        Format::Parquet => "application/vnd.apache.parquet",
        Format::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    };
    let answer = file(&run, &run.file_name(format), media_type);
    match format {
        Format::Csv => {
            let encoder = csv::Encoder::new(&run, raw);
            Ok(streamed(app, answer, run, pages, encoder))
        }
        Format::Jsonl => Ok(streamed(app, answer, run, pages, jsonl::Encoder)),
        Format::Parquet => {
            let encoder = long_parquet::Encoder::new(&run, PROGRAM)?;
            Ok(streamed(app, answer, run, pages, encoder))
        }
        Format::Xlsx => built(app, caller, answer, app.downloads.workbook(&app.pool, run, pages)).await,
    }
}

/// The response's head: the file's type and name.
pub(in crate::http) fn file(run: &Run, name: &str, media_type: &str) -> HttpResponseBuilder {
    let mut answer = about(&run.notice);
    answer
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        // Keeps the download uncompressed.
        .insert_header(ContentEncoding::Identity)
        .content_type(media_type.to_owned());
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

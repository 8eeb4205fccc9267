//! A run's answers flat, for spreadsheets and statistics programs: as JSON, or as a file.

use actix_web::body::SizedStream;
use actix_web::http::header::{CONTENT_DISPOSITION, ContentEncoding};
use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, HttpResponseBuilder};
use futures_util::StreamExt;
use serde::Deserialize;

use super::{Address, about, list, logged, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::Result;
use crate::http::extract::Query;
use crate::http::page::WindowQuery;
use crate::results::files::{Format, csv, jsonl};
use crate::results::list::List;
use crate::results::rows::Row;
use crate::results::run::Run;
use crate::results::stream::{self, Encode};

#[derive(Debug, Default, Deserialize)]
pub struct Wish {
    /// A file of this format, as the calls `export.csv`, `export.xlsx` and `export.jsonl` give it; without it a JSON
    /// array.
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
/// not over says in every row that it is partial. With `format=csv`, `xlsx` or `jsonl` it answers as `export.csv`,
/// `export.xlsx` and `export.jsonl` do.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/export", tag = "Answers",
    operation_id = "export_answers",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), WindowQuery),
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
    Query(wish): Query<Wish>,
    window: WindowQuery,
) -> Result<HttpResponse> {
    match wish.format {
        None => list(&app, &caller, *path, List::Requests, window.into()).await,
        Some(format) => download(&app, &caller, *path, format, wish.raw).await,
    }
}

/// Every request of a run as CSV
///
/// RFC 4180 in UTF-8 with a byte order mark. Several options are joined by ` | ` in `answer`; `answerValue` has the answer
/// typed, as JSON.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/export.csv", tag = "Answers",
    operation_id = "export_answers_as_csv",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), Raw),
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
) -> Result<HttpResponse> {
    download(&app, &caller, *path, Format::Csv, raw).await
}

/// A run as a workbook
///
/// With the sheets List View, Matrix View (a row for each twin, with its attributes), Survey Questions and Read Me.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/export.xlsx", tag = "Answers",
    operation_id = "export_answers_as_workbook",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path)),
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
pub async fn export_xlsx(app: Data<App>, caller: Caller, path: Path<Address>) -> Result<HttpResponse> {
    download(&app, &caller, *path, Format::Xlsx, false).await
}

/// Every request of a run as JSON Lines
///
/// One object a line, the same as an element of the JSON array.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/export.jsonl", tag = "Answers",
    operation_id = "export_answers_as_json_lines",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path)),
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
pub async fn export_jsonl(app: Data<App>, caller: Caller, path: Path<Address>) -> Result<HttpResponse> {
    download(&app, &caller, *path, Format::Jsonl, false).await
}

async fn download(app: &App, caller: &Caller, address: Address, format: Format, raw: bool) -> Result<HttpResponse> {
    let run = run(&mut *db::checkout(&app.pool).await?, caller, address).await?;
    let answer = file(&run, format);
    match format {
        Format::Csv => Ok(text(app, answer, run, csv::Encoder { raw })),
        Format::Jsonl => Ok(text(app, answer, run, jsonl::Encoder)),
        Format::Xlsx => workbook(app, answer, run).await,
    }
}

/// The response's head: the file's type and name.
fn file(run: &Run, format: Format) -> HttpResponseBuilder {
    let attachment = format!("attachment; filename=\"{}\"", run.file_name(format));
    let mut answer = about(&run.notice);
    answer
        .insert_header((CONTENT_DISPOSITION, attachment))
        // Keeps the download uncompressed.
        .insert_header(ContentEncoding::Identity)
        .content_type(match format {
            Format::Csv => "text/csv; charset=utf-8",
            Format::Jsonl => "application/x-ndjson",
            Format::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        });
    answer
}

fn text(app: &App, mut answer: HttpResponseBuilder, run: Run, encode: impl Encode + 'static) -> HttpResponse {
    let download = app.downloads.begin();
    let bytes = stream::of(app.pool.clone(), run, encode).map(move |chunk| {
        // Moves into the stream, so that the download counts as open until the stream is dropped.
        let _open = &download;
        chunk
    });
    answer.streaming(logged(bytes))
}

async fn workbook(app: &App, mut answer: HttpResponseBuilder, run: Run) -> Result<HttpResponse> {
    let (workbook, size) = app.downloads.workbook(&app.pool, run).await?;
    Ok(answer.body(SizedStream::new(size, logged(workbook.stream()))))
}

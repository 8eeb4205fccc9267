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

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Wish {
    /// A file of this format, with every request of the run; without it a JSON array.
    #[param(inline)]
    format: Option<Format>,
}

/// Every request of a run as a flat row
///
/// By twin and survey order, answered or not. As JSON all of them, or the part that `limit` and `offset` ask for. As a
/// file always all: CSV as RFC 4180 in UTF-8 with a byte order mark, JSON Lines, or a workbook with the sheets List
/// View, Matrix View, Survey Questions and Read Me. A run that is not over says in every row that it is partial.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/export", tag = "Answers",
    operation_id = "export_answers",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), Wish, WindowQuery),
    responses((
        status = 200,
        description = "The requests",
        content(
            (Vec<Row> = "application/json"),
            (String = "text/csv"),
            (String = "application/x-ndjson"),
            (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
        ),
        headers(
            ("X-Total-Count" = i64, description = "Requests of the run; of a JSON array only"),
            ("X-Notice" = String, description = "What nobody may read the answers without knowing"),
            ("Content-Disposition" = String, description = "The name of a file")
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
    let Some(format) = wish.format else {
        return list(&app, &caller, *path, List::Requests, window.into()).await;
    };
    let run = run(&mut *db::checkout(&app.pool).await?, &caller, *path).await?;
    let answer = file(&run, format);
    match format {
        Format::Csv => Ok(text(&app, answer, run, csv::Encoder)),
        Format::Jsonl => Ok(text(&app, answer, run, jsonl::Encoder)),
        Format::Xlsx => workbook(&app, answer, run).await,
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

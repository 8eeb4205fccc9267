//! A run's answers wide, as files for statistics programs.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use serde::Deserialize;

use super::conditions::Conditions;
use super::export::{file, streamed};
use super::{Address, about, note, passing, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::Result;
use crate::http::extract::Query;
use crate::results::files::PROGRAM;
use crate::results::files::wide::columns::{Columns, Form};
use crate::results::files::wide::{codebook, parquet, scripts, text};
use crate::results::pages::Pages;
use crate::results::run::Run;

/// What a wide file is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Csv { raw: bool },
    Jsonl,
    Parquet,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WideQuery {
    /// How answers that are chosen from a list are written: as labels where it is not given. Whether an option of a
    /// multiple choice was chosen is 1 or 0 in every form.
    #[param(inline)]
    #[serde(default)]
    values: Form,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WideExportQuery {
    /// How answers that are chosen from a list are written: as labels where it is not given. Whether an option of a
    /// multiple choice was chosen is 1 or 0 in every form.
    #[param(inline)]
    #[serde(default)]
    values: Form,
    /// CSV: every text as it was given. Otherwise an apostrophe stands before text that a spreadsheet would run as a
    /// formula.
    #[param(default = false)]
    #[serde(default)]
    raw: bool,
}

/// The answers of a run as CSV, a row for each twin
///
/// The twin's attributes, then a column for each question, row of a matrix and option of a multiple choice (`name_1`,
/// `name_2`, …). An answer that is missing is an empty cell. `codebook.csv` says what each column is.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/wide.csv", tag = "Answers",
    operation_id = "export_wide_as_csv",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), WideExportQuery, Conditions),
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
pub async fn wide_csv(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    Query(wish): Query<WideExportQuery>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    wide(&app, &caller, *path, wish.values, Kind::Csv { raw: wish.raw }, &conditions).await
}

/// The answers of a run as JSON Lines, an object for each twin
///
/// With the columns of `wide.csv`. An answer that is missing is null.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/wide.jsonl", tag = "Answers",
    operation_id = "export_wide_as_json_lines",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), WideExportQuery, Conditions),
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
pub async fn wide_jsonl(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    Query(wish): Query<WideExportQuery>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    wide(&app, &caller, *path, wish.values, Kind::Jsonl, &conditions).await
}

/// The answers of a run as parquet, a row for each twin
///
/// With the columns of `wide.csv`: codes as whole numbers, labels as texts. The file's metadata hold the notice and the
/// codebook.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/wide.parquet", tag = "Answers",
    operation_id = "export_wide_as_parquet",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), WideQuery, Conditions),
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
pub async fn wide_parquet(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    Query(wish): Query<WideQuery>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    wide(&app, &caller, *path, wish.values, Kind::Parquet, &conditions).await
}

/// What the columns of a run's wide files are
///
/// A line for each code of a variable, or one where it has none.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/codebook.csv", tag = "Answers",
    operation_id = "export_codebook",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path)),
    responses((
        status = 200,
        description = "The file",
        body = String,
        content_type = "text/csv",
        headers(("Content-Disposition" = String, description = "The name of the file"))
    ))
)]
pub async fn codebook_csv(app: Data<App>, caller: Caller, path: Path<Address>) -> Result<HttpResponse> {
    let (run, columns) = described(&mut *db::checkout(&app.pool).await?, &caller, *path).await?;
    Ok(small(&run, "codebook.csv", "text/csv; charset=utf-8", codebook::csv(&columns)))
}

/// An R script that opens `wide.csv?values=codes&raw=true` with its labels
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/read.R", tag = "Answers",
    operation_id = "export_r_script",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path)),
    responses((
        status = 200,
        description = "The script",
        body = String,
        content_type = "text/plain",
        headers(("Content-Disposition" = String, description = "The name of the file"))
    ))
)]
pub async fn read_r(app: Data<App>, caller: Caller, path: Path<Address>) -> Result<HttpResponse> {
    let (run, columns) = described(&mut *db::checkout(&app.pool).await?, &caller, *path).await?;
    let script = scripts::r(&columns, &run.short_file_name(CODES), &run.notice);
    Ok(small(&run, "read.R", "text/plain; charset=utf-8", script.into_bytes()))
}

/// A Python script that opens `wide.csv?values=codes&raw=true` with its labels
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/read.py", tag = "Answers",
    operation_id = "export_python_script",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path)),
    responses((
        status = 200,
        description = "The script",
        body = String,
        content_type = "text/plain",
        headers(("Content-Disposition" = String, description = "The name of the file"))
    ))
)]
pub async fn read_py(app: Data<App>, caller: Caller, path: Path<Address>) -> Result<HttpResponse> {
    let (run, columns) = described(&mut *db::checkout(&app.pool).await?, &caller, *path).await?;
    let script = scripts::python(&columns, &run.short_file_name(CODES), &run.notice);
    Ok(small(&run, "read.py", "text/plain; charset=utf-8", script.into_bytes()))
}

/// The end of the name of the file that the scripts open.
const CODES: &str = "wide-codes.csv";

async fn described(conn: &mut AsyncPgConnection, caller: &Caller, address: Address) -> Result<(Run, Columns)> {
    let run = run(conn, caller, address).await?.with_attributes(conn).await?;
    let columns = Columns::of(&run);
    Ok((run, columns))
}

async fn wide(
    app: &App,
    caller: &Caller,
    address: Address,
    form: Form,
    kind: Kind,
    conditions: &Conditions,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let (run, columns) = described(&mut conn, caller, address).await?;
    let only = passing(&mut conn, &run, conditions).await?;
    note(&mut conn, caller, &run, None, conditions).await?;
    drop(conn);
    let pages = pages(&run, only);
    let (ending, media_type) = match kind {
        Kind::Csv { .. } => ("csv", "text/csv; charset=utf-8"),
        Kind::Jsonl => ("jsonl", "application/x-ndjson"),
        Kind::Parquet => ("parquet", "application/vnd.apache.parquet"),
    };
    let form_in_name = match form {
        Form::Labels => "",
        Form::Codes => "-codes",
        Form::Both => "-both",
    };
    let answer = file(&run, &run.short_file_name(&format!("wide{form_in_name}.{ending}")), media_type);
    Ok(match kind {
        Kind::Csv { raw } => {
            streamed(app, answer, run, pages, text::Encoder::new(columns, form, text::TextFormat::Csv { raw }))
        }
        Kind::Jsonl => streamed(app, answer, run, pages, text::Encoder::new(columns, form, text::TextFormat::Jsonl)),
        Kind::Parquet => {
            let encoder = parquet::Encoder::new(&run, columns, form, PROGRAM)?;
            streamed(app, answer, run, pages, encoder)
        }
    })
}

/// The pages of a wide file, of these twins where they are given.
pub(super) fn pages(run: &Run, only: Option<Vec<i32>>) -> Pages {
    let pages = Pages::new(run).without_provenance();
    // An erased run still knows its twins, and says nothing of them.
    if run.is_erased() { pages.only(Some(Vec::new())) } else { pages.only(only) }
}

fn small(run: &Run, ending: &str, media_type: &str, content: Vec<u8>) -> HttpResponse {
    let name = run.short_file_name(ending);
    let mut answer = about(&run.notice);
    answer
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        .content_type(media_type.to_owned());
    answer.body(content)
}

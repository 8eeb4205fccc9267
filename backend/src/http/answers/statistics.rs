//! A run's answers wide, as files of statistics programs.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};

use super::conditions::Conditions;
use super::export::{built, file};
use super::{Address, note, passing, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::Result;
use crate::results::files::statistics::Program;

/// The answers of a run for SPSS, a row for each twin
///
/// With the columns of `wide.csv?values=codes`, the questions as labels of variables, the options as labels of codes, and
/// levels of measurement. −88 stands for an answer that failed or was refused and is declared as missing; the answer of a
/// twin that was not asked yet is system-missing. Texts are cut to 32,767 bytes, labels of variables to 255 and labels of
/// codes to 120; the file's notes (DISPLAY DOCUMENTS) say of what. Names that SPSS would not take are changed:
/// `codebook.csv` has both.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/wide.sav", tag = "Answers",
    operation_id = "export_wide_for_spss",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), Conditions),
    responses((
        status = 200,
        description = "The file",
        body = Vec<u8>,
        content_type = "application/x-spss-sav",
        headers(
            ("X-Notice" = String, description = "What nobody may read the answers without knowing"),
            ("Content-Disposition" = String, description = "The name of the file")
        )
    ))
)]
pub async fn wide_sav(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    wide(&app, &caller, *path, Program::Spss, &conditions).await
}

/// The answers of a run for Stata 14 or later, a row for each twin
///
/// With the columns of `wide.csv?values=codes`, the questions as labels of variables and the options as labels of codes.
/// `.f` stands for an answer that failed or was refused, `.` for that of a twin that was not asked yet. Texts are whole;
/// labels of variables have 80 characters, and a longer question stands whole in a note of its variable. Names that Stata
/// would not take are changed: `codebook.csv` has both.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/responses/wide.dta", tag = "Answers",
    operation_id = "export_wide_for_stata",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path), Conditions),
    responses((
        status = 200,
        description = "The file",
        body = Vec<u8>,
        content_type = "application/x-stata-dta",
        headers(
            ("X-Notice" = String, description = "What nobody may read the answers without knowing"),
            ("Content-Disposition" = String, description = "The name of the file")
        )
    ))
)]
pub async fn wide_dta(
    app: Data<App>,
    caller: Caller,
    path: Path<Address>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    wide(&app, &caller, *path, Program::Stata, &conditions).await
}

async fn wide(
    app: &App,
    caller: &Caller,
    address: Address,
    program: Program,
    conditions: &Conditions,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = run(&mut conn, caller, address).await?;
    let pages = super::wide::pages(&run, passing(&mut conn, &run, conditions).await?);
    note(&mut conn, caller, &run, None, conditions).await?;
    drop(conn);
    let media_type = match program {
        Program::Spss => "application/x-spss-sav",
        Program::Stata => "application/x-stata-dta",
    };
    let answer = file(&run, &run.short_file_name(&format!("wide.{}", program.extension())), media_type);
    built(app, caller, answer, app.downloads.statistics(&app.pool, run, pages, program)).await
}

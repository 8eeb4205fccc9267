//! A run's answers as files, for spreadsheets and statistics programs: a name, an encoder and a few lines of the API
//! document for each file.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use bundle::rules::PROGRAM;
use bundle::tables::wide::Encoder;
use bundle::tables::{jsonl, long_csv, long_parquet, qualtrics};
use diesel_async::AsyncPgConnection;
use export::program::Program;
use export::table::{Form, TableFormat, codebook, scripts};
use serde::Deserialize;
use simulation::columns::Columns;
use simulation::run::Run;
use uuid::Uuid;

use super::bundle::{BundleQuery, bundle};
use super::conditions::Conditions;
use super::file_responses::{built, file, streamed};
use super::{Address, about, note, passing, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::download::{FileCall, attach};
use crate::http::error::{ApiError, Result};
use crate::http::extract::Query;
use crate::results::files::Format;
use crate::results::pages::Pages;
use crate::results::runs;

/// The files as calls of the API.
pub const FILES: &[FileCall] = &[
    FileCall {
        name: "export.csv",
        operation_id: "export_answers_as_csv",
        summary: "Every request of a run as CSV",
        description: "RFC 4180 in UTF-8 with a byte order mark. Several options are joined by ` | ` in `answer`; \
                      `answerValue` has the answer typed, as JSON.",
        parameters: &["raw", "where"],
    },
    FileCall {
        name: "export.xlsx",
        operation_id: "export_answers_as_workbook",
        summary: "A run as a workbook",
        description: "With the sheets List View, Matrix View (a row for each twin, with its attributes), Wide (a column for \
                      each part of an answer, for statistics programs), Survey Questions, Codebook (of Wide) and Read Me.",
        parameters: &["where"],
    },
    FileCall {
        name: "export.jsonl",
        operation_id: "export_answers_as_json_lines",
        summary: "Every request of a run as JSON Lines",
        description: "One object a line, the same as an element of the JSON array.",
        parameters: &["where"],
    },
    FileCall {
        name: "export.parquet",
        operation_id: "export_answers_as_parquet",
        summary: "Every request of a run as parquet",
        description: "With the columns of `export.csv?raw=true`: numbers as numbers, everything else as texts, and null \
                      where a cell is missing. The file's metadata hold the notice and the facts of the run.",
        parameters: &["where"],
    },
    FileCall {
        name: "wide.csv",
        operation_id: "export_wide_as_csv",
        summary: "The answers of a run as CSV, a row for each twin",
        description: "The twin's attributes, then a column for each question, row of a matrix and option of a multiple \
                      choice (`name_1`, `name_2`, …). An answer that is missing is an empty cell. `codebook.csv` \
                      describes each column.",
        parameters: &["values", "raw", "where"],
    },
    FileCall {
        name: "wide.jsonl",
        operation_id: "export_wide_as_json_lines",
        summary: "The answers of a run as JSON Lines, an object for each twin",
        description: "With the columns of `wide.csv`. An answer that is missing is null.",
        parameters: &["values", "raw", "where"],
    },
    FileCall {
        name: "wide.parquet",
        operation_id: "export_wide_as_parquet",
        summary: "The answers of a run as parquet, a row for each twin",
        description: "With the columns of `wide.csv`: codes as whole numbers, labels as texts. The file's metadata hold the \
                      notice and the codebook.",
        parameters: &["values", "where"],
    },
    FileCall {
        name: "wide.sav",
        operation_id: "export_wide_for_spss",
        summary: "The answers of a run for SPSS, a row for each twin",
        description: "With the columns of `wide.csv?values=codes`, the questions as labels of variables, the options as \
                      labels of codes, and levels of measurement. −88 stands for an answer that failed or was refused and \
                      is declared as missing; the answer of a twin that was not asked yet is system-missing. Texts are cut \
                      to 32,767 bytes, labels of variables to 255 and labels of codes to 120; the file's notes (DISPLAY \
                      DOCUMENTS) list what was cut. Names that SPSS does not take are changed: `codebook.csv` has both.",
        parameters: &["where"],
    },
    FileCall {
        name: "wide.dta",
        operation_id: "export_wide_for_stata",
        summary: "The answers of a run for Stata 14 or later, a row for each twin",
        description: "With the columns of `wide.csv?values=codes`, the questions as labels of variables and the options as \
                      labels of codes. `.f` stands for an answer that failed or was refused, `.` for that of a twin that \
                      was not asked yet. Texts are whole; labels of variables have 80 characters, and a note of the \
                      variable holds a longer question in full. Names that Stata does not take are changed: \
                      `codebook.csv` has both.",
        parameters: &["where"],
    },
    FileCall {
        name: "qualtrics.csv",
        operation_id: "export_for_qualtrics_scripts",
        summary: "The answers of a run as Qualtrics exports responses, a row for each twin",
        description: "With three rows of heads: names, texts and import ids. Choices are recode values, or their texts with \
                      `values=labels`; what was not asked, failed or was not chosen is empty. A survey that was imported from a \
                      .qsf file has that file's names and ids, the orders of its random nodes (`FL_4_DO`) and its fields, so \
                      that a script for people's responses reads twins. `TWIN_ID` is the dataset's own id of the person.",
        parameters: &["values", "raw", "where"],
    },
    FileCall {
        name: "codebook.csv",
        operation_id: "export_codebook",
        summary: "The codebook of a run's wide files",
        description: "A line for each code of a variable, or one line for a variable without codes.",
        parameters: &[],
    },
    FileCall {
        name: "read.R",
        operation_id: "export_r_script",
        summary: "An R script that opens `wide.csv?values=codes&raw=true` with its labels",
        description: "",
        parameters: &[],
    },
    FileCall {
        name: "read.py",
        operation_id: "export_python_script",
        summary: "A Python script that opens `wide.csv?values=codes&raw=true` with its labels",
        description: "",
        parameters: &[],
    },
    FileCall {
        name: "bundle.zip",
        operation_id: "export_bundle",
        summary: "A run with all that its files are built from, as one zip",
        description: "The survey as asked, the parameters, every checked answer with its provenance, the tables in all \
                      formats, a codebook, a text on methods, GUIDE-LLM's items, and a manifest of checksums. `twinlab \
                      replay FILE --check` builds the tables anew and compares them byte for byte. The bundle of a run \
                      that is over is the same bytes each time, until twins like its own are validated, or human samples \
                      of its survey change: the bundle holds the newest validation, and how many people gave which \
                      answer. Prompts need the right to control the simulation, rows of people that of the survey's \
                      author.",
        parameters: &["withPrompts", "withPeople"],
    },
];

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FileQuery {
    /// How answers that are chosen from a list are written; as labels by default. Whether an option of a multiple choice
    /// was chosen is 1 or 0 in every form.
    #[param(inline)]
    values: Option<Form>,
    /// CSV: every text as it was given. By default an apostrophe precedes a text that a spreadsheet would run as a formula.
    #[param(default = false)]
    #[serde(default)]
    raw: bool,
}

/// A file of a run's answers
#[utoipa::path(
    get, path = "",
    params(FileQuery, BundleQuery, Conditions),
    responses((status = 200, description = "The file", body = String))
)]
pub async fn download(
    app: Data<App>,
    caller: Caller,
    path: Path<(i64, Uuid, String)>,
    Query(query): Query<FileQuery>,
    Query(parts): Query<BundleQuery>,
    conditions: Conditions,
) -> Result<HttpResponse> {
    let (survey_id, simulation_id, name) = path.into_inner();
    let address = (survey_id, simulation_id);
    if let Some(format) = name.strip_prefix("wide.").and_then(TableFormat::find) {
        return wide(&app, &caller, address, format, &query, &conditions).await;
    }
    match name.as_str() {
        "export.csv" => long(&app, &caller, address, Format::Csv, query.raw, &conditions).await,
        "export.xlsx" => long(&app, &caller, address, Format::Xlsx, false, &conditions).await,
        "export.jsonl" => long(&app, &caller, address, Format::Jsonl, false, &conditions).await,
        "export.parquet" => long(&app, &caller, address, Format::Parquet, false, &conditions).await,
        "qualtrics.csv" => qualtrics(&app, &caller, address, &query, &conditions).await,
        "wide.sav" => statistics(&app, &caller, address, Program::Spss, &conditions).await,
        "wide.dta" => statistics(&app, &caller, address, Program::Stata, &conditions).await,
        "codebook.csv" | "read.R" | "read.py" => described(&app, &caller, address, &name).await,
        "bundle.zip" => bundle(&app, &caller, address, &parts).await,
        _ => Err(ApiError::not_found("Call")),
    }
}

/// A file with a row for each request.
pub(super) async fn long(
    app: &App,
    caller: &Caller,
    address: Address,
    format: Format,
    raw: bool,
    conditions: &Conditions,
) -> Result<HttpResponse> {
    let (run, only) = filtered_run(app, caller, address, conditions).await?;
    let pages = Pages::new(&run).only(only);
    let answer = file(&run, &format.file_name(&run));
    match format {
        Format::Csv => {
            let encoder = long_csv::Encoder::new(&run, raw);
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

/// The run that is asked for, and the twins that the conditions let through; `None`: all of them.
async fn filtered_run(
    app: &App,
    caller: &Caller,
    address: Address,
    conditions: &Conditions,
) -> Result<(Run, Option<Vec<i32>>)> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = run(&mut conn, caller, address).await?;
    let only = passing(&mut conn, &run, conditions).await?;
    note(&mut conn, caller, &run, None, conditions).await?;
    Ok((run, only))
}

/// A file with a row for each twin.
async fn wide(
    app: &App,
    caller: &Caller,
    address: Address,
    format: TableFormat,
    &FileQuery { values, raw }: &FileQuery,
    conditions: &Conditions,
) -> Result<HttpResponse> {
    let form = values.unwrap_or_default();
    let mut conn = db::checkout(&app.pool).await?;
    let (run, columns) = run_with_columns(&mut conn, caller, address).await?;
    let only = passing(&mut conn, &run, conditions).await?;
    note(&mut conn, caller, &run, None, conditions).await?;
    drop(conn);
    let pages = wide_pages(&run, only);
    let form_in_name = match form {
        Form::Labels => "",
        Form::Codes => "-codes",
        Form::Both => "-both",
    };
    let answer = file(&run, &run.short_file_name(&format!("wide{form_in_name}.{}", format.extension)));
    let encoder = Encoder::new(&run, columns, format, form, raw, PROGRAM)?;
    Ok(streamed(app, answer, run, pages, encoder))
}

/// A file in the shape of Qualtrics' own.
async fn qualtrics(
    app: &App,
    caller: &Caller,
    address: Address,
    &FileQuery { values, raw }: &FileQuery,
    conditions: &Conditions,
) -> Result<HttpResponse> {
    let form = values.unwrap_or(Form::Codes);
    if form == Form::Both {
        return Err(ApiError::invalid("values: codes or labels, as Qualtrics has one of them in a file"));
    }
    let (run, only) = filtered_run(app, caller, address, conditions).await?;
    let pages = wide_pages(&run, only);
    let answer = file(&run, &run.short_file_name("qualtrics.csv"));
    let encoder = qualtrics::Encoder::new(&run, form, raw);
    Ok(streamed(app, answer, run, pages, encoder))
}

/// A wide file of a statistics program.
async fn statistics(
    app: &App,
    caller: &Caller,
    address: Address,
    program: Program,
    conditions: &Conditions,
) -> Result<HttpResponse> {
    let (run, only) = filtered_run(app, caller, address, conditions).await?;
    let pages = wide_pages(&run, only);
    let answer = file(&run, &run.short_file_name(&format!("wide.{}", program.extension())));
    built(app, caller, answer, app.downloads.statistics(&app.pool, run, pages, program)).await
}

/// A file that describes the wide files: the codebook, or a script that opens `wide.csv` of codes.
async fn described(app: &App, caller: &Caller, address: Address, name: &str) -> Result<HttpResponse> {
    let (run, columns) = run_with_columns(&mut *db::checkout(&app.pool).await?, caller, address).await?;
    let data = run.short_file_name("wide-codes.csv");
    let content = match name {
        "read.R" => scripts::r(&columns.described(), &data, &run.notice).into_bytes(),
        "read.py" => scripts::python(&columns.described(), &data, &run.notice).into_bytes(),
        _ => codebook::csv(&columns.described()),
    };
    Ok(attach(&mut about(&run.notice), &run.short_file_name(name)).body(content))
}

async fn run_with_columns(conn: &mut AsyncPgConnection, caller: &Caller, address: Address) -> Result<(Run, Columns)> {
    let run = runs::with_attributes(run(conn, caller, address).await?, conn).await?;
    let columns = Columns::of(&run);
    Ok((run, columns))
}

/// The pages of a wide file; only those of these twins if they are given.
fn wide_pages(run: &Run, only: Option<Vec<i32>>) -> Pages {
    let pages = Pages::new(run).without_provenance();
    // An erased run still knows its twins, and shows nothing of them.
    if run.is_erased() { pages.only(Some(Vec::new())) } else { pages.only(only) }
}

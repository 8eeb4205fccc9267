//! The comparison of a study's runs as a table for spreadsheets and statistics programs.

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_DISPOSITION;
use actix_web::web::{Data, Path};
use uuid::Uuid;

use super::{ComparisonQuery, QuestionInRuns, RunsCompared, compared};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::http::error::Result;
use crate::http::extract::Query;
use crate::models::study_plans::planned::AnalysisKind;
use crate::results::files::csv;

const COLUMNS: [&str; 14] = [
    "reference",
    "run",
    "question",
    "text",
    "analysis",
    "twins",
    "meanReference",
    "meanRun",
    "difference",
    "low",
    "high",
    "p",
    "q",
    "exact",
];

/// The runs of a study beside one of them as CSV: a row for each run and question
///
/// `analysis` says `preregistered` or `exploratory` where the study has a frozen plan.
#[utoipa::path(
    get, path = "/studies/{studyId}/comparison.csv", tag = "Studies",
    params(("studyId" = Uuid, Path, example = "5f4e3d2c-0000-4000-8000-000000000005"), ComparisonQuery),
    responses(
        (status = 200, description = "The file", body = String, content_type = "text/csv",
            headers(("Content-Disposition" = String, description = "The name of the file"))),
        (status = 409, description = "The study has too many answers, or a plan hides the results")
    )
)]
pub async fn compare_runs_as_csv(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Query(query): Query<ComparisonQuery>,
) -> Result<HttpResponse> {
    let bytes = table(&compared(&app, &caller, *id, query).await?);
    let name = id.to_string();
    let disposition = format!("attachment; filename=\"study-{}-comparison.csv\"", &name[name.len() - 8..]);
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_DISPOSITION, disposition))
        .content_type("text/csv; charset=utf-8")
        .body(bytes))
}

fn table(of: &RunsCompared) -> Vec<u8> {
    let mut out = csv::head(&COLUMNS);
    for run in &of.runs {
        for question in &run.questions {
            let row = cells(of, run.simulation_id, question);
            for (place, cell) in row.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                csv::text(&mut out, cell, false);
            }
            out.extend_from_slice(b"\r\n");
        }
    }
    out
}

fn cells(of: &RunsCompared, run: Uuid, question: &QuestionInRuns) -> [String; 14] {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    [
        of.reference.to_string(),
        run.to_string(),
        question.name.clone(),
        question.text.clone(),
        question.analysis.map_or("", AnalysisKind::name).to_owned(),
        question.twins.to_string(),
        number(question.mean_reference),
        number(question.mean_run),
        number(question.difference),
        number(question.low),
        number(question.high),
        number(question.p),
        number(question.q),
        number(question.metrics.iter().find_map(|metric| metric.value_of("exact"))),
    ]
}

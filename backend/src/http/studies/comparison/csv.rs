//! The comparison of a study's runs as a table for spreadsheets and statistics programs.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use evidence::groups::AnalysisKind;
use evidence::rows::RUNS;
use export::figures;
use uuid::Uuid;

use super::{ComparedStudy, ComparisonQuery};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::http::download::attach;
use crate::http::error::Result;
use crate::http::extract::Query;

/// The runs of a study beside one of them as CSV: a row for each figure of each run
///
/// Where the study has a frozen plan, `analysis` says `preregistered` or `exploratory`, p is adjusted by the plan's rule (`adjusted
/// p` in place of `q`), and the last row has its alpha, and the rule as its note.
#[utoipa::path(
    get, path = "",
    params(ComparisonQuery),
    responses(
        (status = 200, description = "The file", body = String),
        (status = 409, description = "The study has too many answers, or a plan hides the results")
    )
)]
pub async fn compare_runs_as_csv(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Query(query): Query<ComparisonQuery>,
) -> Result<HttpResponse> {
    let bytes = table(&ComparedStudy::of(&app, &caller, *id, query).await?);
    let name = id.to_string();
    let name = format!("study-{}-comparison.csv", &name[name.len() - 8..]);
    Ok(attach(&mut HttpResponse::Ok(), &name).body(bytes))
}

fn table(of: &ComparedStudy) -> Vec<u8> {
    let mut out = figures::head(&["reference", "run", "analysis"]);
    let reference = of.reference.to_string();
    // The plan names no figure over all questions.
    let overall = if of.rule.by_plan { AnalysisKind::Exploratory.name() } else { "" };
    for (id, comparison) in of.others() {
        let run = id.to_string();
        for item in &comparison.questions {
            let analysis = item.adjusted.analysis.map_or("", AnalysisKind::name);
            item.rows(RUNS).iter().for_each(|row| figures::line(&mut out, &[&reference, &run, analysis], row));
        }
        for row in comparison.overall_rows() {
            figures::line(&mut out, &[&reference, &run, overall], &row);
        }
    }
    if let Some(row) = of.rule.row() {
        figures::line(&mut out, &[&reference, "", ""], &row);
    }
    out
}

//! The comparison of a study's runs as a table for spreadsheets and statistics programs.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use evidence::rows::RUNS;
use export::figures;
use uuid::Uuid;

use super::{ComparedStudy, ComparisonQuery};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::http::download::attach;
use crate::http::error::Result;
use crate::http::extract::Query;
use crate::models::study_plans::planned::AnalysisKind;

/// The runs of a study beside one of them as CSV: a row for each figure of each run
///
/// `analysis` says `preregistered` or `exploratory` where the study has a frozen plan.
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
    for (place, id, comparison) in of.others() {
        let run = id.to_string();
        let rows = comparison.questions.iter().flat_map(|item| item.rows(RUNS)).chain(comparison.overall_rows());
        for row in rows {
            let analysis = of.analysis(place, &row.question).map_or("", AnalysisKind::name);
            figures::line(&mut out, &[&reference, &run, analysis], &row);
        }
    }
    out
}

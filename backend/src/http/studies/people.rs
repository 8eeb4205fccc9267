//! The twins of a study beside people who answered the same survey: its arms together, and its repeats as forecasts.

use actix_multipart::Multipart;
use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::comparison::{ComparisonQuery, place_of};
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::answers::people::calibration::Calibration;
use crate::http::answers::people::{COMPARISONS, PeopleComparison, PeopleQuery, PeopleUpload, count, read_form};
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Query, begin_upload};
use crate::models::studies;
use crate::models::study_plans::deviations::{ExtraAnalysis, note_analysis};
use crate::models::study_plans::study_must_be_shown;
use crate::results::people::{self, AnsweredRun, arm_node};
use crate::results::run::Run;
use crate::results::studies::{MAX_ANSWERS, repeats_and_arms};

/// Twins of a study beside people.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct StudyBesidePeople {
    /// The runs whose twins stand beside people: one, or one for each arm where every twin stood in every arm.
    simulation_ids: Vec<Uuid>,
    comparison: PeopleComparison,
    /// Of the run and its repeats: what they forecast, and what people answered. Null where there are no repeats, or nobody
    /// whose twin answered in all of them.
    calibration: Option<Calibration>,
}

/// Sets the twins of a study beside people who answered the same survey
///
/// As for a run, for the run `reference` and what belongs to it: with `arm`, the runs in which the same twins stood in the other
/// arms, so that each twin is compared with itself; and its repeats, whose shares of answers are forecasts that people's
/// answers put to the test. The file is read, compared and forgotten. What each figure means: `docs/evidence.md`.
#[utoipa::path(
    post, path = "/studies/{studyId}/people", tag = "Studies",
    operation_id = "compare_study_with_people",
    params(("studyId" = Uuid, Path, example = "5f4e3d2c-0000-4000-8000-000000000005"), ComparisonQuery, PeopleQuery),
    request_body(content = PeopleUpload, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The figures", body = StudyBesidePeople),
        (status = 409, description = "The runs have too many answers"),
        (status = 429, description = "Two uploads of the caller are under way; see Retry-After")
    )
)]
pub async fn compare_with_people(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Query(query): Query<ComparisonQuery>,
    Query(chosen): Query<PeopleQuery>,
    form: Multipart,
) -> Result<HttpResponse> {
    let upload = begin_upload(&app, caller.id)?;
    let mut conn = db::checkout(&app.pool).await?;
    let study = rules::study(&mut conn, &caller, *id, Right::See).await?;
    study_must_be_shown(&mut conn, study).await?;
    let mut runs = Vec::new();
    for found in studies::runs(&mut conn, study).await? {
        runs.push(Run::load(&conn, found.id).await?.with_attributes(&mut conn).await?);
    }
    drop(conn);
    let reference = place_of(&runs, query.reference)?;
    let asked_first = runs.first().map(|run| run.facts.id);
    let (people, chosen) = read_form(chosen, form).await?;
    let node = runs.get(reference).and_then(|run| arm_node(run, chosen.arm.as_deref()));
    let groups = repeats_and_arms(&runs, reference, node.as_deref());
    let used: Vec<&Run> = groups.iter().flatten().filter_map(|place| runs.get(*place)).collect();
    if used.iter().map(|run| i64::from(run.rows())).sum::<i64>() > MAX_ANSWERS {
        return Err(ApiError::Conflict(format!(
            "These runs have more than {MAX_ANSWERS} answers: compare one of them"
        )));
    }
    let notice = used.first().map(|run| run.notice.clone()).unwrap_or_default();
    let first = groups.first().into_iter().flatten();
    let simulation_ids = first.filter_map(|place| Some(runs.get(*place)?.facts.simulation_id)).collect();
    let permit = COMPARISONS.acquire().await.map_err(ApiError::internal)?;
    let mut answered: Vec<Option<AnsweredRun>> = Vec::with_capacity(runs.len());
    for (place, run) in runs.into_iter().enumerate() {
        let is_used = groups.iter().flatten().any(|used| *used == place);
        let twins = if is_used { people::twins(&app.pool, &run).await? } else { Vec::new() };
        answered.push(is_used.then_some((run, twins)));
    }
    let thresholds = app.config.thresholds;
    let compared = count((permit, upload), move || {
        let of_group = |group: &Vec<usize>| group.iter().filter_map(|place| answered.get(*place)?.as_ref()).collect();
        people::beside(&groups.iter().map(of_group).collect::<Vec<_>>(), &people, &chosen, &thresholds)
    });
    let compared = compared.await?;
    if let Some(run) = asked_first {
        note_analysis(&mut *db::checkout(&app.pool).await?, run, caller.id, ExtraAnalysis::People).await?;
    }
    Ok(HttpResponse::Ok().json(StudyBesidePeople {
        simulation_ids,
        comparison: PeopleComparison::new(&compared, &notice),
        calibration: compared.figures.calibration.as_ref().map(Calibration::from),
    }))
}

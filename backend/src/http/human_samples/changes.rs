//! Human samples: listed, shown, matched anew and deleted.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{SampleDetails, SampleView, checked_name, stored};
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::answers::people::count;
use crate::http::answers::people::matching::{QuestionColumns, RecodedAnswer, corrections, of_cells, shares};
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Json, admit, given};
use crate::http::page::{Page, PageQuery};
use crate::models::human_samples::{self, SampleChanges, SampleSettings};
use crate::models::questions::of_survey;
use crate::results::people::samples;
use crate::work::Work;

/// The human samples of a survey, newest first
///
/// Whoever sees the survey sees which there are. What the file had besides is its owner's to see.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/human-samples", tag = "Human samples",
    operation_id = "list_human_samples",
    params(("surveyId" = i64, Path, example = 12), PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<SampleView>))
)]
pub async fn list(app: Data<App>, caller: Caller, id: Path<i64>, page: PageQuery) -> Result<Page<SampleView>> {
    let mut conn = db::checkout(&app.pool).await?;
    let (survey, not_owned) = rules::seen_survey(&mut conn, &caller, *id).await?;
    let (found, total) = human_samples::of_survey(&mut conn, survey.id, page.limit, page.offset).await?;
    let view = |(sample, by)| SampleView::of(sample, by, not_owned.is_none());
    Ok(Page { rows: found.into_iter().map(view).collect::<Result<_>>()?, total })
}

/// A human sample with how it is read (the survey's author)
#[utoipa::path(
    get, path = "/human-samples/{sampleId}", tag = "Human samples",
    operation_id = "show_human_sample",
    params(("sampleId" = Uuid, Path, example = "8c7d6e5f-0000-4000-8000-000000000008")),
    responses(
        (status = 200, description = "As it is now", body = SampleDetails),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn show(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let sample = rules::human_sample(&mut *db::checkout(&app.pool).await?, &caller, *id, Right::Own).await?;
    Ok(HttpResponse::Ok().json(SampleDetails::of(&app, &caller, sample).await?))
}

/// What is left out stays; null or an empty text, list or object removes.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SampleToChange {
    #[serde(default)]
    #[schema(example = "Panel, May 2026", max_length = 120)]
    name: Option<String>,
    /// Which columns questions have, in place of the automatic match, as of the comparison with a file.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<BTreeMap<String, QuestionColumns>>)]
    matching: Option<Option<Value>>,
    /// What cells are, as of the comparison with a file.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<BTreeMap<String, BTreeMap<String, RecodedAnswer>>>)]
    recodes: Option<Option<Value>>,
    /// Shares that people are weighted to, as of the comparison with a file.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<BTreeMap<String, BTreeMap<String, f64>>>)]
    margins: Option<Option<Value>>,
    /// The column of the experiment's arm.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, example = json!(null))]
    arm: Option<Option<String>>,
    /// The column of weights.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, example = json!(null))]
    weight: Option<Option<String>>,
    /// The attribute of the twins that is their weight.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, example = json!(null))]
    twin_weight: Option<Option<String>>,
    /// The column of drawing probabilities.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, example = json!(null))]
    probability: Option<Option<String>>,
    /// The column of subgroups.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, example = json!(null))]
    by: Option<Option<String>>,
    /// Attributes that pair people and twins where no id is common, at most three.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Vec<String>>, example = json!(null))]
    cells: Option<Option<Vec<String>>>,
    /// The cells' shares in the population, as of the comparison with a file. Forgotten where the cells change.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<BTreeMap<String, f64>>)]
    cell_shares: Option<Option<Value>>,
    /// Attributes of the twins that answers are regressed on.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Vec<String>>, example = json!(null))]
    regress: Option<Option<Vec<String>>>,
}

impl SampleToChange {
    fn settings(&self, mut now: SampleSettings) -> Result<SampleSettings> {
        let bytes = |field: &Option<Option<Value>>| -> Option<Vec<u8>> {
            // Null takes back what was said.
            field.as_ref().map(|value| value.as_ref().map_or_else(|| b"{}".to_vec(), |value| value.to_string().into()))
        };
        let (matching, recodes, margins) = (bytes(&self.matching), bytes(&self.recodes), bytes(&self.margins));
        let said = corrections(matching.as_deref(), recodes.as_deref())?;
        if matching.is_some() {
            now.matching = said.columns;
        }
        if recodes.is_some() {
            now.recodes = said.recodes;
        }
        if margins.is_some() {
            now.margins = shares(margins.as_deref())?.0;
        }
        for (field, change) in [
            (&mut now.arm, &self.arm),
            (&mut now.weight, &self.weight),
            (&mut now.twin_weight, &self.twin_weight),
            (&mut now.probability, &self.probability),
            (&mut now.by, &self.by),
        ] {
            if let Some(change) = change {
                *field = change.clone().filter(|name| !name.is_empty());
            }
        }
        for (field, change) in [(&mut now.cells, &self.cells), (&mut now.regress, &self.regress)] {
            if let Some(change) = change {
                *field = change.clone().unwrap_or_default();
            }
        }
        if self.cells.is_some() {
            now.cell_shares = None;
        }
        if let Some(said) = bytes(&self.cell_shares) {
            now.cell_shares = of_cells(Some(&said), &now.cells)?;
        }
        Ok(now)
    }
}

/// Changes how a human sample is read and compared, or its name (the survey's author)
///
/// Every comparison with it is made by what it says now. Only columns that were kept can be chosen.
#[utoipa::path(
    patch, path = "/human-samples/{sampleId}", tag = "Human samples",
    operation_id = "change_human_sample",
    params(("sampleId" = Uuid, Path, example = "8c7d6e5f-0000-4000-8000-000000000008")),
    request_body = SampleToChange,
    responses(
        (status = 200, description = "As it is now", body = SampleDetails),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn change(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Json(asked): Json<SampleToChange>,
) -> Result<HttpResponse> {
    let sample = rules::human_sample(&mut *db::checkout(&app.pool).await?, &caller, *id, Right::Own).await?;
    let permit = admit(&app, caller.id, Work::Sample)?.start().await;
    let mut conn = db::checkout(&app.pool).await?;
    let content = human_samples::content(&mut conn, sample.id).await?;
    let questions = of_survey(&mut conn, sample.survey_id).await?;
    drop(conn);
    let name = asked.name.as_deref().map(checked_name).transpose()?;
    let before = sample.settings().map_err(ApiError::internal)?;
    let settings = asked.settings(before.clone())?;
    let mut changes = SampleChanges { name, ..SampleChanges::default() };
    let chosen = if settings == before {
        samples::of_questions(samples::chosen_of(settings), &questions)
    } else {
        changes.settings = Some(stored(&settings)?);
        samples::chosen_of(settings)
    };
    let read = count(&permit, move || samples::read(&questions, &content, &chosen)).await?;
    if changes.settings.is_some() {
        changes.matched = Some(samples::matched(&read));
    }
    let missing = || ApiError::not_found("Sample");
    let mut conn = db::checkout(&app.pool).await?;
    let changed = changes.make(&mut conn, sample.id).await?.ok_or_else(missing)?;
    Ok(HttpResponse::Ok().json(SampleDetails::new(changed, &read)?))
}

/// Deletes a human sample with all its rows (the survey's author)
#[utoipa::path(
    delete, path = "/human-samples/{sampleId}", tag = "Human samples",
    operation_id = "delete_human_sample",
    params(("sampleId" = Uuid, Path, example = "8c7d6e5f-0000-4000-8000-000000000008")),
    responses((status = 204, description = "Deleted"))
)]
pub async fn remove(app: Data<App>, caller: Caller, id: Path<Uuid>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let sample = rules::human_sample(&mut conn, &caller, *id, Right::Own).await?;
    human_samples::remove(&mut conn, sample.id).await?;
    Ok(HttpResponse::NoContent().finish())
}

//! The design of a survey: the flow over its questions and the tables of its loops.

use std::collections::BTreeSet;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use survey::check::{DesignReport, check};
use survey::finding::Finding;
use survey::flow::{Design, Table};
use survey::item::Item;
use utoipa::ToSchema;

use super::for_owner;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, ErrorBody, Result};
use crate::http::extract::{Json, admit};
use crate::models::personas;
use crate::models::questions::of_survey;
use crate::models::surveys::design;
use crate::work::Work;

/// The survey's design, without its questions.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DesignOfSurvey {
    /// Nodes: blocks, random nodes, branches, fields, loops, ends and groups. Empty in a plain survey.
    #[schema(value_type = Vec<Value>, example = json!([{"block": "main", "questions": ["commute"]}]))]
    flow: Value,
    /// Columns and rows by name.
    #[schema(value_type = std::collections::HashMap<String, Table>, example = json!({}))]
    tables: Value,
    /// SHA-256 of the canonical bytes of flow and tables.
    hash: String,
}

impl DesignOfSurvey {
    pub(super) fn new(design: &Design) -> serde_json::Result<Self> {
        let (flow, tables) = (serde_json::to_value(&design.flow)?, serde_json::to_value(&design.tables)?);
        Ok(Self { flow, tables, hash: design.hash() })
    }
}

/// The design of a survey
#[utoipa::path(
    get, path = "",
    responses((status = 200, description = "The flow and the tables", body = DesignOfSurvey))
)]
pub async fn show_design(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::survey(&mut conn, &caller, *id, Right::See).await?;
    answer(&design::of_survey(&mut conn, *id).await?)
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewDesign {
    #[serde(default)]
    #[schema(value_type = Option<Vec<Value>>, example = json!([{"block": "main", "questions": ["commute"]}]))]
    flow: Value,
    #[serde(default)]
    #[schema(value_type = Option<std::collections::HashMap<String, Table>>, example = json!({}))]
    tables: Value,
    /// Tag of the design that is to be replaced, against lost updates.
    #[serde(default, alias = "expected_hash")]
    expected_hash: Option<String>,
}

/// An error with everything that was found.
#[derive(Debug, Serialize, ToSchema)]
struct Findings {
    #[serde(flatten)]
    error: ErrorBody,
    /// Missing where the body is no JSON.
    #[schema(required = false)]
    findings: Vec<Finding>,
}

/// Replaces the design of a survey
///
/// One that cannot be run yet is stored too: only the start of a simulation refuses it.
#[utoipa::path(
    put, path = "",
    responses(
        (status = 200, description = "The design as it is now", body = DesignOfSurvey),
        (status = 400, description = "It is of another form; each finding has its place", body = Findings),
        (status = 409, description = "The survey is locked, or its design is not the expected one")
    )
)]
pub async fn replace_design(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(new): Json<NewDesign>,
) -> Result<HttpResponse> {
    let mut conn = for_owner(&app, &caller, *id).await?;
    let read = match read(new.flow, new.tables) {
        Ok(design) => design,
        Err(finding) => return Ok(refused(finding)),
    };
    design::replace(&mut conn, *id, &read, new.expected_hash.as_deref()).await?;
    answer(&design::of_survey(&mut conn, *id).await?)
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct DesignToCheck {
    /// The flow to check; by default the stored one. A value that is no list of nodes is a finding, like all other faults.
    #[serde(default)]
    flow: Option<Value>,
    #[serde(default)]
    tables: Value,
}

/// Says what is wrong or doubtful about a design
#[utoipa::path(
    post, path = "",
    responses(
        (
            status = 200,
            description = "What was found, with its place, and what each arm can be asked",
            body = DesignReport
        ),
        (status = 429, description = "Twelve such calls of the caller are under way; see Retry-After")
    )
)]
pub async fn check_design(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(asked): Json<DesignToCheck>,
) -> Result<HttpResponse> {
    rules::survey(&mut *db::checkout(&app.pool).await?, &caller, *id, Right::See).await?;
    let permit = admit(&app, caller.id, Work::Design)?.start().await;
    let mut conn = db::checkout(&app.pool).await?;
    let design = match asked.flow {
        Some(flow) => read(flow, asked.tables),
        None => Ok(design::of_survey(&mut conn, *id).await?),
    };
    let report = match design {
        Ok(design) => {
            let (items, labels) = (items(&mut conn, *id).await?, labels(&mut conn).await?);
            drop(conn);
            permit.blocking(move || check(&design, &items, labels.as_ref())).await?
        }
        Err(finding) => DesignReport { findings: vec![finding], requests_per_twin: 0, arms: Vec::new() },
    };
    Ok(HttpResponse::Ok().json(report))
}

async fn items(conn: &mut AsyncPgConnection, survey_id: i64) -> Result<Vec<Item>> {
    Ok(of_survey(conn, survey_id).await?.into_iter().map(Item::from).collect())
}

/// The attributes that twins have, which strata name. `None`: there are no twins yet.
async fn labels(conn: &mut AsyncPgConnection) -> Result<Option<BTreeSet<String>>> {
    let Some(set) = personas::current_set(conn).await? else { return Ok(None) };
    Ok(Some(personas::attribute_labels(conn, set.id).await?.into_iter().collect()))
}

/// `null` counts as left out.
fn read(flow: Value, tables: Value) -> Result<Design, Finding> {
    let fields = [("flow", flow), ("tables", tables)].map(|(name, value)| (name.to_owned(), value));
    let there: Map<String, Value> = fields.into_iter().filter(|(_, value)| !value.is_null()).collect();
    Design::read(&Value::Object(there))
}

fn answer(design: &Design) -> Result<HttpResponse> {
    Ok(HttpResponse::Ok().json(DesignOfSurvey::new(design).map_err(ApiError::internal)?))
}

fn refused(finding: Finding) -> HttpResponse {
    let error = ApiError::Invalid(format!("{}: {}", finding.pointer, finding.message)).with_code("invalid_design");
    HttpResponse::BadRequest().json(Findings { error: error.body(), findings: vec![finding] })
}

//! Assignments of the twins of a run with a design.

use std::collections::{BTreeMap, BTreeSet};

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::Result;
use crate::http::page::PageQuery;
use crate::models::assignments::{self, TwinAssignment};

/// Assignments of the twins of a run; none in a run of a plain survey.
#[derive(Debug, Serialize, ToSchema)]
struct Assignments {
    /// Random nodes, in the order of their names.
    #[schema(example = json!(["fee_arm"]))]
    nodes: Vec<String>,
    /// Fields that are known at the start.
    #[schema(example = json!(["fee"]))]
    fields: Vec<String>,
    /// Twins of this page, in the order of dealing.
    personas: Vec<AssignmentOfTwin>,
    /// Twins of the whole run.
    #[schema(example = 200)]
    total: usize,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AssignmentOfTwin {
    #[schema(example = 7)]
    persona_id: i32,
    /// Arms by random node; several arms in the order shown, joined by `>`.
    #[schema(example = json!({"fee_arm": "resort"}))]
    arms: BTreeMap<String, String>,
    #[schema(example = json!({"fee": "a resort fee"}))]
    fields: BTreeMap<String, String>,
}

/// The assignments of the twins of a run
#[utoipa::path(
    get, path = "",
    params(PageQuery),
    responses((status = 200, description = "A page of it", body = Assignments))
)]
pub async fn list_assignments(app: Data<App>, caller: Caller, id: Path<Uuid>, page: PageQuery) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let seen = rules::simulation(&mut conn, &caller, *id, Right::See).await?;
    let dealt = assignments::dealt(&conn, seen.id).await?;
    let names = |of: fn(&TwinAssignment) -> Vec<&str>| {
        let names: BTreeSet<&str> = dealt.iter().flat_map(of).collect();
        names.into_iter().map(str::to_owned).collect()
    };
    let nodes = names(|dealt| dealt.assignment.arms.keys().map(AsRef::as_ref).collect());
    let fields = names(|dealt| dealt.assignment.fields.keys().map(String::as_str).collect());
    let total = dealt.len();
    let (offset, limit) = (usize::try_from(page.offset).unwrap_or(0), usize::try_from(page.limit).unwrap_or(0));
    let personas = dealt.into_iter().skip(offset).take(limit).map(|dealt| AssignmentOfTwin {
        persona_id: dealt.twin.id,
        arms: dealt.assignment.arms.into_iter().map(|(node, arms)| (node.to_string(), arms.join(">"))).collect(),
        fields: dealt.assignment.fields,
    });
    Ok(HttpResponse::Ok().json(Assignments { nodes, fields, personas: personas.collect(), total }))
}

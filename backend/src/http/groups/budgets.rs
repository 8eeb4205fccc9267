//! Members' budgets, set by the group's owner.

use std::collections::BTreeSet;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use serde::Deserialize;
use utoipa::ToSchema;

use super::members::GroupMember;
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Json, JsonArray};
use crate::models::group_members::budgets::{self, BudgetChange};
use crate::models::group_members::lists;
use crate::models::groups::Group;

/// Budgets that one call may set.
const MAX_BUDGETS: usize = 1_000;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BudgetBody {
    /// The new budget in whole credits; not below what runs hold.
    #[schema(example = 750, minimum = 0, maximum = 1_000_000_000_000_i64)]
    budget: i64,
    /// Budget that the member must have now, or 409: for a change that depends on a budget read before.
    #[serde(default)]
    #[schema(example = 500)]
    expected_budget: Option<i64>,
}

/// Sets a member's budget (the group's owner, super admin)
#[utoipa::path(
    patch, path = "", operation_id = "set_budget",
    responses(
        (status = 200, description = "The member as it is now", body = GroupMember),
        (status = 409, description = "Less than runs hold, no longer what was expected, or above a ceiling")
    )
)]
pub async fn set_one(
    app: Data<App>,
    caller: Caller,
    ids: Path<(i64, i64)>,
    Json(BudgetBody { budget, expected_budget }): Json<BudgetBody>,
) -> Result<HttpResponse> {
    let (group_id, user_id) = *ids;
    let mut conn = db::checkout(&app.pool).await?;
    let group = rules::group(&mut conn, &caller, group_id, Right::Own).await?;
    let change = BudgetChange { user_id, budget, expected: expected_budget };
    let ceiling = app.config.credit_ceiling;
    budgets::set(&mut conn, group_id, &[change], caller.id, ceiling).await.map_err(|refused| refused.reason)?;
    let member = members(&mut conn, &caller, group, &[change]).await?.pop();
    Ok(HttpResponse::Ok().json(member.ok_or_else(|| ApiError::not_found("Member"))?))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberBudget {
    #[schema(example = 7)]
    user_id: i64,
    /// The new budget in whole credits; not below what runs hold.
    #[schema(example = 750, minimum = 0, maximum = 1_000_000_000_000_i64)]
    budget: i64,
    /// Budget that the member must have now, or 409: for a change that depends on a budget read before.
    #[serde(default)]
    #[schema(example = 500)]
    expected_budget: Option<i64>,
}

/// Sets the budgets of several members, or of none (the group's owner, super admin)
#[utoipa::path(
    patch, path = "", operation_id = "set_budgets",
    request_body = Vec<MemberBudget>,
    responses(
        (status = 200, description = "The members as they are now, in the order asked for", body = Vec<GroupMember>),
        (
            status = 409,
            description = "One of them is less than runs hold, no longer what was expected, or above a ceiling"
        )
    )
)]
pub async fn set_several(
    app: Data<App>,
    caller: Caller,
    group_id: Path<i64>,
    JsonArray(wanted): JsonArray<MemberBudget>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let group = rules::group(&mut conn, &caller, *group_id, Right::Own).await?;
    if wanted.is_empty() {
        return Err(ApiError::invalid("Please select at least one member"));
    }
    if wanted.len() > MAX_BUDGETS {
        return Err(ApiError::Invalid(format!("Set at most {MAX_BUDGETS} budgets in one call")));
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = wanted.iter().find(|member| !seen.insert(member.user_id)) {
        return Err(ApiError::Invalid(format!("userId {} is there twice", twice.user_id)));
    }
    let change =
        |MemberBudget { user_id, budget, expected_budget }| BudgetChange { user_id, budget, expected: expected_budget };
    let changes: Vec<BudgetChange> = wanted.into_iter().map(change).collect();
    let set = budgets::set(&mut conn, *group_id, &changes, caller.id, app.config.credit_ceiling).await;
    set.map_err(|refused| ApiError::from(refused.reason).of(&format!("userId {}", refused.user_id)))?;
    Ok(HttpResponse::Ok().json(members(&mut conn, &caller, group, &changes).await?))
}

/// Members in the order of the changes.
async fn members(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    group: Group,
    changes: &[BudgetChange],
) -> Result<Vec<GroupMember>> {
    let pairs: Vec<(i64, i64)> = changes.iter().map(|change| (group.id, change.user_id)).collect();
    let mut members = lists::of_pairs(conn, &pairs).await?;
    members.sort_by_key(|member| changes.iter().position(|change| change.user_id == member.user_id));
    let accounts = lists::accounts(conn, members).await?;
    GroupMember::of(conn, caller, group, accounts).await
}

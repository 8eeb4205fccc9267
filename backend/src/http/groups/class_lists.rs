//! Class lists: many members of a group, added by one call.

use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, ResponseError};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::email::Email;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::models::group_members;

/// E-mails of one call.
const MAX_LISTED: usize = 1_000;

#[derive(Debug, Deserialize, ToSchema)]
pub struct ClassList {
    /// An e-mail that nobody has is a new user's, and is mailed an invitation.
    #[schema(example = json!(["ada@example.org", "grace@example.org"]), min_items = 1, max_items = 1_000)]
    emails: Vec<String>,
    /// Whole credits for each; the group's `initialBudgetPerUser` without it.
    #[serde(default)]
    #[schema(example = 500, minimum = 0, maximum = 1_000_000_000_000_i64)]
    budget: Option<i64>,
}

/// The outcome of one e-mail of a class list.
#[derive(Debug, Serialize, ToSchema)]
struct ListedMember {
    #[schema(example = "ada@example.org")]
    email: String,
    added: bool,
    /// Why the e-mail was not added; null where it was.
    #[schema(example = json!(null))]
    reason: Option<String>,
    /// The error's code, as for a single member.
    #[schema(example = json!(null))]
    code: Option<&'static str>,
}

/// Adds the members of a class list (the group's owner, super admin)
///
/// One e-mail after the other: those that are refused say why, the others are members.
#[utoipa::path(
    post, path = "",
    operation_id = "add_members",
    request_body = ClassList,
    responses((status = 200, description = "The outcome of each e-mail, in their order", body = Vec<ListedMember>))
)]
pub async fn add_members(
    app: Data<App>,
    caller: Caller,
    group_id: Path<i64>,
    Json(list): Json<ClassList>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let group = rules::group(&mut conn, &caller, *group_id, Right::Own).await?;
    if !(1..=MAX_LISTED).contains(&list.emails.len()) {
        return Err(ApiError::Invalid(format!("emails: there must be 1 to {MAX_LISTED} of them")));
    }
    let budget = list.budget.unwrap_or(group.default_budget_per_user);
    let ceiling = app.config.credit_ceiling;
    let mut outcomes = Vec::with_capacity(list.emails.len());
    for email in list.emails {
        let added: Result<()> = match Email::parse(&email) {
            Ok(known) => group_members::invite(&mut conn, &group, &known, budget, &caller.user, ceiling)
                .await
                .map(drop)
                .map_err(ApiError::from),
            Err(_) => Err(ApiError::invalid("Please enter a valid email address")),
        };
        let (reason, code) = match added {
            Ok(()) => (None, None),
            Err(fault) if fault.status_code().is_server_error() => return Err(fault),
            Err(refusal) => (Some(refusal.to_string()), Some(refusal.body().code)),
        };
        outcomes.push(ListedMember { email, added: reason.is_none(), reason, code });
    }
    app.mailer.notify();
    Ok(HttpResponse::Ok().json(outcomes))
}

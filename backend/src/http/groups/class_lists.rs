//! Class lists: many members of a group, added by one call.

use std::time::Duration;

use actix_web::web::{Data, Path};
use actix_web::{HttpResponse, ResponseError};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
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
/// Time in which e-mails are added. A call that takes ten seconds is given up, and its caller would not know who was added.
const MAX_ADDING_TIME: Duration = Duration::from_secs(5);

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
/// One e-mail after the other: those that are refused say why, the others are members. E-mails that a busy server had no
/// time for have the code `not_tried`: send them again.
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
    let outcomes = add_each(list.emails, Instant::now() + MAX_ADDING_TIME, async |email| {
        let email = Email::parse(email).map_err(|_| ApiError::invalid("Please enter a valid email address"))?;
        group_members::invite(&mut conn, &group, &email, budget, &caller.user, ceiling).await?;
        Ok(())
    })
    .await?;
    app.mailer.notify();
    Ok(HttpResponse::Ok().json(outcomes))
}

/// Adds one e-mail after the other, and none that is not begun by then. Fails at a fault of the server.
async fn add_each(
    emails: Vec<String>,
    until: Instant,
    mut add: impl AsyncFnMut(&str) -> Result<()>,
) -> Result<Vec<ListedMember>> {
    let mut outcomes = Vec::with_capacity(emails.len());
    for email in emails {
        let refused = |reason: String, code| (Some(reason), Some(code));
        let (reason, code) = if Instant::now() >= until {
            refused("The server was too busy for this e-mail: add it again".to_owned(), "not_tried")
        } else {
            match add(&email).await {
                Ok(()) => (None, None),
                Err(fault) if fault.status_code().is_server_error() => return Err(fault),
                Err(refusal) => refused(refusal.to_string(), refusal.body().code),
            }
        };
        outcomes.push(ListedMember { email, added: reason.is_none(), reason, code });
    }
    Ok(outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn e_mails_for_which_no_time_is_left_are_not_tried_and_said_to_be_so() {
        let emails = || vec!["ada@test.example".to_owned(), "eve@test.example".to_owned()];
        let later = Instant::now() + Duration::from_secs(3_600);
        let all = add_each(emails(), later, async |_| Ok(())).await.expect("no fault");
        assert!(all.iter().all(|outcome| outcome.added && outcome.code.is_none()));
        let none =
            add_each(emails(), Instant::now(), async |email| panic!("{email} was tried")).await.expect("no fault");
        assert!(none.iter().all(|outcome| !outcome.added && outcome.code == Some("not_tried")));
        assert_eq!(none.len(), 2);
    }
}

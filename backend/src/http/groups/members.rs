//! Members of a group: added by e-mail, suspended and taken back, removed.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::email::Email;
use crate::http::auth::profile::Profile;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::http::page::{Page, PageQuery};
use crate::http::rate_limit::RateLimit;
use crate::models::group_members::invitations::{InvitationQuota, MAX_INVITATIONS};
use crate::models::group_members::lists::{self, MemberAccount};
use crate::models::group_members::{self, Member, NotAdded};
use crate::models::groups::{Group, ShownGroup};

/// Someone's membership of a group, and the credits that are theirs to spend there.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupMember {
    #[serde(flatten)]
    member: Member,
    /// Credits that are left to be spent: `budget − held`.
    #[schema(example = 420)]
    available: i64,
    /// The member's profile. Until the member has signed in since they were added, that is their id and e-mail alone: the rest is as of a
    /// new account.
    pub user: Profile,
    pub group: ShownGroup,
}

impl GroupMember {
    pub fn new(account: MemberAccount, group: ShownGroup) -> Self {
        let MemberAccount { mut member, user, photo_url } = account;
        if member.removed_at.is_some() {
            "removed".clone_into(&mut member.status);
        }
        Self { available: member.budget - member.held, member, user: Profile::new(user, photo_url), group }
    }

    /// The memberships in their order.
    pub async fn of(
        conn: &mut AsyncPgConnection,
        caller: &Caller,
        group: Group,
        accounts: Vec<MemberAccount>,
    ) -> Result<Vec<Self>> {
        let group = super::shown(conn, caller, group).await?;
        Ok(accounts.into_iter().map(|account| Self::new(account, group.clone())).collect())
    }

    async fn one(conn: &mut AsyncPgConnection, caller: &Caller, group: Group, member: Member) -> Result<Self> {
        let accounts = lists::accounts(conn, vec![member]).await?;
        Self::of(conn, caller, group, accounts).await?.pop().ok_or_else(|| ApiError::not_found("Member"))
    }
}

/// The members of a group, newest first
///
/// Its owner and super admins see all of them, a member only themselves.
#[utoipa::path(
    get, path = "", operation_id = "list_members",
    params(PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<GroupMember>))
)]
pub async fn list(app: Data<App>, caller: Caller, group_id: Path<i64>, page: PageQuery) -> Result<Page<GroupMember>> {
    let mut conn = db::checkout(&app.pool).await?;
    let group = rules::group(&mut conn, &caller, *group_id, Right::See).await?;
    let only = if caller.oversees(&group) { None } else { Some(caller.id) };
    let (accounts, total) = lists::list(&mut conn, *group_id, only, page.limit, page.offset).await?;
    Ok(Page { rows: GroupMember::of(&mut conn, &caller, group, accounts).await?, total })
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct NewMemberBody {
    /// An e-mail that nobody has is a new user's, and is mailed an invitation.
    #[schema(example = "grace@example.org", format = "email")]
    email: String,
    /// Whole credits; the group's `initialBudgetPerUser` without it.
    #[serde(default)]
    #[schema(example = 500, minimum = 0, maximum = 1_000_000_000_000_i64)]
    budget: Option<i64>,
}

/// Adds a member by e-mail (the group's owner, super admin)
#[utoipa::path(
    post, path = "", operation_id = "add_member",
    responses(
        (status = 201, description = "Added", body = GroupMember),
        (status = 409, description = "A member already, or the budget is above a ceiling"),
        (status = 429, description = "200 invitations of unknown e-mails an hour; see Retry-After")
    )
)]
pub async fn add(
    app: Data<App>,
    caller: Caller,
    group_id: Path<i64>,
    Json(new): Json<NewMemberBody>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let group = rules::group(&mut conn, &caller, *group_id, Right::Own).await?;
    let email = Email::parse(&new.email).map_err(|_| ApiError::invalid("Please enter a valid email address"))?;
    let budget = new.budget.unwrap_or(group.default_budget_per_user);
    let ceiling = app.config.credit_ceiling;
    let member = group_members::invite(&mut conn, &group, &email, budget, &caller.user, ceiling).await?;
    app.mailer.notify();
    let quota = InvitationQuota::load(&mut conn, caller.id).await?;
    let limit = RateLimit { limit: MAX_INVITATIONS, remaining: quota.remaining(), reset_s: quota.reset_s() };
    let mut answer = HttpResponse::Created();
    for header in limit.headers() {
        answer.insert_header(header);
    }
    Ok(answer.json(GroupMember::one(&mut conn, &caller, group, member).await?))
}

impl From<NotAdded> for ApiError {
    fn from(reason: NotAdded) -> Self {
        let message = reason.to_string();
        match reason {
            NotAdded::AlreadyAMember => Self::conflict(message).with_code("already_a_member"),
            NotAdded::TooManyInvitations { wait_s } => {
                Self::TooMany { message, limit: MAX_INVITATIONS, retry_after_s: wait_s }
            }
            NotAdded::Grant(error) => error.into(),
        }
    }
}

/// Removes a member (the group's owner, super admin)
///
/// The budget goes back; the ledger and the member's surveys stay.
#[utoipa::path(
    delete, path = "", operation_id = "remove_member",
    responses(
        (status = 204, description = "Removed"),
        (status = 409, description = "Simulations of the member hold credits")
    )
)]
pub async fn remove(app: Data<App>, caller: Caller, ids: Path<(i64, i64)>) -> Result<HttpResponse> {
    let (group_id, user_id) = *ids;
    let mut conn = db::checkout(&app.pool).await?;
    rules::group(&mut conn, &caller, group_id, Right::Own).await?;
    group_members::remove(&mut conn, group_id, user_id, caller.id).await?;
    Ok(HttpResponse::NoContent().finish())
}

#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum MemberStatus {
    Active,
    Suspended,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct StatusBody {
    #[schema(example = "suspended")]
    status: MemberStatus,
}

/// Suspends a member or takes it back (the group's owner, super admin)
///
/// The simulations of a suspended member are paused.
#[utoipa::path(
    patch, path = "", operation_id = "set_member_status",
    responses((status = 200, description = "The member as it is now", body = GroupMember))
)]
pub async fn set_status(
    app: Data<App>,
    caller: Caller,
    ids: Path<(i64, i64)>,
    Json(StatusBody { status }): Json<StatusBody>,
) -> Result<HttpResponse> {
    let (group_id, user_id) = *ids;
    let status = match status {
        MemberStatus::Active => "active",
        MemberStatus::Suspended => "suspended",
    };
    let mut conn = db::checkout(&app.pool).await?;
    let group = rules::group(&mut conn, &caller, group_id, Right::Own).await?;
    let member = group_members::set_status(&mut conn, group_id, user_id, status, caller.id).await?;
    let member = member.ok_or_else(|| ApiError::not_found("Member"))?;
    Ok(HttpResponse::Ok().json(GroupMember::one(&mut conn, &caller, group, member).await?))
}

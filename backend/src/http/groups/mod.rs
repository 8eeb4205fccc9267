//! Research groups: made by administrators, seen by their members.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::error::{ApiError, Result};
use super::extract::{Json, given};
use super::names;
use super::page::{Page, PageQuery};
use crate::app::App;
use crate::auth::rules::{self, Caller, Right, RowCondition};
use crate::db;
use crate::email::Email;
use crate::models::groups::{self, Group, GroupChange, NewGroup, ShownGroup};
use crate::models::transactions::MAX_CREDITS;
use crate::models::transactions::ceilings::OwnerCeiling;
use crate::schema::groups as rows;

pub mod budgets;
pub mod members;
pub mod money;

const NAME_RULE: &str = "Group name is required, with at most 200 characters";
const EMAIL_RULE: &str = "Please enter a valid email address";

/// A research group, as the caller is shown it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Group)]
pub struct GroupView {
    #[schema(example = 4)]
    pub id: i64,
    #[schema(example = "Consumer research")]
    pub group_name: String,
    #[schema(example = "ada@example.org")]
    pub owner_email: String,
    #[schema(example = 7)]
    pub owner_id: i64,
    /// `open` or `closed`.
    #[schema(example = "open")]
    pub status: String,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Whole credits that a new member starts with, where no others are named.
    #[schema(example = 500)]
    pub initial_budget_per_user: i64,
    /// The caller owns it.
    #[schema(example = true)]
    pub is_owner: bool,
    /// Credits that the caller may spend in it; null where they are no active member.
    #[schema(example = 420)]
    pub available: Option<i64>,
    /// Simulations in it may read the digital twins' full texts.
    #[schema(example = true)]
    pub allow_full_personas: bool,
    /// Simulations in it may ask few questions in a call, down to one.
    #[schema(example = true)]
    pub allow_single_question_calls: bool,
    /// The most credits that its members may have been granted in all, spent ones included; left out where there is no
    /// ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 100_000)]
    pub credit_ceiling: Option<i64>,
    /// Credits that its members were granted in all, spent ones included; left out where there is no ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 60_000)]
    pub credits_granted: Option<i64>,
    /// The most credits that its owner may have granted over all their groups, spent ones included; for its owner and super
    /// admins, in answers about one group; left out where there is no ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 10_000_000)]
    pub owner_credit_ceiling: Option<i64>,
    /// Credits that its owner has granted over all their groups, spent ones included; beside `ownerCreditCeiling`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 60_000)]
    pub owner_credits_granted: Option<i64>,
}

impl GroupView {
    pub fn new(shown: ShownGroup, viewer_id: i64) -> Self {
        let ShownGroup { group, owner_email, available, granted } = shown;
        let Group { id, group_name, owner_id, status, default_budget_per_user, created_at, updated_at, .. } = group;
        Self {
            id,
            group_name,
            owner_email,
            owner_id,
            status,
            created_at,
            updated_at,
            initial_budget_per_user: default_budget_per_user,
            is_owner: owner_id == viewer_id,
            available,
            allow_full_personas: group.allow_full_personas,
            allow_single_question_calls: group.allow_single_question_calls,
            credit_ceiling: group.credit_ceiling,
            credits_granted: granted,
            owner_credit_ceiling: None,
            owner_credits_granted: None,
        }
    }

    /// With the ceiling of its owner, if the caller is that or a super administrator.
    async fn with_owner_ceiling(mut self, conn: &mut AsyncPgConnection, app: &App, caller: &Caller) -> Result<Self> {
        if self.is_owner || caller.is_super_admin() {
            let OwnerCeiling { ceiling, granted } =
                OwnerCeiling::load(conn, self.owner_id, Some(app.config.credit_ceiling)).await?;
            self.owner_credit_ceiling = ceiling;
            self.owner_credits_granted = ceiling.map(|_| granted);
        }
        Ok(self)
    }

    pub async fn of(conn: &mut AsyncPgConnection, caller: &Caller, group: Group) -> Result<Self> {
        let shown = groups::show(conn, vec![group], caller.id).await?.pop();
        shown.map(|shown| Self::new(shown, caller.id)).ok_or_else(|| ApiError::internal("the group is not shown"))
    }
}

/// The groups that the caller sees, newest first: all for a super admin
#[utoipa::path(
    get, path = "", operation_id = "list_groups",
    params(PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<GroupView>))
)]
pub async fn list(app: Data<App>, caller: Caller, page: PageQuery) -> Result<Page<GroupView>> {
    listed(&app, &caller, page, || rules::sees_group(&caller)).await
}

/// The groups that the caller owns or is an active member of, newest first
#[utoipa::path(
    get, path = "", operation_id = "list_my_groups",
    params(PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<GroupView>))
)]
pub async fn mine(app: Data<App>, caller: Caller, page: PageQuery) -> Result<Page<GroupView>> {
    listed(&app, &caller, page, || rules::is_in_group(&caller)).await
}

async fn listed(
    app: &App,
    caller: &Caller,
    page: PageQuery,
    visible: impl Fn() -> RowCondition<rows::table>,
) -> Result<Page<GroupView>> {
    let mut conn = db::checkout(&app.pool).await?;
    let (rows, total) = groups::list(&mut conn, visible, page.limit, page.offset).await?;
    let shown = groups::show(&mut conn, rows, caller.id).await?;
    Ok(Page { rows: shown.into_iter().map(|shown| GroupView::new(shown, caller.id)).collect(), total })
}

/// Each of its fields may be spelled as answers spell it, too.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewGroupBody {
    /// Not blank.
    #[serde(alias = "groupName", alias = "name")]
    #[schema(example = "Consumer research", min_length = 1, max_length = 200)]
    group_name: String,
    /// Whole credits that a new member starts with, where no others are named.
    #[serde(alias = "defaultBudgetPerUser", alias = "initialBudgetPerUser")]
    #[schema(example = 500, minimum = 0, maximum = 1_000_000_000_000_i64)]
    default_budget_per_user: i64,
    /// Who owns it: needed from a super admin; an admin can name only themselves, or leave it out.
    #[serde(default, alias = "ownerEmail")]
    #[schema(example = "ada@example.org", format = "email")]
    owner_email: Option<String>,
    /// `open` (the default) or `closed`.
    #[serde(default)]
    #[schema(example = "open", pattern = "^(open|closed)$")]
    status: Option<String>,
    /// Simulations may read the digital twins' full texts; they may without it.
    #[serde(default, alias = "allow_full_personas", rename = "allowFullPersonas")]
    #[schema(example = true)]
    allow_full_personas: Option<bool>,
    /// Simulations may ask few questions in a call, down to one; they may without it.
    #[serde(default, alias = "allow_single_question_calls", rename = "allowSingleQuestionCalls")]
    #[schema(example = true)]
    allow_single_question_calls: Option<bool>,
}

/// Creates a group (admin, super admin)
///
/// Its owner is a member from the start, without credits. The owner of a super admin's group becomes an admin; an e-mail that nobody has is invited.
#[utoipa::path(
    post, path = "", operation_id = "create_group",
    responses((status = 201, description = "Created", body = GroupView))
)]
pub async fn create(app: Data<App>, caller: Caller, Json(new): Json<NewGroupBody>) -> Result<HttpResponse> {
    caller.must_create_groups()?;
    let email = owner_email(&caller, new.owner_email.as_deref())?;
    if email.is_none() && caller.is_super_admin() {
        return Err(ApiError::invalid("owner_email: Please enter a valid email address"));
    }
    let name = name(None, &new.group_name)?;
    most("default_budget_per_user", Some(new.default_budget_per_user))?;
    let status = status(new.status.as_deref())?;
    let mut conn = db::checkout(&app.pool).await?;
    let draft =
        NewGroup { group_name: name, owner_id: caller.id, default_budget_per_user: new.default_budget_per_user };
    let change = GroupChange {
        status,
        owner: email.as_ref(),
        allow_full_personas: new.allow_full_personas,
        allow_single_question_calls: new.allow_single_question_calls,
        ..GroupChange::default()
    };
    let group = groups::found(&mut conn, draft, change, &caller.user).await?;
    app.mailer.notify();
    Ok(HttpResponse::Created().json(GroupView::of(&mut conn, &caller, group).await?))
}

/// `None`: the caller's own, or none was named.
fn owner_email(caller: &Caller, email: Option<&str>) -> Result<Option<Email>> {
    let Some(email) = email else { return Ok(None) };
    let email = Email::parse(email).map_err(|_| ApiError::invalid(format!("owner_email: {EMAIL_RULE}")))?;
    if email.as_str() == caller.user.email {
        return Ok(caller.is_super_admin().then_some(email));
    }
    if !caller.is_super_admin() {
        return Err(ApiError::Forbidden("Only a super admin may name another owner".to_owned()));
    }
    Ok(Some(email))
}

/// The name of a group whose name was `before`.
fn name<'a>(before: Option<&str>, name: &'a str) -> Result<&'a str> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > 200 {
        return Err(ApiError::invalid(NAME_RULE));
    }
    names::check_change("Group name", before, name)?;
    Ok(name)
}

fn status(status: Option<&str>) -> Result<Option<&str>> {
    match status {
        None | Some("open" | "closed") => Ok(status),
        Some(_) => Err(ApiError::invalid("Status must be open or closed")),
    }
}

/// A group of the caller's
#[utoipa::path(
    get, path = "", operation_id = "show_group",
    responses((status = 200, description = "The group", body = GroupView))
)]
pub async fn show(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let group = rules::group(&mut conn, &caller, *id, Right::See).await?;
    let shown = GroupView::of(&mut conn, &caller, group).await?;
    Ok(HttpResponse::Ok().json(shown.with_owner_ceiling(&mut conn, &app, &caller).await?))
}

/// What is left out stays as it is.
#[derive(Debug, Deserialize, ToSchema)]
pub struct GroupChangeBody {
    #[serde(default, alias = "groupName", alias = "name")]
    #[schema(example = "Consumer research", min_length = 1, max_length = 200)]
    group_name: Option<String>,
    #[serde(default, alias = "defaultBudgetPerUser", alias = "initialBudgetPerUser")]
    #[schema(example = 500, minimum = 0, maximum = 1_000_000_000_000_i64)]
    default_budget_per_user: Option<i64>,
    /// A new owner, from a super admin alone.
    #[serde(default, alias = "ownerEmail")]
    #[schema(example = "ada@example.org", format = "email")]
    owner_email: Option<String>,
    /// `open` or `closed`. A closed group takes no new surveys and starts no simulations; it may be opened again.
    #[serde(default)]
    #[schema(example = "open", pattern = "^(open|closed)$")]
    status: Option<String>,
    /// Simulations may read the digital twins' full texts.
    #[serde(default, alias = "allow_full_personas", rename = "allowFullPersonas")]
    #[schema(example = true)]
    allow_full_personas: Option<bool>,
    /// Simulations may ask few questions in a call, down to one.
    #[serde(default, alias = "allow_single_question_calls", rename = "allowSingleQuestionCalls")]
    #[schema(example = true)]
    allow_single_question_calls: Option<bool>,
    /// The most credits that its members may have been granted in all, spent ones included, from a super admin alone;
    /// null: no ceiling.
    #[serde(default, alias = "credit_ceiling", rename = "creditCeiling", deserialize_with = "given")]
    #[schema(value_type = Option<i64>, example = 100_000, minimum = 0, maximum = 1_000_000_000_000_i64)]
    credit_ceiling: Option<Option<i64>>,
    /// The most credits that its owner may have granted over all their groups, spent ones included, from a super admin alone;
    /// null: the configuration's `CREDIT_CEILING`.
    #[serde(default, alias = "owner_credit_ceiling", rename = "ownerCreditCeiling", deserialize_with = "given")]
    #[schema(value_type = Option<i64>, example = 20_000_000, minimum = 0, maximum = 1_000_000_000_000_i64)]
    owner_credit_ceiling: Option<Option<i64>>,
}

/// Refuses more credits than anybody can have.
fn most(field: &str, credits: Option<i64>) -> Result<()> {
    match credits {
        Some(credits) if credits > MAX_CREDITS => {
            Err(ApiError::Invalid(format!("{field} must be at most {MAX_CREDITS}")))
        }
        _ => Ok(()),
    }
}

/// Changes a group (its owner, super admin)
#[utoipa::path(
    patch, path = "", operation_id = "update_group",
    responses((status = 200, description = "The group as it is now", body = GroupView))
)]
pub async fn update(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(body): Json<GroupChangeBody>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let before = rules::group(&mut conn, &caller, *id, Right::Own).await?;
    let owner = owner_email(&caller, body.owner_email.as_deref())?;
    for (field, is_given) in
        [("creditCeiling", body.credit_ceiling.is_some()), ("ownerCreditCeiling", body.owner_credit_ceiling.is_some())]
    {
        if is_given && !caller.is_super_admin() {
            return Err(ApiError::Forbidden(format!("Only a super admin may change {field}")));
        }
    }
    most("default_budget_per_user", body.default_budget_per_user)?;
    most("creditCeiling", body.credit_ceiling.flatten())?;
    most("ownerCreditCeiling", body.owner_credit_ceiling.flatten())?;
    let change = GroupChange {
        group_name: body.group_name.as_deref().map(|new| name(Some(&before.group_name), new)).transpose()?,
        default_budget_per_user: body.default_budget_per_user,
        status: status(body.status.as_deref())?,
        owner: owner.as_ref(),
        allow_full_personas: body.allow_full_personas,
        allow_single_question_calls: body.allow_single_question_calls,
        credit_ceiling: body.credit_ceiling,
        owner_credit_ceiling: body.owner_credit_ceiling,
    };
    let group = change.apply(&mut conn, *id, &caller.user).await?;
    app.mailer.notify();
    let shown = GroupView::of(&mut conn, &caller, group).await?;
    Ok(HttpResponse::Ok().json(shown.with_owner_ceiling(&mut conn, &app, &caller).await?))
}

/// Deletes a group without active simulations (its owner, super admin)
///
/// Its ledger and its surveys' results stay readable to those who could read them.
#[utoipa::path(
    delete, path = "", operation_id = "delete_group",
    responses(
        (status = 204, description = "Deleted"),
        (status = 409, description = "Active simulations hold credits of its members")
    )
)]
pub async fn remove(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    rules::group(&mut conn, &caller, *id, Right::Own).await?;
    if groups::delete(&mut conn, *id, caller.id).await? {
        return Ok(HttpResponse::NoContent().finish());
    }
    let message = "The group has active simulations, which hold credits of its members";
    Err(ApiError::conflict(message).with_code("simulation_active"))
}

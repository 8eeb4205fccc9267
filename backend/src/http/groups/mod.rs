//! Research groups: made by administrators, seen by their members.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use diesel_async::AsyncPgConnection;
use serde::Deserialize;
use utoipa::ToSchema;

use super::error::{ApiError, Result};
use super::extract::Json;
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
pub mod class_lists;
pub mod members;
pub mod model_keys;
pub mod money;

const NAME_RULE: &str = "Group name is required, with at most 200 characters";
const EMAIL_RULE: &str = "Please enter a valid email address";

/// The group as the caller sees it.
pub async fn shown(conn: &mut AsyncPgConnection, caller: &Caller, group: Group) -> Result<ShownGroup> {
    let shown = groups::show(conn, vec![group], caller.id).await?.pop();
    shown.ok_or_else(|| ApiError::internal("the group is not shown"))
}

/// The group with the ceiling of its owner, if the caller is that or a super administrator.
async fn shown_with_owner_ceiling(
    conn: &mut AsyncPgConnection,
    app: &App,
    caller: &Caller,
    group: Group,
) -> Result<ShownGroup> {
    let mut shown = shown(conn, caller, group).await?;
    if shown.is_owner || caller.is_super_admin() {
        let OwnerCeiling { ceiling, granted } =
            OwnerCeiling::load(conn, shown.group.owner_id, Some(app.config.credit_ceiling)).await?;
        shown.owner_credit_ceiling = ceiling;
        shown.owner_credits_granted = ceiling.map(|_| granted);
    }
    Ok(shown)
}

/// The groups that the caller sees, newest first: all for a super admin
#[utoipa::path(
    get, path = "", operation_id = "list_groups",
    params(PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<ShownGroup>))
)]
pub async fn list(app: Data<App>, caller: Caller, page: PageQuery) -> Result<Page<ShownGroup>> {
    listed(&app, &caller, page, || rules::sees_group(&caller)).await
}

/// The groups that the caller owns or is an active member of, newest first
#[utoipa::path(
    get, path = "", operation_id = "list_my_groups",
    params(PageQuery),
    responses((status = 200, description = "A page of them", body = Vec<ShownGroup>))
)]
pub async fn mine(app: Data<App>, caller: Caller, page: PageQuery) -> Result<Page<ShownGroup>> {
    listed(&app, &caller, page, || rules::is_in_group(&caller)).await
}

async fn listed(
    app: &App,
    caller: &Caller,
    page: PageQuery,
    visible: impl Fn() -> RowCondition<rows::table>,
) -> Result<Page<ShownGroup>> {
    let mut conn = db::checkout(&app.pool).await?;
    let (rows, total) = groups::list(&mut conn, visible, page.limit, page.offset).await?;
    Ok(Page { rows: groups::show(&mut conn, rows, caller.id).await?, total })
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
    /// E-mail of the owner: needed from a super admin; an admin can name only themselves, or leave it out.
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
    responses((status = 201, description = "Created", body = ShownGroup))
)]
pub async fn create(app: Data<App>, caller: Caller, Json(new): Json<NewGroupBody>) -> Result<HttpResponse> {
    caller.must_create_groups()?;
    let email = owner_email(&caller, new.owner_email.as_deref())?;
    if email.is_none() && caller.is_super_admin() {
        return Err(ApiError::invalid("owner_email: Please enter a valid email address"));
    }
    let name = name(None, &new.group_name)?;
    most("default_budget_per_user", Some(new.default_budget_per_user))?;
    check_status(new.status.as_deref())?;
    let mut conn = db::checkout(&app.pool).await?;
    let draft =
        NewGroup { group_name: name, owner_id: caller.id, default_budget_per_user: new.default_budget_per_user };
    let change = GroupChange {
        status: new.status,
        allow_full_personas: new.allow_full_personas,
        allow_single_question_calls: new.allow_single_question_calls,
        ..GroupChange::default()
    };
    let group = groups::create(&mut conn, draft, email.as_ref(), change, &caller.user).await?;
    app.mailer.notify();
    Ok(HttpResponse::Created().json(shown(&mut conn, &caller, group).await?))
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

fn check_status(status: Option<&str>) -> Result<()> {
    match status {
        None | Some("open" | "closed") => Ok(()),
        Some(_) => Err(ApiError::invalid("Status must be open or closed")),
    }
}

/// A group of the caller's
#[utoipa::path(
    get, path = "", operation_id = "show_group",
    responses((status = 200, description = "The group", body = ShownGroup))
)]
pub async fn show(app: Data<App>, caller: Caller, id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let group = rules::group(&mut conn, &caller, *id, Right::See).await?;
    Ok(HttpResponse::Ok().json(shown_with_owner_ceiling(&mut conn, &app, &caller, group).await?))
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
    responses((status = 200, description = "The group as it is now", body = ShownGroup))
)]
pub async fn update(
    app: Data<App>,
    caller: Caller,
    id: Path<i64>,
    Json(body): Json<GroupChange>,
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
    check_status(body.status.as_deref())?;
    let new_name = body.group_name.as_deref().map(|new| name(Some(&before.group_name), new)).transpose()?;
    let change = GroupChange { group_name: new_name.map(str::to_owned), ..body };
    let group = change.apply(&mut conn, *id, owner.as_ref(), &caller.user).await?;
    app.mailer.notify();
    Ok(HttpResponse::Ok().json(shown_with_owner_ceiling(&mut conn, &app, &caller, group).await?))
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

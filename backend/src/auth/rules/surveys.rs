//! Access to surveys: private ones are visible to their authors and groups' owners, public ones to their groups.

use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::{AccessRefusal, Caller, Right, RowCondition};
use crate::models::predicates::is_active;
use crate::models::surveys::Survey;
use crate::schema::{group_members, groups, surveys};

const OWNERS_ONLY: &str = "Only the owner of the survey may do this";

/// Returns the survey, if the caller has the right. `Right::Control` is for runs only.
pub async fn survey(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    id: i64,
    right: Right,
) -> Result<Survey, AccessRefusal> {
    let found = find(conn, caller, id).await?;
    caller.granted(right, found, "Survey", OWNERS_ONLY)
}

/// Returns the survey if the caller sees it, and a refusal if they do not own it.
pub async fn seen_survey(
    conn: &mut AsyncPgConnection,
    caller: &Caller,
    id: i64,
) -> Result<(Survey, Option<AccessRefusal>), AccessRefusal> {
    let found = find(conn, caller, id).await?;
    let owns = found.as_ref().map(|(_, owns)| ((), *owns));
    let survey = caller.granted(Right::See, found, "Survey", OWNERS_ONLY)?;
    Ok((survey, caller.granted(Right::Own, owns, "Survey", OWNERS_ONLY).err()))
}

/// Returns the survey if the caller sees it, and whether they own it.
async fn find(conn: &mut AsyncPgConnection, caller: &Caller, id: i64) -> QueryResult<Option<(Survey, bool)>> {
    surveys::table
        .find(id)
        .filter(surveys::deleted_at.is_null())
        .filter(sees_survey(caller))
        .select((Survey::as_select(), surveys::user_id.eq(caller.id)))
        .first(conn)
        .await
        .optional()
}

/// The rows of `surveys` that the caller sees, for a query of one survey.
fn sees_survey(caller: &Caller) -> RowCondition<surveys::table> {
    if caller.is_super_admin() {
        return Box::new(surveys::id.is_not_null());
    }
    let me = caller.id;
    let owned = groups::table.filter(groups::id.eq(surveys::group_id)).filter(groups::owner_id.eq(me));
    let member = group_members::table
        .filter(group_members::group_id.eq(surveys::group_id))
        .filter(group_members::user_id.eq(me))
        .filter(is_active());
    Box::new(surveys::user_id.eq(me).or(exists(owned)).or(surveys::visibility.eq("PUBLIC").and(exists(member))))
}

/// The rows of `surveys` that a list shows the caller. It holds group ids, so that indexes find the surveys.
#[derive(Clone, Debug)]
pub enum SeenSurveys {
    Everybodys,
    Of { author: i64, owned_groups: Vec<i64>, joined_groups: Vec<i64> },
}

impl SeenSurveys {
    /// All surveys that the caller sees.
    pub async fn load(conn: &mut AsyncPgConnection, caller: &Caller) -> QueryResult<Self> {
        if caller.is_super_admin() {
            return Ok(Self::Everybodys);
        }
        let owned = groups::table.filter(groups::owner_id.eq(caller.id));
        let joined = group_members::table.filter(group_members::user_id.eq(caller.id)).filter(is_active());
        let found: Vec<(i64, bool)> = owned
            .select((groups::id, true.into_sql::<Bool>()))
            .union_all(joined.select((group_members::group_id, false.into_sql::<Bool>())))
            .load(conn)
            .await?;
        let (owned, joined): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, owned)| *owned);
        let ids = |groups: Vec<(i64, bool)>| groups.into_iter().map(|(id, _)| id).collect();
        Ok(Self::Of { author: caller.id, owned_groups: ids(owned), joined_groups: ids(joined) })
    }

    /// The caller's own.
    pub fn by(caller: &Caller) -> Self {
        Self::Of { author: caller.id, owned_groups: Vec::new(), joined_groups: Vec::new() }
    }

    pub fn condition(&self) -> RowCondition<surveys::table> {
        match self {
            Self::Everybodys => Box::new(surveys::id.is_not_null()),
            Self::Of { author, owned_groups, joined_groups } if owned_groups.is_empty() && joined_groups.is_empty() => {
                Box::new(surveys::user_id.eq(*author))
            }
            Self::Of { author, owned_groups, joined_groups } => Box::new(
                surveys::user_id
                    .eq(*author)
                    .or(surveys::group_id.eq_any(owned_groups.clone()))
                    .or(surveys::visibility.eq("PUBLIC").and(surveys::group_id.eq_any(joined_groups.clone()))),
            ),
        }
    }
}

//! Watchers: who asks every second how far a run is, looked up many at a time.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Integer, Nullable, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::simulations::sees_run;
use crate::models::predicates::may_sign_in;
use crate::schema::{group_members, groups, simulations, surveys, users};

/// Which run is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchedRun {
    /// The id that the API shows.
    ById(Uuid),
    /// The id of the survey: of its runs the latest that the watcher sees.
    LatestOf(i64),
}

/// Who asks how far a run is, as their token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watcher {
    pub user_id: i64,
    pub token_version: i32,
    pub run: WatchedRun,
}

/// For each watcher the run by its row's id, if their token holds and they see the run. One statement, prepared once, for
/// all tokens and runs, and another where the latest runs of surveys are asked for.
pub async fn watched_runs(conn: &mut AsyncPgConnection, watchers: &[Watcher]) -> QueryResult<Vec<Option<i64>>> {
    let by_id = |watcher: &Watcher| matches!(watcher.run, WatchedRun::ById(_));
    let mut found: Vec<(i64, i64)> = Vec::with_capacity(watchers.len());
    if watchers.iter().any(by_id) {
        let seen = asked::table
            .inner_join(users::table.on(signed_in()))
            .inner_join(simulations::table.on(simulations::simulation_id.eq(asked::run.assume_not_null())))
            .inner_join(surveys::table.on(surveys::id.eq(simulations::survey_id)))
            .filter(may_sign_in())
            .filter(sees_run())
            .select((asked::place, simulations::id));
        found.extend(Asked::by(watchers, seen).load::<(i64, i64)>(conn).await?);
    }
    if !watchers.iter().all(by_id) {
        let seen = asked::table
            .inner_join(users::table.on(signed_in()))
            .inner_join(simulations::table.on(simulations::survey_id.eq(asked::survey_id.assume_not_null())))
            .inner_join(surveys::table.on(surveys::id.eq(simulations::survey_id)))
            .filter(may_sign_in())
            .filter(sees_run())
            .distinct_on(asked::place)
            .order((asked::place, simulations::created_at.desc(), simulations::id.desc()))
            .select((asked::place, simulations::id));
        found.extend(Asked::by(watchers, seen).load::<(i64, i64)>(conn).await?);
    }
    let mut runs = vec![None; watchers.len()];
    for (place, run) in found {
        if let Some(of_watcher) = usize::try_from(place - 1).ok().and_then(|place| runs.get_mut(place)) {
            *of_watcher = Some(run);
        }
    }
    Ok(runs)
}

/// The token of the question is of the version that the account has now.
#[diesel::dsl::auto_type]
fn signed_in() -> _ {
    users::id.eq(asked::user_id).and(users::token_version.eq(asked::token_version))
}

diesel::table! {
    /// The watchers of one look, of which each asks either for a run or for the latest of a survey.
    asked (place) {
        /// From 1, as they came.
        place -> BigInt,
        user_id -> BigInt,
        token_version -> Integer,
        run -> Nullable<Uuid>,
        survey_id -> Nullable<BigInt>,
    }
}

diesel::allow_tables_to_appear_in_same_query!(asked, users);
diesel::allow_tables_to_appear_in_same_query!(asked, simulations);
diesel::allow_tables_to_appear_in_same_query!(asked, surveys);
diesel::allow_tables_to_appear_in_same_query!(asked, groups);
diesel::allow_tables_to_appear_in_same_query!(asked, group_members);

/// A query that looks at [`asked`], with the rows that this table has in it.
#[derive(QueryId)]
struct Asked<Q> {
    user_ids: Vec<i64>,
    token_versions: Vec<i32>,
    runs: Vec<Option<Uuid>>,
    survey_ids: Vec<Option<i64>>,
    query: Q,
}

impl<Q> Asked<Q> {
    fn by(watchers: &[Watcher], query: Q) -> Self {
        let (runs, survey_ids) = watchers
            .iter()
            .map(|watcher| match watcher.run {
                WatchedRun::ById(id) => (Some(id), None),
                WatchedRun::LatestOf(survey_id) => (None, Some(survey_id)),
            })
            .unzip();
        Self {
            user_ids: watchers.iter().map(|watcher| watcher.user_id).collect(),
            token_versions: watchers.iter().map(|watcher| watcher.token_version).collect(),
            runs,
            survey_ids,
            query,
        }
    }
}

impl<Q: Query> Query for Asked<Q> {
    type SqlType = Q::SqlType;
}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Asked<Q> {
    // Not `= ANY` of arrays, which the planner takes for so many rows that it reads whole tables. And each array behind a
    // SELECT: where the planner can count its elements, it finds a plan for so few better and plans anew at every look.
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH asked AS (SELECT * FROM unnest((SELECT ");
        out.push_bind_param::<Array<BigInt>, _>(&self.user_ids)?;
        out.push_sql("), (SELECT ");
        out.push_bind_param::<Array<Integer>, _>(&self.token_versions)?;
        out.push_sql("), (SELECT ");
        out.push_bind_param::<Array<Nullable<SqlUuid>>, _>(&self.runs)?;
        out.push_sql("), (SELECT ");
        out.push_bind_param::<Array<Nullable<BigInt>>, _>(&self.survey_ids)?;
        out.push_sql(")) WITH ORDINALITY AS asked (user_id, token_version, run, survey_id, place)) ");
        self.query.walk_ast(out.reborrow())
    }
}

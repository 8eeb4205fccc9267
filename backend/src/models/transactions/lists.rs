//! Lists, counts and sums of the ledger.

use std::collections::HashMap;

use chrono::{Days, NaiveDate, NaiveTime};
use diesel::dsl::{count_star, sql};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Transaction;
use crate::models::group_members::Member;
use crate::models::group_members::lists::MemberAccount;
use crate::models::groups::{self, Group, ShownGroup};
use crate::models::search;
use crate::models::simulations::costs::{self, RunCosts};
use crate::models::users::User;
use crate::schema::{group_members, groups as group_rows, simulations, transactions, user_photos, users};

/// A condition on the entries that the caller sees.
pub type VisibleEntries = Box<dyn BoxableExpression<transactions::table, Pg, SqlType = Bool>>;
/// A condition on the members whose entries the caller sees.
pub type VisibleAccounts = Box<dyn BoxableExpression<group_members::table, Pg, SqlType = Bool>>;

/// Filter of entries; `None` is no condition.
#[derive(Clone, Debug, Default)]
pub struct EntryFilter {
    pub group_id: Option<i64>,
    pub user_id: Option<i64>,
    /// The run that the entries pay for, by the table's id.
    pub simulation_id: Option<i64>,
    /// `ADD`, `MINES` or `SET`.
    pub type_: Option<&'static str>,
    /// First day, in UTC.
    pub from: Option<NaiveDate>,
    /// Last day, in UTC.
    pub to: Option<NaiveDate>,
    /// Text in the description, the user's name or e-mail, or the group's name; case is ignored.
    pub q: Option<String>,
}

/// Sort key; ties are ordered by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    #[default]
    Date,
    /// Signed amount as shown: credits used by runs are negative.
    Amount,
    /// Type, then date.
    Type,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntryOrder {
    Asc,
    #[default]
    Desc,
}

/// Users and groups whose names contain a filter's text. They are looked up first, so that indexes find their entries.
#[derive(Debug, Default, QueryableByName)]
struct NameMatches {
    #[diesel(sql_type = Array<BigInt>)]
    people: Vec<i64>,
    #[diesel(sql_type = Array<BigInt>)]
    groups: Vec<i64>,
}

impl NameMatches {
    /// Looks the names up; empty if the filter has no text.
    async fn find(conn: &mut AsyncPgConnection, filter: &EntryFilter) -> QueryResult<Self> {
        const FIND: &str = "
            SELECT
                ARRAY(SELECT id FROM users WHERE email ILIKE $1 OR name ILIKE $1 ORDER BY id) AS people,
                ARRAY(SELECT id FROM groups WHERE group_name ILIKE $1 ORDER BY id) AS groups";
        let Some(q) = &filter.q else { return Ok(Self::default()) };
        diesel::sql_query(FIND).bind::<Text, _>(search::containing(q)).get_result(conn).await
    }
}

#[diesel::declare_sql_function]
extern "SQL" {
    fn lower(text: Text) -> Text;
}

type Entries = transactions::BoxedQuery<'static, Pg>;

fn matching(visible: VisibleEntries, filter: &EntryFilter, names: &NameMatches) -> Entries {
    // The literal keeps the statement from being prepared: a plan made for one member would suit an owner of many
    // badly.
    let mut entries = transactions::table.filter(visible).filter(sql::<Bool>("true")).into_boxed();
    if let Some(group_id) = filter.group_id {
        entries = entries.filter(transactions::group_id.eq(group_id));
    }
    if let Some(user_id) = filter.user_id {
        entries = entries.filter(transactions::user_id.eq(user_id));
    }
    if let Some(simulation_id) = filter.simulation_id {
        // The index by simulation holds entries of this type only.
        entries = entries.filter(transactions::simulation_id.eq(simulation_id)).filter(transactions::type_.eq("MINES"));
    }
    if let Some(type_) = filter.type_ {
        entries = entries.filter(transactions::type_.eq(type_));
    }
    if let Some(from) = filter.from {
        entries = entries.filter(transactions::created_at.ge(from.and_time(NaiveTime::MIN).and_utc()));
    }
    if let Some(day_after) = filter.to.and_then(|to| to.checked_add_days(Days::new(1))) {
        entries = entries.filter(transactions::created_at.lt(day_after.and_time(NaiveTime::MIN).and_utc()));
    }
    if let Some(q) = &filter.q {
        entries = entries.filter(
            transactions::searched
                .like(lower(search::containing(q)))
                .or(transactions::user_id.eq_any(names.people.clone()))
                .or(transactions::group_id.eq_any(names.groups.clone())),
        );
    }
    entries
}

/// The amount with its shown sign.
const SHOWN_AMOUNT: &str = "CASE type WHEN 'MINES' THEN -amount ELSE amount END";

/// Returns the ids of a page's entries, and how many entries match.
pub async fn page(
    conn: &mut AsyncPgConnection,
    (visible, accounts): (impl Fn() -> VisibleEntries, VisibleAccounts),
    filter: &EntryFilter,
    order: (Sort, EntryOrder),
    (limit, offset): (i64, i64),
) -> QueryResult<(Vec<i64>, i64)> {
    let names = NameMatches::find(conn, filter).await?;
    let ids = ordered(matching(visible(), filter, &names), order)
        .limit(limit)
        .offset(offset)
        .select(transactions::id)
        .load(conn)
        .await?;
    Ok((ids, count(conn, (visible(), accounts), filter).await?))
}

/// Returns the ids of all entries that match.
pub async fn ids(
    conn: &mut AsyncPgConnection,
    visible: VisibleEntries,
    filter: &EntryFilter,
    order: (Sort, EntryOrder),
) -> QueryResult<Vec<i64>> {
    let names = NameMatches::find(conn, filter).await?;
    ordered(matching(visible, filter, &names), order).select(transactions::id).load(conn).await
}

fn ordered(entries: Entries, order: (Sort, EntryOrder)) -> Entries {
    use transactions::{created_at, id, type_};

    match order {
        (Sort::Date, EntryOrder::Desc) => entries.order((created_at.desc(), id.desc())),
        (Sort::Date, EntryOrder::Asc) => entries.order((created_at.asc(), id.asc())),
        (Sort::Amount, EntryOrder::Desc) => entries.order((sql::<BigInt>(SHOWN_AMOUNT).desc(), id.desc())),
        (Sort::Amount, EntryOrder::Asc) => entries.order((sql::<BigInt>(SHOWN_AMOUNT).asc(), id.asc())),
        (Sort::Type, EntryOrder::Desc) => entries.order((type_.desc(), created_at.desc(), id.desc())),
        (Sort::Type, EntryOrder::Asc) => entries.order((type_.asc(), created_at.asc(), id.asc())),
    }
}

/// Counts the matching entries. If all entries of members match, it adds up the counters of the members.
pub async fn count(
    conn: &mut AsyncPgConnection,
    (visible, accounts): (VisibleEntries, VisibleAccounts),
    filter: &EntryFilter,
) -> QueryResult<i64> {
    let EntryFilter { group_id, user_id, simulation_id: None, type_: None, from: None, to: None, q: None } = filter
    else {
        let names = NameMatches::find(conn, filter).await?;
        return matching(visible, filter, &names).count().get_result(conn).await;
    };
    let mut members = group_members::table.filter(accounts).into_boxed();
    if let Some(group_id) = group_id {
        members = members.filter(group_members::group_id.eq(*group_id));
    }
    if let Some(user_id) = user_id {
        members = members.filter(group_members::user_id.eq(*user_id));
    }
    members.select(sql::<BigInt>("coalesce(sum(entries), 0)::bigint")).get_result(conn).await
}

/// Sums over entries, in whole credits. A reversal is counted with the type that it reverses.
#[derive(Clone, Copy, Debug, Queryable)]
pub struct Sums {
    pub count: i64,
    /// Sum of entries of type `ADD`.
    pub added: i64,
    /// Credits used by runs.
    pub used: i64,
    /// Net effect of entries of type `SET` on budgets; negative if they lowered them.
    pub set: i64,
}

pub async fn sums(conn: &mut AsyncPgConnection, visible: VisibleEntries, filter: &EntryFilter) -> QueryResult<Sums> {
    let of_type = |column: &str, type_: &str| {
        sql::<BigInt>(&format!("coalesce(sum({column}) FILTER (WHERE type = '{type_}'), 0)::bigint"))
    };
    let names = NameMatches::find(conn, filter).await?;
    matching(visible, filter, &names)
        .select((count_star(), of_type("amount", "ADD"), of_type("amount", "MINES"), of_type("effect", "SET")))
        .get_result(conn)
        .await
}

/// Returns the cost in money of the runs that these entries pay for, by currency; each run counts as a whole.
pub async fn cost(
    conn: &mut AsyncPgConnection,
    visible: VisibleEntries,
    filter: &EntryFilter,
) -> QueryResult<RunCosts> {
    let names = NameMatches::find(conn, filter).await?;
    let priced = simulations::table.filter(sql::<Bool>("parameters ? 'price'"));
    let runs: Vec<Option<i64>> = matching(visible, filter, &names)
        .filter(transactions::type_.eq("MINES"))
        .filter(transactions::simulation_id.eq_any(priced.select(simulations::id.nullable())))
        .select(transactions::simulation_id)
        .load(conn)
        .await?;
    let runs: Vec<i64> = runs.into_iter().flatten().collect();
    costs::of_runs(conn, &runs).await
}

/// An entry with the data shown next to it.
#[derive(Clone, Debug)]
pub struct LedgerEntry {
    pub transaction: Transaction,
    /// The run that it pays for, by the id that the API shows.
    pub simulation_id: Option<Uuid>,
    /// The member's budget after this entry and all before it, in whole credits.
    pub balance: i64,
    pub account: MemberAccount,
    pub group: ShownGroup,
}

#[derive(QueryableByName)]
struct Balance {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = BigInt)]
    balance: i64,
}

/// Returns the balances after these entries. A balance is not stored, because entries of runs grow after later ones
/// were booked: one scan of a member's entries adds up their effects, forward from the beginning or back from the
/// budget, whichever is shorter.
async fn balances(conn: &mut AsyncPgConnection, ids: &[i64]) -> QueryResult<HashMap<i64, i64>> {
    const SUM: &str = "
        WITH page AS (
            SELECT group_id, user_id, min(created_at) AS oldest, max(created_at) AS newest
            FROM transactions WHERE id = ANY ($1) GROUP BY group_id, user_id
        ), accounts AS (
            SELECT group_id, user_id, oldest, newest, budget, newest - first < last - oldest AS is_early
            FROM page JOIN group_members USING (group_id, user_id),
                -- Not min and max: for a member with more entries than most, the planner would read them all.
                LATERAL (SELECT t.created_at AS first FROM transactions t
                         WHERE t.group_id = page.group_id AND t.user_id = page.user_id
                         ORDER BY t.created_at, t.id LIMIT 1) AS earliest,
                LATERAL (SELECT t.created_at AS last FROM transactions t
                         WHERE t.group_id = page.group_id AND t.user_id = page.user_id
                         ORDER BY t.created_at DESC, t.id DESC LIMIT 1) AS latest
        )
        SELECT scanned.id, scanned.balance
        FROM accounts a, LATERAL (
            SELECT t.id, (sum(t.effect) OVER (ORDER BY t.created_at, t.id ROWS UNBOUNDED PRECEDING))::bigint AS balance
            FROM transactions t
            WHERE a.is_early AND t.group_id = a.group_id AND t.user_id = a.user_id AND t.created_at <= a.newest
            UNION ALL
            SELECT t.id, (a.budget + t.effect
                - sum(t.effect) OVER (ORDER BY t.created_at DESC, t.id DESC ROWS UNBOUNDED PRECEDING))::bigint
            FROM transactions t
            WHERE NOT a.is_early AND t.group_id = a.group_id AND t.user_id = a.user_id AND t.created_at >= a.oldest
        ) AS scanned
        WHERE scanned.id = ANY ($1)";
    let rows: Vec<Balance> = diesel::sql_query(SUM).bind::<Array<BigInt>, _>(ids).load(conn).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.balance)).collect())
}

/// Returns the entries with these ids in this order, as `viewer_id` sees them.
pub async fn show(conn: &mut AsyncPgConnection, ids: &[i64], viewer_id: i64) -> QueryResult<Vec<LedgerEntry>> {
    type Row = (Transaction, Option<Uuid>, Member, User, Option<Uuid>, Group);
    let membership =
        transactions::group_id.eq(group_members::group_id).and(transactions::user_id.eq(group_members::user_id));
    let rows: Vec<Row> = transactions::table
        .inner_join(group_members::table.on(membership))
        .inner_join(users::table.on(users::id.eq(transactions::user_id)))
        .inner_join(group_rows::table.on(group_rows::id.eq(transactions::group_id)))
        .left_join(user_photos::table.on(user_photos::user_id.eq(transactions::user_id)))
        .left_join(simulations::table)
        .filter(transactions::id.eq_any(ids))
        .select((
            Transaction::as_select(),
            simulations::simulation_id.nullable(),
            Member::as_select(),
            User::as_select(),
            user_photos::name.nullable(),
            Group::as_select(),
        ))
        .load(conn)
        .await?;
    let groups: HashMap<i64, Group> = rows.iter().map(|(.., group)| (group.id, group.clone())).collect();
    let shown = groups::show(conn, groups.into_values().collect(), viewer_id).await?;
    let shown: HashMap<i64, ShownGroup> = shown.into_iter().map(|shown| (shown.group.id, shown)).collect();
    let balances = balances(conn, ids).await?;
    let mut entries: HashMap<i64, LedgerEntry> = rows
        .into_iter()
        .filter_map(|(transaction, simulation_id, member, user, photo, group)| {
            let (account, group) = (MemberAccount::new(member, user, photo), shown.get(&group.id)?.clone());
            let balance = *balances.get(&transaction.id)?;
            Some((transaction.id, LedgerEntry { transaction, simulation_id, balance, account, group }))
        })
        .collect();
    Ok(ids.iter().filter_map(|id| entries.remove(id)).collect())
}

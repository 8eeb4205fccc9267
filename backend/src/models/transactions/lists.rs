//! The ledger as people read it: filtered, sorted, counted and summed up by the database.

use std::collections::HashMap;
use std::hash::Hash;

use diesel::dsl::{count_star, sql};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Transaction;
use crate::models::group_members::lists::{self as members, Account};
use crate::models::groups::{self, Group, Shown};
use crate::models::search;
use crate::schema::{groups as group_rows, simulations, transactions, users};

/// Which entries somebody sees.
pub type Visible = Box<dyn BoxableExpression<transactions::table, Pg, SqlType = Bool>>;

/// What is asked for; what is `None` is not asked.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub group_id: Option<i64>,
    pub user_id: Option<i64>,
    /// The run that the entries pay for, by the table's id.
    pub simulation_id: Option<i64>,
    /// `ADD`, `MINES` or `SET`.
    pub type_: Option<&'static str>,
    /// Text in the description, the user's name or e-mail, or the group's name, in letters of either case.
    pub q: Option<String>,
}

/// What decides the order; entries that are alike in it are in the order of their ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    #[default]
    Date,
    Amount,
    /// Of one type by date.
    Type,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    Asc,
    #[default]
    Desc,
}

type Entries = transactions::BoxedQuery<'static, Pg>;

fn matching(visible: Visible, filter: &Filter) -> Entries {
    // A literal keeps the statement from being prepared once for all: each is planned for the ids that it names.
    let mut entries = transactions::table.filter(visible).filter(sql::<Bool>("true")).into_boxed();
    if let Some(group_id) = filter.group_id {
        entries = entries.filter(transactions::group_id.eq(group_id));
    }
    if let Some(user_id) = filter.user_id {
        entries = entries.filter(transactions::user_id.eq(user_id));
    }
    if let Some(simulation_id) = filter.simulation_id {
        // Only these speak of runs, and only they are in the index by run.
        entries = entries.filter(transactions::simulation_id.eq(simulation_id)).filter(transactions::type_.eq("MINES"));
    }
    if let Some(type_) = filter.type_ {
        entries = entries.filter(transactions::type_.eq(type_));
    }
    if let Some(q) = &filter.q {
        let text = search::containing(q);
        let people =
            users::table.filter(users::email.ilike(text.clone()).or(users::name.ilike(text.clone()))).select(users::id);
        let named = group_rows::table.filter(group_rows::group_name.ilike(text.clone())).select(group_rows::id);
        entries = entries.filter(
            transactions::description
                .ilike(text)
                .or(transactions::user_id.eq_any(people))
                .or(transactions::group_id.eq_any(named)),
        );
    }
    entries
}

pub async fn page(
    conn: &mut AsyncPgConnection,
    visible: Visible,
    filter: &Filter,
    (sort, order): (Sort, Order),
    limit: i64,
    offset: i64,
) -> QueryResult<Vec<Transaction>> {
    use transactions::{amount, created_at, id, type_};

    let entries = matching(visible, filter);
    let ordered = match (sort, order) {
        (Sort::Date, Order::Desc) => entries.order((created_at.desc(), id.desc())),
        (Sort::Date, Order::Asc) => entries.order((created_at.asc(), id.asc())),
        (Sort::Amount, Order::Desc) => entries.order((amount.desc(), id.desc())),
        (Sort::Amount, Order::Asc) => entries.order((amount.asc(), id.asc())),
        (Sort::Type, Order::Desc) => entries.order((type_.desc(), created_at.desc(), id.desc())),
        (Sort::Type, Order::Asc) => entries.order((type_.asc(), created_at.asc(), id.asc())),
    };
    ordered.limit(limit).offset(offset).select(Transaction::as_select()).load(conn).await
}

/// These entries, in this order.
pub async fn by_ids(conn: &mut AsyncPgConnection, ids: &[i64]) -> QueryResult<Vec<Transaction>> {
    let mut rows: Vec<Transaction> =
        transactions::table.filter(transactions::id.eq_any(ids)).select(Transaction::as_select()).load(conn).await?;
    let places: HashMap<i64, usize> = ids.iter().enumerate().map(|(place, id)| (*id, place)).collect();
    rows.sort_unstable_by_key(|row| places.get(&row.id));
    Ok(rows)
}

pub async fn count(conn: &mut AsyncPgConnection, visible: Visible, filter: &Filter) -> QueryResult<i64> {
    matching(visible, filter).count().get_result(conn).await
}

/// Sums over entries, in whole credits. Reversals count against what they undo.
#[derive(Clone, Copy, Debug, Queryable)]
pub struct Sums {
    pub count: i64,
    /// By entries of type `ADD`.
    pub added: i64,
    /// By runs.
    pub used: i64,
    /// What entries of type `SET` did to budgets: negative where they took.
    pub set: i64,
}

pub async fn sums(conn: &mut AsyncPgConnection, visible: Visible, filter: &Filter) -> QueryResult<Sums> {
    let of_type = |column: &str, type_: &str| {
        sql::<BigInt>(&format!("coalesce(sum({column}) FILTER (WHERE type = '{type_}'), 0)::bigint"))
    };
    matching(visible, filter)
        .select((count_star(), of_type("amount", "ADD"), of_type("amount", "MINES"), of_type("effect", "SET")))
        .get_result(conn)
        .await
}

/// An entry with what is shown beside it.
#[derive(Clone, Debug)]
pub struct Entry {
    pub transaction: Transaction,
    /// The run that it pays for, by the id that the API shows.
    pub simulation_id: Option<Uuid>,
    pub account: Option<Account>,
    pub group: Option<Shown>,
}

/// The entries in their order, as `viewer_id` is shown them.
pub async fn show(
    conn: &mut AsyncPgConnection,
    transactions: Vec<Transaction>,
    viewer_id: i64,
) -> QueryResult<Vec<Entry>> {
    let mut pairs: Vec<(i64, i64)> = transactions.iter().map(|entry| (entry.group_id, entry.user_id)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let accounts = members::of_pairs(conn, &pairs).await?;
    let accounts = members::accounts(conn, accounts).await?;
    let group_ids: Vec<i64> = pairs.iter().map(|(group_id, _)| *group_id).collect();
    let found: Vec<Group> =
        group_rows::table.filter(group_rows::id.eq_any(group_ids)).select(Group::as_select()).load(conn).await?;
    let shown = groups::show(conn, found, viewer_id).await?;
    let runs: Vec<i64> = transactions.iter().filter_map(|entry| entry.simulation_id).collect();
    let runs: Vec<(i64, Uuid)> = simulations::table
        .filter(simulations::id.eq_any(runs))
        .select((simulations::id, simulations::simulation_id))
        .load(conn)
        .await?;
    let (accounts, shown, runs) = (
        by(accounts, |account| (account.member.group_id, account.member.user_id)),
        by(shown, |shown| shown.group.id),
        by(runs, |run| run.0),
    );
    let entries = transactions.into_iter().map(|transaction| Entry {
        simulation_id: transaction.simulation_id.and_then(|id| runs.get(&id)).map(|run| run.1),
        account: accounts.get(&(transaction.group_id, transaction.user_id)).cloned(),
        group: shown.get(&transaction.group_id).cloned(),
        transaction,
    });
    Ok(entries.collect())
}

fn by<K: Hash + Eq, T>(rows: Vec<T>, key: impl Fn(&T) -> K) -> HashMap<K, T> {
    rows.into_iter().map(|row| (key(&row), row)).collect()
}

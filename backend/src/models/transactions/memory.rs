//! What was found in the ledger, remembered as long as it holds.
//!
//! Nothing is taken from the ledger, and its entries keep what filters look at. So the same entries fit a filter as long
//! as there are as many of them in all, and the filter's text is found in the names of the same people and groups.
//!
//! An order by amount holds as long as no run's entry grows. While there are as many entries, nothing else changes a
//! budget: every grant and reversal is an entry. What a run's entry grows by leaves its member's budget in the same
//! transaction (`models/settlement`). So the sum of the budgets goes down with every growth and never comes back.

use std::fmt::Debug;
use std::sync::Arc;

use diesel::dsl::sql;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::lists::{self, Filter, Named, Order, Sort, Visible};
use crate::known::Known;
use crate::schema::group_members;

/// Rows of `group_members`.
pub type Accounts = Box<dyn BoxableExpression<group_members::table, Pg, SqlType = Bool>>;

/// The entries that somebody sees. Who is written alike sees the same.
pub trait Seen: Debug {
    fn entries(&self) -> Visible;
    /// The members whose entries these are.
    fn accounts(&self) -> Accounts;
}

/// Answers by question.
#[derive(Default)]
pub struct Memory {
    counts: Known<State, i64>,
    /// The ids of a page's entries.
    pages: Known<State, Arc<[i64]>>,
}

/// What answers depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    /// Of the accounts.
    entries: i64,
    /// Of the accounts, summed up; only of what depends on amounts.
    budgets: Option<i64>,
    named: Option<Named>,
}

impl Memory {
    /// How many entries there are.
    pub async fn count(&self, conn: &mut AsyncPgConnection, seen: &impl Seen, filter: &Filter) -> QueryResult<i64> {
        let state = State::now(conn, seen, filter).await?.whatever_the_amounts();
        self.count_in(&state, conn, seen, filter).await
    }

    /// The ids of a page's entries, and how many entries there are.
    pub async fn page(
        &self,
        conn: &mut AsyncPgConnection,
        seen: &impl Seen,
        filter: &Filter,
        order: (Sort, Order),
        (limit, offset): (i64, i64),
    ) -> QueryResult<(Arc<[i64]>, i64)> {
        let now = State::now(conn, seen, filter).await?;
        let entries = now.whatever_the_amounts();
        let total = self.count_in(&entries, conn, seen, filter).await?;
        if offset >= total {
            return Ok((Arc::default(), total));
        }
        let state = if order.0 == Sort::Amount { now } else { entries };
        let question = format!("{seen:?} {filter:?} {order:?} {limit} {offset}");
        if let Some(ids) = self.pages.get(&question, &state) {
            return Ok((ids, total));
        }
        let looked_for = (filter, state.named.as_ref());
        let ids: Arc<[i64]> = lists::page(conn, seen.entries(), looked_for, order, limit, offset).await?.into();
        self.pages.put(question, state, ids.clone());
        Ok((ids, total))
    }

    async fn count_in(
        &self,
        state: &State,
        conn: &mut AsyncPgConnection,
        seen: &impl Seen,
        filter: &Filter,
    ) -> QueryResult<i64> {
        let question = format!("{seen:?} {filter:?}");
        if let Some(count) = self.counts.get(&question, state) {
            return Ok(count);
        }
        let count = lists::count(conn, seen.entries(), (filter, state.named.as_ref())).await?;
        self.counts.put(question, state.clone(), count);
        Ok(count)
    }
}

impl State {
    /// Asked before anything is looked for: an entry that comes in between is found, and looked for again next time.
    async fn now(conn: &mut AsyncPgConnection, seen: &impl Seen, filter: &Filter) -> QueryResult<Self> {
        let sum = |column: &str| sql::<BigInt>(&format!("coalesce(sum({column}), 0)::bigint"));
        let (entries, budgets) = group_members::table
            .filter(seen.accounts())
            .select((sum("entries"), sum("budget")))
            .get_result(conn)
            .await?;
        let named = Named::find(conn, filter).await?;
        Ok(Self { entries, budgets: Some(budgets), named })
    }

    /// What counts, and orders by anything else, depend on.
    fn whatever_the_amounts(&self) -> Self {
        Self { budgets: None, ..self.clone() }
    }
}

//! The ledger. Entries are never deleted, and the sum of their effects on a member is the member's budget.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::models::mail_triggers;
use crate::schema::{group_members, transactions};

pub mod ceilings;
pub mod lists;
mod refusal;
pub mod reversal;

pub use self::refusal::{GrantError, MAX_CREDITS};

/// One entry of the ledger.
#[derive(Clone, Debug, Queryable, QueryableByName, Selectable, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TransactionRow)]
#[diesel(table_name = transactions, check_for_backend(diesel::pg::Pg))]
pub struct Transaction {
    #[schema(example = 31)]
    pub id: i64,
    #[schema(example = 4)]
    pub group_id: i64,
    #[schema(example = 7)]
    pub user_id: i64,
    /// `ADD` (funds were added), `MINES` (a run used them) or `SET` (the budget was set).
    #[serde(rename = "type")]
    #[schema(example = "ADD")]
    pub type_: String,
    /// Whole credits in digits. The amount of a run's entry grows with its answers; that of a reversal is negative.
    #[serde(serialize_with = "in_digits")]
    #[schema(value_type = String, example = "250")]
    pub amount: i64,
    /// The change of the member's budget by the entry, in whole credits.
    #[schema(example = 250)]
    pub effect: i64,
    #[schema(example = "Funds added")]
    pub description: String,
    /// The row of the run that the entry pays for.
    #[serde(skip)]
    pub simulation_id: Option<i64>,
    /// The pass of the run: retries pay by entries of their own.
    #[schema(example = 1)]
    pub attempt: Option<i32>,
    /// The entry that this one undoes, if it does.
    pub reverses: Option<i64>,
    /// When another entry undid this one, if one did.
    pub reversed_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

fn in_digits<S: Serializer>(credits: &i64, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(credits)
}

/// Change of a member's budget by the group's owner, in whole credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Add to the budget.
    Add(i64),
    /// Replace the budget.
    Set(i64),
}

impl Amount {
    fn parts(self) -> (&'static str, i64) {
        match self {
            Self::Add(credits) => ("ADD", credits),
            Self::Set(credits) => ("SET", credits),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct BudgetGrant<'a> {
    pub group_id: i64,
    pub user_id: i64,
    pub amount: Amount,
    pub description: &'a str,
    /// User who grants.
    pub created_by: i64,
}

/// Changes the budget, the ledger and the audit log in one statement. The row lock comes first, so that the effect is
/// the difference to the latest budget.
const GRANT: &str = "
    WITH before AS (
        SELECT budget FROM group_members
        WHERE group_id = $1 AND user_id = $2 AND removed_at IS NULL
        FOR UPDATE
    ), granted AS (
        UPDATE group_members m
        SET budget = CASE $3 WHEN 'ADD' THEN m.budget + $4 ELSE $4 END, updated_at = now()
        FROM before
        WHERE m.group_id = $1 AND m.user_id = $2
            AND CASE $3 WHEN 'ADD' THEN m.budget + $4 ELSE $4 END BETWEEN m.held AND $5
        RETURNING m.budget - before.budget AS effect
    ), audited AS (
        INSERT INTO audit_log (actor_id, action, subject, detail)
        SELECT $7, 'grant', format('group %s, user %s', $1, $2),
            jsonb_build_object('type', $3, 'amount', $4, 'effect', effect)
        FROM granted
    )
    INSERT INTO transactions (group_id, user_id, type, amount, effect, description, created_by)
    SELECT $1, $2, $3, $4, effect, $6, $7 FROM granted
    RETURNING *, type AS type_";

impl BudgetGrant<'_> {
    /// Books the grant if the ceilings that super administrators have set allow it.
    pub async fn book(self, connection: &mut AsyncPgConnection) -> Result<Transaction, GrantError> {
        self.book_within(connection, None).await
    }

    /// Books like [`book`](Self::book), with the ceiling of an owner without one.
    pub async fn book_within(
        self,
        connection: &mut AsyncPgConnection,
        owner_default: Option<i64>,
    ) -> Result<Transaction, GrantError> {
        if self.amount == Amount::Set(0) {
            return self.enter(connection).await;
        }
        let grant = connection.transaction(async |conn| {
            ceilings::lock_owners(conn, &[self.group_id]).await?;
            let entry = self.enter(conn).await?;
            if entry.effect > 0 {
                ceilings::check(conn, self.group_id, entry.effect, owner_default).await?;
            }
            Ok(entry)
        });
        grant.await
    }

    async fn enter(self, connection: &mut AsyncPgConnection) -> Result<Transaction, GrantError> {
        let (kind, credits) = self.amount.parts();
        if !(0..=MAX_CREDITS).contains(&credits) {
            return Err(GrantError::Amount);
        }
        let booked = diesel::sql_query(GRANT)
            .bind::<BigInt, _>(self.group_id)
            .bind::<BigInt, _>(self.user_id)
            .bind::<Text, _>(kind)
            .bind::<BigInt, _>(credits)
            .bind::<BigInt, _>(MAX_CREDITS)
            .bind::<Text, _>(self.description)
            .bind::<BigInt, _>(self.created_by)
            .get_result(connection)
            .await
            .optional()?;
        match booked {
            Some(transaction) => Ok(transaction),
            None => Err(self.refusal(connection).await?),
        }
    }

    /// Books like [`book_within`](Self::book_within), and queues a mail to the member if their budget becomes low.
    pub async fn book_by_hand(
        self,
        connection: &mut AsyncPgConnection,
        owner_default: i64,
    ) -> Result<Transaction, GrantError> {
        let booked = self.book_within(connection, Some(owner_default)).await?;
        mail_if_low(connection, &booked).await?;
        Ok(booked)
    }

    async fn refusal(self, connection: &mut AsyncPgConnection) -> QueryResult<GrantError> {
        let held: Option<i64> = group_members::table
            .find((self.group_id, self.user_id))
            .filter(group_members::removed_at.is_null())
            .select(group_members::held)
            .first(connection)
            .await
            .optional()?;
        Ok(match (held, self.amount) {
            (None, _) => GrantError::NotAMember,
            (Some(_), Amount::Add(_)) => GrantError::TooMuch,
            (Some(held), Amount::Set(_)) => GrantError::BelowHeld { held },
        })
    }
}

async fn mail_if_low(conn: &mut AsyncPgConnection, entry: &Transaction) -> QueryResult<()> {
    diesel::sql_query(mail_triggers::BUDGET_LOWERED).bind::<BigInt, _>(entry.id).execute(conn).await?;
    Ok(())
}

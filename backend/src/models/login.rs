//! Sign-in codes: rate-limited, valid once, for ten minutes and five tries.
//!
//! The code itself is made when its mail is sent (`mail::delivery`), so that no row ever holds it.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Binary, Bool, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use crate::email::Email;
use crate::models::mails;
use crate::models::predicates::may_sign_in;
use crate::models::users::User;
use crate::schema::{login_codes, users};

/// Whether a request is within the rate limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateCheck {
    Passed,
    /// Retry after this many seconds.
    Exceeded {
        wait_s: u64,
    },
}

#[derive(QueryableByName)]
struct LimitCheck {
    #[diesel(sql_type = Bool)]
    passed: bool,
    #[diesel(sql_type = BigInt)]
    wait_s: i64,
}

/// Five requests for each e-mail and thirty for each address in 15 minutes. Uses `statement_timestamp()`: `now()` is
/// the transaction's start and may be earlier than a request that this one has waited for.
const COUNT_REQUEST: &str = "
    WITH recent AS (
        SELECT email = $1 AS of_email, address = $2 AS of_address, created_at FROM login_requests
        WHERE (email = $1 OR address = $2) AND created_at > statement_timestamp() - interval '15 minutes'
    ), limits AS (
        SELECT count(*) FILTER (WHERE of_email) < 5 AND count(*) FILTER (WHERE of_address) < 30 AS within,
            CASE WHEN count(*) FILTER (WHERE of_email) < 5 THEN min(created_at) FILTER (WHERE of_address)
                ELSE min(created_at) FILTER (WHERE of_email) END AS oldest
        FROM recent
    ), counted AS (
        INSERT INTO login_requests (email, address) SELECT $1, $2 FROM limits WHERE within RETURNING email
    )
    SELECT EXISTS (SELECT FROM counted) AS passed,
        coalesce(ceil(extract(epoch FROM oldest + interval '15 minutes' - statement_timestamp())), 0)::bigint AS wait_s
    FROM limits";

/// Counts the request and queues the mail if the e-mail belongs to someone who may sign in. Work and result are the same
/// for an unknown e-mail.
pub async fn request_code(conn: &mut AsyncPgConnection, email: &Email, address: &str) -> QueryResult<RateCheck> {
    conn.transaction(async |conn| {
        let rate = check_rate(conn, email.as_str(), address).await?;
        if rate == RateCheck::Passed {
            mails::enqueue_sign_in(conn, email).await?;
        }
        Ok(rate)
    })
    .await
}

/// Counts a request of the e-mail and the address if both are within the limits. Call it in a transaction: its locks
/// make parallel requests wait, so that each is counted.
pub async fn check_rate(conn: &mut AsyncPgConnection, email: &str, address: &str) -> QueryResult<RateCheck> {
    sql_query("SELECT pg_advisory_xact_lock(1, hashtext($1)), pg_advisory_xact_lock(2, hashtext($2))")
        .bind::<Text, _>(email)
        .bind::<Text, _>(address)
        .execute(conn)
        .await?;
    let LimitCheck { passed, wait_s } =
        sql_query(COUNT_REQUEST).bind::<Text, _>(email).bind::<Text, _>(address).get_result(conn).await?;
    Ok(if passed { RateCheck::Passed } else { RateCheck::Exceeded { wait_s: wait_s.max(1).unsigned_abs() } })
}

/// Stores the hash of a new code, valid for ten minutes. The previous code becomes invalid.
pub async fn store_code(conn: &mut AsyncPgConnection, user_id: i64, code_hash: &[u8]) -> QueryResult<()> {
    sql_query(
        "INSERT INTO login_codes (user_id, code_hash, expires_at) VALUES ($1, $2, now() + interval '10 minutes')
         ON CONFLICT (user_id) DO UPDATE
         SET code_hash = excluded.code_hash, tries = 0, expires_at = excluded.expires_at, created_at = now()",
    )
    .bind::<BigInt, _>(user_id)
    .bind::<Binary, _>(code_hash)
    .execute(conn)
    .await?;
    Ok(())
}

/// Uses up one of the five tries and returns the user and the hash of the code. `None`: no tries left, or no code.
pub async fn try_code(conn: &mut AsyncPgConnection, email: &Email) -> QueryResult<Option<(i64, Vec<u8>)>> {
    let user: Option<i64> = users::table
        .filter(users::email.eq(email.as_str()))
        .filter(may_sign_in())
        .select(users::id)
        .first(conn)
        .await
        .optional()?;
    // Runs for an unknown e-mail too, so that it takes as long.
    diesel::update(login_codes::table.find(user.unwrap_or_default()))
        .filter(login_codes::tries.lt(5))
        .filter(login_codes::expires_at.gt(diesel::dsl::now))
        .set(login_codes::tries.eq(login_codes::tries + 1))
        .returning((login_codes::user_id, login_codes::code_hash))
        .get_result(conn)
        .await
        .optional()
}

/// Deletes the code and marks the e-mail as verified. `None`: another call has used the code.
pub async fn redeem(conn: &mut AsyncPgConnection, user_id: i64, code_hash: &[u8]) -> QueryResult<Option<User>> {
    conn.transaction(async |conn| {
        let used = diesel::delete(login_codes::table.find(user_id).filter(login_codes::code_hash.eq(code_hash)));
        if used.execute(conn).await? == 0 {
            return Ok(None);
        }
        diesel::update(users::table.find(user_id))
            .set(users::is_verified.eq(true))
            .returning(User::as_returning())
            .get_result(conn)
            .await
            .optional()
    })
    .await
}

//! Sign-in codes and their limits. A code is valid once, for ten minutes and five tries. The last three codes of a user
//! are valid.
//!
//! Requests and tries are counted by e-mail and address together, so that a stranger who requests or guesses codes for
//! an e-mail uses up only their own allowance.
//!
//! In addition, an e-mail has [`MAX_FAILED_CODES`] failed tries in 24 hours over all addresses. After that no code is
//! compared, and the owner gets one mail a day about it.
//!
//! The mail also holds a link with a key that cannot be guessed. It is valid as long as the code, whatever was tried:
//! guessing from many addresses can void the codes but not the link, so nobody is locked out.
//!
//! The code is made when its mail is sent (`mail::outbox`), so that no row holds it.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

use crate::email::Email;
use crate::models::predicates::may_sign_in;
use crate::models::users::User;
use crate::models::{group_members, mails};
use crate::schema::{login_codes, login_tries, users};

/// Limit of requests for one e-mail from one address in 15 minutes.
pub const MAX_REQUESTS_PER_EMAIL: u32 = 5;
/// Limit of codes mailed to one user in ten minutes, from all addresses. Three of them are still valid when no further
/// one is mailed.
const MAX_MAILS: i64 = 15;

/// Whether a request is within the rate limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateCheck {
    /// The request passed: `remaining` more are allowed for this e-mail from this address; after `reset_s` seconds one
    /// more.
    Passed { remaining: u32, reset_s: u64 },
    /// The request exceeds `limit`; retry after `wait_s` seconds.
    Exceeded { limit: u32, wait_s: u64 },
}

#[derive(QueryableByName)]
struct RequestCount {
    /// The limit that refuses the request.
    #[diesel(sql_type = Nullable<BigInt>)]
    exceeded: Option<i64>,
    /// Earlier requests for the e-mail from the address.
    #[diesel(sql_type = BigInt)]
    requests: i64,
    /// Earlier requests for the e-mail in ten minutes.
    #[diesel(sql_type = BigInt)]
    mails: i64,
    #[diesel(sql_type = BigInt)]
    wait_s: i64,
}

/// Counts a request within these limits in 15 minutes: five for an e-mail from an address, 30 from an address for
/// unknown e-mails, 300 from an address in all. Uses `statement_timestamp()` because `now()`, the transaction's start,
/// may be earlier than a request that this one has waited for.
const COUNT_REQUEST: &str = "
    WITH recent AS (
        SELECT email = $1 AS of_email, address = $2 AS of_address, known, created_at FROM login_requests
        WHERE (email = $1 OR address = $2) AND created_at > statement_timestamp() - interval '15 minutes'
    ), counts AS (
        SELECT count(*) FILTER (WHERE of_email AND of_address) AS of_both,
            count(*) FILTER (WHERE of_address AND NOT known) AS of_unknown,
            count(*) FILTER (WHERE of_address) AS of_address,
            count(*) FILTER (WHERE of_email AND created_at > statement_timestamp() - interval '10 minutes') AS mails,
            min(created_at) FILTER (WHERE of_email AND of_address) AS first_of_both,
            min(created_at) FILTER (WHERE of_address AND NOT known) AS first_of_unknown,
            min(created_at) FILTER (WHERE of_address) AS first_of_address
        FROM recent
    ), limits AS (
        SELECT *, CASE WHEN of_both >= 5 THEN 5 WHEN of_unknown >= 30 AND NOT $3 THEN 30 WHEN of_address >= 300 THEN 300
            END AS exceeded
        FROM counts
    ), counted AS (
        INSERT INTO login_requests (email, address, known, created_at)
        SELECT $1, $2, $3, statement_timestamp() FROM limits WHERE exceeded IS NULL
    )
    SELECT exceeded::bigint, of_both AS requests, mails, coalesce(ceil(extract(epoch FROM interval '15 minutes'
        + CASE exceeded WHEN 30 THEN first_of_unknown WHEN 300 THEN first_of_address ELSE first_of_both END
        - statement_timestamp())), 900)::bigint AS wait_s
    FROM limits";

/// Counts the request and queues the mail if the e-mail belongs to someone who may sign in. Does the same work and
/// returns the same result for an unknown e-mail.
pub async fn request_code(conn: &mut AsyncPgConnection, email: &Email, address: &str) -> QueryResult<RateCheck> {
    conn.transaction(async |conn| {
        let is_known = find_user(conn, email).await?.is_some();
        let counted = count_request(conn, email.as_str(), address, is_known).await?;
        let rate = RateCheck::from(&counted);
        if matches!(rate, RateCheck::Passed { .. }) && counted.mails < MAX_MAILS {
            mails::enqueue_sign_in(conn, email).await?;
        }
        Ok(rate)
    })
    .await
}

/// Counts a request for an unknown e-mail if both limits allow it. Call it in a transaction: its locks make parallel
/// requests wait, so that each is counted.
pub async fn check_rate(conn: &mut AsyncPgConnection, email: &str, address: &str) -> QueryResult<RateCheck> {
    Ok(RateCheck::from(&count_request(conn, email, address, false).await?))
}

async fn count_request(
    conn: &mut AsyncPgConnection,
    email: &str,
    address: &str,
    is_known: bool,
) -> QueryResult<RequestCount> {
    sql_query("SELECT pg_advisory_xact_lock(1, hashtext($1)), pg_advisory_xact_lock(2, hashtext($2))")
        .bind::<Text, _>(email)
        .bind::<Text, _>(address)
        .execute(conn)
        .await?;
    sql_query(COUNT_REQUEST)
        .bind::<Text, _>(email)
        .bind::<Text, _>(address)
        .bind::<Bool, _>(is_known)
        .get_result(conn)
        .await
}

impl From<&RequestCount> for RateCheck {
    fn from(counted: &RequestCount) -> Self {
        let wait_s = counted.wait_s.max(1).unsigned_abs();
        let small = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
        match counted.exceeded {
            Some(limit) => Self::Exceeded { limit: small(limit), wait_s },
            None => Self::Passed {
                remaining: MAX_REQUESTS_PER_EMAIL.saturating_sub(small(counted.requests) + 1),
                reset_s: wait_s,
            },
        }
    }
}

async fn find_user(conn: &mut AsyncPgConnection, email: &Email) -> QueryResult<Option<i64>> {
    users::table
        .filter(users::email.eq(email.as_str()))
        .filter(may_sign_in())
        .select(users::id)
        .first(conn)
        .await
        .optional()
}

/// Stores the hash of a new code, valid for ten minutes, and returns the code's id.
pub async fn store_code(conn: &mut AsyncPgConnection, user_id: i64, code_hash: &[u8]) -> QueryResult<i64> {
    let stored: StoredCode = sql_query(
        "INSERT INTO login_codes (user_id, code_hash, expires_at, created_at)
         VALUES ($1, $2, statement_timestamp() + interval '10 minutes', statement_timestamp())
         RETURNING id, user_id, code_hash",
    )
    .bind::<BigInt, _>(user_id)
    .bind::<Binary, _>(code_hash)
    .get_result(conn)
    .await?;
    Ok(stored.id)
}

/// A valid code of a user.
#[derive(Clone, Debug, Default, QueryableByName)]
pub struct StoredCode {
    #[diesel(sql_type = BigInt)]
    pub id: i64,
    #[diesel(sql_type = BigInt)]
    pub user_id: i64,
    #[diesel(sql_type = Binary)]
    pub code_hash: Vec<u8>,
}

/// The result of counting a try.
#[derive(Clone, Debug)]
pub enum Try {
    /// The user's codes that this address may still try.
    Codes { codes: Vec<StoredCode>, counted: CountedTry },
    /// [`MAX_FAILED_CODES`] tries at the e-mail's codes have failed, so nothing was compared. Codes are compared again
    /// after `wait_s` seconds.
    EmailBlocked { wait_s: u64 },
    /// The address has tried too often; retry after `wait_s` seconds.
    Exceeded { limit: u32, wait_s: u64 },
}

/// A try that counts as failed until its code matches.
#[derive(Clone, Copy, Debug)]
pub struct CountedTry {
    id: i64,
    /// Whether the try is the last that the e-mail has.
    is_last: bool,
}

#[derive(QueryableByName)]
struct TryCount {
    /// `None`: the try was not counted because the address has tried too often.
    #[diesel(sql_type = Nullable<BigInt>)]
    id: Option<i64>,
    /// Failed tries of the e-mail before this one.
    #[diesel(sql_type = BigInt)]
    failed: i64,
    /// Seconds until the address may try again.
    #[diesel(sql_type = BigInt)]
    address_wait_s: i64,
    /// Seconds until the e-mail has a try again.
    #[diesel(sql_type = BigInt)]
    email_wait_s: i64,
}

/// Limit of tries from one address in 15 minutes, for all e-mails.
pub const MAX_TRIES_PER_ADDRESS: u32 = 600;
/// Limit of failed tries for one e-mail in 24 hours, over all addresses and codes.
pub const MAX_FAILED_CODES: u32 = 100;

/// Counts a try for the e-mail `$1` from the address `$2`. It counts as failed unless the e-mail is blocked.
const COUNT_TRY: &str = "
    WITH of_address AS (
        SELECT count(*) AS before, min(created_at) AS first FROM login_tries
        WHERE address = $2 AND created_at > statement_timestamp() - interval '15 minutes'
    ), of_email AS (
        SELECT count(*) AS failed, min(created_at) AS first FROM login_tries
        WHERE email = $1 AND failed AND created_at > statement_timestamp() - interval '24 hours'
    ), counted AS (
        INSERT INTO login_tries (email, address, created_at, failed)
        SELECT $1, $2, statement_timestamp(), of_email.failed < $4 FROM of_address, of_email WHERE before < $3
        RETURNING id
    )
    SELECT (SELECT id FROM counted) AS id, failed,
        coalesce(ceil(extract(epoch FROM of_address.first + interval '15 minutes' - statement_timestamp())), 0)::bigint
            AS address_wait_s,
        coalesce(ceil(extract(epoch FROM of_email.first + interval '24 hours' - statement_timestamp())), 0)::bigint
            AS email_wait_s
    FROM of_address, of_email";

/// Selects a user's valid codes. A try counts for every code that existed at the time. Five tries from an address void
/// a code for that address; fifty over all addresses void it.
const VALID_CODES: &str = "
    SELECT id, user_id, code_hash
    FROM (SELECT * FROM login_codes WHERE user_id = $1 ORDER BY id DESC LIMIT 3) AS code
    WHERE expires_at > statement_timestamp()
        AND (SELECT count(*) FROM login_tries AS try
            WHERE try.email = $2 AND try.address = $3 AND try.created_at > code.created_at) <= 5
        AND (SELECT count(*) FROM login_tries AS try
            WHERE try.email = $2 AND try.created_at > code.created_at) <= 50
    ORDER BY id DESC";

/// Counts a try and returns the codes that it may match. Takes as long for an unknown e-mail.
pub async fn try_code(conn: &mut AsyncPgConnection, email: &Email, address: &str) -> QueryResult<Try> {
    conn.transaction(async |conn| {
        let user = find_user(conn, email).await?;
        sql_query("SELECT pg_advisory_xact_lock(3, hashtext($1)), pg_advisory_xact_lock(5, hashtext($2))")
            .bind::<Text, _>(email.as_str())
            .bind::<Text, _>(address)
            .execute(conn)
            .await?;
        let TryCount { id, failed, address_wait_s, email_wait_s } = sql_query(COUNT_TRY)
            .bind::<Text, _>(email.as_str())
            .bind::<Text, _>(address)
            .bind::<BigInt, _>(i64::from(MAX_TRIES_PER_ADDRESS))
            .bind::<BigInt, _>(i64::from(MAX_FAILED_CODES))
            .get_result(conn)
            .await?;
        let Some(id) = id else {
            return Ok(Try::Exceeded { limit: MAX_TRIES_PER_ADDRESS, wait_s: address_wait_s.max(1).unsigned_abs() });
        };
        if failed >= i64::from(MAX_FAILED_CODES) {
            mails::enqueue_codes_blocked(conn, email, MAX_FAILED_CODES).await?;
            return Ok(Try::EmailBlocked { wait_s: email_wait_s.max(1).unsigned_abs() });
        }
        let counted = CountedTry { id, is_last: failed + 1 == i64::from(MAX_FAILED_CODES) };
        let codes = sql_query(VALID_CODES)
            .bind::<BigInt, _>(user.unwrap_or_default())
            .bind::<Text, _>(email.as_str())
            .bind::<Text, _>(address)
            .load(conn)
            .await?;
        Ok(Try::Codes { codes, counted })
    })
    .await
}

/// Queues the mail to the e-mail's owner if the failed try was the last allowed one, and returns whether it was.
pub async fn note_failed(conn: &mut AsyncPgConnection, email: &Email, counted: CountedTry) -> QueryResult<bool> {
    if counted.is_last {
        mails::enqueue_codes_blocked(conn, email, MAX_FAILED_CODES).await?;
    }
    Ok(counted.is_last)
}

/// Marks a counted try as matched, so that it is not counted as failed.
pub async fn note_matched(conn: &mut AsyncPgConnection, counted: CountedTry) -> QueryResult<()> {
    diesel::update(login_tries::table.find(counted.id)).set(login_tries::failed.eq(false)).execute(conn).await.map(drop)
}

/// Returns the codes of the e-mail whose links are valid: the last three that have not expired.
pub async fn codes_with_links(conn: &mut AsyncPgConnection, email: &Email) -> QueryResult<Vec<StoredCode>> {
    let user = find_user(conn, email).await?;
    sql_query(
        "SELECT id, user_id, code_hash
         FROM (SELECT * FROM login_codes WHERE user_id = $1 ORDER BY id DESC LIMIT 3) AS code
         WHERE expires_at > statement_timestamp()",
    )
    .bind::<BigInt, _>(user.unwrap_or_default())
    .load(conn)
    .await
}

/// Deletes the user's codes and marks the e-mail as verified. `None`: another call has used the code.
pub async fn redeem(conn: &mut AsyncPgConnection, code: &StoredCode) -> QueryResult<Option<User>> {
    conn.transaction(async |conn| {
        if diesel::delete(login_codes::table.find(code.id)).execute(conn).await? == 0 {
            return Ok(None);
        }
        let others = login_codes::table.filter(login_codes::user_id.eq(code.user_id));
        diesel::delete(others).execute(conn).await?;
        group_members::accept(conn, code.user_id).await?;
        diesel::update(users::table.find(code.user_id))
            .set(users::is_verified.eq(true))
            .returning(User::as_returning())
            .get_result(conn)
            .await
            .optional()
    })
    .await
}

//! Personal access tokens of users.

use chrono::{DateTime, Utc};
use diesel::dsl;
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::schema::{access_tokens, users};

/// Upper limit of tokens for each user.
pub const MAX_TOKENS: i64 = 50;

/// The calls that a token allows. Each scope includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Reading: every `GET`.
    Read,
    /// Changing surveys, starting and controlling simulations, freezing and publishing plans, and making read-only
    /// links to results.
    Run,
    /// Everything: also members, budgets, the profile and tokens.
    Manage,
}

impl Scope {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Run => "run",
            Self::Manage => "manage",
        }
    }

    /// `None`: this version does not know the scope.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Read, Self::Run, Self::Manage].into_iter().find(|scope| scope.as_str() == name)
    }
}

/// A personal access token, without the token itself.
#[derive(Clone, Debug, Queryable, Selectable, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[diesel(table_name = access_tokens, check_for_backend(diesel::pg::Pg))]
pub struct AccessToken {
    #[schema(example = 3)]
    pub id: i64,
    #[serde(skip)]
    pub user_id: i64,
    #[schema(example = "My notebook")]
    pub name: String,
    /// The token's first characters.
    #[schema(example = "twl_Xb3kQ9pL")]
    pub prefix: String,
    /// Names of [`Scope`]s, at least one.
    #[schema(value_type = Vec<Scope>)]
    pub scopes: Vec<String>,
    /// When it expires; null: never.
    pub expires_at: Option<DateTime<Utc>>,
    /// The last use, to a minute; null until it is used.
    pub last_used_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = access_tokens)]
pub struct NewAccessToken<'a> {
    pub user_id: i64,
    pub name: &'a str,
    pub prefix: &'a str,
    pub token_hash: Vec<u8>,
    pub scopes: Vec<&'a str>,
    pub expires_at: Option<DateTime<Utc>>,
}

impl NewAccessToken<'_> {
    /// Stores the token. `None`: the user has [`MAX_TOKENS`].
    pub async fn create(self, conn: &mut AsyncPgConnection) -> QueryResult<Option<AccessToken>> {
        conn.transaction(async |conn| {
            // The lock makes parallel calls wait, so that each is counted.
            let _: i64 = users::table.find(self.user_id).select(users::id).for_no_key_update().first(conn).await?;
            let has: i64 =
                access_tokens::table.filter(access_tokens::user_id.eq(self.user_id)).count().get_result(conn).await?;
            if has >= MAX_TOKENS {
                return Ok(None);
            }
            let created = diesel::insert_into(access_tokens::table).values(self);
            created.returning(AccessToken::as_returning()).get_result(conn).await.map(Some)
        })
        .await
    }
}

/// Returns the user's tokens, newest first, and how many there are.
pub async fn list(
    conn: &mut AsyncPgConnection,
    user_id: i64,
    limit: i64,
    offset: i64,
) -> QueryResult<(Vec<AccessToken>, i64)> {
    let theirs = || access_tokens::table.filter(access_tokens::user_id.eq(user_id));
    let rows = theirs()
        .order(access_tokens::id.desc())
        .limit(limit)
        .offset(offset)
        .select(AccessToken::as_select())
        .load(conn)
        .await?;
    Ok((rows, theirs().count().get_result(conn).await?))
}

/// Deletes a token, which is void at once. `false`: the user has no such token.
pub async fn revoke(conn: &mut AsyncPgConnection, user_id: i64, id: i64) -> QueryResult<bool> {
    let token = access_tokens::table.find(id).filter(access_tokens::user_id.eq(user_id));
    Ok(diesel::delete(token).execute(conn).await? == 1)
}

fn is_valid() -> SqlLiteral<Bool> {
    dsl::sql("coalesce(access_tokens.expires_at > now(), true)")
}

/// Whether the token exists and has not expired.
pub async fn exists(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<bool> {
    diesel::select(dsl::exists(access_tokens::table.find(id).filter(is_valid()))).get_result(conn).await
}

/// Returns the token with this hash, unless it has expired, and notes that it was used.
pub async fn use_one(conn: &mut AsyncPgConnection, token_hash: &[u8]) -> QueryResult<Option<AccessToken>> {
    let found: Option<AccessToken> = access_tokens::table
        .filter(access_tokens::token_hash.eq(token_hash))
        .filter(is_valid())
        .select(AccessToken::as_select())
        .first(conn)
        .await
        .optional()?;
    let Some(token) = found else { return Ok(None) };
    sql_query(
        "UPDATE access_tokens SET last_used_at = now()
         WHERE id = $1 AND coalesce(last_used_at < now() - interval '1 minute', true)",
    )
    .bind::<BigInt, _>(token.id)
    .execute(conn)
    .await?;
    Ok(Some(token))
}

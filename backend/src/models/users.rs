//! Accounts.

use std::fmt;

use chrono::{DateTime, Utc};
use diesel::dsl::{exists, not};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::email::Email;
use crate::models::predicates::may_sign_in;
use crate::schema::{ended_sessions, users};

/// Role of an account, the same in all groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Role {
    SuperAdmin,
    Admin,
    User,
}

impl Role {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SuperAdmin => "super_admin",
            Self::Admin => "admin",
            Self::User => "user",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A user's account.
#[derive(Clone, Debug, Queryable, Selectable, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Account)]
#[diesel(table_name = users, check_for_backend(Pg))]
pub struct User {
    #[schema(example = 7)]
    pub id: i64,
    #[schema(example = "ada@example.org")]
    pub email: String,
    /// Null until one is given.
    #[schema(example = "Ada Lovelace")]
    pub name: Option<String>,
    /// `super_admin`, `admin` or `user`.
    #[schema(example = "admin")]
    pub role: String,
    /// Has signed in by a code sent to the e-mail.
    pub is_verified: bool,
    #[serde(skip)]
    pub token_version: i32,
    #[serde(skip)]
    pub suspended_at: Option<DateTime<Utc>>,
    #[serde(skip)]
    pub created_at: DateTime<Utc>,
    #[serde(skip)]
    pub updated_at: DateTime<Utc>,
}

impl User {
    /// Returns the account with this id, if it may sign in.
    pub async fn find_signed_in(connection: &mut AsyncPgConnection, id: i64) -> QueryResult<Option<Self>> {
        users::table
            .filter(users::id.eq(id))
            .filter(may_sign_in())
            .select(Self::as_select())
            .first(connection)
            .await
            .optional()
    }

    /// Returns the account of a session, if it may sign in and neither all its sessions nor this one were ended.
    pub async fn of_session(
        connection: &mut AsyncPgConnection,
        id: i64,
        token_version: i32,
        session: Uuid,
    ) -> QueryResult<Option<Self>> {
        let ended = ended_sessions::table.find(session);
        users::table
            .filter(users::id.eq(id))
            .filter(users::token_version.eq(token_version))
            .filter(may_sign_in())
            .filter(not(exists(ended)))
            .select(Self::as_select())
            .first(connection)
            .await
            .optional()
    }

    /// The role. `None`: this version does not know it.
    pub fn role(&self) -> Option<Role> {
        [Role::SuperAdmin, Role::Admin, Role::User].into_iter().find(|role| role.as_str() == self.role)
    }

    /// Ends all sessions of the user. Personal access tokens stay.
    pub async fn end_sessions(connection: &mut AsyncPgConnection, id: i64) -> QueryResult<()> {
        diesel::update(users::table.find(id))
            .set((users::token_version.eq(users::token_version + 1), users::updated_at.eq(diesel::dsl::now)))
            .execute(connection)
            .await?;
        Ok(())
    }

    pub async fn rename(connection: &mut AsyncPgConnection, id: i64, name: &str) -> QueryResult<Self> {
        diesel::update(users::table.find(id))
            .set((users::name.eq(name), users::updated_at.eq(diesel::dsl::now)))
            .returning(Self::as_returning())
            .get_result(connection)
            .await
    }

    /// Sets the limit of credits that the user may grant over all groups that they own; `None`: the configured one.
    pub async fn set_credit_ceiling(conn: &mut AsyncPgConnection, id: i64, ceiling: Option<i64>) -> QueryResult<()> {
        diesel::update(users::table.find(id))
            .set((users::credit_ceiling.eq(ceiling), users::updated_at.eq(diesel::dsl::now)))
            .execute(conn)
            .await?;
        Ok(())
    }

    /// Finds an account by e-mail, unless it is deleted.
    pub async fn find_by_email(connection: &mut AsyncPgConnection, email: &Email) -> QueryResult<Option<Self>> {
        users::table
            .filter(users::email.eq(email.as_str()))
            .filter(users::deleted_at.is_null())
            .select(Self::as_select())
            .first(connection)
            .await
            .optional()
    }
}

#[derive(Clone, Copy, Debug)]
pub struct NewUser<'a> {
    pub email: &'a Email,
    pub name: Option<&'a str>,
    pub role: Role,
}

impl NewUser<'_> {
    /// Stores the account. `None`: the e-mail is taken.
    pub async fn create(self, connection: &mut AsyncPgConnection) -> QueryResult<Option<User>> {
        diesel::insert_into(users::table)
            .values((
                users::email.eq(self.email.as_str()),
                users::name.eq(self.name),
                users::role.eq(self.role.as_str()),
            ))
            .on_conflict_do_nothing()
            .returning(User::as_returning())
            .get_result(connection)
            .await
            .optional()
    }
}

/// Returns the user with the e-mail, created with this role if there is none. `true`: newly created.
pub async fn find_or_create(conn: &mut AsyncPgConnection, email: &Email, role: Role) -> QueryResult<(User, bool)> {
    if let Some(user) = (NewUser { email, name: None, role }).create(conn).await? {
        return Ok((user, true));
    }
    let user = User::find_by_email(conn, email).await?.ok_or(diesel::result::Error::NotFound)?;
    Ok((user, false))
}

/// Like [`find_or_create`], but also promotes a user to administrator. Sessions stay valid: every request reads the
/// role.
pub async fn find_or_make_admin(conn: &mut AsyncPgConnection, email: &Email) -> QueryResult<(User, Promotion)> {
    let (user, is_new) = find_or_create(conn, email, Role::Admin).await?;
    if is_new {
        return Ok((user, Promotion::Created));
    }
    let promoted = diesel::update(users::table.find(user.id).filter(users::role.eq(Role::User.as_str())))
        .set((users::role.eq(Role::Admin.as_str()), users::updated_at.eq(diesel::dsl::now)))
        .returning(User::as_returning())
        .get_result(conn)
        .await
        .optional()?;
    Ok(match promoted {
        Some(user) => (user, Promotion::Promoted),
        None => (user, Promotion::None),
    })
}

/// The result of [`find_or_make_admin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promotion {
    Created,
    /// The account was a user.
    Promoted,
    /// The account was an administrator already.
    None,
}

/// Creates the super administrator, or promotes the user with the e-mail and ends that user's sessions.
pub async fn ensure_super_admin(connection: &mut AsyncPgConnection, email: &Email) -> QueryResult<User> {
    let super_admin = Role::SuperAdmin.as_str();
    let made = NewUser { email, name: None, role: Role::SuperAdmin }.create(connection).await?;
    if let Some(user) = made {
        return Ok(user);
    }
    diesel::update(users::table.filter(users::email.eq(email.as_str())).filter(users::role.ne(super_admin)))
        .set((
            users::role.eq(super_admin),
            users::token_version.eq(users::token_version + 1),
            users::updated_at.eq(diesel::dsl::now),
        ))
        .execute(connection)
        .await?;
    users::table.filter(users::email.eq(email.as_str())).select(User::as_select()).first(connection).await
}

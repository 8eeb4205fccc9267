//! The outbox. A mail is queued in the transaction of its cause. [`claim`] leases due mails to one process; those that
//! are not [`sent`] become due again later.

use chrono::Utc;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Integer, Jsonb, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::{Value, json};

use crate::email::Email;
use crate::models::predicates::may_sign_in;
use crate::models::users::{Role, User};
use crate::schema::{mails, users};

/// Limit of attempts. The last one is about 17 hours after the first.
const MAX_ATTEMPTS: i32 = 12;

/// A mail to be queued.
#[derive(Clone, Debug)]
pub struct NewMail<'a> {
    /// A kind that the table allows, for example `invitation`.
    pub kind: &'a str,
    pub recipient: &'a str,
    /// The recipient's account, if there is one.
    pub user_id: Option<i64>,
    /// The letter's variables; see `mail::letters`.
    pub facts: Value,
}

impl NewMail<'_> {
    pub async fn enqueue(self, conn: &mut AsyncPgConnection) -> QueryResult<()> {
        let Self { kind, recipient, user_id, facts } = self;
        diesel::insert_into(mails::table)
            .values((
                mails::kind.eq(kind),
                mails::recipient.eq(recipient),
                mails::user_id.eq(user_id),
                mails::facts.eq(facts),
            ))
            .execute(conn)
            .await?;
        Ok(())
    }
}

/// Queues a mail to a new user that says to which group they were added, and by whom.
pub async fn enqueue_invitation(
    conn: &mut AsyncPgConnection,
    user: &User,
    group_name: &str,
    by: &User,
) -> QueryResult<()> {
    let facts = json!({"group": group_name, "inviter": by.name.as_deref().unwrap_or(&by.email)});
    NewMail { kind: "invitation", recipient: &user.email, user_id: Some(user.id), facts }.enqueue(conn).await
}

/// Queues a sign-in code for the user with the e-mail, if that user may sign in.
pub async fn enqueue_sign_in(conn: &mut AsyncPgConnection, email: &Email) -> QueryResult<()> {
    users::table
        .filter(users::email.eq(email.as_str()))
        .filter(may_sign_in())
        .select((diesel::dsl::sql::<Text>("'sign_in'"), users::email, users::id.nullable()))
        .insert_into(mails::table)
        .into_columns((mails::kind, mails::recipient, mails::user_id))
        .execute(conn)
        .await?;
    Ok(())
}

/// Queues a mail that no code for the e-mail is accepted for a day after so many failed tries. Queues one a day at
/// most, regardless of its owner's settings, and none if nobody has the e-mail.
pub async fn enqueue_codes_blocked(conn: &mut AsyncPgConnection, email: &Email, tries: u32) -> QueryResult<()> {
    let owner = users::table.filter(users::email.eq(email.as_str())).filter(may_sign_in()).select(users::id);
    let Some(owner) = owner.first::<i64>(conn).await.optional()? else { return Ok(()) };
    diesel::insert_into(mails::table)
        .values((
            mails::kind.eq("codes_blocked"),
            mails::recipient.eq(email.as_str()),
            mails::user_id.eq(owner),
            mails::facts.eq(json!({ "tries": tries })),
            mails::occasion.eq(format!("codes blocked, user {owner}, {}", Utc::now().date_naive())),
        ))
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    Ok(())
}

/// Queues a mail to every super administrator whose settings want mails.
pub async fn enqueue_to_super_admins(conn: &mut AsyncPgConnection, kind: &str, facts: &Value) -> QueryResult<()> {
    sql_query(
        "INSERT INTO mails (kind, recipient, user_id, facts)
         SELECT $1, u.email, u.id, $2
         FROM users u LEFT JOIN user_settings s ON s.user_id = u.id
         WHERE u.role = $3 AND u.deleted_at IS NULL AND u.suspended_at IS NULL
            AND coalesce(s.email_notifications, true)",
    )
    .bind::<Text, _>(kind)
    .bind::<Jsonb, _>(facts)
    .bind::<Text, _>(Role::SuperAdmin.as_str())
    .execute(conn)
    .await?;
    Ok(())
}

#[derive(Clone, Debug, QueryableByName)]
pub struct Mail {
    #[diesel(sql_type = BigInt)]
    pub id: i64,
    #[diesel(sql_type = Text)]
    pub kind: String,
    #[diesel(sql_type = Text)]
    pub recipient: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub user_id: Option<i64>,
    #[diesel(sql_type = Jsonb)]
    pub facts: Value,
    #[diesel(sql_type = Integer)]
    pub attempts: i32,
}

/// Leases up to `quantity` due mails to the caller, for 30 s at the first attempt and twice as long at each later one.
/// A sign-in code that could not be sent within five minutes is given up.
pub async fn claim(conn: &mut AsyncPgConnection, quantity: i64) -> QueryResult<Vec<Mail>> {
    sql_query(
        "WITH due AS (
            SELECT id FROM mails
            WHERE sent_at IS NULL AND given_up_at IS NULL AND due_at <= now()
            ORDER BY due_at, id LIMIT $1 FOR UPDATE SKIP LOCKED
        )
        UPDATE mails SET attempts = attempts + 1, due_at = now() + interval '30 seconds' * power(2, attempts),
            given_up_at = CASE WHEN attempts + 1 >= $2 OR (kind = 'sign_in' AND created_at < now() - interval '5 minutes')
                THEN now() END
        FROM due WHERE mails.id = due.id
        RETURNING mails.id, kind, recipient, user_id, facts, mails.attempts",
    )
    .bind::<BigInt, _>(quantity)
    .bind::<Integer, _>(MAX_ATTEMPTS)
    .load(conn)
    .await
}

pub async fn sent(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<()> {
    diesel::update(mails::table.find(id))
        .set((mails::sent_at.eq(diesel::dsl::now), mails::given_up_at.eq(None::<chrono::DateTime<Utc>>)))
        .execute(conn)
        .await?;
    Ok(())
}

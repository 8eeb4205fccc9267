//! Requests for access, from institutions and classes that do not use the product yet.

use chrono::{DateTime, Utc};
use diesel::dsl::now;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::email::Email;
use crate::models::audit_log;
use crate::models::login::{self, RateCheck};
use crate::models::mails::{self, NewMail};
use crate::models::users;
use crate::schema::access_requests;

#[derive(Clone, Debug, Queryable, Selectable, Serialize, ToSchema)]
#[diesel(table_name = access_requests, check_for_backend(diesel::pg::Pg))]
#[serde(rename_all = "camelCase")]
pub struct AccessRequest {
    #[schema(example = 3)]
    pub id: i64,
    #[schema(example = "ada@example.org")]
    pub email: String,
    #[schema(example = "University of London")]
    pub institute_name: String,
    /// `teaching`, `research`, `student_projects`, `academic_study`, `other` or empty.
    #[schema(example = "research")]
    pub purpose_of_use: String,
    #[schema(example = "A pretest of a questionnaire")]
    pub description: String,
    /// `pending`, `approved` or `rejected`.
    #[schema(example = "pending")]
    pub status: String,
    /// Reason for the rejection; `null` if the request was not rejected.
    pub reason: Option<String>,
    pub decided_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug)]
pub struct NewAccessRequest<'a> {
    pub email: &'a Email,
    pub institute_name: &'a str,
    pub purpose_of_use: &'a str,
    pub description: &'a str,
    /// IP address, for the rate limits; not stored with the request.
    pub address: &'a str,
}

/// Stores the request and mails the super administrators. The limits are those of sign-in codes, counted separately.
pub async fn create(conn: &mut AsyncPgConnection, new: NewAccessRequest<'_>) -> QueryResult<RateCheck> {
    conn.transaction(async |conn| {
        let rate =
            login::check_rate(conn, &format!("access:{}", new.email), &format!("access:{}", new.address)).await?;
        if matches!(rate, RateCheck::Exceeded { .. }) {
            return Ok(rate);
        }
        diesel::insert_into(access_requests::table)
            .values((
                access_requests::email.eq(new.email.as_str()),
                access_requests::institute_name.eq(new.institute_name),
                access_requests::purpose_of_use.eq(new.purpose_of_use),
                access_requests::description.eq(new.description),
            ))
            .execute(conn)
            .await?;
        let facts = json!({"email": new.email, "institution": new.institute_name, "purpose": new.purpose_of_use,
            "description": new.description});
        mails::enqueue_to_super_admins(conn, "access_requested", &facts).await?;
        Ok(rate)
    })
    .await
}

/// Returns requests with this status, or all, newest first, and how many there are.
pub async fn list(
    conn: &mut AsyncPgConnection,
    status: Option<&str>,
    limit: i64,
    offset: i64,
) -> QueryResult<(Vec<AccessRequest>, i64)> {
    let wanted = || {
        let all = access_requests::table.into_boxed::<diesel::pg::Pg>();
        match status {
            Some(status) => all.filter(access_requests::status.eq(status.to_owned())),
            None => all,
        }
    };
    let rows = wanted()
        .order((access_requests::created_at.desc(), access_requests::id.desc()))
        .limit(limit)
        .offset(offset)
        .select(AccessRequest::as_select())
        .load(conn)
        .await?;
    Ok((rows, wanted().count().get_result(conn).await?))
}

/// A decision on a request.
#[derive(Clone, Copy, Debug)]
pub enum Decision<'a> {
    /// The requester becomes an administrator and is mailed the next steps.
    Approve,
    Reject {
        reason: &'a str,
    },
}

/// Error of [`decide`].
#[derive(Debug, thiserror::Error)]
pub enum Undecided {
    #[error("Access request not found")]
    NotFound,
    #[error("The request is {0} already")]
    DecidedBefore(String),
    #[error("database: {0}")]
    Database(#[from] diesel::result::Error),
}

/// Decides a pending request. If two decisions arrive at once, only the first takes effect.
pub async fn decide(
    conn: &mut AsyncPgConnection,
    id: i64,
    decided_by: i64,
    decision: Decision<'_>,
) -> Result<AccessRequest, Undecided> {
    let (status, reason, kind) = match decision {
        Decision::Approve => ("approved", None, "access_approved"),
        Decision::Reject { reason } => ("rejected", Some(reason), "access_rejected"),
    };
    conn.transaction(async |conn| {
        let decided: Option<AccessRequest> = diesel::update(access_requests::table.find(id))
            .filter(access_requests::status.eq("pending"))
            .set((
                access_requests::status.eq(status),
                access_requests::reason.eq(reason),
                access_requests::decided_by.eq(decided_by),
                access_requests::decided_at.eq(now),
            ))
            .returning(AccessRequest::as_returning())
            .get_result(conn)
            .await
            .optional()?;
        let Some(request) = decided else {
            let status =
                access_requests::table.find(id).select(access_requests::status).first(conn).await.optional()?;
            return Err(status.map_or(Undecided::NotFound, Undecided::DecidedBefore));
        };
        let user_id = match decision {
            Decision::Approve => Some(admit(conn, &request.email).await?),
            Decision::Reject { .. } => None,
        };
        let facts = json!({ "reason": reason.unwrap_or_default() });
        NewMail { kind, recipient: &request.email, user_id, facts }.enqueue(conn).await?;
        // The log cannot be erased, so it does not hold the e-mail.
        let detail = json!({ "reason": reason });
        audit_log::note(conn, decided_by, status, &format!("access request {id}"), detail).await?;
        Ok(request)
    })
    .await
}

/// Creates an administrator with this e-mail, or promotes the user who has it.
async fn admit(conn: &mut AsyncPgConnection, email: &str) -> QueryResult<i64> {
    let address = Email::parse(email).map_err(|reason| diesel::result::Error::SerializationError(reason.into()))?;
    let (user, _) = users::find_or_make_admin(conn, &address).await?;
    Ok(user.id)
}

//! What there is to know before a run is started.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::Refusal;

/// What a run of a survey would find, paid by one member of its group.
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct Outlook {
    #[diesel(sql_type = BigInt)]
    pub questions: i64,
    /// Twins of the current set.
    #[diesel(sql_type = BigInt)]
    pub twins: i64,
    /// Bytes of a twin's short text, on average.
    #[diesel(sql_type = BigInt)]
    pub text_bytes: i64,
    /// Credits to spend; `None`: not an active member.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub available: Option<i64>,
    #[diesel(sql_type = Bool)]
    pub is_active: bool,
}

impl Outlook {
    pub async fn of(conn: &mut AsyncPgConnection, survey_id: i64, group_id: i64, user_id: i64) -> QueryResult<Self> {
        sql_query(
            "SELECT twins.total AS twins, twins.text_bytes,
                 (SELECT count(*) FROM questions WHERE survey_id = $1) AS questions,
                 (SELECT budget - held FROM group_members WHERE group_id = $2 AND user_id = $3
                     AND removed_at IS NULL AND status = 'active') AS available,
                 EXISTS (SELECT FROM simulations WHERE survey_id = $1
                     AND status IN ('PENDING', 'QUEUED', 'RUNNING', 'PAUSED')) AS is_active
             FROM (SELECT count(*) AS total, coalesce(avg(octet_length(p.summary)), 0)::bigint AS text_bytes
                 FROM personas AS p JOIN persona_sets AS s ON s.id = p.set_id AND s.is_current) AS twins",
        )
        .bind::<BigInt, _>(survey_id)
        .bind::<BigInt, _>(group_id)
        .bind::<BigInt, _>(user_id)
        .get_result(conn)
        .await
    }

    /// The most twins that can be asked with the credits there are.
    pub fn most(&self) -> i64 {
        let affordable = self.available.unwrap_or_default() / self.questions.max(1);
        affordable.clamp(0, self.twins)
    }

    /// Why not even one twin could be asked, if so.
    pub fn refusal(&self) -> Option<Refusal> {
        match *self {
            Self { twins: 0, .. } => Some(Refusal::NoPersonas),
            Self { questions: 0, .. } => Some(Refusal::NoQuestions),
            Self { is_active: true, .. } => Some(Refusal::AlreadyActive),
            Self { available: None, .. } => Some(Refusal::NotAMember),
            Self { available: Some(available), questions, .. } if available < questions => {
                Some(Refusal::NotEnoughCredits { needed: questions, available })
            }
            _ => None,
        }
    }
}

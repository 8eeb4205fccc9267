//! The preview of a run, which a survey's owner sees before the start.

use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Integer};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use survey::question::QuestionType;

use super::SimulationRefusal;
use crate::models::predicates::is_active;
use crate::schema::{group_members, groups, questions, simulations};

/// Totals of the current persona set.
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct PersonaTotals {
    #[diesel(sql_type = BigInt)]
    pub total: i64,
    /// The highest id; above `total` if personas were deleted.
    #[diesel(sql_type = Integer)]
    pub last_id: i32,
    /// Average size of a persona's summary, in bytes.
    #[diesel(sql_type = BigInt)]
    pub text_bytes: i64,
}

impl PersonaTotals {
    pub async fn current(conn: &mut AsyncPgConnection) -> QueryResult<Self> {
        sql_query(
            "SELECT count(*) AS total, coalesce(max(p.id), 0) AS last_id, coalesce(avg(octet_length(p.summary)), 0)::bigint AS text_bytes
             FROM personas AS p JOIN persona_sets AS s ON s.id = p.set_id AND s.is_current",
        )
        .get_result(conn)
        .await
    }
}

/// Size and price of a run before it is started, paid by one member of the group.
#[derive(Clone, Copy, Debug)]
pub struct StartPreview {
    pub twins: PersonaTotals,
    /// Number of questions with an answer.
    pub questions: i64,
    /// Credits that the member can spend; `None`: the user is no active member.
    pub available: Option<i64>,
    pub is_active: bool,
    pub group_is_open: bool,
}

impl StartPreview {
    pub async fn load(
        conn: &mut AsyncPgConnection,
        twins: PersonaTotals,
        survey_id: i64,
        group_id: i64,
        user_id: i64,
    ) -> QueryResult<Self> {
        let asked = questions::table
            .filter(questions::survey_id.eq(survey_id))
            .filter(questions::question_type.ne(QuestionType::Info.name()))
            .count();
        let member = group_members::table.find((group_id, user_id)).filter(is_active());
        let active = simulations::table
            .filter(simulations::survey_id.eq(survey_id))
            .filter(simulations::status.eq_any(["PENDING", "QUEUED", "RUNNING", "PAUSED"]));
        let open = groups::table.find(group_id).filter(groups::status.eq("open"));
        let (questions, available, is_active, group_is_open): (Option<i64>, Option<i64>, bool, bool) =
            diesel::select((
                asked.single_value(),
                member.select(group_members::budget - group_members::held).single_value(),
                exists(active),
                exists(open),
            ))
            .get_result(conn)
            .await?;
        Ok(Self { twins, questions: questions.unwrap_or_default(), available, is_active, group_is_open })
    }

    /// The largest number of personas that the member's credits can ask.
    pub fn max_personas(&self) -> i64 {
        let affordable = self.available.unwrap_or_default() / self.questions.max(1);
        affordable.clamp(0, self.twins.total)
    }

    /// The reason why a run cannot be started, if there is one.
    pub fn refusal(&self) -> Option<SimulationRefusal> {
        match *self {
            Self { twins: PersonaTotals { total: 0, .. }, .. } => Some(SimulationRefusal::NoPersonas),
            Self { questions: 0, .. } => Some(SimulationRefusal::NoQuestions),
            Self { is_active: true, .. } => Some(SimulationRefusal::AlreadyActive),
            Self { group_is_open: false, .. } => Some(SimulationRefusal::GroupClosed),
            Self { available: None, .. } => Some(SimulationRefusal::NotAMember),
            Self { available: Some(available), questions, .. } if available < questions => {
                Some(SimulationRefusal::NotEnoughCredits { needed: questions, available })
            }
            _ => None,
        }
    }
}

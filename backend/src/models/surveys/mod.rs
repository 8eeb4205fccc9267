//! Surveys.

pub mod changes;
pub mod design;
pub mod overview;
pub mod renaming;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use survey::document::MAX_QUESTIONS;
use survey::question::{Invalid, Question};
use survey::rename::RenameRefusal;
use utoipa::ToSchema;

use crate::models::questions;
use crate::models::survey_file::ValidSurvey;
use crate::models::survey_imports;
use crate::schema::surveys;

/// Readers of a survey besides its author and the owner of its group: nobody, or the group's members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Visibility {
    #[serde(alias = "private")]
    Private,
    #[serde(alias = "public")]
    Public,
}

impl Visibility {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Private => "PRIVATE",
            Self::Public => "PUBLIC",
        }
    }
}

/// A survey without its questions.
#[derive(Clone, Debug, PartialEq, Queryable, QueryableByName, Selectable, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SurveyRow)]
#[diesel(table_name = surveys, check_for_backend(diesel::pg::Pg))]
pub struct Survey {
    #[schema(example = 12)]
    pub id: i64,
    /// The author.
    #[schema(example = 7)]
    pub user_id: i64,
    #[schema(example = 3)]
    pub group_id: i64,
    #[schema(example = "Everyday choices")]
    pub title: String,
    /// May be empty.
    #[schema(example = "A pretest of ten questions")]
    pub description: String,
    #[schema(value_type = Visibility)]
    pub visibility: String,
    /// Locked by hand or, in answers, because the survey has simulations: its words and questions stay as they are.
    #[schema(example = true)]
    pub is_locked: bool,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl Survey {
    /// Finds a survey that is not deleted.
    pub async fn find(connection: &mut AsyncPgConnection, id: i64) -> QueryResult<Option<Self>> {
        surveys::table
            .find(id)
            .filter(surveys::deleted_at.is_null())
            .select(Self::as_select())
            .first(connection)
            .await
            .optional()
    }
}

/// The reason why a survey was not changed. The message is shown to the user.
#[derive(Debug, thiserror::Error)]
pub enum SurveyRefusal {
    #[error("Survey not found")]
    NotFound,
    #[error("Question not found")]
    QuestionNotFound,
    #[error("Survey is locked because it has simulations")]
    HasSimulations,
    #[error("Survey is locked")]
    LockedByHand,
    #[error("Survey has an active simulation")]
    Active,
    #[error("Survey has {MAX_QUESTIONS} questions, which is the limit")]
    Full,
    #[error("name: question {order} of the survey is called {name} already")]
    NameTaken { name: String, order: i32 },
    #[error("{0}")]
    Rename(#[from] RenameRefusal),
    #[error("The design was changed meanwhile")]
    DesignChanged,
    /// The question as it is now.
    #[error("The question was changed meanwhile")]
    QuestionChanged(Box<Question>),
    #[error("questionOrders must name every question of the survey once")]
    Order,
    #[error("{0}")]
    Invalid(#[from] Invalid),
    #[error("database: {0}")]
    Database(#[from] diesel::result::Error),
}

#[derive(Clone, Copy, Debug)]
pub struct NewSurvey<'a> {
    pub user_id: i64,
    pub group_id: i64,
    pub content: &'a ValidSurvey,
}

impl NewSurvey<'_> {
    /// Creates a private survey with its questions, its design and the report of its import, in one transaction.
    pub async fn create(self, connection: &mut AsyncPgConnection) -> QueryResult<(Survey, Vec<Question>)> {
        connection
            .transaction(async |connection| {
                let survey: Survey = diesel::insert_into(surveys::table)
                    .values((
                        surveys::user_id.eq(self.user_id),
                        surveys::group_id.eq(self.group_id),
                        surveys::title.eq(&self.content.title),
                        surveys::description.eq(&self.content.description),
                        surveys::design.eq(&self.content.design),
                    ))
                    .returning(Survey::as_returning())
                    .get_result(connection)
                    .await?;
                let questions = questions::insert(connection, survey.id, &self.content.questions).await?;
                if let Some(import) = &self.content.import {
                    survey_imports::insert(connection, survey.id, import).await?;
                }
                Ok((survey, questions))
            })
            .await
    }
}

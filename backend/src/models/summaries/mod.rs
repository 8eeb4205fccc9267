//! Summaries of a run's answers by question, for all personas and for each value of an attribute. The database counts;
//! means, deviations and intervals are computed from the counts.

mod figures;
mod given;
mod numbers;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use utoipa::ToSchema;

use crate::models::questions::{Question, QuestionType};
pub use figures::{Count, Figures, RowFigures};
pub use numbers::Bin;

/// One question's answers.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionSummary {
    #[schema(example = 3)]
    pub question_id: i64,
    /// 1-based place in the survey.
    #[schema(example = 1)]
    pub order: i32,
    #[schema(example = "What do you drink in the morning?")]
    pub text: String,
    pub question_type: QuestionType,
    /// Of all twins.
    #[serde(flatten)]
    pub figures: Figures,
    /// Of free text: the answers of the first twins.
    pub texts: Vec<String>,
    /// The same for the twins of each value of the attribute asked for, by value; who has none comes last.
    pub groups: Vec<Group>,
}

/// The answers of the twins that have one value of an attribute.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = GroupFigures)]
pub struct Group {
    /// Of the attribute, or `(not stated)`.
    #[schema(example = "Female")]
    pub value: String,
    #[serde(flatten)]
    pub figures: Figures,
}

/// Values of an attribute. One with more is not offered for a crosstab.
const MAX_VALUES: i64 = 100;
const NOT_STATED: &str = "(not stated)";

/// Summaries of these questions of a run, in their order, grouped by the attribute `by`.
pub async fn of_run(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: &[Question],
    by: Option<&str>,
) -> QueryResult<Vec<QuestionSummary>> {
    let (mut given, mut texts) = conn
        .transaction(async |conn| {
            // The planner overestimates the number of different answers: without these settings it sorts on disk, and
            // compiles the query for longer than it runs.
            let settings = "SELECT set_config('jit', 'off', true), set_config('work_mem', '32MB', true)";
            sql_query(settings).execute(conn).await?;
            let given = given::load(conn, simulation_id, questions, by).await?;
            QueryResult::Ok((given, given::texts(conn, simulation_id, questions).await?))
        })
        .await?;
    let summary = |question: &Question| {
        let by_value = given.remove(&question.id).unwrap_or_default();
        let mut groups: Vec<Group> = Vec::new();
        if by.is_some() {
            groups.extend(
                by_value
                    .iter()
                    .map(|(value, given)| Group { value: value.clone(), figures: Figures::of(question, given) }),
            );
            // The empty value sorts first; personas without the attribute are shown last.
            if let Some(position) = groups.iter().position(|group| group.value.is_empty()) {
                let figures = groups.remove(position).figures;
                groups.push(Group { value: NOT_STATED.to_owned(), figures });
            }
        }
        QuestionSummary {
            question_id: question.id,
            order: question.order,
            text: question.text.clone(),
            question_type: question.question_type,
            figures: Figures::of(question, &by_value.into_values().sum()),
            texts: texts.remove(&question.id).unwrap_or_default(),
            groups,
        }
    };
    Ok(questions.iter().map(summary).collect())
}

/// The attributes of a run's personas with few enough values for a crosstab, by name.
pub async fn attributes(conn: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<Vec<String>> {
    #[derive(QueryableByName)]
    struct Attribute {
        #[diesel(sql_type = Text)]
        name: String,
    }
    let attributes: Vec<Attribute> = sql_query(
        "SELECT name FROM (
             SELECT attribute.key AS name, attribute.value FROM simulation_personas AS twin
             JOIN personas ON (personas.set_id, personas.id) = (twin.persona_set_id, twin.persona_id),
                 jsonb_each_text(personas.attributes) AS attribute
             WHERE twin.simulation_id = $1 GROUP BY attribute.key, attribute.value) AS known
         GROUP BY name HAVING count(*) <= $2 ORDER BY name",
    )
    .bind::<BigInt, _>(simulation_id)
    .bind::<BigInt, _>(MAX_VALUES)
    .load(conn)
    .await?;
    Ok(attributes.into_iter().map(|attribute| attribute.name).collect())
}

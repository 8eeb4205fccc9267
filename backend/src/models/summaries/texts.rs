//! Answers in free words: equal ones counted together.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Integer, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Twins, TwinsOf, Wanted};
use crate::models::questions::Question;
use crate::models::search;

/// Which of the answers to a question are read.
#[derive(Clone, Debug)]
pub struct Sought {
    pub question_id: i64,
    /// What an answer must contain, whatever its case; empty: all answers.
    pub words: String,
    pub limit: i64,
    pub offset: i64,
}

/// Answers to a question, equal ones together.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Texts {
    /// Different answers that were found.
    #[schema(example = 412)]
    pub total: i64,
    /// Twins who gave one of them.
    #[schema(example = 498)]
    pub n: i64,
    /// The page of them, the commonest first, then by the alphabet.
    pub texts: Vec<GivenText>,
}

/// An answer, and how many twins gave it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GivenText {
    #[schema(example = "I take the bus because it is cheap.")]
    pub text: String,
    #[schema(example = 3)]
    pub count: i64,
    /// With `by`: how many in each group, those without it left out.
    pub groups: Vec<TwinsOf>,
}

const FOUND: &str = "FROM responses WHERE simulation_id = $1 AND question_id = $2
    AND ($3 IS NULL OR persona_id = ANY($3)) AND ($4 = '%%' OR answer ILIKE $4)";

/// The answers to a question of a run that the wanted twins gave.
pub async fn of_question(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    questions: &[Question],
    twins: &Twins,
    Wanted { by, filter }: &Wanted,
    sought: &Sought,
) -> QueryResult<Texts> {
    #[derive(QueryableByName)]
    struct Sums {
        #[diesel(sql_type = BigInt)]
        total: i64,
        #[diesel(sql_type = BigInt)]
        n: i64,
    }
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Text)]
        answer: String,
        #[diesel(sql_type = BigInt)]
        times: i64,
    }
    let passing = twins.passing(filter);
    let only = if filter.is_empty() { None } else { Some(&passing) };
    let pattern = search::containing(&sought.words);
    let found = |select: &str, rest: &str| {
        sql_query(format!("{select} {FOUND} {rest}"))
            .bind::<BigInt, _>(simulation_id)
            .bind::<BigInt, _>(sought.question_id)
            .bind::<Nullable<Array<Integer>>, _>(only)
            .bind::<Text, _>(&pattern)
    };
    let Sums { total, n } = found("SELECT count(DISTINCT answer) AS total, count(*) AS n", "").get_result(conn).await?;
    let rows: Vec<Row> = found(
        "SELECT answer, count(*) AS times",
        "GROUP BY answer ORDER BY times DESC, answer COLLATE \"C\" LIMIT $5 OFFSET $6",
    )
    .bind::<BigInt, _>(sought.limit)
    .bind::<BigInt, _>(sought.offset)
    .load(conn)
    .await?;
    let mut texts: Vec<GivenText> = rows
        .into_iter()
        .map(|Row { answer, times }| GivenText { text: answer, count: times, groups: Vec::new() })
        .collect();
    if let Some(by) = by {
        let groups = twins.grouped(&passing, by, questions);
        let in_groups = in_groups(conn, simulation_id, sought.question_id, &texts, &groups.members).await?;
        for text in &mut texts {
            let n = |place: i32| in_groups.get(&(text.text.clone(), place)).copied();
            text.groups = (0..)
                .zip(&groups.groups)
                .filter_map(|(place, group)| Some(TwinsOf { value: group.value.clone(), n: n(place)? }))
                .collect();
        }
    }
    Ok(Texts { total, n, texts })
}

/// How many members of each group gave each of the texts, by text and place of the group.
async fn in_groups(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    question_id: i64,
    texts: &[GivenText],
    members: &[(i32, i32)],
) -> QueryResult<HashMap<(String, i32), i64>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Text)]
        answer: String,
        #[diesel(sql_type = Integer)]
        place: i32,
        #[diesel(sql_type = BigInt)]
        times: i64,
    }
    let (twins, places): (Vec<i32>, Vec<i32>) = members.iter().copied().unzip();
    let texts: Vec<&str> = texts.iter().map(|text| text.text.as_str()).collect();
    let rows: Vec<Row> = sql_query(
        "SELECT answer, place, count(*) AS times
         FROM responses JOIN unnest($3, $4) AS twin (persona_id, place) USING (persona_id)
         WHERE simulation_id = $1 AND question_id = $2 AND answer = ANY($5) GROUP BY 1, 2",
    )
    .bind::<BigInt, _>(simulation_id)
    .bind::<BigInt, _>(question_id)
    .bind::<Array<Integer>, _>(twins)
    .bind::<Array<Integer>, _>(places)
    .bind::<Array<Text>, _>(texts)
    .load(conn)
    .await?;
    Ok(rows.into_iter().map(|Row { answer, place, times }| ((answer, place), times)).collect())
}

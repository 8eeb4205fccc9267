//! Positions of questions within blocks whose order was drawn.

use std::collections::{BTreeMap, HashSet};

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Integer, Jsonb, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Deserialize;
use serde_json::Value;
use simulation::run::ShuffledBlocks;

use super::twins::{Groups, TwinsOf};

/// Names of the thirds of a block; a block of two questions has the first and the last.
const THIRDS: [&str; 3] = ["Early in its block", "In the middle", "Late in its block"];

/// Personas and questions with the index of the third in which the question was asked.
#[derive(Debug, Default)]
pub(super) struct PlacedQuestions {
    pub twins: Vec<i32>,
    pub questions: Vec<i64>,
    pub thirds: Vec<i32>,
}

impl PlacedQuestions {
    /// Loads the positions for these personas.
    pub async fn load(
        conn: &mut AsyncPgConnection,
        simulation_id: i64,
        blocks: &ShuffledBlocks,
        twins: &[i32],
    ) -> QueryResult<Self> {
        #[derive(QueryableByName)]
        struct Row {
            #[diesel(sql_type = Integer)]
            persona_id: i32,
            #[diesel(sql_type = Nullable<Jsonb>)]
            orders: Option<Value>,
        }
        let rows: Vec<Row> = sql_query(
            "SELECT persona_id, fields -> 'orders' AS orders FROM assignments
             WHERE simulation_id = $1 AND persona_id = ANY($2)",
        )
        .bind::<BigInt, _>(simulation_id)
        .bind::<Array<Integer>, _>(twins)
        .load(conn)
        .await?;
        let mut placed = Self::default();
        for Row { persona_id, orders } in rows {
            let orders = orders.and_then(|orders| BTreeMap::<String, Vec<u16>>::deserialize(orders).ok());
            for (block, order) in orders.unwrap_or_default() {
                let Some(questions) = blocks.get(&block) else { continue };
                for (place, written) in order.iter().enumerate() {
                    let question = usize::from(*written).checked_sub(1).and_then(|written| questions.get(written));
                    placed.twins.extend(question.map(|_| persona_id));
                    placed.thirds.extend(question.map(|_| third(place, order.len())));
                    placed.questions.extend(question);
                }
            }
        }
        Ok(placed)
    }

    /// Number of personas who were asked something in each third.
    pub fn groups(&self) -> Vec<TwinsOf> {
        thirds(|place| {
            let asked = self.twins.iter().zip(&self.thirds).filter(|(_, third)| **third == place);
            asked.map(|(twin, _)| twin).collect::<HashSet<_>>().len()
        })
    }

    /// The personas of each third, for one question.
    pub fn groups_of(&self, question: i64) -> Groups {
        let asked = self.twins.iter().zip(&self.questions).zip(&self.thirds);
        let asked = asked.filter(|((_, asked), _)| **asked == question);
        let members: Vec<(i32, i32)> = asked.map(|((twin, _), third)| (*twin, *third)).collect();
        let groups = thirds(|place| members.iter().filter(|(_, third)| *third == place).count());
        Groups { groups, members }
    }
}

fn thirds(twins: impl Fn(i32) -> usize) -> Vec<TwinsOf> {
    (0..).zip(THIRDS).map(|(place, name)| TwinsOf { value: name.to_owned(), n: twins(place) as i64 }).collect()
}

/// Third of a block of `size` questions that contains `place`, both from 0.
fn third(place: usize, size: usize) -> i32 {
    let last = size.saturating_sub(1).max(1);
    // Rounded: the first question is early and the last one late, in blocks of any size.
    ((2 * place + last / 2) / last) as i32
}

#[cfg(test)]
mod tests {
    use super::third;

    #[test]
    fn the_first_question_of_a_block_is_early_and_the_last_one_late() {
        let thirds = |size: usize| (0..size).map(|place| third(place, size)).collect::<Vec<_>>();
        assert_eq!(thirds(1), [0]);
        assert_eq!(thirds(2), [0, 2]);
        assert_eq!(thirds(3), [0, 1, 2]);
        assert_eq!(thirds(4), [0, 1, 1, 2]);
        assert_eq!(thirds(6), [0, 0, 1, 1, 2, 2]);
        assert_eq!(thirds(9), [0, 0, 1, 1, 1, 1, 2, 2, 2]);
    }
}

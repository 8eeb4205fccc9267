//! Draws the answers of runs that ask for distributions again.

use std::collections::HashMap;

use diesel::QueryResult;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Deserialize;
use serde_json::Value;
use simulation::draw::DrawKey;
use simulation::parameters::Parameters;
use simulation::row::Simulation;
use survey::answer::Answer;
use survey::distribution::{Distribution, PartDistribution};
use survey::question::Question;

use super::result::{CheckResult, finding};
use crate::schema::{responses, simulations};

const OF_QUESTION: &str = "each distribution is one of its question: of its options, with probabilities that add up to 1, or of quantiles that do not decrease";
const DRAWN: &str = "each answer with a distribution is the one that its run's seed draws from it";

/// Number of answers read at a time.
const ANSWERS_PER_PAGE: i64 = 5_000;

/// Breaches, by check.
#[derive(Default)]
struct Breaches {
    of_question: Vec<String>,
    drawn: Vec<String>,
}

pub(super) async fn checks(conn: &mut AsyncPgConnection) -> QueryResult<[CheckResult; 2]> {
    let runs: Vec<Simulation> = simulations::table
        .filter(sql::<Bool>("parameters ?| ARRAY['answerMode', 'draws']"))
        .order(simulations::id)
        .load(conn)
        .await?;
    let mut breaches = Breaches::default();
    for run in &runs {
        check_run(conn, run, &mut breaches).await?;
    }
    Ok([finding(OF_QUESTION, breaches.of_question), finding(DRAWN, breaches.drawn)])
}

async fn check_run(conn: &mut AsyncPgConnection, run: &Simulation, breaches: &mut Breaches) -> QueryResult<()> {
    let (Ok(snapshot), Ok(parameters)) = (run.snapshot(), run.parameters()) else {
        breaches.of_question.push(format!("simulation {}: its parameters or its survey cannot be read", run.id));
        return Ok(());
    };
    // The run of an erased account has no questions.
    let questions: HashMap<i64, &Question> =
        snapshot.questions.iter().map(|question| (question.id, question)).collect();
    let mut last = (i32::MIN, i64::MIN);
    loop {
        let page: Vec<(i32, i64, Value, Value)> = responses::table
            .filter(responses::simulation_id.eq(run.id).and(responses::distribution.is_not_null()))
            .filter(
                responses::persona_id
                    .gt(last.0)
                    .or(responses::persona_id.eq(last.0).and(responses::question_id.gt(last.1))),
            )
            .order((responses::persona_id, responses::question_id))
            .limit(ANSWERS_PER_PAGE)
            .select((
                responses::persona_id,
                responses::question_id,
                responses::answer_value,
                responses::distribution.assume_not_null(),
            ))
            .load(conn)
            .await?;
        let Some((persona, question, ..)) = page.last() else { return Ok(()) };
        last = (*persona, *question);
        for (persona_id, question_id, answer, distribution) in page {
            let Some(question) = questions.get(&question_id) else { continue };
            let at = format!("simulation {}, persona {persona_id}, question {question_id}", run.id);
            let Ok(distribution) = Distribution::deserialize(&distribution) else {
                breaches.of_question.push(format!("{at}: {distribution} is no distribution"));
                continue;
            };
            // What is piped into a question is known to the interview alone.
            let is_as_written = !has_pipes(question);
            if is_as_written && !distribution.is_of(question) {
                breaches.of_question.push(at);
            } else if is_as_written && !is_drawn(question, &answer, &distribution, &parameters, persona_id) {
                breaches.drawn.push(at);
            }
        }
    }
}

fn has_pipes(question: &Question) -> bool {
    let texts = [&question.options, &question.scale_labels, &question.sub_questions].into_iter().flatten();
    texts.chain([&question.text]).any(|text| text.contains("{{"))
}

/// Whether the answer is the drawn one. Of several draws it is one of them, so it has a probability.
fn is_drawn(
    question: &Question,
    answer: &Value,
    distribution: &Distribution,
    parameters: &Parameters,
    persona_id: i32,
) -> bool {
    let Ok(answer) = Answer::decode(question, answer) else { return false };
    if parameters.draws.is_none() {
        return DrawKey::new(parameters, persona_id).answer(question, distribution) == Some(answer);
    }
    answer.parts().into_iter().all(|(part, value)| match distribution.part(part) {
        Some(PartDistribution::Options(options)) => options.get(value.text().as_str()).is_some_and(|p| *p > 0.0),
        Some(PartDistribution::Quantiles(_)) => true,
        None => false,
    })
}

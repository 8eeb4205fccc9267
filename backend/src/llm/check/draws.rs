//! Whether draws follow the seed and the temperature.

use std::collections::BTreeSet;

use serde_json::json;
use simulation::known_parameters::{ParameterEffect, ParameterValues};
use simulation::model_check::{CheckFinding, CheckVerdict};

use super::asker::{Ask, Asker, Reply, finding, one_field, only, unclear};
use crate::llm::outcome::CallError;
use crate::llm::prompt::ModelParameter;

const SEED: &str = "seed";
const TEMPERATURE: &str = "temperature";
/// Seeds of the draws at temperature 1: some are the same.
const WARM: [i64; 5] = [1, 1, 1, 2, 5];
/// Seeds of the draws at temperature 0, which differ only where the temperature is ignored, or by chance.
const COLD: [i64; 2] = [3, 4];
/// Seeds of further draws at temperature 0, if the first differ.
const COLD_AGAIN: [i64; 3] = [6, 7, 8];
/// Different draws of five at temperature 0 that no chance explains.
const TOO_DIFFERENT: usize = 3;

/// Asks for a number that no model prefers.
fn draw(temperature: f64, seed: i64) -> Ask {
    let numbers: Vec<String> = (1..=100).map(|number| number.to_string()).collect();
    let schema = one_field(json!({"type": "string", "enum": numbers}));
    let ask = Ask::of("Draw a random whole number from 1 to 100, and reply with it in the JSON field \"answer\".");
    Ask { schema: Some(schema), temperature: Some(temperature), seed, ..ask }
}

/// Draws of one temperature.
async fn drawn(asker: &mut Asker<'_>, temperature: f64, seeds: &[i64]) -> Result<Vec<Reply>, CallError> {
    let mut replies = Vec::new();
    for seed in seeds {
        replies.push(asker.ask(&draw(temperature, *seed)).await?);
    }
    Ok(replies)
}

fn different(replies: &[Reply]) -> usize {
    replies.iter().map(Reply::answer).collect::<BTreeSet<_>>().len()
}

fn words(replies: &[Reply]) -> String {
    replies.iter().map(Reply::answer).collect::<Vec<_>>().join(", ")
}

/// Draws a number several times with the same seed and with others, and at temperature 0.
pub async fn seed_and_temperature(asker: &mut Asker<'_>) -> [CheckFinding; 2] {
    let both = |error: &CallError| [unclear(SEED, error), unclear(TEMPERATURE, error)];
    let warm = match drawn(asker, 1.0, &WARM).await {
        Ok(warm) => warm,
        Err(error) => return both(&error),
    };
    let mut cold = match drawn(asker, 0.0, &COLD).await {
        Ok(cold) => cold,
        Err(error) => return both(&error),
    };
    let is_left_out = cold.iter().any(|reply| reply.is_without(ModelParameter::Temperature));
    if different(&cold) > 1 && !is_left_out {
        match drawn(asker, 0.0, &COLD_AGAIN).await {
            Ok(again) => cold.extend(again),
            Err(error) => return both(&error),
        }
    }
    [by_seed(asker, &warm), by_temperature(asker, &warm, &cold)]
}

fn by_seed(asker: &mut Asker<'_>, warm: &[Reply]) -> CheckFinding {
    let (same, others) = warm.split_at(3);
    let without_seed = warm.last().is_some_and(|reply| asker.llm.omitted_params(reply.dialect).contains(&SEED));
    let detail = format!("the same seed drew {}; others drew {}", words(same), words(others));
    let (verdict, effect) = match (without_seed, different(same) == 1, different(warm) > 1) {
        (true, ..) => {
            asker.note(SEED, ParameterValues::Any, ParameterEffect::NotTaken);
            return finding(SEED, CheckVerdict::NotSent, "the API or the server does not take it");
        }
        (false, false, _) => (CheckVerdict::NoEffect, ParameterEffect::WithoutEffect),
        (false, true, true) => (CheckVerdict::Works, ParameterEffect::Works),
        (false, true, false) => return finding(SEED, CheckVerdict::Unclear, &detail),
    };
    asker.note(SEED, ParameterValues::Any, effect);
    finding(SEED, verdict, &detail)
}

fn by_temperature(asker: &mut Asker<'_>, warm: &[Reply], cold: &[Reply]) -> CheckFinding {
    let is_refused = |replies: &[Reply]| replies.iter().any(|reply| reply.is_without(ModelParameter::Temperature));
    let not_taken = |asker: &mut Asker<'_>, values, detail| {
        asker.note(TEMPERATURE, values, ParameterEffect::NotTaken);
        finding(TEMPERATURE, CheckVerdict::NotSent, detail)
    };
    match (is_refused(warm), is_refused(cold)) {
        (true, true) => return not_taken(asker, ParameterValues::Any, "the model does not take it"),
        (false, true) => {
            return not_taken(asker, ParameterValues::Except(vec!["1".to_owned()]), "the model takes no other than 1");
        }
        (true, false) => return not_taken(asker, only(&["1"]), "the model does not take 1"),
        (false, false) => {}
    }
    let detail = format!("1 drew {}; 0 drew {}", words(warm), words(cold));
    match (different(cold), different(warm) > 1) {
        (1, true) => {
            asker.note(TEMPERATURE, only(&["0", "1"]), ParameterEffect::Works);
            finding(TEMPERATURE, CheckVerdict::Works, &detail)
        }
        (TOO_DIFFERENT.., _) => {
            asker.note(TEMPERATURE, ParameterValues::Any, ParameterEffect::WithoutEffect);
            finding(TEMPERATURE, CheckVerdict::NoEffect, &detail)
        }
        _ => finding(TEMPERATURE, CheckVerdict::Unclear, &detail),
    }
}

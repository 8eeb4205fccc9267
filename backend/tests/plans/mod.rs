//! Plans of studies: frozen for good, hiding results until then, and compared with the execution.

mod analyses;
mod blinding;
mod deviations;
mod freezing;
mod noting;
mod publication;

use model_server::{Faults, ModelServer};
use serde_json::{Value, json};

use crate::support::GroupFixture;

/// A survey with two arms, whose words a question repeats.
fn fees() -> Value {
    json!({ "title": "Fees", "questions": [
        { "name": "fair", "type": "SINGLE_CHOICE", "text": "How fair is {{field:fee}}?",
          "options": ["Fair", "Neither", "Unfair"], "scale": "ordinal" },
        { "name": "pay", "type": "SLIDER", "text": "What would you pay with {{field:fee}}?", "min_value": 0, "max_value": 100 },
        { "name": "why", "type": "OPENENDED", "text": "Why?" }
      ], "flow": [
        { "random": "fee_arm", "take": 1, "of": [
            { "arm": "one", "flow": [{ "set": { "fee": "a RESORT fee" } }] },
            { "arm": "two", "flow": [{ "set": { "fee": "a SERVICE fee" } }] }] },
        { "block": "dv", "questions": ["fair", "pay", "why"] }] })
}

fn plan(blind: bool) -> Value {
    json!({ "title": "Do fees seem fair?", "authors": "A. Author", "hypotheses": ["A resort fee seems less fair."],
        "primaryItems": ["fair"], "contrasts": [{ "of": "fee_arm", "a": "one", "b": "two" }],
        "run": { "personaCount": 6, "seed": 5 }, "blind": blind })
}

async fn import(fixture: &GroupFixture<'_>) -> i64 {
    let path = format!("/api/surveys/import?groupId={}", fixture.group_id);
    fixture.author.post(&path, fees()).await.ok()["id"].as_i64().expect("an id")
}

/// Creates a draft and returns its address.
async fn drafted(fixture: &GroupFixture<'_>, survey: i64, document: Value) -> String {
    let draft = fixture.author.post(&format!("/api/surveys/{survey}/plans"), document).await.ok();
    format!("/api/plans/{}", draft["planId"].as_str().expect("an id"))
}

/// Runs a study by the plan at the address to its end.
async fn run_by(fixture: &GroupFixture<'_>, survey: i64, plan: &str, mut asked: Value) -> Value {
    asked["planId"] = json!(plan.rsplit('/').next());
    let study = fixture.author.post(&format!("/api/surveys/{survey}/studies"), asked).await.ok();
    let stub = ModelServer::start(Faults::default());
    fixture.study_ended(&stub, &study).await
}

fn fields(plan: &Value) -> Vec<String> {
    let deviations = plan["deviations"].as_array().expect("a list");
    deviations.iter().map(|each| each["field"].as_str().expect("a field").to_owned()).collect()
}

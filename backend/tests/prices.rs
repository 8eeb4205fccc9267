//! Prices of runs before they are started.

use std::fs;

use model_server::{Faults, ModelServer};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{GroupFixture, with_app, with_flags};

/// The codes of a price's warnings.
fn codes(price: &Value) -> Vec<&str> {
    let warnings = price["warnings"].as_array().expect("warnings");
    warnings.iter().map(|warning| warning["code"].as_str().expect("a code")).collect()
}

#[actix_web::test]
async fn a_price_says_what_a_run_takes_of_credits_tokens_and_money_and_what_is_missing() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("prices.json");
    let prices = json!({"currency": "EUR", "models": {"twinlab-demo": {"prompt": 100, "completion": 1000}}});
    fs::write(&file, prices.to_string()).expect("the folder can be written");
    with_flags(&["--llm-prices", file.to_str().expect("its name is UTF-8")], async |app| {
        let fixture = GroupFixture::open(app, 30).await;
        let path = format!("/api/surveys/{}/studies?price=true", fixture.survey(2).await);
        let asked = json!({"run": {"personaCount": 20, "seed": 1}});
        let price = fixture.author.post(&path, asked).await.ok();
        // 20 calls of two questions with their schema, as they are sent; 40 answers of two and a half tokens.
        let estimate = json!({
            "answers": 40, "calls": 20, "tokens": 5_590, "time": null,
            "cost": {
                "low": {"amount": "0.599000", "currency": "EUR"}, "expected": {"amount": "0.649000", "currency": "EUR"},
                "high": {"amount": "0.713900", "currency": "EUR"},
            },
        });
        assert_eq!(price["estimate"], estimate);
        assert_eq!((&price["runs"][0]["credits"], &price["runs"][0]["estimate"]), (&json!(40), &estimate));
        assert_eq!(
            (&price["credits"], &price["available"], &price["remaining"]),
            (&json!(40), &json!(30), &json!(-10))
        );
        assert_eq!((&price["personas"], &price["affordablePersonas"]), (&json!(20), &json!(15)));
        assert_eq!(codes(&price), ["insufficient_credits", "demo_model"]);
        assert_eq!(price["warnings"][0]["message"], "This run needs more credits than you have in this group.");
        assert_eq!(price["warnings"][0]["detail"], "They pay for 15 digital twins.");

        let study = json!({"run": {"personaCount": 20, "seed": 1}, "variants": ["summary", "empty"]});
        let study = fixture.author.post(&path, study).await.ok();
        assert_eq!((&study["credits"], &study["affordablePersonas"]), (&json!(80), &json!(7)));
        // The baseline without a profile has a text of 9 tokens.
        let more = study["estimate"]["tokens"].as_i64().expect("a number") - 2 * 5_590;
        assert!((20 * (9 - 5)..=20 * (9 - 3)).contains(&more), "{more}");
        assert_eq!(study["warnings"][0]["message"], "This study needs more credits than you have in this group.");

        let few = fixture.author.post(&path, json!({"run": {"personaCount": 15}})).await.ok();
        assert_eq!((&few["remaining"], codes(&few)), (&json!(0), vec!["demo_model"]));
    })
    .await;
}

#[actix_web::test]
async fn a_time_comes_from_the_limits_and_from_earlier_runs_of_the_model() {
    with_flags(&["--llm-rpm", "60"], async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let path = format!("/api/surveys/{}/studies", fixture.survey(1).await);
        let priced = format!("{path}?price=true");
        let run = json!({"run": {"personaCount": 10}});
        let time = async |asked: Value| fixture.author.post(&priced, asked).await.ok()["estimate"]["time"].clone();
        assert_eq!(time(run.clone()).await, json!({"lowSeconds": 10.0, "highSeconds": null, "source": "limits"}));

        let started = fixture.author.post(&path, run.clone()).await.ok();
        let stub = ModelServer::start(Faults::default());
        assert_eq!(fixture.study_ended(&stub, &started).await["status"], "COMPLETED");
        let measured = time(run).await;
        assert_eq!((&measured["source"], &measured["lowSeconds"]), (&json!("earlier_runs"), &json!(10.0)));
        assert!(measured["highSeconds"].as_f64().expect("a number") >= 15.0, "{measured}");
        let batch = time(json!({"run": {"personaCount": 10, "batch": true}})).await;
        assert_eq!((&batch["source"], &batch["highSeconds"]), (&json!("batch"), &json!(86_400.0)));
    })
    .await;
}

#[actix_web::test]
async fn a_survey_with_arms_is_priced_by_what_its_twins_are_dealt() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let question = |name: &str| json!({"name": name, "type": "BOOLEAN", "text": format!("{name}?")});
        let flow = json!([{"random": "half", "take": 1, "of": [
            {"arm": "one", "flow": [{"block": "b1", "questions": ["a"]}]},
            {"arm": "two", "flow": [{"block": "b2", "questions": ["b", "c"]}]}]}]);
        let survey = json!({"title": "Arms", "questions": [question("a"), question("b"), question("c")], "flow": flow});
        let import = format!("/api/surveys/import?groupId={}", fixture.group_id);
        let id = fixture.author.post(&import, survey).await.ok()["id"].clone();
        let path = format!("/api/surveys/{id}/studies?price=true");
        let asked = json!({"run": {"personaCount": 20, "seed": 3, "questionsPerCall": 1}});
        let price = fixture.author.post(&path, asked).await.ok();
        // Ten twins are asked one question, ten are asked two, each in a call of its own.
        assert_eq!((&price["credits"], &price["estimate"]["calls"]), (&json!(30), &json!(30)));
    })
    .await;
}

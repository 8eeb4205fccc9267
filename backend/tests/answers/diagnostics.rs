//! Diagnostics, on planted answers with known problems.

use serde_json::{Value, json};

use super::{at, enlarge, owner};
use crate::support::sample::{self, PlantedRun};
use crate::support::{Client, with_app, with_flags};

async fn diagnosed(owner: &Client) -> impl Fn(&str) -> Value {
    let answer = owner.get(&at("diagnostics")).await.ok();
    assert!(answer["notice"].as_str().is_some_and(|notice| !notice.is_empty()), "{answer}");
    move |name| {
        let all = answer["diagnostics"].as_array().expect("diagnostics");
        all.iter().find(|one| one["diagnostic"] == name).unwrap_or_else(|| panic!("{name}: {answer}")).clone()
    }
}

#[tokio::test]
async fn twins_that_all_say_the_same_are_found_and_what_has_no_data_says_what_it_needs() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        enlarge(app, 100).await;
        let of = diagnosed(&owner).await;
        let modal = of("modal_answer");
        assert_eq!((&modal["verdict"], &modal["reason"]), (&json!("warning"), &Value::Null), "{modal}");
        let colour = &modal["findings"][0];
        assert_eq!(
            (&colour["of"], &colour["value"], &colour["threshold"]),
            (&json!("Which_colour_then"), &json!(1.0), &json!(0.8))
        );
        assert_eq!((&colour["n"], &colour["warns"]), (&json!(99), &json!(true)), "{modal}");
        // A third of the twins failed all of their requests.
        let people = of("spread");
        assert_eq!((&people["verdict"], &people["findings"]), (&json!("not_applicable"), &json!([])));
        assert!(people["reason"].as_str().is_some_and(|reason| reason.contains("People")), "{people}");
        assert_eq!(of("straight_lining")["reason"], json!("no matrix has four rows or more"));
        let versions = of("drift");
        assert_eq!(
            (&versions["verdict"], &versions["findings"][0]["value"]),
            (&json!("ok"), &json!(1.0)),
            "{versions}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_server_may_warn_elsewhere() {
    with_flags(&["--diagnostic-thresholds", r#"{"modal_share": 1.0}"#], async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        enlarge(app, 100).await;
        let modal = diagnosed(&owner).await("modal_answer");
        assert_eq!((&modal["verdict"], &modal["findings"][0]["threshold"]), (&json!("ok"), &json!(1.0)), "{modal}");
    })
    .await;
}

/// Half of the twins saw the second option first, and all chose the one that they saw first.
const FIRST_SHOWN: &str = "
    UPDATE responses SET option_order = ARRAY[1 + persona_id % 2, 2 - persona_id % 2],
        answer = CASE persona_id % 2 WHEN 0 THEN '-red' ELSE 'blue' END,
        answer_value = to_jsonb(CASE persona_id % 2 WHEN 0 THEN '-red' ELSE 'blue' END)
        WHERE question_id = 1";

#[tokio::test]
async fn the_place_of_an_option_and_requests_that_took_several_tries_are_found() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        enlarge(app, 100).await;
        let connection = &mut *app.connection().await;
        sample::run(connection, FIRST_SHOWN).await;
        sample::run(connection, "UPDATE responses SET attempt = 2 WHERE question_id < 4").await;
        let of = diagnosed(&owner).await;
        let place = of("option_position");
        assert_eq!(place["verdict"], "warning", "{place}");
        let found = &place["findings"][0];
        assert_eq!(
            (&found["of"], &found["value"], &found["n"]),
            (&json!("Which_colour_then"), &json!(1.0), &json!(99))
        );
        // In the written order, positions say nothing.
        sample::run(connection, "UPDATE simulations SET parameters = parameters || '{\"shuffleOptions\": false}'")
            .await;
        assert_eq!((diagnosed(&owner).await)("option_position")["reason"], json!("options were not shuffled"));
        // One question was refused, and no other.
        let but_one = "UPDATE request_failures SET code = CASE question_id WHEN 1 THEN 'refused' ELSE 'invalid' END";
        sample::run(connection, but_one).await;
        let refused = (diagnosed(&owner).await)("refusals");
        let question = &refused["findings"][0];
        // A single refusal is no pattern.
        assert_eq!((&refused["verdict"], &question["of"]), (&json!("ok"), &json!("question Which_colour_then")));
        assert!(question["value"].as_f64().is_some_and(|gap| gap > 0.0), "{refused}");
        let valid = of("validity");
        assert_eq!((&valid["verdict"], &valid["findings"][0]["of"]), (&json!("warning"), &json!("")), "{valid}");
        let share = valid["findings"][0]["value"].as_f64().expect("a share");
        assert!((0.3..0.7).contains(&share), "{valid}");
    })
    .await;
}

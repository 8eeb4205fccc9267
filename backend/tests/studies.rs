//! Studies: runs that start together over the same personas, and their comparisons.

use std::collections::{BTreeMap, BTreeSet};

use model_server::{Fault, Faults, ModelServer};
use serde_json::{Value, json};

use crate::support::{GroupFixture, answer, sample, stable, with_app, with_flags};

/// A survey with two arms, whose words a question repeats, and options that can be reversed.
fn fees() -> Value {
    json!({ "title": "Fees", "questions": [
        { "name": "fair", "type": "SINGLE_CHOICE", "text": "How fair is {{field:fee}}?",
          "options": ["Fair", "Neither", "Unfair"], "scale": "ordinal" },
        { "name": "pay", "type": "SLIDER", "text": "What would you pay with {{field:fee}}?", "min_value": 0, "max_value": 100 }
      ], "flow": [
        { "random": "fee_arm", "take": 1, "of": [
            { "arm": "one", "flow": [{ "set": { "fee": "a RESORT fee" } }] },
            { "arm": "two", "flow": [{ "set": { "fee": "a SERVICE fee" } }] }] },
        { "block": "dv", "questions": ["fair", "pay"] }] })
}

async fn import(fixture: &GroupFixture<'_>, survey: Value) -> i64 {
    let path = format!("/api/surveys/import?groupId={}", fixture.group_id);
    fixture.author.post(&path, survey).await.ok()["id"].as_i64().expect("an id")
}

#[actix_web::test]
async fn a_price_waits_for_nobody_and_takes_nothing() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let mut looped = fees();
        looped["tables"] = json!({ "ideas": { "columns": ["id", "text"], "rows": [["1", "A hat"], ["2", "A cup"], ["3", "A map"]] } });
        let more = json!({ "loop": "ideas", "take": 2, "order": "random", "flow": [{ "block": "ideas_asked", "questions": ["good"] }] });
        looped["questions"].as_array_mut().expect("a list").push(json!({ "name": "good", "type": "BOOLEAN", "text": "Is {{loop:text}} good?" }));
        looped["flow"].as_array_mut().expect("a list").push(more);
        let survey = import(&fixture, looped).await;
        let mut conn = app.connection().await;
        let last = "SELECT last_value AS number FROM questions_id_seq";
        let before = sample::number(&mut conn, last).await;
        // Another session edits the survey, and an import replaces the personas.
        let locks = format!(
            "BEGIN; SELECT FROM surveys WHERE id = {survey} FOR UPDATE; SELECT FROM persona_sets FOR UPDATE"
        );
        sample::run(&mut conn, &locks).await;
        let path = format!("/api/surveys/{survey}/studies");
        let asked = json!({"run": {"personaCount": 6, "seed": 5}, "variants": ["summary", "empty"], "arms": "all", "repeats": 2});
        let price = fixture.author.post(&format!("{path}?price=true"), asked.clone()).await.ok();
        sample::run(&mut conn, "ROLLBACK").await;
        // Two questions and two turns of the loop for 6 personas in 8 runs.
        assert_eq!((&price["credits"], price["runs"].as_array().map(Vec::len)), (&json!(4 * 6 * 8), Some(8)));
        assert_eq!(sample::number(&mut conn, last).await, before, "no id of a question is taken");
        let started = fixture.author.post(&path, asked).await.ok();
        assert_eq!(started["totalRequests"], price["credits"]);
        let id = started["studyId"].as_str().expect("an id");
        fixture.author.post(&format!("/api/studies/{id}/stop"), json!(null)).await.ok();
    })
    .await;
}

fn runs(study: &Value) -> Vec<Value> {
    study["runs"].as_array().expect("runs").clone()
}

#[actix_web::test]
async fn all_cells_of_a_study_are_ordinary_runs_over_the_same_twins() {
    with_flags(&["--llm-models", "m-1,m-2"], async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let survey = fixture.survey(2).await;
        let path = format!("/api/surveys/{survey}/studies");
        let asked = json!({"run": {"personaCount": 6, "seed": 5, "name": "Baselines"}, "variants": ["summary", "empty"], "models": ["m-1", "m-2"], "repeats": 2, "orders": ["as_written", "reversed"]});

        let price = fixture.author.post(&format!("{path}?price=true"), asked.clone()).await.ok();
        assert_eq!((&price["credits"], &price["available"]), (&json!(16 * 12), &json!(1_000)));
        assert_eq!(fixture.budget().await, (1_000, 0), "a price holds nothing");

        let started = fixture.author.post(&path, asked).await;
        assert_eq!(started.status, 201);
        let study = started.ok();
        assert_eq!(fixture.budget().await, (1_000, 16 * 12));
        assert_eq!((&study["name"], &study["status"]), (&json!("Baselines"), &json!("QUEUED")));
        let cells: BTreeSet<String> = runs(&study)
            .iter()
            .map(|run| {
                let parameters = &run["parameters"];
                assert_eq!((&parameters["seed"], &run["studyId"]), (&json!(5), &study["studyId"]));
                format!("{} {} {}", parameters["personaVariant"], parameters["model"], parameters["cell"])
            })
            .collect();
        assert_eq!(cells.len(), 16, "each cell is another: {cells:?}");

        let stub = ModelServer::start(Faults { keep_bodies: true, ..Faults::default() });
        let over = fixture.study_ended(&stub, &study).await;
        assert_eq!((&over["status"], &over["successfulRequests"]), (&json!("COMPLETED"), &json!(16 * 12)));
        assert_eq!(fixture.budget().await, (1_000 - 16 * 12, 0));
        let mut conn = app.connection().await;
        let twins = "SELECT count(*) AS number FROM (SELECT DISTINCT persona_id FROM simulation_personas) AS twins";
        assert_eq!(sample::number(&mut conn, twins).await, 6);
        // The server gets another seed for each repeat, and options in both orders.
        let mut seeds: BTreeMap<i64, usize> = BTreeMap::new();
        let mut orders = BTreeSet::new();
        for body in stub.bodies() {
            let body: Value = serde_json::from_slice(&body).expect("JSON");
            *seeds.entry(body["seed"].as_i64().expect("a seed")).or_default() += 1;
            let text = body["messages"].to_string();
            orders.insert(text.find("Yes").expect("an option") < text.find("No\\n").unwrap_or(usize::MAX));
        }
        assert_eq!(seeds, BTreeMap::from([(5, 48), (6, 48)]));
        assert_eq!(orders.len(), 2);

        let list = fixture.author.get(&path).await.ok();
        assert_eq!(list.as_array().expect("a list").len(), 1);
        assert_eq!(list[0]["studyId"], study["studyId"]);
    })
    .await;
}

#[actix_web::test]
async fn every_twin_is_asked_in_every_arm_and_compared_with_itself() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let survey = import(&fixture, fees()).await;
        let asked = json!({"run": {"personaCount": 20, "seed": 3}, "arms": "all", "repeats": 2});
        let study = fixture.author.post(&format!("/api/surveys/{survey}/studies"), asked).await.ok();
        let arms: Vec<Value> = runs(&study).iter().map(|run| run["parameters"]["cell"]["arms"].clone()).collect();
        let [one, two] = ["one", "two"].map(|arm| json!({"fee_arm": arm}));
        assert_eq!(arms, [one.clone(), two.clone(), one, two]);

        let stub = ModelServer::start(Faults { keep_bodies: true, ..Faults::default() });
        let over = fixture.study_ended(&stub, &study).await;
        assert_eq!((&over["status"], &over["totalRequests"]), (&json!("COMPLETED"), &json!(160)));
        let prompts_with =
            |word: &str| stub.bodies().iter().filter(|body| String::from_utf8_lossy(body).contains(word)).count();
        assert_eq!((prompts_with("RESORT"), prompts_with("SERVICE")), (40, 40));

        let path = format!("/api/studies/{}/comparison", study["studyId"].as_str().expect("an id"));
        let compared = fixture.author.get(&path).await.ok();
        assert_eq!(compared["reference"], runs(&study)[0]["simulationId"]);
        insta::assert_snapshot!("runs_compared", stable(&compared));
        let beside = compared["runs"].as_array().expect("runs");
        assert_eq!(beside.len(), 3);
        for run in beside {
            assert_eq!(run["twins"], 20, "the same twins in both");
            let names: Vec<&Value> =
                run["questions"].as_array().expect("questions").iter().map(|q| &q["name"]).collect();
            assert_eq!(names, [&json!("fair"), &json!("pay")]);
        }
        // The means are those of the answers, and so is the difference.
        let mean = |run: i64| {
            format!(
                "SELECT round(10000 * avg((answer_value)::numeric))::bigint AS number FROM responses r
                JOIN simulation_questions q USING (simulation_id, question_id)
                WHERE r.simulation_id = {run} AND q.position = 2"
            )
        };
        let mut conn = app.connection().await;
        let [first, second] = [0, 1].map(|place: usize| runs(&study)[place]["id"].as_i64().expect("an id"));
        let means = [sample::number(&mut conn, &mean(first)).await, sample::number(&mut conn, &mean(second)).await];
        let pay = &beside[0]["questions"][1];
        let answer =
            ["meanReference", "meanRun"].map(|name| (pay[name].as_f64().expect("a mean") * 10_000.0).round() as i64);
        assert_eq!(answer, means);
        let difference = pay["meanRun"].as_f64().unwrap() - pay["meanReference"].as_f64().unwrap();
        assert!((pay["difference"].as_f64().expect("a difference") - difference).abs() < 1e-9);

        // Repeats of the first arm, and of the second.
        let repeats = compared["repeats"].as_array().expect("repeats");
        let pairs: Vec<&Value> = repeats.iter().map(|of| &of["simulationIds"]).collect();
        let id = |place: usize| runs(&study)[place]["simulationId"].clone();
        assert_eq!(pairs, [&json!([id(0), id(2)]), &json!([id(1), id(3)])]);
        for of in repeats {
            let questions = of["questions"].as_array().expect("questions");
            assert!(questions.iter().all(|question| question["twins"] == 20), "{of}");
        }
        let other = format!("{path}?reference={}", id(2).as_str().expect("an id"));
        assert_eq!(fixture.author.get(&other).await.ok()["reference"], id(2));
        let none = format!("{path}?reference=7a6b5c4d-0000-4000-8000-000000000007");
        assert_eq!(fixture.author.get(&none).await.refused(400), "reference: it is no run of this study");
    })
    .await;
}

#[tokio::test]
async fn a_study_starts_all_its_runs_or_none() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 35).await;
        let survey = fixture.survey(2).await;
        let path = format!("/api/surveys/{survey}/studies");
        let asked = json!({"run": {"personaCount": 5}, "variants": ["summary", "empty"], "repeats": 2});
        let message = fixture.author.post(&path, asked).await.refused(402);
        assert_eq!(message, "Not enough credits: 40 needed, 35 available");
        assert_eq!(fixture.budget().await, (35, 0));
        assert_eq!(fixture.author.get(&path).await.ok(), json!([]));
        assert_eq!(sample::number(&mut *app.connection().await, "SELECT count(*) AS number FROM simulations").await, 0);
    })
    .await;
}

#[tokio::test]
async fn runs_of_a_study_are_active_side_by_side_and_no_other_run_beside_them() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        let path = format!("/api/surveys/{survey}/studies");
        let start = format!("/api/simulations/survey/{survey}/start");
        let alone = fixture.author.post(&start, json!({"personaCount": 2})).await.ok();
        let refused = "Survey already has an active simulation";
        let asked = json!({"run": {"personaCount": 3}, "repeats": 3});
        assert_eq!(fixture.author.post(&path, asked.clone()).await.refused(409), refused);
        let at = |run: &Value, what: &str| {
            format!("/api/simulations/{}/{what}", run["simulationId"].as_str().expect("an id"))
        };
        fixture.author.post(&at(&alone, "stop"), json!({})).await.ok();

        let keyed = fixture.author.with_header("idempotency-key", "one study");
        let study = keyed.post(&path, asked.clone()).await.ok();
        assert_eq!(keyed.post(&path, asked).await.ok(), study, "it is started once");
        assert_eq!(fixture.budget().await, (100, 9));
        assert_eq!(fixture.author.post(&start, json!({"personaCount": 1})).await.refused(409), refused);
        assert_eq!(fixture.author.post(&at(&alone, "continue"), json!({})).await.refused(409), refused);

        // A single run may be stopped and continued next to the others.
        let run = &runs(&study)[1];
        fixture.author.post(&at(run, "stop"), json!({})).await.ok();
        assert_eq!(fixture.budget().await, (100, 6));
        fixture.author.post(&at(run, "continue"), json!({})).await.ok();
        assert_eq!(fixture.budget().await, (100, 9));

        // The actions on all runs together.
        let of_study = |what: &str| format!("/api/studies/{}/{what}", study["studyId"].as_str().expect("an id"));
        assert_eq!(
            fixture.author.post(&of_study("resume"), json!({})).await.refused_with(409, "wrong_state"),
            "A simulation that is QUEUED cannot be resumed"
        );
        assert_eq!(fixture.author.post(&of_study("pause"), json!({})).await.ok()["status"], "PAUSED");
        assert_eq!(fixture.author.post(&of_study("resume"), json!({})).await.ok()["status"], "QUEUED");
        fixture.member.post(&of_study("stop"), json!({})).await.refused(404);
        assert_eq!(fixture.owner.post(&of_study("stop"), json!({})).await.ok()["status"], "STOPPED");
        assert_eq!(fixture.budget().await, (100, 0));
        fixture.author.post(&of_study("stop"), json!({})).await.refused(409);

        // Now another run may start, and then no run of the study continues.
        fixture.author.post(&start, json!({"personaCount": 1})).await.ok();
        assert_eq!(fixture.author.post(&at(run, "continue"), json!({})).await.refused(409), refused);
    })
    .await;
}

#[tokio::test]
async fn what_a_study_cannot_take_is_refused_by_name() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let path = format!("/api/surveys/{}/studies", fixture.survey(1).await);
        for (asked, expected) in [
            (
                json!({"run": {"personaCount": 1}, "arms": "all"}),
                "arms: the survey has no arms, so no twin can be asked in all of them",
            ),
            (json!({"run": {"personaCount": 1}, "repeats": 0}), "repeats must be between 1 and 60"),
            (json!({"run": {"personaCount": 1}, "repeats": 61}), "repeats must be between 1 and 60"),
            (
                json!({"run": {"personaCount": 1}, "repeats": 31, "orders": ["as_written", "reversed"]}),
                "A study has at most 60 runs",
            ),
            (json!({"run": {"personaCount": 1}, "variants": ["empty", "empty"]}), "variants: each may be listed once"),
            (
                json!({"run": {"personaCount": 1, "shuffleOptions": true}, "orders": ["reversed"]}),
                "orders: options cannot be shuffled and reversed at once",
            ),
            (json!({"run": {"personaCount": 0}}), "personaCount must be at least 1"),
            (json!({"run": {"personaCount": 1, "maxCost": 1}}), "maxCost: the price of this model is not known"),
        ] {
            assert_eq!(fixture.author.post(&path, asked).await.refused(400), expected);
        }
        fixture.author.post(&path, json!({"run": {"personaCount": 1}, "orders": ["upside_down"]})).await.refused(400);
        fixture.author.post(&path, json!({"run": {"personaCount": 1, "userId": 1}})).await.refused(403);
        assert_eq!(fixture.budget().await, (1_000, 0));
        let empty = format!("/api/surveys/{}/studies", fixture.survey(0).await);
        fixture
            .author
            .post(&empty, json!({"run": {"personaCount": 1}}))
            .await
            .refused_with(409, "survey_without_questions");
    })
    .await;
}

#[tokio::test]
async fn a_run_that_cannot_go_on_keeps_none_of_the_others() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let path = format!("/api/surveys/{}/studies", fixture.survey(1).await);
        let asked = json!({"run": {"personaCount": 2}, "repeats": 3});
        let study = fixture.author.post(&path, asked).await.ok();
        let of_study = |what: &str| format!("/api/studies/{}/{what}", study["studyId"].as_str().expect("an id"));
        fixture.author.post(&of_study("pause"), json!({})).await.ok();
        // The second run has reached its cost cap.
        let capped = runs(&study)[1]["id"].as_i64().expect("an id");
        let spent = format!(
            r#"UPDATE simulations SET prompt_tokens = 1000, parameters = parameters ||
                   '{{"price": {{"currency": "EUR", "prompt": 100000000, "cached": 0, "completion": 0}}}}' WHERE id = {capped};
               INSERT INTO cost_caps (simulation_id, max_cost) VALUES ({capped}, 1)"#
        );
        sample::run(&mut *app.connection().await, &spent).await;
        let resumed = fixture.author.post(&of_study("resume"), json!({})).await.ok();
        let states: Vec<Value> = runs(&resumed).iter().map(|run| run["status"].clone()).collect();
        assert_eq!(states, ["QUEUED", "PAUSED", "QUEUED"]);
        // Repeated, the call says why that run stays paused.
        let message = fixture.author.post(&of_study("resume"), json!({})).await.refused_with(409, "cost_cap");
        assert!(message.ends_with("raise maxCost first"), "{message}");
        fixture.author.post(&of_study("stop"), json!({})).await.ok();
        let continued = fixture.author.post(&of_study("continue"), json!({})).await.ok();
        let states: Vec<Value> = runs(&continued).iter().map(|run| run["status"].clone()).collect();
        assert_eq!(states, ["QUEUED", "STOPPED", "QUEUED"]);
        let message = fixture.author.post(&of_study("continue"), json!({})).await.refused_with(409, "cost_cap");
        assert!(message.ends_with("raise maxCost first"), "{message}");
        fixture.author.post(&of_study("stop"), json!({})).await.ok();
    })
    .await;
}

#[actix_web::test]
async fn what_failed_in_a_study_is_asked_again_with_credits_for_all_of_it_or_for_none() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 6).await;
        let path = format!("/api/surveys/{}/studies", fixture.survey(1).await);
        let study = fixture.author.post(&path, json!({"run": {"personaCount": 3}, "repeats": 2})).await.ok();
        let retry = format!("/api/studies/{}/retry-failed", study["studyId"].as_str().expect("an id"));
        let message = fixture.author.post(&retry, json!({})).await.refused_with(409, "wrong_state");
        assert_eq!(message, "A simulation that is QUEUED cannot be retried");
        // Four of six calls, so some of each run.
        let stub = ModelServer::start(Faults { script: vec![Some(Fault::Refusal); 4], ..Faults::default() });
        let over = fixture.study_ended(&stub, &study).await;
        assert_eq!((&over["status"], &over["failedRequests"]), (&json!("FAILED"), &json!(4)));
        assert_eq!(fixture.budget().await, (4, 0));

        // A run of another survey holds one of the four credits.
        let other = fixture.start(fixture.survey(1).await, 1).await;
        let message = fixture.author.post(&retry, json!({})).await.refused(402);
        assert_eq!(message, "Not enough credits: 4 needed, 3 available");
        assert_eq!(fixture.budget().await, (4, 1));
        let again = "SELECT count(*) AS number FROM simulations WHERE attempt > 1";
        assert_eq!(sample::number(&mut *app.connection().await, again).await, 0);
        let stop = format!("/api/simulations/{}/stop", other["simulationId"].as_str().expect("an id"));
        fixture.author.post(&stop, json!({})).await.ok();

        let keyed = fixture.author.with_header("idempotency-key", "one retry");
        let retried = keyed.post(&retry, json!({})).await.ok();
        assert_eq!(keyed.post(&retry, json!({})).await.ok(), retried, "it is done once");
        assert_eq!(fixture.budget().await, (4, 4));
        let of_runs =
            |study: &Value, field: &str| -> Vec<Value> { runs(study).iter().map(|run| run[field].clone()).collect() };
        assert_eq!(of_runs(&retried, "status"), ["QUEUED", "QUEUED"]);
        assert_eq!(of_runs(&retried, "attempt"), [2, 2]);
        assert_eq!(retried["failedRequests"], 0);
        for (run, failed) in runs(&study).iter().zip(of_runs(&over, "failedRequests")) {
            let held = format!("SELECT held AS number FROM simulations WHERE id = {}", run["id"]);
            assert_eq!(sample::number(&mut *app.connection().await, &held).await, failed.as_i64().expect("a number"));
        }
        let over = fixture.study_ended(&ModelServer::start(Faults::default()), &study).await;
        assert_eq!((&over["status"], &over["successfulRequests"]), (&json!("COMPLETED"), &json!(6)));
        assert_eq!(fixture.budget().await, (0, 0));
        assert_eq!(fixture.author.post(&retry, json!({})).await.refused(409), "Simulation has no failed requests");
    })
    .await;
}

#[tokio::test]
async fn a_stopped_study_goes_on_as_a_whole_and_beside_no_other_run_of_its_survey() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        let path = format!("/api/surveys/{survey}/studies");
        let study = fixture.author.post(&path, json!({"run": {"personaCount": 3}, "repeats": 3})).await.ok();
        let of_study = |what: &str| format!("/api/studies/{}/{what}", study["studyId"].as_str().expect("an id"));
        let of_run = |run: &Value, what: &str| {
            format!("/api/simulations/{}/{what}", run["simulationId"].as_str().expect("an id"))
        };
        let states = |study: &Value| -> Vec<(Value, Value)> {
            runs(study).iter().map(|run| (run["status"].clone(), run["attempt"].clone())).collect()
        };
        let message = fixture.author.post(&of_study("continue"), json!({})).await.refused_with(409, "wrong_state");
        assert_eq!(message, "A simulation that is QUEUED cannot be continued");

        // Only the stopped run, next to those that are running.
        fixture.author.post(&of_run(&runs(&study)[1], "stop"), json!({})).await.ok();
        let continued = fixture.owner.post(&of_study("continue"), json!({})).await.ok();
        assert_eq!(states(&continued), [1, 2, 1].map(|attempt| (json!("QUEUED"), json!(attempt))));
        assert_eq!(fixture.budget().await, (100, 9));

        fixture.author.post(&of_study("stop"), json!({})).await.ok();
        assert_eq!(fixture.budget().await, (100, 0));
        fixture.member.post(&of_study("continue"), json!({})).await.refused(404);
        // If another run and the study start at once, one is the survey's active one.
        let start = format!("/api/simulations/survey/{survey}/start");
        for _ in 0..5 {
            let continuing = of_study("continue");
            let (alone, continued) = tokio::join!(
                fixture.author.post(&start, json!({"personaCount": 1})),
                fixture.author.post(&continuing, json!({}))
            );
            let refused = "Survey already has an active simulation";
            if alone.status == 201 {
                assert_eq!(continued.refused(409), refused);
                assert_eq!(fixture.budget().await, (100, 1));
                fixture.author.post(&of_study("continue"), json!({})).await.refused(409);
                fixture.author.post(&of_run(&alone.ok(), "stop"), json!({})).await.ok();
            } else {
                assert_eq!(alone.refused(409), refused);
                assert_eq!(continued.ok()["status"], "QUEUED");
                assert_eq!(fixture.budget().await, (100, 9));
                fixture.author.post(&of_study("stop"), json!({})).await.ok();
            }
        }
        let continued = fixture.author.post(&of_study("continue"), json!({})).await.ok();
        assert_eq!(continued["status"], "QUEUED");
        assert_eq!(fixture.budget().await, (100, 9));
        fixture.author.post(&of_study("stop"), json!({})).await.ok();
    })
    .await;
}

#[tokio::test]
async fn a_study_is_renamed_by_who_controls_it_and_its_runs_keep_their_names() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let path = format!("/api/surveys/{}/studies", fixture.survey(1).await);
        let asked = json!({"run": {"personaCount": 1, "name": "Pilot"}, "repeats": 2});
        let study = fixture.author.post(&path, asked).await.ok();
        let path = format!("/api/studies/{}", study["studyId"].as_str().expect("an id"));
        let named = fixture.author.patch(&path, json!({"name": " Baselines ", "note": "Second try"})).await.ok();
        assert_eq!((&named["name"], &named["note"]), (&json!("Baselines"), &json!("Second try")));
        assert!(runs(&named).iter().all(|run| run["name"].is_null()), "{named}");
        let named = fixture.author.patch(&path, json!({"note": null})).await.ok();
        assert_eq!((&named["name"], &named["note"]), (&json!("Baselines"), &json!(null)));
        assert_eq!(fixture.author.patch(&path, json!({})).await.ok()["name"], "Baselines");
        let message = fixture.author.patch(&path, json!({"name": "x".repeat(121)})).await.refused(400);
        assert!(message.starts_with("name: "), "{message}");
        fixture.member.patch(&path, json!({"name": "Mine"})).await.refused(404);
        assert_eq!(fixture.author.get(&path).await.ok()["name"], "Baselines");
        fixture.author.post(&format!("{path}/stop"), json!({})).await.ok();
    })
    .await;
}

/// A form with a file of people's answers.
fn form(file: &str) -> String {
    format!("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"people.csv\"\r\n\r\n{file}\r\n--x--\r\n")
}

#[actix_web::test]
async fn repeats_are_forecasts_of_people_and_twins_of_all_arms_are_compared_with_themselves() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let survey = import(&fixture, fees()).await;
        let asked = json!({"run": {"personaCount": 20, "seed": 3}, "arms": "all", "repeats": 2});
        let study = fixture.author.post(&format!("/api/surveys/{survey}/studies"), asked).await.ok();
        let stub = ModelServer::start(Faults::default());
        fixture.study_ended(&stub, &study).await;
        let first = runs(&study)[0]["simulationId"].clone();
        let first = first.as_str().expect("an id");
        let matrix = format!("/api/surveys/{survey}/simulation/{first}/responses/matrix?limit=100");
        let twins = fixture.author.get(&matrix).await.ok();
        let twins = twins.as_array().expect("twins").iter();
        let pids: Vec<String> = twins.map(|twin| twin["personaPid"].as_str().expect("an id").to_owned()).collect();
        assert_eq!(pids.len(), 20);
        // The stub answers the same in every arm: the personas in the second one are changed to pay another price.
        let second = runs(&study)[1]["id"].as_i64().expect("an id");
        let otherwise = format!(
            "UPDATE responses r SET answer = persona_id % 7 * 10, answer_value = to_jsonb(persona_id % 7 * 10)
             FROM simulation_questions q WHERE r.simulation_id = {second} AND q.simulation_id = r.simulation_id
                 AND q.question_id = r.question_id AND q.position = 2"
        );
        sample::run(&mut *app.connection().await, &otherwise).await;
        // Everybody was in one arm; half of them found it fair.
        let row = |(n, pid): (usize, &String)| {
            format!("{pid},{},{},{}\n", ["one", "two"][n % 2], ["Fair", "Unfair"][n / 2 % 2], 10 * (n % 7))
        };
        let file = format!("pid,cond,fair,pay\n{}", pids.iter().enumerate().map(row).collect::<String>());
        let path = format!("/api/studies/{}/people", study["studyId"].as_str().expect("an id"));
        let send = async |query: &str, file: &str| {
            let request = fixture.author.request(reqwest::Method::POST, &format!("{path}{query}"));
            answer(request.header("content-type", "multipart/form-data; boundary=x").body(form(file))).await
        };
        let found = send("?arm=cond", &file).await.ok();
        insta::assert_snapshot!("study_beside_people", stable(&found));
        let id = |place: usize| runs(&study)[place]["simulationId"].clone();
        assert_eq!(found["simulationIds"], json!([id(0), id(1)]));
        let comparison = &found["comparison"];
        assert_eq!((&comparison["twins"], &comparison["pairs"]), (&json!(40), &json!(20)), "{comparison}");
        assert_eq!(comparison["arms"]["twinsInAllArms"], json!(true));
        let of_pay = |effect: &&Value| effect["item"] == "pay";
        let effects = comparison["arms"]["effects"].as_array().expect("effects");
        assert!(
            effects.iter().any(|effect| of_pay(&effect) && effect["gap"]["difference"].is_number()),
            "{comparison}"
        );
        let of = |diagnostics: &Value, name: &str| {
            let all = diagnostics.as_array().expect("diagnostics").iter();
            all.filter(|one| one["diagnostic"] == name).collect::<Vec<_>>()[0].clone()
        };
        let unstable = of(&comparison["diagnostics"], "instability");
        assert_eq!((&unstable["verdict"], &unstable["findings"][0]["of"]), (&json!("warning"), &json!("pay")));
        assert_eq!(of(&comparison["diagnostics"], "stereotyping")["verdict"], "not_applicable");
        let second = runs(&study)[1]["simulationId"].clone();
        let of_run = format!("/api/surveys/{survey}/simulation/{}/diagnostics", second.as_str().expect("an id"));
        let unstable = of(&fixture.author.get(&of_run).await.ok()["diagnostics"], "instability");
        let found_first = &unstable["findings"][0];
        assert_eq!((&found_first["of"], &found_first["n"]), (&json!("pay"), &json!(20)), "{unstable}");
        // The first run met another version of the model.
        let drift = async || of(&fixture.author.get(&of_run).await.ok()["diagnostics"], "drift");
        assert_eq!((drift().await)["verdict"], "ok");
        let other =
            format!("UPDATE responses SET fingerprint = 'later' WHERE simulation_id <> {}", runs(&study)[1]["id"]);
        sample::run(&mut *app.connection().await, &other).await;
        let versions = drift().await;
        let of_study = &versions["findings"][0];
        assert_eq!(
            (&versions["verdict"], &of_study["of"], &of_study["value"]),
            (&json!("warning"), &json!("all runs of the study"), &json!(2.0)),
            "{versions}"
        );

        let calibration = &found["calibration"];
        assert_eq!((&calibration["people"], &calibration["repeats"]), (&json!(20), &json!(2)));
        let names: Vec<&Value> =
            calibration["questions"].as_array().expect("questions").iter().map(|question| &question["name"]).collect();
        assert_eq!(names, [&json!("fair")], "of options only");
        let of = |view: &str| {
            let bins = calibration[view].as_array().expect("bins");
            assert_eq!(bins.len(), 10);
            bins.iter().map(|bin| bin["n"].as_i64().expect("a number")).sum::<i64>()
        };
        assert_eq!((of("options"), of("likeliest")), (60, 20), "three options each");
        let brier = calibration["all"]["brier"]["value"].as_f64().expect("a score");
        assert!((0.0..=2.0).contains(&brier) && calibration["all"]["brier"]["low"].is_number(), "{calibration}");

        // Without the arm only a run and its repeat; with unknown ids nothing is forecast.
        let one = send(&format!("?reference={}", id(3).as_str().expect("an id")), &file).await.ok();
        assert_eq!((&one["simulationIds"], &one["comparison"]["twins"]), (&json!([id(3)]), &json!(20)));
        assert_eq!(one["calibration"]["repeats"], json!(2));
        let strangers = send("", &file.replace("pid,", "person,")).await.ok();
        assert_eq!((&strangers["calibration"], &strangers["comparison"]["paired"]), (&Value::Null, &json!(false)));
        let none = send("?reference=7a6b5c4d-0000-4000-8000-000000000007", &file).await;
        assert_eq!(none.refused(400), "reference: it is no run of this study");
        let no_validation = format!("/api/studies/{}/calibration", study["studyId"].as_str().expect("an id"));
        assert_eq!(fixture.author.get(&no_validation).await.refused(409), "This study is no validation");
    })
    .await;
}

//! Held-out validation: twins answer questions that the people behind them answered twice and that no prompt contains.

use std::collections::BTreeSet;

use model_server::{Fault, Faults, ModelServer};
use serde_json::{Value, json};
use twinlab::models::ledger_check;
use twinlab::models::model_refusals;
use twinlab::models::persona_import::replace_current;
use twinlab::personas::{synthesize, synthetic_source};
use twinlab::results::files::bundle::{self, Replay};

use crate::support::engine_fixture::engine_of;
use crate::support::{GroupFixture, TestApp, sample, stable, with_app, with_flags};

/// Replaces the fixture's personas by invented ones. Returns the set's id.
async fn invent(app: &TestApp, twins: usize) -> i32 {
    // The fixture set the id of its set itself.
    sample::run(&mut *app.connection().await, "ALTER SEQUENCE persona_sets_id_seq RESTART WITH 2").await;
    let url = app.database.url().to_owned();
    let store = move || {
        let mut conn = twinlab::db::connect(&url).expect("a connection");
        replace_current(&mut conn, &synthetic_source(1), true, synthesize(twins, 1).map(Ok)).expect("a set").0
    };
    tokio::task::spawn_blocking(store).await.expect("a set")
}

fn arm<'a>(validation: &'a Value, key: &str) -> &'a Value {
    let arms = validation["arms"].as_array().expect("arms");
    arms.iter().find(|arm| arm["key"] == key).unwrap_or_else(|| panic!("no arm {key}"))
}

/// The description of the answers' origin in a run's bundle, for reviewers. The bundle can be rebuilt.
async fn guide_of_bundle(app: &TestApp, simulation: &str) -> String {
    let sql = format!("SELECT id AS number FROM simulations WHERE simulation_id = '{simulation}'");
    let id = sample::number(&mut *app.connection().await, &sql).await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.zip");
    let pool = app.database.pool().await;
    bundle::write(&pool, id, &path).await.expect("a bundle");
    let Replay::Built { differing, .. } = bundle::replay(&path, folder.path()).expect("it is a bundle") else {
        panic!("it is damaged")
    };
    assert_eq!(differing, []);
    std::fs::read_to_string(folder.path().join("built/guide-llm.md")).expect("the guide")
}

#[actix_web::test]
async fn a_validation_at_a_temperature_that_its_model_is_known_to_refuse_does_not_start() {
    with_flags(&["--openai-base-url", "http://127.0.0.1:1/v1", "--llm-model", "stub"], async |app| {
        let fixture = GroupFixture::open(app, 10_000).await;
        let path = format!("/api/personas/sets/{}/validation", invent(app, 120).await);
        let conn = &mut *app.connection().await;
        model_refusals::note(conn, "default", "stub", "temperature", "0.5").await.expect("it is noted");
        let asked = |temperature| json!({"groupId": fixture.group_id, "personaCount": 100, "temperature": temperature});
        for path in [path.clone(), format!("{path}?price=true")] {
            let refused = fixture.author.post(&path, asked(0.5)).await.refused_with(400, "parameter_not_taken");
            assert!(refused.starts_with("the model stub does not take temperature 0.5: calls until 2"), "{refused}");
        }
        fixture.author.post(&format!("{path}?price=true"), asked(0.6)).await.ok();
    })
    .await;
}

#[actix_web::test]
async fn invented_twins_are_validated_from_the_price_to_the_verdicts() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 10_000).await;
        let set = invent(app, 120).await;
        let offer = fixture.author.get("/api/personas/validation").await.ok();
        assert_eq!((&offer["setId"], &offer["people"], &offer["synthetic"]), (&json!(set), &json!(120), &json!(true)));
        assert_eq!((&offer["questions"], &offer["headline"]), (&json!(14), &json!("summary")));
        assert_eq!(offer["tasks"].as_array().expect("tasks").len(), 7);
        assert_eq!(offer["variants"], json!(["summary", "demographics", "empty"]));

        let path = format!("/api/personas/sets/{set}/validation");
        let asked = json!({"groupId": fixture.group_id, "personaCount": 100, "seed": 3, "repeats": 2});
        let price = fixture.author.post(&format!("{path}?price=true"), asked.clone()).await.ok();
        // Each twin is asked 12 of 14 questions: two have two wordings. Three texts, asked twice.
        assert_eq!((&price["credits"], &price["available"]), (&json!(100 * 12 * 3 * 2), &json!(10_000)));
        assert_eq!(fixture.budget().await, (10_000, 0), "a price holds nothing and leaves no survey");
        assert!(fixture.author.get("/api/surveys/my").await.ok().as_array().expect("surveys").is_empty());

        let study = fixture.author.post(&path, asked).await.ok();
        assert_eq!((&study["isValidation"], &study["totalRequests"]), (&json!(true), &price["credits"]));
        let stub = ModelServer::start(Faults { keep_bodies: true, ..Faults::demo() });
        let over = fixture.study_ended(&stub, &study).await;
        assert_eq!((&over["status"], &over["successfulRequests"]), (&json!("COMPLETED"), &price["credits"]));
        assert_eq!(fixture.budget().await, (10_000 - 7_200, 0));

        // A twin is asked in one wording only.
        for body in stub.bodies() {
            let body = String::from_utf8(body.to_vec()).expect("text");
            assert!(!(body.contains("A plan saves 200") && body.contains("A plan lets 400")), "{body}");
        }

        // The files say the same before and after the figures were first shown.
        let first = study["runs"][0]["simulationId"].as_str().expect("an id").to_owned();
        let unseen = guide_of_bundle(app, &first).await;
        let path = format!("/api/studies/{}/validation", study["studyId"].as_str().expect("an id"));
        let found = fixture.author.get(&path).await.ok();
        assert_eq!(guide_of_bundle(app, &first).await, unseen);
        insta::assert_snapshot!("validation", stable(&found));
        let expected = format!("Twins of the same set, text (summary), model and temperature were asked all questions that 100 people had answered twice and that the twins do not know (validation {}, ", study["studyId"].as_str().expect("an id"));
        assert!(unseen.contains(&expected), "{unseen}");
        assert!(unseen.contains("Invented people with invented answers"), "{unseen}");
        let title = found["verdicts"][0]["title"].as_str().expect("a title");
        assert!(unseen.contains(title), "{title}: {unseen}");
        assert_eq!(
            (&found["finished"], &found["people"], &found["headline"]),
            (&json!(true), &json!(100), &json!("summary"))
        );
        assert_eq!(found["leaks"], json!([]));
        let calibration = fixture.author.get(&path.replace("/validation", "/calibration")).await.ok();
        insta::assert_snapshot!("calibration", stable(&calibration));
        let forecasts = &calibration["calibration"];
        assert_eq!((&calibration["headline"], &forecasts["repeats"]), (&json!("summary"), &json!(2)));
        assert_eq!(forecasts["people"], json!(100), "{forecasts}");
        let scores = &forecasts["all"];
        let value = |name: &str| scores[name]["value"].as_f64().expect("a score");
        // The twins read their persons' traits, so they are better than a forecast by everybody's shares.
        assert!(value("brier") > 0.0 && value("brier") < 2.0 && value("brierOfShares") < 1.0, "{scores}");
        assert!(forecasts["questions"].as_array().expect("questions").len() > 3, "{forecasts}");
        let keys: Vec<&str> =
            found["arms"].as_array().expect("arms").iter().map(|arm| arm["key"].as_str().expect("a key")).collect();
        let twins = ["ceiling", "summary", "demographics", "empty"];
        let blind = ["random", "marginal", "modal", "median", "cell_mean", "ridge"];
        assert_eq!(keys, [&twins[..], &blind].concat());
        let figure = |key: &str, name: &str| arm(&found, key)[name]["value"].as_f64().expect("a figure");
        let ceiling = figure("ceiling", "accuracy");
        assert!((0.76..0.84).contains(&ceiling), "{ceiling}");
        assert!((figure("ceiling", "ofCeiling") - 1.0).abs() < 1e-12);
        let (informed, uninformed) = (figure("summary", "r"), figure("empty", "r"));
        assert!((0.2..0.6).contains(&informed) && uninformed.abs() < 0.15, "{informed} {uninformed}");
        assert_eq!(arm(&found, "summary")["answers"], json!(2 * 100 * 19), "21 items, of which people saw 19, twice");
        assert!(arm(&found, "summary")["overEmpty"]["low"].is_number());
        assert!(arm(&found, "summary")["badge"].is_null(), "an invented profile was there before the answers");
        // The disattenuated correlation of the repeated items is higher than the observed one.
        let exact = &arm(&found, "summary")["disattenuated"];
        assert!(exact["value"].as_f64().is_some_and(|exact| exact > informed) && exact["low"].is_number(), "{exact}");
        assert!(arm(&found, "summary")["disattenuatedItems"].as_i64().is_some_and(|items| (1..=21).contains(&items)));
        assert_eq!(arm(&found, "modal")["disattenuated"], Value::Null);
        assert_eq!(found["verdicts"].as_array().expect("verdicts").len(), 4);
        let best = found["bestWithoutModel"].as_str().expect("a key");
        assert!(evidence::validation::CONTENDERS.contains(&best), "{best}");
        assert!(arm(&found, "summary")["overBest"]["low"].is_number());
        assert_eq!(found["tasks"].as_array().expect("tasks").len(), 7);
        assert_eq!(found["repeats"]["repeats"], json!(2));
        assert!(
            found["notice"].as_str().expect("a notice").to_lowercase().contains("synthetic"),
            "{}",
            found["notice"]
        );
        assert_eq!(fixture.author.get(&path).await.ok(), found, "what was counted once stays");

        // Twins that all know what half of their people know are too rational.
        let survey = &study["surveyId"];
        let diagnostics = format!("/api/surveys/{survey}/simulation/{first}/diagnostics");
        let rational = async || {
            let answer = fixture.author.get(&diagnostics).await.ok();
            let all = answer["diagnostics"].as_array().expect("diagnostics").clone();
            all.into_iter().find(|of| of["diagnostic"] == "hyper_rationality").expect("each is there")
        };
        let clean = rational().await;
        assert_eq!((&clean["verdict"], &clean["findings"][0]["n"]), (&json!("ok"), &json!(100)), "{clean}");
        assert_eq!(clean["findings"][0]["of"], "Chances: S14");
        let knowing = "UPDATE responses SET answer = 'The small tray', answer_value = to_jsonb('The small tray'::text)
            FROM questions WHERE questions.id = question_id AND questions.name = 'S14'";
        sample::run(&mut *app.connection().await, knowing).await;
        let planted = rational().await;
        let warned = &planted["findings"][0];
        assert_eq!((&planted["verdict"], &warned["value"]), (&json!("warning"), &json!(1.0)), "{planted}");
        assert!(warned["threshold"].as_f64().is_some_and(|share| (0.2..0.8).contains(&share)), "{planted}");

        // A later run with the same text, model and temperature refers to it; a run with another text does not.
        let survey = fixture.survey(1).await;
        let run = fixture.start(survey, 2).await;
        let trust = format!("/api/simulations/{}/trust", run["simulationId"].as_str().expect("an id"));
        let trust = fixture.author.get(&trust).await.ok();
        assert_eq!((&trust["validation"], &trust["arm"], &trust["canOpen"]), (&found, &json!("summary"), &json!(true)));
        assert_eq!(trust["offer"]["credits"], json!(100 * 12 * 3));
        assert_eq!(trust["offer"]["quickCredits"], trust["offer"]["credits"], "14 questions are fewer than 24");
        let mut conn = app.connection().await;
        for checked in ledger_check::run(&mut conn).await.expect("the checks run") {
            assert_eq!(checked.breaches, 0, "{checked:?}");
        }
    })
    .await;
}

#[actix_web::test]
async fn a_validation_that_goes_on_is_counted_anew() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 10_000).await;
        let set = invent(app, 30).await;
        let body = json!({"groupId": fixture.group_id, "personaCount": 30, "seed": 3});
        let study = fixture.author.post(&format!("/api/personas/sets/{set}/validation"), body).await.ok();
        let path = format!("/api/studies/{}", study["studyId"].as_str().expect("an id"));
        fixture.author.post(&format!("{path}/stop"), json!({})).await.ok();
        let stopped = fixture.author.get(&format!("{path}/validation")).await.ok();
        assert_eq!((&stopped["finished"], &arm(&stopped, "summary")["accuracy"]), (&json!(true), &Value::Null));
        assert_eq!(stopped["verdicts"], json!([]));

        let going_on = fixture.author.post(&format!("{path}/continue"), json!({})).await.ok();
        let stub = ModelServer::start(Faults::demo());
        let over = fixture.study_ended(&stub, &going_on).await;
        assert_eq!(over["status"], json!("COMPLETED"));
        let whole = fixture.author.get(&format!("{path}/validation")).await.ok();
        assert_eq!((&whole["finished"], &arm(&whole, "summary")["people"]), (&json!(true), &json!(30)));
    })
    .await;
}

#[actix_web::test]
async fn what_cannot_be_validated_is_refused_with_its_reason() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let offer = fixture.author.get("/api/personas/validation").await.ok();
        assert!(offer["refusal"].as_str().expect("a reason").contains("no answers that were held out"));
        let body = json!({"groupId": fixture.group_id, "personaCount": 5});
        let refusal = fixture.author.post("/api/personas/sets/1/validation", body.clone()).await.refused(409);
        assert!(refusal.contains("no answers that were held out"), "{refusal}");

        let set = invent(app, 30).await;
        let path = format!("/api/personas/sets/{set}/validation");
        let with = |field: &str, value: Value| {
            let mut body = body.clone();
            body[field] = value;
            body
        };
        let cases = [
            (with("variants", json!(["full"])), 400, "wave1_3 is the text without them"),
            (with("variants", json!(["wave1_3", "summary"])), 400, "variants must be of summary, demographics, empty"),
            (with("variants", json!(["empty"])), 400, "variants must have summary"),
            (with("personaCount", json!(0)), 400, "personaCount must be at least 1"),
            (with("repeats", json!(0)), 400, "repeats must be between 1 and 60"),
            (with("personaCount", json!(30)), 402, "1080"),
        ];
        for (body, status, words) in cases {
            let refusal = fixture.author.post(&path, body).await.refused(status);
            assert!(refusal.contains(words), "{refusal}");
        }
        let older = format!("/api/personas/sets/{}/validation", set - 1);
        let refusal = fixture.author.post(&older, body).await.refused(409);
        assert_eq!(refusal, "These twins are not the current ones any more");
        assert!(fixture.author.get("/api/surveys/my").await.ok().as_array().expect("surveys").is_empty());
        assert_eq!(fixture.budget().await, (100, 0));

        let survey = fixture.survey(1).await;
        let run = fixture.start(survey, 2).await;
        let trust = format!("/api/simulations/{}/trust", run["simulationId"].as_str().expect("an id"));
        let trust = fixture.author.get(&trust).await.ok();
        assert_eq!((&trust["validation"], &trust["arm"]), (&Value::Null, &Value::Null));
    })
    .await;
}

#[actix_web::test]
async fn a_profile_that_holds_a_held_out_question_refuses_the_validation() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 10_000).await;
        let set = invent(app, 30).await;
        let mut conn = app.connection().await;
        let leak = "UPDATE personas SET summary = summary || E'\\nOn how many of a hundred days do you FEEL anxiety, or depression? 12' WHERE id = 7";
        sample::run(&mut conn, leak).await;
        let body = json!({"groupId": fixture.group_id, "personaCount": 30});
        let refusal =
            fixture.author.post(&format!("/api/personas/sets/{set}/validation"), body).await.refused(409);
        assert!(refusal.starts_with("1 held-out question is in the twins' own texts, as S6 in 1 of them"), "{refusal}");
    })
    .await;
}

#[actix_web::test]
async fn questions_that_the_profile_holds_are_shown_before_a_start() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let mut conn = app.connection().await;
        sample::run(
            &mut conn,
            "INSERT INTO profile_questions (set_id, position, text) VALUES
                 (1, 1, E'How much do you agree?\\nI avoid buying things that I do not really need in my everyday life'),
                 (1, 2, 'How old are you?')",
        )
        .await;
        let survey = json!({"title": "Minimal", "questions": [
            {"name": "same", "type": "MATRIX", "text": "Tell us.", "scale_labels": ["No", "Yes"],
             "sub_questions": ["I avoid buying things that I do not really need in my everyday life."]},
            {"name": "other", "type": "SINGLE_CHOICE", "text": "Which of these two colours do you like better in a kitchen?",
             "options": ["Red", "Blue"]}]});
        let path = format!("/api/surveys/import?groupId={}", fixture.group_id);
        let survey = fixture.author.post(&path, survey).await.ok()["id"].as_i64().expect("an id");
        let found = fixture.author.get(&format!("/api/surveys/{survey}/leaks")).await.ok();
        let names: BTreeSet<&str> =
            found.as_array().expect("a list").iter().map(|of| of["question"].as_str().expect("a name")).collect();
        assert_eq!(names, BTreeSet::from(["same"]));
        assert_eq!((&found[0]["containment"], &found[0]["same"]), (&json!(1.0), &json!(true)));

        // At first only the questions of this set are known, later also the answers.
        let asked = json!({"run": {"personaCount": 2}, "repeats": 2});
        let study = fixture.author.post(&format!("/api/surveys/{survey}/studies"), asked).await.ok();
        fixture.study_ended(&ModelServer::start(Faults::demo()), &study).await;
        let run = study["runs"][0]["simulationId"].as_str().expect("an id");
        let own = format!("/api/surveys/{survey}/simulation/{run}/own-answers");
        let nothing = fixture.author.get(&own).await.ok();
        assert_eq!(nothing, json!({"hasAnswers": false, "people": 0, "questions": [], "notTaken": []}));
        sample::run(
            &mut conn,
            r#"INSERT INTO profile_items (set_id, position, question) VALUES (1, 1, '{"qid": "QID35", "text": "Tell us.",
                 "kind": {"matrix": {"columns": ["Yes", "No"], "rows": [{"id": "4",
                   "text": "I avoid buying things that I do not really need in my everyday life"}]}}}');
               INSERT INTO profile_answers SELECT set_id, id, '{"QID35_4": 2, "QID1": 7}' FROM personas WHERE set_id = 1"#,
        )
        .await;
        let answer = fixture.author.get(&own).await.ok();
        assert_eq!((&answer["hasAnswers"], &answer["people"], &answer["notTaken"]), (&json!(true), &json!(2), &json!([])));
        let question = &answer["questions"][0];
        assert_eq!((&question["name"], &question["nPeople"]), (&json!("same_1"), &json!(2)), "{answer}");
        // The profile's second option is the survey's first one.
        assert_eq!(question["meanPeople"], json!(1.0));
    })
    .await;
}

#[actix_web::test]
async fn validations_on_two_model_servers_wait_each_for_its_own() {
    let well = ModelServer::start(Faults::demo());
    let down = ModelServer::start(Faults::demo().with(Fault::ServerError, 1.0));
    let (well_url, down_url) = (well.base_url(), down.base_url());
    let servers = [("well", well_url.as_str()), ("down", down_url.as_str())];
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("models.toml");
    let entry = |(name, url): (&str, &str)| {
        format!("[[server]]\nname = \"{name}\"\nbase_url = \"{url}\"\nmodels = [{{ name = \"m-{name}\" }}]\n")
    };
    std::fs::write(&file, servers.map(entry).concat()).expect("the file is written");
    with_flags(&["--model-servers", file.to_str().expect("UTF-8")], async |app| {
        let fixture = GroupFixture::open(app, 10_000).await;
        let set = invent(app, 40).await;
        let start = async |model: &str| {
            let asked = json!({"groupId": fixture.group_id, "personaCount": 20, "seed": 3, "model": model});
            fixture.author.post(&format!("/api/personas/sets/{set}/validation"), asked).await.ok()
        };
        let (waiting, study) = (start("m-down").await, start("m-well").await);
        assert_eq!(study["runs"][0]["parameters"]["modelServer"], "well");
        let engine = engine_of(app.database.url(), &servers).await;
        let over = fixture.study_ended_by(engine, &study).await;
        assert_eq!(over["status"], "COMPLETED");
        let path = format!("/api/studies/{}", waiting["studyId"].as_str().expect("an id"));
        let now = fixture.author.get(&path).await.ok();
        assert_eq!((&now["successfulRequests"], &now["failedRequests"]), (&json!(0), &json!(0)), "{now:#}");
        down.set_faults(Faults::demo());
        let engine = engine_of(app.database.url(), &servers).await;
        assert_eq!(fixture.study_ended_by(engine, &waiting).await["status"], "COMPLETED");
    })
    .await;
}

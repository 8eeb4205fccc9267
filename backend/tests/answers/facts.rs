//! Facts of answers: the twins, the conditions and the prompts.

use serde_json::json;
use sha2::{Digest, Sha256};
use twinlab::llm::prompt::Recipe;
use twinlab::models::users::Role;
use twinlab::results::runs;

use super::{at, owner};
use crate::support::GroupFixture;
use crate::support::sample::{self, PlantedRun, SIMULATION, SIMULATION_ID, SURVEY_HASH};
use crate::support::with_app;

#[tokio::test]
async fn the_twins_of_a_run_stay_who_they_were_after_the_next_import() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        sample::run(
            &mut *app.connection().await,
            r#"UPDATE personas SET attributes = '{"Gender": "Female"}' WHERE id = 1;
               UPDATE persona_sets SET is_current = false;
               INSERT INTO persona_sets (id, source, is_current) VALUES (2, 'others', true);
               INSERT INTO personas (set_id, id, pid, name, summary) VALUES (2, 1, 'x', 'Another', 'Another')"#,
        )
        .await;
        let path = format!("/api/simulations/{SIMULATION_ID}/personas");
        let answer = owner.get(&path).await;
        assert_eq!(answer.headers["x-total-count"], "3");
        assert_eq!(
            answer.ok()[0],
            json!({"personaId": 1, "personaPid": "a", "personaName": "Twin 1", "attributes": {"Gender": "Female"}, "text": "One"})
        );
        let second = owner.get(&format!("{path}?limit=1&offset=1")).await.ok();
        assert_eq!((second.as_array().map(Vec::len), &second[0]["personaPid"]), (Some(1), &json!("b")));

        for list in ["responses/export", "responses/formatted", "responses/debug", "responses/matrix"] {
            assert_eq!(owner.get(&at(list)).await.ok()[0]["personaPid"], "a", "{list}");
        }
        let matrix = owner.get(&at("responses/matrix")).await.ok();
        assert_eq!(matrix[0]["attributes"], json!({"Gender": "Female"}));
    })
    .await;
}

#[tokio::test]
async fn the_snapshots_that_the_bench_plants_are_those_of_the_server() {
    with_app(async |app| {
        let mut connection = app.connection().await;
        sample::plant(&mut connection, PlantedRun::Failed).await;
        sample::run(&mut connection, include_str!("../../../bench/src/snapshot.sql")).await;
        let alike = "SELECT count(*) AS number FROM simulations WHERE survey_snapshot = pg_temp.snapshot(survey_id)";
        assert_eq!(sample::number(&mut connection, alike).await, 1);
    })
    .await;
}

#[tokio::test]
async fn who_only_sees_a_run_does_not_read_the_texts_of_its_twins() {
    with_app(async |app| {
        let group = GroupFixture::open(app, 100).await;
        let survey = group.survey(2).await;
        let run = group.start(survey, 2).await["simulationId"].as_str().expect("an id").to_owned();
        group.author.patch(&format!("/api/surveys/{survey}/toggle-visibility"), json!({})).await.ok();
        let path = format!("/api/simulations/{run}/personas");
        let texts = async |client: &crate::support::Client| client.get(&path).await.ok()[0]["text"].is_string();
        assert!(texts(&group.author).await && texts(&group.owner).await && texts(&app.super_admin().await).await);
        assert!(!texts(&group.member).await);
        let prompt = format!("/api/simulations/{run}/prompt?personaId=1&questionId=1");
        group.member.get(&prompt).await.refused(403);
    })
    .await;
}

#[tokio::test]
async fn one_call_has_all_facts_of_a_run() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        sample::run(&mut *app.connection().await, "UPDATE simulations SET left_out = '{seed}'").await;
        let run = owner.get(&format!("/api/simulations/{SIMULATION_ID}")).await.ok();
        for (fact, value) in [
            ("simulationId", json!(SIMULATION_ID)),
            ("status", json!("FAILED")),
            ("surveyId", json!(1)),
            ("surveyTitle", json!("=1+1 survey")),
            ("group", json!({"id": 1, "group_name": "Testers"})),
            ("model", json!("gpt-test")),
            ("seed", json!(42)),
            ("temperature", json!(0.5)),
            ("personaVariant", json!("summary")),
            ("questionsPerCall", json!(20)),
            ("shuffleOptions", json!(true)),
            ("notSent", json!(["seed"])),
            ("programVersion", json!("0.1.0")),
            ("surveyHash", json!(SURVEY_HASH)),
            ("personaCount", json!(3)),
            ("totalRequests", json!(27)),
            ("successfulRequests", json!(17)),
            ("failedRequests", json!(10)),
            ("openRequests", json!(0)),
        ] {
            assert_eq!(run[fact], value, "{fact}");
        }
        assert!(run["startedAt"].is_string() && run["completedAt"].is_string() && run["created_at"].is_string());
        app.client("stranger@test.example", Role::User)
            .await
            .get(&format!("/api/simulations/{SIMULATION_ID}"))
            .await
            .refused(404);
    })
    .await;
}

#[tokio::test]
async fn the_prompt_of_an_answer_is_the_one_whose_hash_is_stored() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        let run = runs::load(&*app.connection().await, SIMULATION).await.expect("the run");
        let (questions, parameters) = (&run.survey.questions, &run.parameters);
        let question = questions[1].id;
        let recipe = Recipe::standard(questions, question, parameters).expect("a question of the run");
        let hash = hex(&recipe.build("One", 1, questions, parameters).hash());
        let planted = format!("UPDATE responses SET prompt_hash = '\\x{hash}' WHERE persona_id = 1");
        sample::run(&mut *app.connection().await, &planted).await;

        let path = |persona: i32, question: i64| {
            format!("/api/simulations/{SIMULATION_ID}/prompt?personaId={persona}&questionId={question}")
        };
        let prompt = owner.get(&path(1, question)).await.ok();
        assert_eq!(prompt["promptHash"], json!(hash));
        assert_eq!(hex(&Sha256::digest(prompt["body"].as_str().expect("a body"))), hash);
        let content = |place: usize| prompt["messages"][place]["content"].as_str().expect("text").to_owned();
        assert_eq!(prompt["messages"][0]["role"], "system");
        assert!(content(0).starts_with("One\n"));
        assert!(content(1).contains("Which of these?"));

        owner.get(&path(3, question)).await.refused(404);
        owner.get(&path(1, 999)).await.refused(404);
        let changed = owner.get(&path(2, question)).await.refused(409);
        assert_eq!(changed, "The prompt cannot be built again");
    })
    .await;
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn answers_are_known_as_the_demo_models_by_the_id_that_the_server_returned() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        sample::run(
            &mut *app.connection().await,
            "UPDATE responses SET model = 'twinlab-demo' WHERE persona_id = 2; UPDATE simulations SET demo_model = true",
        )
        .await;
        let answer = owner.get(&at("responses/export")).await;
        assert!(answer.headers["x-notice"].to_str().expect("text").starts_with("demo model"));
        let rows = answer.ok();
        let notice = |row: usize| rows[row]["notice"].as_str().expect("a notice").to_owned();
        assert!(notice(0).starts_with("answers generated by a language model"));
        assert!(notice(9).starts_with("demo model: not from a language model"));
        assert!(notice(26).starts_with("demo model"), "without an answer that of the run");
    })
    .await;
}

#[tokio::test]
async fn each_file_has_a_path_and_a_media_type_of_its_own_and_the_bytes_of_the_parameter() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        for (format, media_type) in [
            ("csv", "text/csv; charset=utf-8"),
            ("jsonl", "application/x-ndjson"),
            ("parquet", "application/vnd.apache.parquet"),
        ] {
            let file = owner.get(&at(&format!("responses/export.{format}"))).await;
            assert_eq!((file.status, &file.headers["content-type"]), (200, &media_type.parse().expect("text")));
            let by_parameter = owner.get(&at(&format!("responses/export?format={format}"))).await;
            assert_eq!(file.bytes, by_parameter.bytes, "{format}");
            assert_eq!(file.headers["content-disposition"], by_parameter.headers["content-disposition"]);
        }
        assert_eq!(owner.get(&at("responses/export.xlsx")).await.status, 200);
        let raw = owner.get(&at("responses/export.csv?raw=true")).await;
        let text = String::from_utf8(raw.bytes).expect("UTF-8");
        assert!(text.contains(",-red,") && !text.contains("'-red"));
        assert!(raw.headers["content-disposition"].to_str().expect("text").contains("-responses.csv"));
    })
    .await;
}

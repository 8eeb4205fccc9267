//! Results that a blind plan hides until it is frozen.

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use twinlab::results::files::bundle;

use super::{drafted, fields, import, plan, run_by};
use crate::support::{DataDir, GroupFixture, Outcome, with_app};

/// Every documented call that shows results of a run or its study.
fn result_calls(survey: i64, study: &Value) -> Vec<String> {
    let run = &study["runs"][0];
    let document = serde_json::to_value(twinlab::http::document()).expect("it is JSON");
    let of_runs = "/api/surveys/{surveyId}/simulation/{simulationId}/";
    let mut paths: Vec<String> = document["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .filter(|(path, calls)| path.starts_with(of_runs) && calls.get("get").is_some())
        .map(|(path, _)| path.clone())
        .collect();
    assert!(paths.len() > 20, "{paths:?}");
    let of_studies = ["comparison", "comparison.csv", "validation", "calibration", "bundle", "people"];
    paths.extend(of_studies.map(|name| format!("/api/studies/{{studyId}}/{name}")));
    paths.push("/api/simulations/{simulationId}/prompt".to_owned());
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    paths
        .into_iter()
        .map(|path| {
            let path = path
                .replace("{surveyId}", &survey.to_string())
                .replace("{simulationId}", &text(&run["simulationId"]))
                .replace("{studyId}", &text(&study["studyId"]));
            format!("{path}?questionId=1&personaId=1&others={}", text(&run["simulationId"]))
        })
        .collect()
}

#[actix_web::test]
async fn a_blind_plan_hides_every_result_until_it_is_frozen() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = import(&fixture).await;
        let path = drafted(&fixture, survey, plan(true)).await;
        let study = run_by(&fixture, survey, &path, json!({"run": {}})).await;
        assert_eq!(
            (&study["status"], &study["successfulRequests"]),
            (&json!("COMPLETED"), &json!(18)),
            "counts are shown"
        );
        assert_eq!((&study["plan"]["hidden"], &study["plan"]["frozenAt"]), (&json!(true), &json!(null)));
        let run = study["runs"][0]["simulationId"].as_str().expect("an id").to_owned();
        let link = fixture.author.post(&format!("/api/simulations/{run}/share"), json!({})).await.ok();
        let shared = format!("/api/shared/{}", link["token"].as_str().expect("a token"));
        let people = format!("/api/surveys/{survey}/simulation/{run}/people");
        let with_people = async || {
            let file = Part::text("pid,fair\nw-1,Fair\n").file_name("people.csv");
            let request = fixture.author.request(reqwest::Method::POST, &people);
            crate::support::answer(request.multipart(Form::new().part("file", file))).await
        };

        let calls = result_calls(survey, &study);
        for call in &calls {
            for caller in [&fixture.author, &fixture.owner] {
                let refused = caller.get(call).await.refused_with(409, "results_hidden");
                assert_eq!(refused, "The results are hidden until the plan of the study is frozen", "{call}");
            }
        }
        with_people().await.refused_with(409, "results_hidden");
        let visitor = app.visitor();
        assert_eq!(visitor.get(&shared).await.ok()["successfulRequests"], 18);
        visitor.get(&format!("{shared}/summary")).await.refused_with(409, "results_hidden");
        visitor.get(&format!("{shared}/texts?questionId=1")).await.refused_with(409, "results_hidden");
        let data = fixture.author.get("/api/auth/data").await.ok();
        assert_eq!(data["simulations"][0]["responses"], json!([]));
        let folder = tempfile::tempdir().expect("a folder");
        let id = study["runs"][0]["id"].as_i64().expect("an id");
        let refused = bundle::write(&app.app.pool, id, &folder.path().join("run.zip")).await.expect_err("it is hidden");
        assert!(refused.to_string().contains("hidden"), "{refused}");
        let out = folder.path().join("answers.csv");
        let resumed = Outcome::of(
            DataDir::new().twinlab().env("DATABASE_URL", app.database.url()).env("RUST_LOG", "error").args([
                "simulate",
                "--resume",
                &run,
                "--out",
                out.to_str().expect("UTF-8"),
            ]),
        );
        assert_eq!(
            (resumed.code, resumed.stderr.trim_end()),
            (Some(2), "twinlab: The results are hidden until the plan of the study is frozen"),
            "{resumed:#?}"
        );
        assert!(!out.exists(), "nothing was written");
        // A blind plan cannot be evaded.
        fixture.author.put(&path, plan(false)).await.refused_with(409, "plan_started");
        fixture.author.delete(&path).await.refused_with(409, "plan_started");

        let frozen = fixture.author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        assert_eq!(fields(&frozen), [""; 0], "nobody looked");
        assert_eq!(frozen["frozen"]["dataBefore"], json!({"answers": 18, "earlierRuns": 0, "seen": false}));
        for call in &calls {
            let shown = fixture.author.get(call).await;
            assert_ne!(shown.body["code"], "results_hidden", "{call}");
        }
        visitor.get(&format!("{shared}/summary")).await.ok();
        with_people().await.ok();
        fixture.author.post(&format!("{path}/look"), json!(null)).await.refused_with(409, "results_not_hidden");
    })
    .await;
}

#[actix_web::test]
async fn a_look_before_the_freeze_is_noted() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = import(&fixture).await;
        let path = drafted(&fixture, survey, plan(true)).await;
        let look = format!("{path}/look");
        fixture.author.post(&look, json!(null)).await.refused_with(409, "results_not_hidden");
        let study = run_by(&fixture, survey, &path, json!({"run": {}})).await;
        fixture.owner.post(&look, json!(null)).await.refused(403);
        fixture.member.post(&look, json!(null)).await.refused(404);
        let looked = fixture.author.post(&look, json!(null)).await.ok();
        assert_eq!(fields(&looked), ["data"]);
        assert_eq!(looked["deviations"][0]["after"], "looked at data before the freeze: 18 answers");
        assert!(looked["lookedAt"].is_string() && looked["hidden"] == false, "{looked}");
        let comparison = format!("/api/studies/{}/comparison", study["studyId"].as_str().expect("an id"));
        fixture.author.get(&comparison).await.ok();
        fixture.author.post(&look, json!(null)).await.refused_with(409, "results_not_hidden");
        let frozen = fixture.author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        assert_eq!(fields(&frozen), ["data"], "once");
        assert_eq!(frozen["frozen"]["dataBefore"]["seen"], true);
    })
    .await;
}

//! Deviations from a frozen plan.

use serde_json::{Value, json};

use super::{drafted, fields, import, plan, run_by};
use crate::support::{GroupFixture, sample, with_flags};

#[actix_web::test]
async fn a_study_that_follows_its_plan_deviates_in_nothing() {
    with_flags(&["--llm-models", "m-1,m-2"], async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let survey = import(&fixture).await;
        let mut planned = plan(false);
        planned["run"] = json!({ "personaCount": 3, "seed": 7, "models": ["m-2"], "variants": ["summary", "empty"],
            "repeats": 2, "everyArm": true, "orders": ["as_written", "reversed"], "temperature": 0.5,
            "questionsPerCall": 5, "callScope": "block", "shuffleOptions": false, "memory": "transcript" });
        let path = drafted(&fixture, survey, planned).await;
        fixture.author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        let study = run_by(&fixture, survey, &path, json!({"run": {}})).await;
        assert_eq!(study["runs"].as_array().map(Vec::len), Some(16));
        let parameters = &study["runs"][0]["parameters"];
        assert_eq!((&parameters["seed"], &parameters["model"]), (&json!(7), &json!("m-2")));
        let asked =
            ["questionsPerCall", "callScope", "shuffleOptions", "memory"].map(|field| parameters[field].clone());
        assert_eq!(asked, [json!(5), json!("block"), json!(false), json!("transcript")]);
        let now = fixture.author.get(&path).await.ok();
        assert_eq!(now["deviations"], json!([]));
        assert_eq!(now["studyId"], study["studyId"]);
        let again = json!({"run": {}, "planId": now["planId"]});
        let studies = format!("/api/surveys/{survey}/studies");
        fixture.author.post(&studies, again).await.refused_with(409, "plan_has_study");
        let other = import(&fixture).await;
        let of_other = drafted(&fixture, other, plan(false)).await;
        let foreign = json!({"run": {"personaCount": 1}, "planId": of_other.rsplit('/').next()});
        let refused = fixture.author.post(&studies, foreign).await.refused(400);
        assert!(refused.starts_with("planId"), "{refused}");
    })
    .await;
}

#[actix_web::test]
async fn other_twins_than_the_plan_draws_are_noted() {
    with_flags(&[], async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let survey = import(&fixture).await;
        let path = drafted(&fixture, survey, plan(false)).await;
        fixture.author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        let frozen = fixture.author.get(&format!("{path}/plan.json")).await.ok();
        assert!(frozen["twins"]["twins"].as_i64().is_some_and(|twins| twins >= 6), "{}", frozen["twins"]);
        let markdown = String::from_utf8(fixture.author.get(&format!("{path}/plan.md")).await.bytes).expect("UTF-8");
        assert!(markdown.contains("Twins of each run: 6, drawn by the seed"), "{markdown}");
        // The same number by the same seed, but chosen by hand; from a set that is newer than the freeze.
        let mut conn = app.connection().await;
        sample::run(
            &mut conn,
            "UPDATE persona_sets SET is_current = false;
             INSERT INTO persona_sets (id, source, synthetic, is_current)
             SELECT max(id) + 1, 'others', false, true FROM persona_sets;
             INSERT INTO personas (set_id, id, pid, name, summary)
             SELECT (SELECT max(id) FROM persona_sets), id, pid, name, summary FROM personas",
        )
        .await;
        let ids: Vec<i64> = vec![1, 2, 3, 4, 5, 6];
        let study = run_by(&fixture, survey, &path, json!({"run": {"selectedPersonaIds": ids, "seed": 5}})).await;
        let now = fixture.author.get(&path).await.ok();
        assert_eq!(fields(&now), ["run: set of twins", "run: twins"], "{study}");
        let chosen = &now["deviations"][1];
        assert_eq!((&chosen["before"], &chosen["after"]), (&json!("drawn by the seed"), &json!("6 chosen ones")));
    })
    .await;
}

#[actix_web::test]
async fn a_run_that_is_stopped_early_is_noted() {
    with_flags(&[], async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = import(&fixture).await;
        let path = drafted(&fixture, survey, plan(false)).await;
        fixture.author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        let asked = json!({"run": {}, "planId": path.rsplit('/').next()});
        let study = fixture.author.post(&format!("/api/surveys/{survey}/studies"), asked).await.ok();
        let id = study["studyId"].as_str().expect("an id");
        fixture.author.post(&format!("/api/studies/{id}/stop"), json!(null)).await.ok();
        let now = fixture.author.get(&path).await.ok();
        assert_eq!(fields(&now), ["run: stopped"]);
        let after = now["deviations"][0]["after"].as_str().expect("words");
        assert!(after.ends_with("was stopped after 0 of 18 answers"), "{after}");
    })
    .await;
}

#[actix_web::test]
async fn every_difference_from_the_frozen_plan_is_noted_once() {
    with_flags(&["--llm-models", "m-1,m-2"], async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let author = &fixture.author;
        let survey = import(&fixture).await;
        let mut planned = plan(false);
        planned["run"]["models"] = json!(["m-1"]);
        planned["run"]["questionsPerCall"] = json!(10);
        planned["run"]["callScope"] = json!("question");
        planned["run"]["shuffleOptions"] = json!(true);
        planned["run"]["memory"] = json!("none");
        let path = drafted(&fixture, survey, planned).await;
        author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        let questions = author.get(&format!("/api/surveys/{survey}/questions")).await.ok();
        let why = questions[2]["id"].as_i64().expect("an id");
        author.patch(&format!("/api/surveys/questions/{why}"), json!({"text": "Why so?"})).await.ok();
        author.patch(&format!("/api/surveys/{survey}"), json!({"title": "Fees again"})).await.ok();

        let asked = json!({"run": {"personaCount": 4, "seed": 6, "model": "m-2", "personaVariant": "empty",
            "questionsPerCall": 20, "callScope": "chunk", "shuffleOptions": false, "memory": "transcript"}});
        let study = run_by(&fixture, survey, &path, asked).await;
        let now = author.get(&path).await.ok();
        assert_eq!(
            fields(&now),
            [
                "run: personaCount",
                "run: seed",
                "run: models",
                "run: questionsPerCall",
                "run: callScope",
                "run: shuffleOptions",
                "run: memory",
                "survey: title",
                "question why: text"
            ]
        );
        let change = |place: usize| {
            let of: &Value = &now["deviations"][place];
            (of["before"].as_str().unwrap_or("–").to_owned(), of["after"].as_str().unwrap_or("–").to_owned())
        };
        assert_eq!(change(0), ("6".into(), "4".into()));
        assert_eq!(change(2), ("m-1".into(), "m-2".into()));
        assert_eq!(change(3), ("10".into(), "20".into()));
        assert_eq!(change(4), ("none, each is asked alone".into(), "as many as fit".into()));
        assert_eq!(change(5), ("shuffled for each twin".into(), "not shuffled".into()));
        assert_eq!(change(6), ("nothing".into(), "the twin's earlier questions and answers".into()));
        assert_eq!(change(8), ("Why?".into(), "Why so?".into()));

        // Groups and conditions that the plan does not have are deviations; the planned contrast is none.
        let run = study["runs"][0]["simulationId"].as_str().expect("an id");
        let answers = format!("/api/surveys/{survey}/simulation/{run}");
        assert!(author.get(&format!("{answers}/summary")).await.ok().get("armTexts").is_none());
        let by_arm = author.get(&format!("{answers}/summary?by=fee_arm")).await.ok();
        let texts = json!({ "one": { "fee": "a RESORT fee" }, "two": { "fee": "a SERVICE fee" } });
        assert_eq!(by_arm["armTexts"], texts);
        author.get(&format!("{answers}/summary?by=nonsense")).await.refused(400);
        for _ in 0..2 {
            author.get(&format!("{answers}/summary?by=position")).await;
            author.get(&format!("{answers}/summary?by=question:{}", questions[0]["id"])).await.ok();
            author.get(&format!("{answers}/responses/wide.csv?where=fee_arm:one")).await.ok();
        }
        let now = author.get(&path).await.ok();
        assert_eq!(fields(&now)[9..], ["analysis", "exclusions"]);
        assert_eq!(now["deviations"][10]["after"], "only twins with fee_arm:one");

        // A reason is given once.
        let id = now["deviations"][0]["id"].as_i64().expect("an id");
        let deviation = format!("{path}/deviations/{id}");
        author.patch(&deviation, json!({"reason": " "})).await.refused(400);
        fixture.owner.patch(&deviation, json!({"reason": "Mine"})).await.refused(403);
        fixture.member.patch(&deviation, json!({"reason": "Mine"})).await.refused(404);
        let given = author.patch(&deviation, json!({"reason": "The budget was cut."})).await.ok();
        assert_eq!(given["deviations"][0]["reason"], "The budget was cut.");
        author.patch(&deviation, json!({"reason": "Another"})).await.refused_with(409, "reason_given");
        author.patch(&format!("{path}/deviations/999999"), json!({"reason": "None"})).await.refused(404);
        let markdown = String::from_utf8(author.get(&format!("{path}/plan.md")).await.bytes).expect("UTF-8");
        assert!(markdown.contains("| run: personaCount | 6 | 4 | The budget was cut. |"), "{markdown}");
    })
    .await;
}

//! Bodies and files that need much work: their cost is bounded, and other users do not pay for it.

mod patterns;
mod process;

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use twinlab::models::users::Role;
use twinlab::work::Work;

use crate::answers::{at, owner};
use crate::support::sample::PlantedRun;
use crate::support::{Client, GroupFixture, answer, with_app};

/// A form with these fields.
fn form(caller: &Client, path: &str, fields: &[(&str, &[u8])]) -> RequestBuilder {
    let mut body = Vec::new();
    for (name, value) in fields {
        body.extend_from_slice(
            format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"f\"\r\n\r\n").as_bytes(),
        );
        body.extend_from_slice(value);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--x--\r\n");
    caller.request(Method::POST, path).header("content-type", "multipart/form-data; boundary=x").body(body)
}

/// A flow with a branch for each pattern, which reads this question.
fn branches(question: &str, patterns: impl Iterator<Item = String>) -> Value {
    let branch = |pattern| json!({"if": {"answer": question, "matches": pattern}, "then": [{"end": "complete"}]});
    let block = json!({"block": "main", "questions": [question]});
    [block].into_iter().chain(patterns.map(branch)).collect()
}

/// Patterns of 1.1 MB each, all different.
fn large_patterns(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|n| format!(r"\w{{20}}{n}"))
}

#[tokio::test]
async fn the_patterns_of_a_design_have_one_budget_and_the_finding_names_the_condition() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        let check = format!("/api/surveys/{survey}/design/check");
        let report =
            fixture.author.post(&check, json!({"flow": branches("Question_1", large_patterns(500))})).await.ok();
        let findings = report["findings"].as_array().expect("findings");
        assert_eq!(findings.len(), 1, "{report}");
        let message =
            "With this one, the regular expressions of the survey take more than 8 MiB: shorten them, or use fewer.";
        assert_eq!((&findings[0]["code"], &findings[0]["message"]), (&json!("bad_pattern"), &json!(message)));
        let pointer = findings[0]["pointer"].as_str().expect("a place");
        let place: usize = pointer.trim_start_matches("/flow/").trim_end_matches("/if").parse().expect("a branch");
        assert!((5..20).contains(&place), "{pointer}");

        // Equal patterns count once, and small ones are allowed in large numbers.
        let same = std::iter::repeat_n(r"\w{20}N".to_owned(), 500);
        let small = (0..500).map(|n| format!("^[a-z]+{n}$"));
        for patterns in [same.collect::<Vec<_>>(), small.collect()] {
            let flow = branches("Question_1", patterns.into_iter());
            let report = fixture.author.post(&check, json!({"flow": flow})).await.ok();
            let severities: Vec<&Value> = report["findings"].as_array().expect("findings").iter().collect();
            assert!(severities.iter().all(|finding| finding["severity"] == "warning"), "{report}");
        }

        // A design over the budget starts no run.
        let design = format!("/api/surveys/{survey}/design");
        fixture.author.put(&design, json!({"flow": branches("Question_1", large_patterns(20))})).await.ok();
        let start = format!("/api/simulations/survey/{survey}/start");
        let refused = fixture.author.post(&start, json!({"personaCount": 1})).await;
        assert!((400..500).contains(&refused.status), "{} {}", refused.status, refused.body);
        assert!(refused.body["message"].as_str().expect("a message").contains(message), "{}", refused.body);
    })
    .await;
}

#[tokio::test]
async fn a_survey_file_of_too_many_values_is_refused_before_it_is_read() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let path = format!("/api/surveys/import/qsf?check=true&groupId={}", fixture.group_id);
        let sent = async |file: &[u8]| answer(form(&fixture.author, &path, &[("file", file)])).await;
        for file in [many("{\"0\":0", ",\"0\":0", "}", 500_000), many("[0", ",0", "]", 500_000)] {
            assert_eq!(sent(&file).await.refused_with(413, "too_large"), "file: has more than 500000 values");
        }
        // Marks within texts do not count.
        let commas = many("{\"a\":\"\\\"", ",[{", "\"}", 200_000);
        assert!(sent(&commas).await.refused(400).starts_with("file: is no .qsf file"));
        let large = vec![b' '; 10 * 1024 * 1024 + 1];
        assert_eq!(sent(&large).await.refused(413), "file: 10 MiB is the most");
    })
    .await;
}

fn many(first: &str, next: &str, last: &str, count: usize) -> Vec<u8> {
    [first, &next.repeat(count), last].concat().into_bytes()
}

#[tokio::test]
async fn a_field_that_nobody_asked_for_is_refused_by_its_name() {
    with_app(async |app| {
        let caller = owner(app, PlantedRun::Failed).await;
        let refused =
            async |path: &str, fields: &[(&str, &[u8])]| answer(form(&caller, path, fields)).await.refused(400);
        let file: &[u8] = b"pid,Do_you\na,Yes\n";
        let people = "arm: the form has no such field, only file, matching, recodes, margins, cellShares, \
                      outcomes, arms, scales, formulas";
        assert_eq!(refused(&at("people"), &[("file", file), ("arm", b"fee")]).await, people);
        assert_eq!(refused(&at("people"), &[("arm", b"fee"), ("file", file)]).await, people);
        assert_eq!(refused("/api/surveys/1/human-samples", &[("arm", b"x")]).await, format!("{people}, name"));
        let photo = "file: the form has no such field, only photo";
        assert_eq!(refused("/api/auth/photo", &[("file", file)]).await, photo);
        let survey = "/api/surveys/import/qsf?groupId=1";
        assert_eq!(
            refused(survey, &[("draft", b"1"), ("file", b"{}")]).await,
            "draft: the form has no such field, only file"
        );
        assert_eq!(refused(survey, &[]).await, "file is missing: send it as a multipart field");
        let root = app.super_admin().await;
        let twins = form(&root, "/api/personas/import/csv", &[("file", b"summary\nA\n"), ("set", b"x")]);
        assert_eq!(answer(twins).await.refused(400), "set: the form has no such field, only file, dataset");
        assert_eq!(app.app.work.running(), 0);
    })
    .await;
}

/// Tests the calls that compute, by user.
#[tokio::test]
async fn a_user_who_computes_keeps_no_other_user_waiting() {
    with_app(async |app| {
        let author = owner(app, PlantedRun::Failed).await;
        let admin = app.client("admin@test.example", Role::Admin).await;
        let author_id = author.get("/api/auth/profile").await.ok()["id"].as_i64().expect("an id");
        let file: &[u8] = b"pid,Do_you\na,Yes\nb,No\n";
        let kept = answer(form(&author, "/api/surveys/1/human-samples", &[("file", file)])).await.ok();
        let sample = format!("/api/human-samples/{}", kept["sampleId"].as_str().expect("an id"));
        let admit = |work| app.app.work.admit(author_id, work).expect("there is room");

        // One is under way, and runs as long as the test wants.
        let (design, comparison) = (admit(Work::Design).start().await, admit(Work::Comparison).start().await);
        let waits = [sample.clone(), at("people"), "/api/surveys/1/preview".to_owned()].map(|path| {
            let author = author.clone();
            tokio::spawn(async move { author.get(&path).await })
        });
        admin.get(&at("people")).await.ok();
        admin.post("/api/surveys/1/design/check", json!({})).await.ok();
        assert!(waits.iter().all(|call| !call.is_finished()));
        drop((design, comparison));
        for call in waits {
            call.await.expect("it ends").ok();
        }

        let held: Vec<_> = (0..12).map(|_| admit(Work::Sample)).collect();
        let refused = author.get(&sample).await;
        assert_eq!(refused.headers["retry-after"], "5");
        assert_eq!(
            refused.refused_with(429, "rate_limited"),
            "You have 12 calls of this kind under way: wait until one has ended"
        );
        drop(held);
        author.get(&sample).await.ok();
        assert_eq!(app.app.work.running(), 0);
    })
    .await;
}

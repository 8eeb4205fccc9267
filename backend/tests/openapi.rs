//! The OpenAPI document: in the repository, complete, and shown without the internet.

use serde_json::{Value, json};

use crate::support::{Outcome, twinlab, with_app};

#[test]
fn the_document_in_the_repository_is_the_programs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    let printed = Outcome::of(twinlab().arg("openapi"));
    assert_eq!(printed.code, Some(0), "{printed:#?}");
    assert!(
        kept == printed.stdout,
        "the API changed: `cargo run -p twinlab -- openapi > backend/openapi.json`, and look at the difference"
    );
}

#[tokio::test]
async fn the_document_and_the_page_that_shows_it_come_from_this_server_alone() {
    with_app(async |app| {
        let document = app.visitor().get("/api/openapi.json").await.ok();
        assert_eq!(document["openapi"], "3.1.0");
        for path in ["/api/docs", "/api/docs/page.js", "/api/docs/page.css"] {
            let answer = app.visitor().get(path).await;
            assert_eq!(answer.status, 200, "{path}");
            let text = String::from_utf8(answer.bytes).expect("it is UTF-8");
            assert!(!text.contains("http://") && !text.contains("https://"), "{path} reaches out");
        }
    })
    .await;
}

/// Tests what every call must state. The failure names the call of a missing line.
#[test]
fn every_call_says_what_it_does_takes_and_answers() {
    let document = serde_json::to_value(twinlab::http::document()).expect("it is JSON");
    let mut gaps = Vec::new();
    for (path, item) in document["paths"].as_object().expect("it has paths") {
        for (method, call) in item.as_object().expect("a path has calls") {
            let mut expect = |holds: bool, what: &str| {
                if !holds {
                    gaps.push(format!("{method} {path}: {what}"));
                }
            };
            expect(call["summary"].is_string(), "no summary");
            expect(call["description"].is_string(), "no description");
            let tags: Vec<&Value> = call["tags"].as_array().into_iter().flatten().collect();
            let declared = document["tags"].as_array().expect("it has tags");
            expect(tags.iter().all(|tag| declared.iter().any(|known| known["name"] == **tag)), "an undeclared tag");
            expect(call["security"].as_array().is_some_and(|ways| !ways.contains(&json!({}))), "no clear security");
            let parameters: Vec<&Value> = call["parameters"].as_array().into_iter().flatten().collect();
            let paged = ["limit", "offset"].iter().all(|name| parameters.iter().any(|known| known["name"] == **name));
            let answers = call["responses"].as_object().expect("a call has answers");
            expect(answers.keys().any(|status| status.starts_with('2')), "no success");
            for (status, answer) in answers {
                expect(answer["description"].is_string(), &format!("no description of {status}"));
                let is_list = answer["content"]["application/json"]["schema"]["type"] == "array";
                let counted = !answer["headers"]["X-Total-Count"].is_null();
                expect(!(paged && status == "200" && is_list) || counted, "no X-Total-Count");
                let kinds = answer["content"].as_object().map_or(0, |content| content.len());
                expect(kinds <= 1, &format!("several media types of {status}"));
                expect(status == "204" || answer["content"].is_object(), &format!("no body of {status}"));
            }
        }
    }
    assert!(gaps.is_empty(), "{}", gaps.join("\n"));
}

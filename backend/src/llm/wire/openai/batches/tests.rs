use serde_json::json;

use super::download::Lines;
use super::remote::TOKEN;
use super::*;
use crate::llm::connection::MAX_REPLY_BYTES;
use crate::llm::prompt::{Dialect, Sampling};
use crate::llm::samples;
use crate::llm::wire::batch::{BatchLine, LineKind, custom_id};

fn sampling() -> Sampling {
    Sampling::new(&samples::parameters(), Dialect::default(), 0)
}

fn line(outcome: Value) -> String {
    let mut line = json!({"id": "batch_req_1", "custom_id": "17-c0ffee", "response": null, "error": null});
    line.as_object_mut().expect("an object").extend(outcome.as_object().expect("an object").clone());
    line.to_string()
}

fn kind(outcome: Value) -> LineKind {
    parse_line(&line(outcome), Dialect::default(), &sampling()).expect("a line of ours").kind
}

fn refusal(status: u16, error: Value) -> Value {
    json!({"response": {"status_code": status, "request_id": "r", "body": {"error": error}}})
}

#[test]
fn a_request_is_one_line_with_its_body_byte_for_byte() {
    let mut file = Vec::new();
    let body = r#"{"messages":[{"role":"system","content":"a\nb"}],"model":"m","seed":7}"#;
    for persona in [3, 4] {
        write_line(&mut file, &custom_id(persona, "c0ffee"), body.to_owned()).expect("JSON");
    }
    let text = String::from_utf8(file).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        lines[0],
        format!(r#"{{"custom_id":"3-c0ffee","method":"POST","url":"/v1/chat/completions","body":{body}}}"#)
    );
}

#[test]
fn a_line_of_the_results_names_its_call_and_what_became_of_it() {
    let answered = json!({"response": {"status_code": 200, "request_id": "r", "body": {"choices": []}}});
    let read = parse_line(&line(answered.clone()), Dialect::default(), &sampling());
    let expected = BatchLine { persona_id: 17, prompt_hash: "c0ffee".to_owned(), kind: LineKind::Answered };
    assert_eq!(read, Some(expected));
    let said = |text: &str| text.to_owned();
    for (outcome, wanted) in [
        (json!({"error": {"code": "batch_expired", "message": "late"}}), LineKind::NotAsked(said("late"))),
        (json!({"error": {"code": "server_error", "message": "oh"}}), LineKind::Failed),
        (json!({}), LineKind::Failed),
        (json!({"response": "what"}), LineKind::Failed),
        (refusal(429, json!({"message": "slow"})), LineKind::NotAsked(said("slow"))),
        (
            refusal(429, json!({"message": "no money", "code": "insufficient_quota"})),
            LineKind::Denied(said("no money")),
        ),
        (refusal(401, json!({"message": "key"})), LineKind::Denied(said("key"))),
        (refusal(400, json!({"message": "bad"})), LineKind::Refused(said("bad"))),
        (refusal(400, json!({"message": "no response_format here"})), LineKind::Failed),
        (
            refusal(404, json!({"message": "no such model", "code": "model_not_found"})),
            LineKind::Refused(said("no such model")),
        ),
        (refusal(500, json!({"message": "oh"})), LineKind::Failed),
    ] {
        assert_eq!(kind(outcome.clone()), wanted, "{outcome}");
    }
    for foreign in
        ["", "{}", r#"{"custom_id": "x-1"}"#, r#"{"custom_id": "17"}"#, r#"{"custom_id": "17-"}"#, "not JSON"]
    {
        assert_eq!(parse_line(foreign, Dialect::default(), &sampling()), None, "{foreign}");
    }
}

#[test]
fn lines_are_whole_however_they_arrive() {
    let text = "{\"a\": \"é\"}\r\n\n{\"b\": 1}\n{\"c\": 2}";
    for size in 1..text.len() {
        let mut lines = Lines::default();
        let mut read: Vec<String> = text.as_bytes().chunks(size).flat_map(|piece| lines.add(piece)).collect();
        read.extend(lines.rest());
        assert_eq!(read, ["{\"a\": \"é\"}", "{\"b\": 1}", "{\"c\": 2}"], "{size}");
    }
}

#[test]
fn a_line_that_is_too_long_is_left_out() {
    let mut lines = Lines::default();
    let long = vec![b'x'; MAX_REPLY_BYTES / 2 + 1];
    assert!(lines.add(&long).is_empty() && lines.add(&long).is_empty());
    assert_eq!(lines.add(b"x\nnext\n"), ["next"]);
}

#[test]
fn a_batch_is_known_by_its_file_or_its_token_and_by_its_end() {
    let token = Uuid::new_v4();
    let batch = |batch: Value| serde_json::from_value::<RemoteBatch>(batch).expect("a batch");
    let plain = batch(json!({"id": "b"}));
    assert!(!plain.has_ended() && !plain.is("f", token) && plain.done() == 0);
    assert!(batch(json!({"id": "b", "input_file_id": "f"})).is("f", token));
    let named = |status: &str| {
        batch(json!({"id": "b", "status": status, "input_file_id": "other", "metadata": {TOKEN: token.to_string()}}))
    };
    assert!(named("validating").is("f", token) && !named("failed").is("f", token));
    let partial = batch(json!({"id": "b", "status": "expired", "output_file_id": "o", "errors": null,
        "request_counts": {"total": 9, "completed": 3, "failed": 1}}));
    assert!(partial.has_ended() && !partial.is_complete());
    assert_eq!(partial.done(), 4);
    let failed = batch(json!({"id": "b", "status": "failed",
        "errors": {"object": "list", "data": [{"code": "c", "message": "line 3 is no JSON", "line": 3}]}}));
    assert_eq!(failed.complaint(), Some("line 3 is no JSON"));
}

#[test]
fn a_call_is_named_in_few_characters() {
    let hash = "c0ffee".repeat(11);
    let name = custom_id(i32::MAX, &hash[..64]);
    assert_eq!(name, format!("2147483647-{}", &hash[..32]));
    assert_eq!(custom_id(3, "c0ffee"), "3-c0ffee");
}

#[test]
fn a_status_is_read_in_capitals_too() {
    let batch =
        |status: &str| serde_json::from_value::<RemoteBatch>(json!({"id": "b", "status": status})).expect("a batch");
    assert!(batch("COMPLETED").has_ended() && batch("COMPLETED").is_complete());
    assert!(batch("EXPIRED").has_expired() && batch("Canceled").is_cancelled());
    assert!(!batch("IN_PROGRESS").has_ended());
}

#[test]
fn a_batch_that_had_no_room_is_told_from_one_that_failed_otherwise() {
    let failed = |code: &str, message: &str| {
        let error = json!({"code": code, "message": message, "param": null, "line": null});
        let errors = json!({"object": "list", "data": [error]});
        serde_json::from_value::<RemoteBatch>(json!({"id": "b", "status": "failed", "errors": errors}))
            .expect("a batch")
    };
    // As OpenAI and Azure word it.
    let openai = "Enqueued token limit reached for gpt-4o in organization org-1. Limit: 90,000 enqueued tokens. Please try \
        again once some in_progress batches have been completed.";
    let azure = "The number of enqueued tokens has surpassed the configured limit of 30K for the deployment 'b'.";
    assert!(failed("token_limit_exceeded", openai).had_no_room());
    assert!(failed("token_limit_exceeded", azure).had_no_room());
    assert!(failed("", openai).had_no_room());
    assert!(!failed("invalid_json_line", "This line is not JSON.").had_no_room());
    let batch = RemoteBatch::default();
    assert!(!batch.had_no_room());
}

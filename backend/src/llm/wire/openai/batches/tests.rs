use serde_json::json;

use super::remote::TOKEN;
use super::*;
use crate::llm::prompt::{Dialect, Sampling};
use crate::llm::samples;
use crate::llm::wire::batch::{BatchEnd, BatchLine, LineKind, bears_token, custom_id, parse_custom_id};

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
        write_line(&mut file, &custom_id(persona, "c0ffee", Uuid::nil()), body.to_owned()).expect("JSON");
    }
    let text = String::from_utf8(file).expect("UTF-8");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        lines[0],
        format!(
            r#"{{"custom_id":"3-c0ffee-0000000000000000","method":"POST","url":"/v1/chat/completions","body":{body}}}"#
        )
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

fn listed(batch: Value) -> ListedBatch {
    serde_json::from_value(batch).expect("a batch")
}

fn read(batch: Value) -> RemoteBatch {
    listed(batch).into()
}

#[test]
fn a_batch_is_known_by_its_file_or_its_token_and_by_its_end() {
    let token = Uuid::new_v4();
    assert!(!listed(json!({"id": "b"})).is("f", token));
    let plain = read(json!({"id": "b"}));
    assert_eq!((plain.end, plain.done), (None, 0));
    assert!(listed(json!({"id": "b", "input_file_id": "f"})).is("f", token));
    let named = |status: &str| {
        listed(json!({"id": "b", "status": status, "input_file_id": "other", "metadata": {TOKEN: token.to_string()}}))
    };
    assert!(named("validating").is("f", token) && !named("failed").is("f", token));
    let partial = read(json!({"id": "b", "status": "expired", "output_file_id": "o", "errors": null,
        "request_counts": {"total": 9, "completed": 3, "failed": 1}}));
    assert_eq!((partial.end, partial.done), (Some(BatchEnd::Expired), 4));
    assert_eq!(partial.result_file_ids, ["o"]);
    let failed = read(json!({"id": "b", "status": "failed",
        "errors": {"object": "list", "data": [{"code": "c", "message": "line 3 is no JSON", "line": 3}]}}));
    assert_eq!(failed.complaint.as_deref(), Some("line 3 is no JSON"));
}

#[test]
fn a_call_is_named_in_few_characters_by_its_persona_prompt_and_batch() {
    let token: Uuid = "0123456789abcdef0123456789abcdef".parse().expect("a token");
    let hash = "c0ffee".repeat(11);
    let name = custom_id(i32::MAX, &hash[..64], token);
    assert_eq!(name, format!("2147483647-{}-0123456789abcdef", &hash[..32]));
    assert!(name.len() <= 64 && bears_token(&name, token) && !bears_token(&name, Uuid::nil()));
    assert_eq!(parse_custom_id(&name), Some((i32::MAX, hash[..32].to_owned())));
    assert_eq!(parse_custom_id("3-c0ffee"), Some((3, "c0ffee".to_owned())), "as earlier releases named it");
}

#[test]
fn a_status_is_read_in_capitals_too() {
    let end = |status: &str| read(json!({"id": "b", "status": status})).end;
    let ends = [("COMPLETED", BatchEnd::Completed), ("EXPIRED", BatchEnd::Expired), ("Canceled", BatchEnd::Cancelled)];
    for (status, expected) in ends {
        assert_eq!(end(status), Some(expected), "{status}");
    }
    assert_eq!(end("IN_PROGRESS"), None);
}

#[test]
fn a_batch_that_had_no_room_is_told_from_one_that_failed_otherwise() {
    let end = |code: &str, message: &str| {
        let error = json!({"code": code, "message": message, "param": null, "line": null});
        let errors = json!({"object": "list", "data": [error]});
        read(json!({"id": "b", "status": "failed", "errors": errors})).end
    };
    // As OpenAI and Azure word it.
    let openai = "Enqueued token limit reached for gpt-4o in organization org-1. Limit: 90,000 enqueued tokens. Please try \
        again once some in_progress batches have been completed.";
    let azure = "The number of enqueued tokens has surpassed the configured limit of 30K for the deployment 'b'.";
    for (code, message) in [("token_limit_exceeded", openai), ("token_limit_exceeded", azure), ("", openai)] {
        assert_eq!(end(code, message), Some(BatchEnd::NoRoom), "{code} {message}");
    }
    assert_eq!(end("invalid_json_line", "This line is not JSON."), Some(BatchEnd::Failed));
}

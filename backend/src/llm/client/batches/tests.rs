use serde_json::json;

use super::*;

fn line(outcome: Value) -> String {
    let mut line = json!({"id": "batch_req_1", "custom_id": "17-c0ffee", "response": null, "error": null});
    line.as_object_mut().expect("an object").extend(outcome.as_object().expect("an object").clone());
    line.to_string()
}

fn kind(outcome: Value) -> LineKind {
    BatchLine::parse(&line(outcome), Dialect::default()).expect("a line of ours").kind
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
    let read = BatchLine::parse(&line(answered.clone()), Dialect::default());
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
    for foreign in ["", "{}", r#"{"custom_id": "x-1"}"#, r#"{"custom_id": "17"}"#, "not JSON"] {
        assert_eq!(BatchLine::parse(foreign, Dialect::default()), None, "{foreign}");
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
    let long = vec![b'x'; transport::MAX_REPLY / 2 + 1];
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
    assert!(batch(json!({"id": "b", "metadata": {TOKEN: token.to_string()}})).is("f", token));
    let partial = batch(json!({"id": "b", "status": "expired", "output_file_id": "o", "errors": null,
        "request_counts": {"total": 9, "completed": 3, "failed": 1}}));
    assert!(partial.has_ended() && !partial.is_complete());
    assert_eq!(partial.done(), 4);
    let failed = batch(json!({"id": "b", "status": "failed",
        "errors": {"object": "list", "data": [{"code": "c", "message": "line 3 is no JSON", "line": 3}]}}));
    assert_eq!(failed.complaint(), Some("line 3 is no JSON"));
}

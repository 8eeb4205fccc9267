use std::time::Duration;

use super::*;
use crate::{BatchFault, BatchFaults};

async fn submit(stub: &ModelServer, wire: Wire, calls: usize) -> String {
    let bodies = (0..calls).map(|persona| call(wire, persona).1).enumerate();
    let (path, batch) = if wire == Wire::Anthropic {
        let requests: Vec<Value> =
            bodies.map(|(number, params)| json!({"custom_id": number.to_string(), "params": params})).collect();
        ("/v1/messages/batches", json!({"requests": requests}))
    } else {
        let requests: Vec<Value> =
            bodies.map(|(number, request)| json!({"request": request, "metadata": {"key": number}})).collect();
        let input = json!({"requests": {"requests": requests}});
        ("/v1beta/models/m:batchGenerateContent", json!({"batch": {"displayName": "b", "inputConfig": input}}))
    };
    let body = json_of(&post(stub, wire, path, &batch).await);
    body[if wire == Wire::Anthropic { "id" } else { "name" }].as_str().expect("an id").to_owned()
}

/// Waits for the end of a batch. Returns it and the number of results of each kind: answered, failed, other.
async fn finished(stub: &ModelServer, wire: Wire, id: &str) -> (Value, [usize; 3]) {
    let (path, end) = match wire {
        Wire::Anthropic => (format!("/v1/messages/batches/{id}"), "/ended_at"),
        _ => (format!("/v1beta/{id}"), "/metadata/endTime"),
    };
    let batch = loop {
        let batch = json_of(&get(stub, wire, &path).await);
        if batch.pointer(end).is_some_and(Value::is_string) {
            break batch;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    let results: Vec<Value> = if wire == Wire::Anthropic {
        let lines = get(stub, wire, &format!("{path}/results")).await.body;
        let lines = String::from_utf8(lines).unwrap();
        lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["result"].take()).collect()
    } else {
        batch["response"]["inlinedResponses"]["inlinedResponses"].as_array().cloned().unwrap_or_default()
    };
    let kind = |result: &Value| match wire {
        Wire::Anthropic => ["succeeded", "errored"].iter().position(|kind| result["type"] == *kind).unwrap_or(2),
        _ => usize::from(result["response"].is_null()),
    };
    let mut counts = [0; 3];
    results.iter().for_each(|result| counts[kind(result)] += 1);
    (batch, counts)
}

#[tokio::test]
async fn batches_are_answered_and_single_failures_are_told() {
    for wire in [Wire::Anthropic, Wire::Gemini] {
        let script = vec![None, Some(Fault::BadRequest), Some(Fault::ResetBefore), Some(Fault::Html)];
        let stub = ModelServer::start(Faults { script, ..Faults::default() });
        let id = submit(&stub, wire, 6).await;
        let (batch, counts) = finished(&stub, wire, &id).await;
        assert_eq!(counts, [3, 3, 0], "{wire:?}: {batch}");
        let failed = match wire {
            Wire::Anthropic => (&batch["request_counts"]["errored"], json!(3)),
            _ => (&batch["metadata"]["batchStats"]["failedRequestCount"], json!("3")),
        };
        assert_eq!(*failed.0, failed.1);
        let records = stub.batches();
        assert_eq!((records.len(), records[0].wire, records[0].status), (1, wire, "completed"));
    }
}

#[tokio::test]
async fn batches_expire_lose_requests_and_are_cancelled() {
    let faults = |fault| {
        let batches = BatchFaults { script: vec![Some(fault)], ..BatchFaults::default() };
        ModelServer::start(Faults { batches, ..Faults::default() })
    };
    for (wire, left_out) in [(Wire::Anthropic, 3), (Wire::Gemini, 0)] {
        let stub = faults(BatchFault::Expires(2));
        let id = submit(&stub, wire, 5).await;
        assert_eq!(finished(&stub, wire, &id).await.1, [2, 0, left_out], "{wire:?}");
        let stub = faults(BatchFault::Loses(2));
        let id = submit(&stub, wire, 5).await;
        assert_eq!(finished(&stub, wire, &id).await.1, [3, 0, 0], "{wire:?}");

        let stub = ModelServer::start(Faults::default());
        stub.hold();
        let id = submit(&stub, wire, 3).await;
        let path = if wire == Wire::Anthropic {
            format!("/v1/messages/batches/{id}/cancel")
        } else {
            format!("/v1beta/{id}:cancel")
        };
        assert_eq!(post(&stub, wire, &path, &json!({})).await.status, 200);
        assert_eq!(finished(&stub, wire, &id).await.1, [0, 0, left_out], "{wire:?}");
        assert_eq!(stub.batches()[0].status, "cancelled");
        assert_eq!(post(&stub, wire, &path, &json!({})).await.status, 400, "it is over");
    }
}

#[tokio::test]
async fn batches_without_room_or_without_the_api_are_refused() {
    let batches = BatchFaults { token_limit: Some(10), ..BatchFaults::default() };
    let stub = ModelServer::start(Faults { batches, ..Faults::default() });
    let body = json!({"requests": [{"custom_id": "a", "params": call(Wire::Anthropic, 1).1}]});
    let refused = post(&stub, Wire::Anthropic, "/v1/messages/batches", &body).await;
    assert_eq!((refused.status, &json_of(&refused)["error"]["type"]), (429, &json!("rate_limit_error")));
    stub.set_faults(Faults { batches: BatchFaults { missing: true, ..BatchFaults::default() }, ..Faults::default() });
    let refused = post(&stub, Wire::Anthropic, "/v1/messages/batches", &body).await;
    assert_eq!((refused.status, &json_of(&refused)["error"]["type"]), (404, &json!("not_found_error")));
    let refused = get(&stub, Wire::Gemini, "/v1beta/batches/none").await;
    assert_eq!((refused.status, &json_of(&refused)["error"]["status"]), (404, &json!("NOT_FOUND")));
}

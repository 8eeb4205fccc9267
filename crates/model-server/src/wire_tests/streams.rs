//! Replies in pieces on every wire.

use super::*;

/// Returns the path and the body of a call for a stream.
fn streaming_call(wire: Wire) -> (&'static str, Value) {
    let (path, mut body) = call(wire, 1);
    match wire {
        Wire::OpenAi => {
            body["stream"] = true.into();
            body["stream_options"] = json!({"include_usage": true});
        }
        Wire::Anthropic => body["stream"] = true.into(),
        Wire::Gemini => return ("/v1beta/models/m:streamGenerateContent?alt=sse", body),
    }
    (path, body)
}

async fn stream(stub: &ModelServer, wire: Wire) -> Response {
    let (path, body) = streaming_call(wire);
    post(stub, wire, path, &body).await
}

/// The data of the events.
fn events(response: &Response) -> Vec<Value> {
    let body = str::from_utf8(&response.body).expect("text");
    let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| Value::from(data))).collect()
}

fn text(wire: Wire, events: &[Value]) -> String {
    let path = match wire {
        Wire::OpenAi => "/choices/0/delta/content",
        Wire::Anthropic => "/delta/text",
        Wire::Gemini => "/candidates/0/content/parts/0/text",
    };
    events.iter().filter_map(|event| event.pointer(path)?.as_str()).collect()
}

fn completion_tokens(wire: Wire, body: &Value) -> Option<u64> {
    let path = match wire {
        Wire::OpenAi => "/usage/completion_tokens",
        Wire::Anthropic => "/usage/output_tokens",
        Wire::Gemini => "/usageMetadata/candidatesTokenCount",
    };
    body.pointer(path)?.as_u64()
}

#[tokio::test]
async fn a_stream_has_the_answer_and_the_tokens_of_a_whole_reply() {
    for wire in WIRES {
        let stub = ModelServer::start(Faults::default());
        let whole = json_of(&ask(&stub, wire, 1).await);
        let streamed = stream(&stub, wire).await;
        assert_eq!(streamed.header("content-type"), Some("text/event-stream"), "{wire:?}");
        let events = events(&streamed);
        assert!(events.len() > 2, "{wire:?}: {events:?}");
        assert_eq!(Some(text(wire, &events)), content(wire, &whole), "{wire:?}");
        let tokens = events.iter().rev().find_map(|event| completion_tokens(wire, event));
        assert_eq!(tokens, completion_tokens(wire, &whole), "{wire:?}");
        assert_eq!(stub.calls()[0].completion_tokens, stub.calls()[1].completion_tokens);
    }
}

#[tokio::test]
async fn events_have_the_names_and_ends_of_their_provider() {
    let stub = ModelServer::start(Faults::default());
    let body = |response: Response| String::from_utf8(response.body).expect("text");
    assert!(body(stream(&stub, Wire::OpenAi).await).ends_with("data: [DONE]\n\n"));
    let messages = body(stream(&stub, Wire::Anthropic).await);
    assert!(messages.starts_with("event: message_start\ndata: {"), "{messages}");
    assert!(messages.ends_with("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"), "{messages}");
    let last = events(&stream(&stub, Wire::Gemini).await).pop().expect("an event");
    assert_eq!(last["candidates"][0]["finishReason"], "STOP");
}

#[tokio::test]
async fn faults_strike_in_the_middle_of_a_stream() {
    for wire in WIRES {
        let stub = ModelServer::start(Faults::default());
        let whole = stream(&stub, wire).await.body.len();
        let struck = async |fault| {
            stub.set_faults(Faults::default().with(fault, 1.0));
            stream(&stub, wire).await
        };
        let cut = struck(Fault::InvalidBody).await.body;
        assert!((1..whole).contains(&cut.len()), "{wire:?}");
        let garbage = events(&struck(Fault::GarbageEvent).await);
        assert!(garbage.last().is_some_and(Value::is_string) && garbage.len() > 2, "{wire:?}: {garbage:?}");
        let failed = struck(Fault::ErrorEvent).await;
        assert_eq!(failed.status, 200);
        let failed = events(&failed);
        assert!(
            failed.last().is_some_and(|event| event["error"].is_object()) && failed.len() > 2,
            "{wire:?}: {failed:?}"
        );
    }
}

#[tokio::test]
async fn a_server_without_streams_replies_as_a_whole_and_one_that_refuses_them_says_so() {
    for wire in WIRES {
        let stub = ModelServer::start(Faults { streams: false, ..Faults::default() });
        assert!(content(wire, &json_of(&stream(&stub, wire).await)).is_some(), "{wire:?}");
    }
    let stub = ModelServer::start(Faults { unknown: vec!["stream_options"], ..Faults::default() });
    let refused = stream(&stub, Wire::OpenAi).await;
    assert!(refused.status == 400 && json_of(&refused).to_string().contains("stream_options"));
}

#[tokio::test]
async fn the_pieces_of_a_slow_stream_come_one_after_the_other() {
    let piece_interval = std::time::Duration::from_millis(1);
    for wire in WIRES {
        let stub = ModelServer::start(Faults::default());
        let at_once = stream(&stub, wire).await.body.len();
        stub.set_faults(Faults { piece_interval, ..Faults::default() });
        assert_eq!(stream(&stub, wire).await.body.len(), at_once, "{wire:?}");
    }
}

//! Features of the server and its API: schemas, streams, limits, caches, stop reasons, batches.

use rand::RngExt;
use serde_json::{Value, json};
use simulation::known_parameters::{ParameterEffect, ParameterValues};
use simulation::model_check::{CheckFinding, CheckVerdict};
use uuid::Uuid;

use super::asker::{Ask, Asker, Reply, finding, one_field, unclear};
use crate::llm::outcome::{RateLimitHeaders, StopReason};
use crate::llm::prompt::{ResponseFormat, Streaming};
use crate::llm::wire::BatchError;

/// Length of the text that the cache is to keep, in words: longer than any provider's shortest prefix.
const CACHED_WORDS: usize = 4_500;
/// Length limit of a reply that is to be cut off, in tokens.
const CUT_TOKENS: u32 = 4;
/// Name of the schema among the parameters of calls.
const JSON_SCHEMA: &str = "json_schema";

pub async fn schema(asker: &mut Asker<'_>) -> CheckFinding {
    const NAME: &str = "schema";
    let colour = one_field(json!({"type": "string", "enum": ["amber", "teal"]}));
    let ask = Ask { schema: Some(colour), ..Ask::of("Describe the sea in two sentences of prose.") };
    let reply = match asker.ask(&ask).await {
        Ok(reply) => reply,
        Err(error) => return unclear(NAME, &error),
    };
    let mut noted = |effect| asker.note(JSON_SCHEMA, ParameterValues::Any, effect);
    if reply.dialect.format != ResponseFormat::JsonSchema {
        noted(ParameterEffect::NotTaken);
        return finding(NAME, CheckVerdict::NotSent, "the server refused it; the prompt states it instead");
    }
    let answer = serde_json::from_str::<Value>(reply.text()).ok();
    if answer.is_some_and(|answer| matches!(answer["answer"].as_str(), Some("amber" | "teal"))) {
        noted(ParameterEffect::Works);
        finding(NAME, CheckVerdict::Works, "asked for prose, the model kept to the schema")
    } else {
        noted(ParameterEffect::WithoutEffect);
        finding(NAME, CheckVerdict::NoEffect, "asked for prose, the model left the schema")
    }
}

pub async fn cache(asker: &mut Asker<'_>) -> CheckFinding {
    const NAME: &str = "cache";
    // New at every check, or an earlier one would have filled the cache.
    let mark: u64 = rand::rng().random();
    let words: Vec<String> = (0..CACHED_WORDS).map(|word| format!("word{}", word % 97)).collect();
    let system = format!("Check {mark}. {}", words.join(" "));
    let mut cached = Vec::new();
    for question in ["Answer with yes.", "Answer with no."] {
        match asker.ask(&Ask { system: system.clone(), mark: true, ..Ask::of(question) }).await {
            Ok(reply) => cached.push((reply.completion.usage.cached, reply.completion.usage.prompt)),
            Err(error) => return unclear(NAME, &error),
        }
    }
    match cached.last() {
        Some((tokens @ 1.., prompt)) => finding(
            NAME,
            CheckVerdict::Works,
            &format!("{tokens} of {prompt} prompt tokens of a second call were cached"),
        ),
        _ => finding(
            NAME,
            CheckVerdict::NotThere,
            "no token of a second call with the same beginning was cached, or none was reported",
        ),
    }
}

pub async fn stop_reason(asker: &mut Asker<'_>) -> CheckFinding {
    const NAME: &str = "stop_reason";
    let ask = Ask { max_tokens: CUT_TOKENS, ..Ask::of("Count from 1 to 500 in words.") };
    let completion = match asker.ask(&ask).await {
        Ok(reply) => reply.completion,
        Err(error) => return unclear(NAME, &error),
    };
    let said = completion.finish_reason.as_deref().unwrap_or("nothing");
    let tokens = completion.usage.completion;
    match completion.stop_reason {
        StopReason::TokenLimit => finding(NAME, CheckVerdict::Works, "a reply that was cut off says so"),
        _ if tokens < CUT_TOKENS => {
            finding(NAME, CheckVerdict::Unclear, &format!("the reply ended before its limit, after {tokens} tokens"))
        }
        _ => finding(
            NAME,
            CheckVerdict::NoEffect,
            &format!("with a limit of {CUT_TOKENS} tokens {tokens} came, and the reply ends with: {said}"),
        ),
    }
}

pub async fn batches(asker: &Asker<'_>) -> CheckFinding {
    const NAME: &str = "batches";
    match asker.llm.find_batch("", Uuid::nil()).await {
        Ok(_) => finding(NAME, CheckVerdict::Works, "the list of batches is there"),
        Err(BatchError::NotThere(_)) => finding(NAME, CheckVerdict::NotThere, "there is no list of batches"),
        Err(error) => finding(NAME, CheckVerdict::Unclear, &error.to_string()),
    }
}

pub fn stream(hello: &Reply) -> CheckFinding {
    match hello.dialect.streaming {
        Streaming::WithUsage => finding("stream", CheckVerdict::Works, "taken, with token counts"),
        Streaming::WithoutUsage => finding("stream", CheckVerdict::Works, "taken, without token counts"),
        Streaming::Omitted => finding("stream", CheckVerdict::NotSent, "the server refused it"),
    }
}

pub fn limits(hello: &Reply) -> CheckFinding {
    let RateLimitHeaders { limit_requests, limit_tokens, .. } = hello.limits;
    match (limit_requests, limit_tokens) {
        (None, None) => finding("limits", CheckVerdict::NotThere, "no header tells a rate limit"),
        (requests, tokens) => {
            let shown = |limit: Option<u32>| limit.map_or_else(|| "?".to_owned(), |limit| limit.to_string());
            finding(
                "limits",
                CheckVerdict::Works,
                &format!("{} requests and {} tokens", shown(requests), shown(tokens)),
            )
        }
    }
}

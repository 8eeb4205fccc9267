//! Asks the demo model the same questions over HTTP on every wire.

use std::time::Duration;

use model_server::{Caching, Faults, ModelServer};
use proptest::prelude::*;
use simulation::model_options::PromptCache;
use simulation::parameters::Parameters;
use simulation::wire::Wire;
use tokio::runtime::Runtime;

use super::answer::read;
use super::prompt::{Prompt, PromptItem, ResponseFormat, SystemMessage, max_tokens};
use super::samples::{any_question, parameters};
use super::{CallError, Completion, Dialect, Llm};
use crate::config::ModelConfig;

const KEY: &str = "a-key-0123456789";

fn llm(stub: &ModelServer, wire: Wire, key: &str) -> Llm {
    let config = ModelConfig {
        wire,
        models: Vec::new(),
        prices: Default::default(),
        base_url: None,
        name: "default".into(),
        key_source: None,
        known: Default::default(),
        reasoning: Vec::new(),
        contexts: Default::default(),
        api_key: Some(key.to_owned()),
        model: "m".into(),
        rpm: None,
        tpm: None,
        max_concurrency: 1,
        questions_per_call: 20,
        timeout: Duration::from_secs(20),
        idle_timeout: Duration::from_secs(20),
        stream: true,
        max_attempts: 6,
    };
    Llm::new(&config, &stub.base_url()).expect("an address")
}

async fn ask(
    llm: &Llm,
    persona: &str,
    parameters: &Parameters,
    items: &[PromptItem<'_>],
    dialect: Dialect,
) -> Result<Completion, CallError> {
    let prompt = Prompt::new("", parameters, items, dialect, max_tokens(items));
    llm.ask(llm.encode(&llm.open(&SystemMessage::new(persona)), &prompt)).await.result
}

proptest! {
    #[test]
    fn any_survey_has_the_same_checked_answers_on_every_wire(
        questions in (any_question(1), any_question(2), any_question(3)).prop_map(<[_; 3]>::from),
        persona in "\\PC{0,200}", seed in any::<i64>(), persona_id in 1..3000i32, stream in any::<bool>(),
        format in prop::sample::select(vec![ResponseFormat::JsonSchema, ResponseFormat::JsonObject, ResponseFormat::Plain]),
    ) {
        let runtime = Runtime::new().expect("a runtime");
        let stub = ModelServer::start(Faults { key: Some(KEY.to_owned()), ..Faults::demo() });
        // At another temperature a seed changes minds, and not every wire has seeds.
        let parameters = Parameters { seed, stream, temperature: Some(0.0), ..parameters() };
        let items: Vec<_> = questions.iter().map(|question| PromptItem::new(question, &parameters, persona_id)).collect();
        let of_wire = |wire| {
            let llm = llm(&stub, wire, KEY);
            let dialect = Dialect { format, ..llm.dialect() };
            let completion = runtime.block_on(ask(&llm, &persona, &parameters, &items, dialect)).expect("a completion");
            assert!(completion.usage.prompt > 0 && completion.usage.completion > 0, "{completion:?}");
            read(&items, completion.content.as_deref().unwrap_or_default())
        };
        let expected = of_wire(Wire::OpenAi);
        prop_assert!(expected.iter().all(Result::is_ok), "{expected:?}");
        for wire in [Wire::Anthropic, Wire::Gemini] {
            prop_assert_eq!(&of_wire(wire), &expected, "{:?}", wire);
        }
    }
}

#[tokio::test]
async fn a_key_is_taken_and_another_is_refused_on_every_wire() {
    let stub = ModelServer::start(Faults { key: Some(KEY.to_owned()), ..Faults::demo() });
    for wire in Wire::ALL {
        llm(&stub, wire, KEY).reach().await.expect("the key is right");
        let refused = llm(&stub, wire, "wrong").reach().await.expect_err("the key is wrong").to_string();
        assert!(refused.contains("refuses the key"), "{wire:?}: {refused}");
        let denied = probe(&llm(&stub, wire, "wrong"), false).await.expect_err("the key is wrong");
        assert_eq!(denied.code(), "denied", "{wire:?}");
        assert!(!denied.to_string().contains("wrong"), "{denied}");
    }
}

#[tokio::test]
async fn a_marked_prefix_is_read_from_anthropic_s_cache_at_the_second_call() {
    let stub = ModelServer::start(Faults { caching: Caching::Provider, ..Faults::default() });
    let llm = llm(&stub, Wire::Anthropic, KEY);
    let cached = async |mark| probe(&llm, mark).await.map(|reply| (reply.usage.cached, reply.usage.cache_write));
    assert_eq!(cached(false).await, Ok((0, 0)));
    let (read, written) = cached(true).await.expect("a completion");
    assert!(read == 0 && written > 1_000, "{read} {written}");
    assert_eq!(cached(true).await, Ok((written, 0)));
}

/// Asks nothing of a persona with a long text.
async fn probe(llm: &Llm, cache_mark: bool) -> Result<Completion, CallError> {
    let prompt_cache = cache_mark.then_some(PromptCache::Twin);
    let parameters = Parameters { model: "claude-haiku-4-5".to_owned(), prompt_cache, ..parameters() };
    ask(llm, &"I am Ann. ".repeat(5_000), &parameters, &[], llm.dialect()).await
}

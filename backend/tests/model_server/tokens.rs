//! Servers that count reasoning and cache writes.

use bundle::tables::long_csv::columns;
use model_server::{Faults, ModelServer, UsageParts};
use simulation::money::Price;
use simulation::status::Status;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::results::runs;

use crate::support::engine_fixture::{EngineFixture, survey};

const TWINS: i32 = 5;

#[actix_web::test]
async fn reasoning_and_cache_writes_are_stored_with_each_answer_summed_and_priced() {
    let usage = UsageParts { reasoning: 51, cached: 20, cache_write: 31 };
    let stub = ModelServer::start(Faults { usage, ..Faults::default() });
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let price = Price {
        currency: "EUR".to_owned(),
        prompt: 1_000_000,
        cached: 0,
        completion: 10_000_000,
        cache_write: Some(2_000_000),
        reasoning: Some(3_000_000),
        as_of: None,
    };
    let priced = price.clone();
    let id = fixture.start(&survey(2), PersonaChoice::Random(TWINS), |it| it.price = Some(priced)).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;

    assert_eq!((run.status, run.calls), (Status::Completed, i64::from(TWINS)));
    let calls = i64::from(TWINS);
    assert_eq!((run.reasoning_tokens, run.cached_tokens, run.cache_write_tokens), (51 * calls, 20 * calls, 31 * calls));
    assert!(run.completion_tokens > run.reasoning_tokens);
    let micro_units =
        (run.prompt_tokens - 51 * calls) + 2 * 31 * calls + 10 * (run.completion_tokens - 51 * calls) + 3 * 51 * calls;
    assert_eq!(price.cost(run.tokens()), micro_units);
    for column in ["reasoning_tokens", "cache_write_tokens"] {
        let differing = format!(
            "SELECT count(*) AS number FROM (SELECT sum({column}) AS answers FROM responses) AS stored, simulations
             WHERE answers <> {column}"
        );
        assert_eq!(fixture.number(&differing).await, 0, "{column}");
    }
    let shown = runs::load(&fixture.pool.get().await.expect("a connection"), id).await.expect("the run");
    let names = columns(&shown);
    let first = names.iter().position(|name| *name == "completionTokens").expect("a column");
    assert_eq!(names[first + 1..=first + 2], ["reasoningTokens", "cacheWriteTokens"]);
    assert!(run.tokens_in_words().contains("155 written to the cache"), "{}", run.tokens_in_words());
    fixture.sound_and_paid(2 * TWINS).await;
}

#[actix_web::test]
async fn a_run_without_reasoning_has_the_columns_that_runs_always_had() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(1).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(1), |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.reasoning_tokens, run.cache_write_tokens), (0, 0));
    let shown = runs::load(&fixture.pool.get().await.expect("a connection"), id).await.expect("the run");
    assert!(!columns(&shown).iter().any(|name| name.starts_with("reasoning") || name.starts_with("cacheWrite")));
}

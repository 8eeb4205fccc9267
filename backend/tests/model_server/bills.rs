//! Estimate, cap and cost of runs against the bill of a server that caches and charges by its provider's rules.

use std::fs;
use std::time::Duration;

use model_server::{BatchFaults, Caching, Call, Faults, ModelServer};
use serde_json::{Value, json};
use simulation::money::Price;
use simulation::wire::Wire;
use tempfile::TempDir;
use tokio::time::Instant;
use twinlab::config::ModelConfig;
use twinlab::config::prices::listed;
use twinlab::engine::Timings;

use crate::support::engine_fixture::{engine, look_later};
use crate::support::{GroupFixture, sample, with_flags};

/// Credits of the author.
const BUDGET: i64 = 100_000;
/// Twins of each run, and questions to each of them.
const TWINS: usize = 20;
const QUESTIONS: usize = 15;
/// Tokens of each prompt beside the text, in full: how to answer, the questions and their schema; in times the text.
const BESIDE: f64 = 0.28;
/// Greatest difference to the bill, as a share of it.
const TOLERANCE: f64 = 0.05;

/// The expected cost of a study, the cost that its runs state, and the server's bill, in micro-units.
#[derive(Debug)]
struct Billed {
    estimate: f64,
    cost: f64,
    bill: f64,
    /// The bill of the prompts, in times what one twin's text costs once in an uncached prompt.
    prompts: f64,
    /// Number of its runs, each of whose costs is rounded.
    runs: usize,
    /// The first of its runs.
    run: Value,
}

fn price(model: &str, batch: bool) -> Price {
    let prices = &listed().models[model];
    let tier = if batch { prices.batch.as_deref().expect("a price of batches") } else { prices };
    tier.price(&listed().currency, prices.read)
}

fn wire_of(model: &str) -> Wire {
    match model {
        model if model.starts_with("claude") => Wire::Anthropic,
        model if model.starts_with("gemini") => Wire::Gemini,
        _ => Wire::OpenAi,
    }
}

fn micro_units(money: &Value) -> f64 {
    money["amount"].as_str().expect("an amount").parse::<f64>().expect("a number") * 1e6
}

/// The server's charge for these calls' prompts and completions, token by token as its provider's price list says.
fn charged(calls: &[Call], price: &Price) -> (f64, f64) {
    let of = |tokens: u32, price: i64| f64::from(tokens) * price as f64 / 1e6;
    let prompts = calls.iter().map(|call| {
        let fresh = call.prompt_tokens - call.cached_tokens - call.cache_written_tokens;
        of(fresh, price.prompt)
            + of(call.cached_tokens, price.cached)
            + of(call.cache_written_tokens, price.cache_write.unwrap_or(price.prompt))
    });
    (prompts.sum(), calls.iter().map(|call| of(call.completion_tokens, price.completion)).sum())
}

/// Gives every twin a text of some 4,000 tokens that is its own from the first word on.
async fn lengthen_texts(fixture: &GroupFixture<'_>) {
    let conn = &mut fixture.app.connection().await;
    sample::run(
        conn,
        "UPDATE personas SET summary = id || ' is my number. ' || repeat('I like tea and long walks. ', 600)",
    )
    .await;
}

/// Prices, starts and ends a run of this model, alone.
async fn billed(model: &'static str, run: Value, change: impl FnOnce(&mut Faults)) -> Billed {
    billed_study(model, json!({ "run": run }), change).await
}

/// Prices, starts and ends a study of this model, alone.
async fn billed_study(model: &'static str, study: Value, change: impl FnOnce(&mut Faults)) -> Billed {
    let wire = wire_of(model);
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("prices.json");
    fs::write(&file, serde_json::to_string(listed()).expect("JSON")).expect("the folder can be written");
    let mut faults = Faults { caching: Caching::Provider, batches: BatchFaults::default(), ..Faults::default() };
    change(&mut faults);
    let mut found = None;
    let prices = file.to_str().expect("its name is UTF-8");
    let flags = ["--llm-prices", prices, "--llm-models", model, "--llm-wire", wire.name()];
    with_flags(&flags, async |app| {
        let fixture = GroupFixture::open(app, BUDGET).await;
        lengthen_texts(&fixture).await;
        let path = format!("/api/surveys/{}/studies", fixture.survey(QUESTIONS).await);
        let mut asked = study;
        for (key, value) in [("personaCount", json!(TWINS)), ("model", json!(model)), ("seed", json!(1))] {
            asked["run"][key] = value;
        }
        let asks = |config: &mut ModelConfig| config.wire = wire;
        if wire == Wire::Gemini {
            // It reasons although it is not asked to: a trial shows how much.
            let mut trial = asked.clone();
            trial["run"]["personaCount"] = json!(3);
            let stub = ModelServer::start(faults.clone());
            let started = fixture.author.post(&path, trial).await.ok();
            let engine = engine(app.database.url(), &stub, Timings::default(), asks).await;
            assert_eq!(fixture.study_ended_by(engine, &started).await["status"], "COMPLETED");
        }
        let priced = fixture.author.post(&format!("{path}?price=true"), asked.clone()).await.ok();
        let stub = ModelServer::start(faults);
        let started = fixture.author.post(&path, asked).await.ok();
        let engine = engine(app.database.url(), &stub, Timings::default(), asks).await;
        assert_eq!(fixture.study_ended_by(engine, &started).await["status"], "COMPLETED");
        let mut runs = Vec::new();
        for run in started["runs"].as_array().expect("runs") {
            let id = run["simulationId"].as_str().expect("an id");
            runs.push(fixture.author.get(&format!("/api/simulations/{id}")).await.ok());
        }
        let cost = runs.iter().map(|run| micro_units(&run["cost"])).sum();
        let (count, run) = (runs.len(), runs.swap_remove(0));
        let price = price(model, run["parameters"]["batch"] == true);
        let (prompts, completions) = charged(&stub.calls(), &price);
        let text = (600.0 * 27.0) / 4.0 * price.prompt as f64 / 1e6;
        found = Some(Billed {
            estimate: micro_units(&priced["estimate"]["cost"]["expected"]),
            cost,
            bill: prompts + completions,
            prompts: prompts / (TWINS as f64 * text),
            runs: count,
            run,
        });
    })
    .await;
    found.expect("a run")
}

impl Billed {
    #[track_caller]
    fn agrees(&self) {
        let Self { estimate, cost, bill, runs, .. } = self;
        assert!((cost - bill).abs() <= *runs as f64, "the run says {cost}, the bill {bill}");
        assert!((estimate - bill).abs() <= TOLERANCE * bill, "expected {estimate}, the bill is {bill}: {self:?}");
    }
}

#[actix_web::test]
async fn a_model_that_caches_every_prefix_costs_what_was_estimated() {
    for questions_per_call in [QUESTIONS, QUESTIONS / 3] {
        let billed = billed("gpt-4.1-mini", json!({"questionsPerCall": questions_per_call}), |_| ()).await;
        billed.agrees();
        assert_eq!(billed.run["parameters"]["promptCache"], Value::Null);
    }
}

#[actix_web::test]
async fn a_model_that_caches_at_marks_is_paid_one_and_a_half_texts_for_three_calls_and_one_for_one() {
    let three = billed("gpt-6-luna", json!({"questionsPerCall": QUESTIONS / 3}), |_| ()).await;
    three.agrees();
    assert_eq!((&three.run["parameters"]["promptCache"], &three.run["calls"]), (&json!("twin"), &json!(3 * TWINS)));
    assert!(three.prompts <= 1.5 + 3.0 * BESIDE, "{three:?}");
    assert!(micro_units(&three.run["cacheSaving"]) > 0.0, "{three:?}");

    let one = billed("gpt-6-luna", json!({"questionsPerCall": QUESTIONS}), |_| ()).await;
    one.agrees();
    assert!(one.prompts <= 1.0 + BESIDE, "{one:?}");
    assert_eq!((&one.run["parameters"]["promptCache"], &one.run["calls"]), (&json!("off"), &json!(TWINS)));
    assert_eq!((&one.run["cacheWriteTokens"], &one.run["cachedTokens"]), (&json!(0), &json!(0)));
}

#[actix_web::test]
async fn the_cache_of_anthropic_is_marked_for_three_calls_and_left_alone_for_one() {
    let three = billed("claude-haiku-5-5", json!({"questionsPerCall": QUESTIONS / 3}), |_| ()).await;
    three.agrees();
    assert_eq!(three.run["parameters"]["promptCache"], "twin");
    assert!(three.prompts <= 1.5 + 3.0 * BESIDE, "{three:?}");
    let one = billed("claude-haiku-5-5", json!({"questionsPerCall": QUESTIONS}), |_| ()).await;
    one.agrees();
    assert!(one.prompts <= 1.0 + BESIDE, "{one:?}");
    assert_eq!((&one.run["cacheWriteTokens"], &one.run["cachedTokens"]), (&json!(0), &json!(0)));
    let batch = billed("claude-sonnet-5-5", json!({"questionsPerCall": QUESTIONS, "batch": true}), |_| ()).await;
    batch.agrees();
}

#[actix_web::test]
async fn gemini_finds_a_twins_text_by_itself() {
    let three = billed("gemini-4-hydrogen", json!({"questionsPerCall": QUESTIONS / 3}), |_| ()).await;
    three.agrees();
    assert_eq!(three.run["parameters"]["promptCache"], Value::Null);
    assert!(three.prompts <= 1.5 + 3.0 * BESIDE, "{three:?}");
    let one = billed("gemini-4-hydrogen", json!({"questionsPerCall": QUESTIONS}), |_| ()).await;
    one.agrees();
    assert!(one.prompts <= 1.0 + BESIDE, "{one:?}");
}

#[actix_web::test]
async fn the_runs_of_a_study_ask_each_twin_one_after_another_and_pay_its_text_once() {
    for model in ["gpt-6-luna", "claude-haiku-5-5", "gemini-4-hydrogen"] {
        let study = json!({"run": {"questionsPerCall": QUESTIONS}, "repeats": 3});
        let billed = billed_study(model, study, |faults| faults.latency = Duration::from_millis(20)).await;
        billed.agrees();
        assert!(billed.prompts <= 1.5 + 3.0 * BESIDE, "{model}: {billed:?}");
    }
}

#[actix_web::test]
async fn batches_and_reasoning_cost_what_was_estimated() {
    for model in ["gpt-4.1-mini", "gpt-6-luna", "gemini-4-hydrogen"] {
        let batch = billed(model, json!({"questionsPerCall": QUESTIONS, "batch": true}), |_| ()).await;
        batch.agrees();
        assert_eq!(batch.run["cacheWriteTokens"], 0);
    }
    let run = json!({"questionsPerCall": QUESTIONS, "reasoningEffort": "medium"});
    let reasoning = billed("gpt-6-luna", run, |_| ()).await;
    reasoning.agrees();
    assert_eq!(reasoning.run["reasoningTokens"], 512 * TWINS);
}

#[actix_web::test]
async fn a_cap_is_passed_by_no_more_than_the_calls_under_way() {
    for model in ["gpt-6-luna", "claude-haiku-5-5", "gemini-4-hydrogen"] {
        capped(model).await;
    }
}

async fn capped(model: &'static str) {
    const AT_ONCE: u32 = 2;
    let (wire, price) = (wire_of(model), price(model, false));
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("prices.json");
    fs::write(&file, serde_json::to_string(listed()).expect("JSON")).expect("the folder can be written");
    let prices = file.to_str().expect("its name is UTF-8");
    let flags = ["--llm-prices", prices, "--llm-models", model, "--llm-wire", wire.name()];
    with_flags(&flags, async |app| {
        let fixture = GroupFixture::open(app, BUDGET).await;
        lengthen_texts(&fixture).await;
        let path = format!("/api/surveys/{}/studies", fixture.survey(QUESTIONS).await);
        let mut run = json!({"personaCount": TWINS, "model": model, "questionsPerCall": 5});
        let priced = fixture.author.post(&format!("{path}?price=true"), json!({ "run": run })).await.ok();
        let cap = (micro_units(&priced["estimate"]["cost"]["expected"]) / 3.0).round();
        run["maxCost"] = json!(cap / 1e6);
        let started = fixture.author.post(&path, json!({ "run": run })).await.ok();
        let stub = ModelServer::start(Faults { caching: Caching::Provider, ..Faults::default() });
        let asks = |config: &mut ModelConfig| (config.wire, config.max_concurrency) = (wire, AT_ONCE);
        let engine = engine(app.database.url(), &stub, Timings::default(), asks).await;
        let id = started["runs"][0]["simulationId"].as_str().expect("an id");
        let start = Instant::now();
        let run = loop {
            let run = fixture.author.get(&format!("/api/simulations/{id}")).await.ok();
            if run["status"] == "PAUSED" {
                break run;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{run:#?}");
            look_later(start).await;
        };
        engine.shut_down().await;
        let calls = stub.calls();
        let (prompts, completions) = charged(&calls, &price);
        let dearest = calls.iter().map(|call| {
            let (prompt, completion) = charged(std::slice::from_ref(call), &price);
            prompt + completion
        });
        let dearest = dearest.fold(0.0, f64::max);
        // A settlement takes the calls that ended meanwhile: each interview has one under way and one to be settled, and the
        // worker holds eight more interviews than it may ask at once.
        let under_way = 2.0 * f64::from(AT_ONCE + 8);
        let bill = prompts + completions;
        assert!(
            bill >= cap && bill <= cap + under_way * dearest,
            "{model}: the cap is {cap}, the bill {bill}, a call {dearest}"
        );
        assert!(calls.len() < 3 * TWINS, "{run:#?}");
        fixture.author.post(&format!("/api/simulations/{id}/stop"), json!({})).await.ok();
    })
    .await;
}

#[actix_web::test]
async fn a_server_that_does_not_know_marks_is_asked_without_them() {
    let run = json!({"questionsPerCall": QUESTIONS / 3});
    let billed = billed("gpt-6-luna", run, |faults| faults.unknown = vec!["prompt_cache_options"]).await;
    assert_eq!(billed.run["status"], "COMPLETED");
    assert_eq!(billed.run["notSent"], json!(["json_schema", "prompt_cache_options"]));
}

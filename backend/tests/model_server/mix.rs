//! All faults together.

use std::fs;
use std::time::Duration;

use model_server::{Fault, Faults, ModelServer, early_calls};

use crate::support::Simulate;
use crate::support::engine_fixture::{EngineFixture, survey};

const TWINS: i32 = 100;
const QUESTIONS: i32 = 4;

/// A call that arrives this soon after a 429 was sent before the 429 was read.
const ON_THE_WAY: Duration = Duration::from_millis(200);

/// Faults: three calls in ten get a 429, two in ten break, and some of the rest fail in every other way.
fn bad_day() -> Faults {
    let rates = [
        (Fault::TooManyRequests, 0.1),
        (Fault::TooManyRequestsUntil, 0.1),
        (Fault::TooManyRequestsReset, 0.1),
        (Fault::ServerError, 0.1),
        (Fault::ResetBefore, 0.05),
        (Fault::ResetMidway, 0.05),
        (Fault::Hang, 0.01),
        (Fault::SlowBytes, 0.01),
        (Fault::Html, 0.02),
        (Fault::HtmlBadGateway, 0.02),
        (Fault::InvalidBody, 0.02),
        (Fault::InvalidContent, 0.02),
        (Fault::OutOfRange, 0.03),
        (Fault::MissingAnswer, 0.03),
        (Fault::Refusal, 0.02),
        (Fault::Truncated, 0.02),
        (Fault::ContentFilter, 0.01),
        (Fault::EmptyChoices, 0.02),
        (Fault::HugeBody, 0.02),
        (Fault::BadRequest, 0.01),
    ];
    Faults { rates: rates.to_vec(), ..Faults::default() }
}

/// The codes that a failed request may have on such a day.
const CODES: &str = "'server_error', 'connection', 'connect', 'timeout', 'garbled', 'not_json', 'invalid_answer',
    'missing_answer', 'refused', 'truncated', 'rejected'";

/// Upper limit of memory: ten simultaneous replies of ten MiB each would exceed it.
const MAX_MEMORY: u64 = 120 << 20;

/// The peak resident memory of a process in bytes.
fn peak_resident(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

#[actix_web::test]
#[ignore = "slow: waits for the time that a variable sets"]
async fn on_a_bad_day_every_request_ends_as_a_valid_answer_or_a_failure_with_its_code() {
    let stub = ModelServer::start(bad_day());
    let fixture = EngineFixture::new(TWINS).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(QUESTIONS as usize), "answers.csv");
    simulate.command.args(["--personas", &TWINS.to_string()]).env("LLM_MAX_CONCURRENCY", "128");
    // A server that hangs holds its call for this time.
    simulate.command.env("LLM_TIMEOUT_S", "15");
    let running = simulate.spawn();
    // Most of it is done: the process is examined while it cannot end.
    stub.reached(TWINS as usize + 100).await;
    stub.hold();
    let memory = peak_resident(running.pid());
    stub.release();
    let outcome = running.ended();

    assert_eq!(outcome.code, Some(3), "{outcome:#?}");
    assert_eq!(simulate.written(), ["answers.csv"]);
    assert!(memory.is_some_and(|bytes| bytes < MAX_MEMORY), "{memory:?} bytes");
    assert_eq!(early_calls(&stub.calls(), ON_THE_WAY), 0);

    let id = fixture.number("SELECT id AS number FROM simulations").await;
    let run = fixture.run(id).await;
    assert_eq!(run.successful_requests + run.failed_requests, TWINS * QUESTIONS);
    assert!(run.successful_requests > TWINS * QUESTIONS / 2, "{run:#?}");
    let nameless = format!("SELECT count(*) AS number FROM request_failures WHERE code NOT IN ({CODES})");
    assert_eq!(fixture.number(&nameless).await, 0, "{:#?}", fixture.failures(id).await);
    let strange = "SELECT count(*) AS number FROM responses WHERE answer NOT IN ('Yes', 'No', 'Perhaps')";
    assert_eq!(fixture.number(strange).await, 0);
    fixture.sound_and_paid(run.successful_requests).await;
}

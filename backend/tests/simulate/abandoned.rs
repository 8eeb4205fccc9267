//! Commands that end before their run: the run is paused and listed, and continues or ends only by another command.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use chrono::Utc;
use diesel::prelude::*;
use model_server::{Faults, ModelServer};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;
use simulation::row::Simulation;
use simulation::status::Status;
use twinlab::auth::token::{Claims, Sessions};
use twinlab::cli::interrupt::ignores_hang_up;
use twinlab::config::Secret;
use twinlab::models::users::User;
use twinlab::schema::users;

use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::{Client, Outcome, Serving, Simulate, nine_checks};

/// A run that was killed half-way with `kill -9`.
struct Killed {
    fixture: EngineFixture,
    stub: ModelServer,
    simulate: Simulate,
    id: i64,
}

impl Killed {
    async fn new() -> Self {
        let stub = ModelServer::start(Faults::default());
        let fixture = EngineFixture::new(40).await;
        let mut simulate = Simulate::new(&fixture, &stub, &survey(3), "answers.csv");
        simulate.command.env("LLM_MAX_CONCURRENCY", "4").env("LLM_TIMEOUT_S", "600").env("RUST_LOG", "warn");
        let running = simulate.spawn();
        stub.reached(8).await;
        stub.hold();
        running.kill();
        let id = fixture.number("SELECT id AS number FROM simulations").await;
        Self { fixture, stub, simulate, id }
    }

    async fn run(&self) -> Simulation {
        self.fixture.run(self.id).await
    }

    /// Runs `simulate` with these words instead of a survey.
    fn simulate(&self, words: &[&str]) -> Outcome {
        let words = [&["simulate"], words].concat();
        let mut other = with_words(&self.simulate.command, &words, self.simulate.path(""));
        other.env("OPENAI_BASE_URL", self.stub.base_url());
        Outcome::of(&mut other)
    }
}

/// Prepares this program in the same environment, with other words.
fn with_words(command: &Command, words: &[&str], folder: PathBuf) -> Command {
    let mut other = Command::new(command.get_program());
    other.env_clear().args(words).current_dir(folder);
    for (name, value) in command.get_envs() {
        other.envs(value.map(|value| (name, value)));
    }
    other
}

/// A random generator that prints its seed; `TEST_SEED` sets it.
fn seeded() -> StdRng {
    let given = std::env::var("TEST_SEED").ok();
    let seed = given.map_or_else(rand::random, |seed| seed.parse().expect("TEST_SEED is a number"));
    println!("TEST_SEED={seed}");
    StdRng::seed_from_u64(seed)
}

#[actix_web::test]
async fn a_server_pauses_a_run_whose_command_was_killed_asks_nothing_for_it_and_names_it() {
    let killed = Killed::new().await;
    let calls = killed.stub.counters().calls;
    let serving = Serving::start(
        crate::support::twinlab()
            .env("DATABASE_URL", killed.fixture.database.url())
            .env("OPENAI_BASE_URL", killed.stub.base_url())
            .env("LLM_MODEL", "stub")
            .stderr(fs::File::create(killed.simulate.path("log")).expect("a file")),
    );
    let run = killed.run().await;
    assert_eq!((run.status, run.error_code.as_deref()), (Status::Paused, Some("command_ended")));
    assert_eq!(killed.stub.counters().calls, calls);
    serving.terminate();
    assert_eq!(serving.ended(), Some(0));
    let log = fs::read_to_string(killed.simulate.path("log")).expect("the log");
    assert!(log.contains(&format!("`twinlab simulate --resume {} --out FILE` goes on", run.simulation_id)), "{log}");
}

#[actix_web::test]
async fn a_running_worker_pauses_it_too() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(40).await;
    let serving = Serving::start(
        crate::support::twinlab()
            .env("DATABASE_URL", fixture.database.url())
            .env("OPENAI_BASE_URL", stub.base_url())
            .env("LLM_MODEL", "stub"),
    );
    let mut simulate = Simulate::new(&fixture, &stub, &survey(3), "answers.csv");
    stub.hold();
    let running = simulate.spawn();
    fixture.until_found("SELECT count(*) AS number FROM simulate_commands").await;
    running.kill();
    let id = fixture.number("SELECT id AS number FROM simulations").await;
    let run = fixture.until(id, |run| run.status == Status::Paused).await;
    assert_eq!(run.error_code.as_deref(), Some("command_ended"));
    serving.kill();
}

#[actix_web::test]
async fn resume_goes_on_and_writes_the_file() {
    let mut killed = Killed::new().await;
    killed.stub = ModelServer::start(Faults::default());
    let id = killed.run().await.simulation_id.to_string();
    let outcome = killed.simulate(&["--resume", &id, "--out", "answers.csv"]);
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    let text = fs::read_to_string(killed.simulate.path("answers.csv")).expect("the file can be read");
    assert_eq!(text.lines().count(), 1 + 120);
    killed.fixture.sound_and_paid(120).await;
    assert_eq!(killed.fixture.number("SELECT count(*) AS number FROM simulate_commands").await, 0);
}

#[actix_web::test]
async fn resume_in_the_app_goes_on_and_nobody_pauses_it_again() {
    const SECRET: &str = "the secret of this server, as long as it takes";
    let mut killed = Killed::new().await;
    // The other server still holds the answers of the calls that were under way.
    killed.stub = ModelServer::start(Faults::default().latency_ms(200));
    let serving = Serving::start(
        crate::support::twinlab()
            .env("DATABASE_URL", killed.fixture.database.url())
            .env("OPENAI_BASE_URL", killed.stub.base_url())
            .env("LLM_MODEL", "stub")
            .env("LLM_MAX_CONCURRENCY", "4")
            .env("JWT_SECRET", SECRET),
    );
    let run = killed.fixture.until(killed.id, |run| run.status == Status::Paused).await;
    let user: User = users::table
        .find(killed.fixture.user_id)
        .select(User::as_select())
        .first(&mut killed.fixture.database.connect())
        .expect("the member");
    let token = Sessions::new(&Secret::new(SECRET)).sign(&Claims::new(&user, Utc::now())).expect("a token");
    let member = Client::new(&serving.url, Some(token));
    let path = format!("/api/simulations/{}", run.simulation_id);
    let message = member.get(&path).await.ok()["errorMessage"].to_string();
    assert!(message.contains("the command that ran this simulation ended"), "{message}");
    member.post(&format!("{path}/resume"), json!({})).await.ok();
    let run = killed.fixture.until(killed.id, |run| run.status.is_over() || run.status == Status::Paused).await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 120), "{run:#?}");
    killed.fixture.sound_and_paid(120).await;
    serving.terminate();
    assert_eq!(serving.ended(), Some(0));
}

#[actix_web::test]
async fn stop_ends_it() {
    let killed = Killed::new().await;
    let id = killed.run().await.simulation_id.to_string();
    let outcome = killed.simulate(&["--stop", &id]);
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    let run = killed.run().await;
    assert_eq!(run.status, Status::Stopped);
    killed.fixture.sound_and_paid(run.successful_requests).await;
    let unknown = killed.simulate(&["--stop", "00000000-0000-0000-0000-000000000000"]);
    assert_eq!(unknown.only_line(), "twinlab: there is no simulation 00000000-0000-0000-0000-000000000000");
}

#[actix_web::test]
async fn a_terminal_that_closes_stops_the_run() {
    if ignores_hang_up() {
        return eprintln!("skipped: started by nohup, whose children ignore the signal");
    }
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(40).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(3), "answers.csv");
    simulate.command.env("LLM_MAX_CONCURRENCY", "8").env("LLM_TIMEOUT_S", "600");
    let running = simulate.spawn();
    stub.reached(16).await;
    stub.hold();
    running.hang_up();
    assert_eq!(running.ended().code, Some(130));
    let run = fixture.run(fixture.number("SELECT id AS number FROM simulations").await).await;
    assert_eq!(run.status, Status::Stopped);
    fixture.sound_and_paid(run.successful_requests).await;
}

#[actix_web::test]
#[ignore = "slow: many kills"]
async fn a_command_killed_thirty_times_and_resumed_each_time_loses_nothing() {
    let mut random = seeded();
    let stub = ModelServer::start(Faults::default().latency_ms(50));
    let fixture = EngineFixture::new(200).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(5), "answers.csv");
    simulate.command.args(["--personas", "200"]).env("LLM_MAX_CONCURRENCY", "8").env("LLM_QUESTIONS_PER_CALL", "1");
    let connection = &mut *fixture.pool.get().await.expect("a connection");
    let mut running = simulate.spawn();
    for kill in 0..30 {
        stub.reached(stub.calls().len() + random.random_range(1..40)).await;
        running.kill();
        nine_checks(connection).await;
        if kill == 0 {
            let id = fixture.number("SELECT id AS number FROM simulations").await;
            let id = fixture.run(id).await.simulation_id.to_string();
            let words = ["simulate", "--resume", &id, "--out", "answers.csv"];
            simulate.command = with_words(&simulate.command, &words, simulate.path(""));
        }
        running = simulate.spawn();
    }
    let outcome = running.ended();
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    nine_checks(connection).await;
    fixture.sound_and_paid(1000).await;
    assert_eq!(fs::read_to_string(simulate.path("answers.csv")).expect("the file").lines().count(), 1001);
}

/// Counts the batches that are known to be submitted.
const SUBMITTED: &str = "SELECT count(*) AS number FROM simulation_batches WHERE batch_id IS NOT NULL";

#[actix_web::test]
async fn a_batch_of_a_command_that_was_killed_is_read_by_the_one_that_goes_on() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(10).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(3), "answers.csv");
    simulate.command.arg("--batch");
    stub.hold();
    let running = simulate.spawn();
    fixture.until_found(SUBMITTED).await;
    running.kill();
    stub.release();
    let id = fixture.run(fixture.number("SELECT id AS number FROM simulations").await).await.simulation_id.to_string();
    let words = ["simulate", "--resume", &id, "--out", "answers.csv"];
    let outcome = Outcome::of(&mut with_words(&simulate.command, &words, simulate.path("")));
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    assert!(outcome.stdout.contains("answered    30"), "{}", outcome.stdout);
    assert_eq!(stub.batches().len(), 1);
    fixture.sound_and_paid(30).await;
}

#[actix_web::test]
#[ignore = "slow: many kills"]
async fn a_command_with_batches_killed_twenty_times_asks_and_pays_everything_once() {
    let mut random = seeded();
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(2_000).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(10), "answers.csv");
    simulate
        .command
        .args(["--personas", "2000", "--batch"])
        .env("LLM_QUESTIONS_PER_CALL", "5")
        .env("LLM_TIMEOUT_S", "20");
    let connection = &mut *fixture.pool.get().await.expect("a connection");
    let mut running = simulate.spawn();
    fixture.until_found("SELECT count(*) AS number FROM simulations").await;
    let id = fixture.run(fixture.number("SELECT id AS number FROM simulations").await).await.simulation_id.to_string();
    let words = ["simulate", "--resume", &id, "--out", "answers.csv"];
    let command = with_words(&simulate.command, &words, simulate.path(""));
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(random.random_range(50..2_000))).await;
        running.kill();
        nine_checks(connection).await;
        simulate.command = with_words(&command, &words, simulate.path(""));
        running = simulate.spawn();
    }
    let outcome = running.ended();
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    nine_checks(connection).await;
    fixture.sound_and_paid(20_000).await;
    let lines: usize = stub.batches().iter().map(|batch| batch.lines).sum();
    assert_eq!((lines, stub.batches().len()), (4_000, 2), "every call in exactly one batch");
}

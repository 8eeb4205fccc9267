//! `twinlab serve` on a database of its own: its answers and its end.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::Stdio;

use diesel::prelude::*;
use reqwest::StatusCode;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::support::{Database, Log, Outcome, Serving, twinlab};

#[tokio::test]
async fn it_is_healthy_and_ready_and_shows_a_page_at_its_root() {
    let database = Database::new();
    let serving = Serving::start(twinlab().env("DATABASE_URL", database.url()));
    for (path, expected) in
        [("/health", r#"{"status":"ok"}"#), ("/ready", r#"{"status":"ok"}"#), ("/", "<title>Digital Twin Lab</title>")]
    {
        let answer = reqwest::get(format!("{}{path}", serving.url)).await.expect("it answers");
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        let body = answer.text().await.expect("it answers to the end");
        assert!(body.contains(expected), "{path}: {body}");
    }
    serving.terminate();
    assert_eq!(serving.ended(), Some(0));
}

#[tokio::test]
async fn it_is_not_ready_without_its_queue_and_tells_no_more_than_that() {
    let database = Database::new();
    // Its worker misses the queue too, and warns about it.
    let serving = Serving::start(twinlab().env("DATABASE_URL", database.url()).env("RUST_LOG", "error"));
    diesel::sql_query("SELECT pgmq.drop_queue('interviews')").execute(&mut database.connect()).expect("it is there");
    let answer = reqwest::get(format!("{}/ready", serving.url)).await.expect("it answers");
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(
        answer.text().await.expect("it answers to the end"),
        r#"{"code":"queue_missing","error":"Service Unavailable","message":"the queue is missing","statusCode":503}"#
    );
    serving.press_ctrl_c();
    assert_eq!(serving.ended(), Some(0));
}

/// Status and body of a probe's answer.
async fn probe(url: &str, path: &str) -> (StatusCode, String) {
    let answer = reqwest::get(format!("{url}{path}")).await.expect("it answers");
    (answer.status(), answer.text().await.expect("it answers to the end"))
}

#[tokio::test]
async fn once_told_to_end_it_says_so_to_load_balancers_and_serves_on_for_a_while() {
    let database = Database::new();
    let command = &mut twinlab();
    command.env("DATABASE_URL", database.url()).env("DRAIN_S", "600").env("RUST_LOG", "info").stderr(Stdio::piped());
    let mut serving = Serving::start(command);
    let mut log = serving.log();
    serving.terminate();
    log.until("/ready says 503 for 600s");
    let (status, body) = probe(&serving.url, "/ready").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(body.contains(r#""code":"stopping""#), "{body}");
    assert_eq!(probe(&serving.url, "/health").await.0, StatusCode::OK);
    assert_eq!(probe(&serving.url, "/api/auth/profile").await.0, StatusCode::UNAUTHORIZED);
    // A second signal ends the wait.
    serving.terminate();
    assert_eq!(serving.ended(), Some(0));
}

#[test]
fn it_ends_by_itself_after_its_drain_and_at_once_after_ctrl_c() {
    let database = Database::new();
    let serving = |drain: &str| Serving::start(twinlab().env("DATABASE_URL", database.url()).env("DRAIN_S", drain));
    let drained = serving("1");
    drained.terminate();
    assert_eq!(drained.ended(), Some(0));
    let interrupted = serving("600");
    interrupted.press_ctrl_c();
    assert_eq!(interrupted.ended(), Some(0));
}

#[tokio::test]
async fn a_worker_answers_probes_and_shows_its_metrics_on_a_port_of_their_own() {
    let database = Database::new();
    let command = &mut twinlab();
    command.args(["serve", "--role", "worker", "--health-port", "0"]).env("DATABASE_URL", database.url());
    let mut worker = command.stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut log = Log::of(&mut worker);
    let line = log.until("health and metrics: http://");
    let url = line.trim().rsplit(' ').next().expect("an address").to_owned();
    log.until("worker ready");
    assert_eq!(probe(&url, "/health").await.0, StatusCode::OK);
    assert_eq!(probe(&url, "/ready").await.0, StatusCode::OK);
    // Its own counter exists once it has renewed its lease.
    while !probe(&url, "/metrics").await.1.contains("twinlab_limiter_share") {
        tokio::task::yield_now().await;
    }
    assert_eq!(probe(&url, "/api/auth/profile").await.0, StatusCode::NOT_FOUND);
    kill_process(Pid::from_child(&worker), Signal::TERM).expect("it runs");
    assert!(worker.wait().expect("it ends").success());
}

#[test]
fn with_logs_for_machines_its_output_is_for_machines_too() {
    let database = Database::new();
    let command = &mut twinlab();
    command.args(["serve", "--demo", "--role", "web", "--port", "0"]).env("DATABASE_URL", database.url());
    command.env("LOG_FORMAT", "json").env("RUST_LOG", "error").stdout(Stdio::piped());
    let mut serving = command.spawn().expect("the program starts");
    let mut lines = BufReader::new(serving.stdout.take().expect("its output")).lines();
    for words in ["Digital Twin Lab: http://", "Who can sign in"] {
        let line = lines.next().expect("a line").expect("it is UTF-8");
        let line: Value = serde_json::from_str(&line).expect("every line is JSON");
        assert!(line["fields"]["message"].as_str().is_some_and(|message| message.starts_with(words)), "{line}");
    }
    kill_process(Pid::from_child(&serving), Signal::INT).expect("it runs");
    assert!(serving.wait().expect("it ends").success());
    assert!(lines.next().is_none(), "nothing else is said");
}

#[test]
fn the_super_administrator_of_the_configuration_is_there_after_the_start() {
    let database = Database::new();
    let serving =
        Serving::start(twinlab().env("DATABASE_URL", database.url()).env("SUPER_ADMIN_EMAIL", "Root@Example.org"));
    let outcome = Outcome::of(
        twinlab().args(["user", "create", "root@example.org", "--role", "user"]).env("DATABASE_URL", database.url()),
    );
    assert_eq!(outcome.only_line(), "twinlab: root@example.org is taken: there is a user with this e-mail");
    serving.kill();
}

#[tokio::test]
async fn a_request_has_in_the_log_of_json_the_id_that_its_caller_is_told() {
    let (database, log) = (Database::new(), NamedTempFile::new().expect("a file"));
    let serving = Serving::start(
        twinlab()
            .env("DATABASE_URL", database.url())
            .env("LOG_FORMAT", "json")
            .env("RUST_LOG", "twinlab=debug")
            .stderr(log.reopen().expect("it is there")),
    );
    let answer = reqwest::get(format!("{}/api/auth/profile", serving.url)).await.expect("it answers");
    let id = answer.headers()["x-request-id"].to_str().expect("an id").to_owned();
    serving.terminate();
    assert_eq!(serving.ended(), Some(0));
    let log = fs::read_to_string(log.path()).expect("it is there");
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("every line is JSON"));
    let about_request: Vec<Value> = lines.filter(|line| line["span"]["id"] == *id).collect();
    assert!(
        about_request.iter().any(|line| line["fields"]["message"] == "answered" && line["fields"]["status"] == 401),
        "{log}"
    );
    assert!(about_request.iter().all(|line| line["span"]["path"] == "/api/auth/profile"), "{log}");
}

#[test]
fn a_taken_port_is_told_in_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = taken.local_addr().expect("it listens").port().to_string();
    let outcome = Outcome::of(twinlab().args(["serve", "--port", &port]));
    assert_eq!(outcome.only_line(), format!("twinlab: port {port} of 127.0.0.1 is taken by another program: set PORT"));
    assert_eq!(outcome.code, Some(1));
}

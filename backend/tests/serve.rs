//! `twinlab serve` on a database of its own: what it answers, and how it ends.

use std::fs;
use std::net::TcpListener;

use diesel::prelude::*;
use reqwest::StatusCode;
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::support::{Database, Outcome, Serving, twinlab};

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
    // Its worker misses the queue too, and warns of it.
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
    let told: Vec<Value> = lines.filter(|line| line["span"]["id"] == *id).collect();
    assert!(
        told.iter().any(|line| line["fields"]["message"] == "answered" && line["fields"]["status"] == 401),
        "{log}"
    );
    assert!(told.iter().all(|line| line["span"]["path"] == "/api/auth/profile"), "{log}");
}

#[test]
fn a_taken_port_is_told_in_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = taken.local_addr().expect("it listens").port().to_string();
    let outcome = Outcome::of(twinlab().args(["serve", "--port", &port]));
    assert_eq!(outcome.only_line(), format!("twinlab: port {port} of 127.0.0.1 is taken by another program: set PORT"));
    assert_eq!(outcome.code, Some(1));
}

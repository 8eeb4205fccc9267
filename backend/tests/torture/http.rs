//! A researcher who uses `twinlab serve` with its private PostgreSQL only over HTTP.

use std::fs;
use std::path::Path;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::program::{Program, run};

const EMAIL: &str = "researcher@test.example";
pub const TWINS: usize = 60;
const QUESTIONS: usize = 10;
/// Number of requests of a run.
pub const REQUESTS: usize = TWINS * QUESTIONS;
/// Budget in credits.
pub const BUDGET: i64 = 1_000_000;
/// Time limit of any wait.
pub const TIMEOUT: Duration = Duration::from_secs(180);
/// Interval of checks.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// State of a run, as the API shows it.
#[derive(Clone, Debug)]
pub struct Shown {
    pub status: String,
    pub successful: i64,
}

impl Shown {
    pub fn is_over(&self) -> bool {
        ["COMPLETED", "FAILED", "STOPPED"].contains(&self.status.as_str())
    }
}

/// The researcher; everything but the server's address outlives the server.
pub struct Researcher {
    http: reqwest::Client,
    url: String,
    token: String,
    survey: i64,
}

impl Researcher {
    /// Creates an account and personas with the command line, in an unused `DATA_DIR`.
    pub fn register(data_dir: (&str, &str)) {
        run(&["user", "create", EMAIL, "--role", "admin"], data_dir);
        run(&["personas", "synthesize", &TWINS.to_string()], data_dir);
    }

    /// Signs in by the mailed code, and creates a group with credits and a survey.
    pub async fn prepare(url: String, data_dir: &Path) -> Self {
        let mut researcher = Self { http: reqwest::Client::new(), url, token: String::new(), survey: 0 };
        researcher.post("/api/auth/request-login", json!({"email": EMAIL})).await;
        let login = json!({"email": EMAIL, "code": code(&data_dir.join("mail")).await});
        let session = researcher.post("/api/auth/verify-login", login).await;
        researcher.token = session["access_token"].as_str().expect("a token").to_owned();
        let group = json!({"group_name": "Laboratory", "default_budget_per_user": 0});
        let group = researcher.post("/api/groups", group).await["id"].as_i64().expect("an id");
        let me = researcher.get("/api/auth/profile").await["id"].as_i64().expect("an id");
        let budget = format!("/api/groups/{group}/members/{me}/budget");
        researcher.call(Method::PATCH, &budget, |request| request.json(&json!({"budget": BUDGET}))).await;
        let question = |n| json!({"text": format!("Question {n}?"), "type": "SINGLE_CHOICE", "options": ["Yes", "No"]});
        let survey = json!({"title": "Torture", "questions": (1..=QUESTIONS).map(question).collect::<Vec<_>>()});
        let survey = researcher.post(&format!("/api/surveys/import?groupId={group}"), survey).await;
        researcher.survey = survey["id"].as_i64().expect("an id");
        researcher
    }

    /// Finds the server's address after a restart.
    pub fn follow(&mut self, serving: &mut Program) {
        self.url = serving.url();
    }

    /// Starts a run of all personas, with every question asked alone. The key makes it one run, however often it is
    /// sent.
    pub fn start(&self, key: &str) -> RequestBuilder {
        let path = format!("/api/simulations/survey/{}/start", self.survey);
        self.request(Method::POST, &path)
            .header("idempotency-key", key)
            .json(&json!({"personaCount": TWINS, "questionsPerCall": 1}))
    }

    /// The id of the run that was started under the key, now or before.
    pub async fn started(&self, key: &str) -> String {
        let run = answered(|| self.start(key)).await;
        run["simulationId"].as_str().expect("an id").to_owned()
    }

    pub async fn progress(&self, run: &str) -> Shown {
        let progress = self.get(&format!("/api/simulations/{run}/progress")).await;
        Shown {
            status: progress["status"].as_str().expect("a status").to_owned(),
            successful: progress["successfulRequests"].as_i64().expect("a number"),
        }
    }

    /// Waits for the run's end.
    pub async fn over(&self, run: &str) -> Shown {
        let begun = Instant::now();
        loop {
            let shown = self.progress(run).await;
            if shown.is_over() {
                return shown;
            }
            assert!(begun.elapsed() < TIMEOUT, "the run got nowhere: {shown:?}");
            sleep(CHECK_INTERVAL).await;
        }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token)
    }

    async fn get(&self, path: &str) -> Value {
        self.call(Method::GET, path, |request| request).await
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        self.call(Method::POST, path, |request| request.json(&body)).await
    }

    async fn call(&self, method: Method, path: &str, with: impl Fn(RequestBuilder) -> RequestBuilder) -> Value {
        answered(|| with(self.request(method.clone(), path))).await
    }
}

/// Returns the answer of a call that succeeds. 503 means that the database is away: the call is repeated, as the answer
/// asks.
async fn answered(request: impl Fn() -> RequestBuilder) -> Value {
    let begun = Instant::now();
    loop {
        let answer = request().send().await.expect("the server answers");
        if answer.status() != StatusCode::SERVICE_UNAVAILABLE {
            let (status, body) = (answer.status(), answer.text().await.expect("it answers to the end"));
            assert!(status.is_success(), "{status} {body}");
            return serde_json::from_str(&body).expect("JSON");
        }
        assert!(answer.headers().contains_key("retry-after"), "{answer:?}");
        assert!(begun.elapsed() < TIMEOUT, "the database does not come back");
        sleep(CHECK_INTERVAL).await;
    }
}

/// Waits for the mail and returns its code.
async fn code(mails: &Path) -> String {
    let begun = Instant::now();
    loop {
        let mail = fs::read_dir(mails).ok().and_then(|mut mails| mails.find_map(Result::ok));
        let text = mail.map(|mail| fs::read_to_string(mail.path()).expect("a mail is text")).unwrap_or_default();
        if let Some(subject) = text.lines().find_map(|line| line.strip_prefix("Subject: ")) {
            return subject.split(' ').next().expect("it begins with the code").to_owned();
        }
        assert!(begun.elapsed() < TIMEOUT, "no mail comes");
        sleep(CHECK_INTERVAL).await;
    }
}

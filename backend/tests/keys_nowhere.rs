//! Keys of model servers are in no log, answer, file, table, backup or argument list, whatever the servers do.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use chrono::Utc;
use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;
use futures_util::future::join_all;
use model_server::{Fault, Faults, ModelServer};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use twinlab::auth::token::{Claims, Sessions};
use twinlab::config::Secret;
use twinlab::email::Email;
use twinlab::models::users::{Role, User};
use zip::ZipArchive;

use crate::support::engine_fixture::{EngineFixture, MEMBER};
use crate::support::{Answer, Client, Database, Outcome, SECRET, Serving, sample, twinlab};

/// Part of every key of this test, and of nothing else.
const MARKER: &str = "XMARKERX";
const INSTANCE: &str = "sk-instance-XMARKERX-0001";
const GROUP: &str = "sk-group-XMARKERX-0002";
const WRONG: &str = "sk-wrong-XMARKERX-0003";
const TWINS: i32 = 6;
const RUN_TIMEOUT: Duration = Duration::from_secs(120);

/// Fails if a text or file holds a key, also in hex, as the database shows bytes, and in a zip.
fn is_clean(what: &str, bytes: &[u8]) {
    let hex: String = MARKER.bytes().map(|byte| format!("{byte:02x}")).collect();
    for needle in [MARKER, &hex] {
        let found = bytes.windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle.as_bytes()));
        if let Some(place) = found {
            let around = &bytes[place.saturating_sub(200)..bytes.len().min(place + 60)];
            panic!("{what} holds a key: {}", String::from_utf8_lossy(around));
        }
    }
    if bytes.starts_with(b"PK") {
        let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("a zip");
        for place in 0..archive.len() {
            let mut file = archive.by_index(place).expect("an entry");
            let mut content = Vec::new();
            file.read_to_end(&mut content).expect("it is read");
            is_clean(&format!("{what}, entry {place}"), &content);
        }
    }
}

/// A caller whose every answer is searched.
struct Searching(Client);

impl Searching {
    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let answer = self.0.send(method.clone(), path, body).await;
        is_clean(&format!("{method} {path}"), &answer.bytes);
        is_clean(&format!("the headers of {method} {path}"), format!("{:?}", answer.headers).as_bytes());
        answer
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        self.send(Method::POST, path, Some(body)).await.ok()
    }

    /// Starts a run of a new survey on this model, and returns the ids of the survey and the run.
    async fn start(&self, group_id: i64, model: &str, batch: bool) -> (i64, String) {
        let survey = self.post("/api/surveys", json!({"title": "Tea", "groupId": group_id})).await;
        let id = survey["id"].as_i64().expect("an id");
        let question = json!({"text": "Do you like tea?", "type": "SINGLE_CHOICE", "options": ["Yes", "No"]});
        self.post(&format!("/api/surveys/{id}/questions"), question).await;
        let start = json!({"personaCount": TWINS, "model": model, "batch": batch, "keepReplies": true});
        let run = self.post(&format!("/api/simulations/survey/{id}/start"), start).await;
        (id, run["simulationId"].as_str().expect("an id").to_owned())
    }

    /// Waits until the run has ended or is paused, and returns its status and its reason.
    async fn ended(&self, run: &str) -> (String, String) {
        let start = Instant::now();
        loop {
            let run = self.get(&format!("/api/simulations/{run}")).await.ok();
            let status = run["status"].as_str().expect("a status").to_owned();
            if !["QUEUED", "RUNNING"].contains(&status.as_str()) {
                return (status, run["errorMessage"].as_str().unwrap_or_default().to_owned());
            }
            assert!(start.elapsed() < RUN_TIMEOUT, "this run got nowhere: {run:#}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    /// Reads everything of a run that the API shows.
    async fn read_all(&self, survey: i64, run: &str) {
        for path in
            ["", "/progress", "/live-progress", "/refresh-status", "/failures", "/personas", "/prompt", "/shares"]
        {
            self.get(&format!("/api/simulations/{run}{path}")).await;
        }
        let responses = format!("/api/surveys/{survey}/simulation/{run}/responses");
        for path in [
            "formatted",
            "debug",
            "matrix",
            "counts",
            "export",
            "export.csv",
            "export.xlsx",
            "export.jsonl",
            "export.parquet",
            "wide.csv",
            "codebook.csv",
            "bundle.zip",
        ] {
            self.get(&format!("{responses}/{path}")).await;
        }
        for path in ["simulation-history", "simulation-status", "simulation-config"] {
            self.get(&format!("/api/surveys/{survey}/{path}")).await;
        }
    }
}

/// A part of the test: behaviour of the model server, key of the group, and the end of its runs.
struct Part {
    name: &'static str,
    group_key: Option<&'static str>,
    faults: Faults,
    batch: bool,
    ends: &'static [&'static str],
}

fn parts() -> Vec<Part> {
    let taking = |key: &str| Faults { key: Some(key.to_owned()), echoes_keys: true, ..Faults::default() };
    let failing = |fault| Faults { script: vec![Some(fault); 4], ..taking(GROUP) };
    let part = |name, group_key, faults, batch, ends| Part { name, group_key, faults, batch, ends };
    vec![
        part("the key of the instance", None, taking(INSTANCE), false, &["COMPLETED"]),
        part("a batch with the key of the instance", None, taking(INSTANCE), true, &["COMPLETED"]),
        part("the key of the group", Some(GROUP), taking(GROUP), false, &["COMPLETED"]),
        part("a batch with the key of the group", Some(GROUP), taking(GROUP), true, &["COMPLETED"]),
        part("errors of the server", Some(GROUP), failing(Fault::ServerError), false, &["COMPLETED"]),
        part("pages instead of answers", Some(GROUP), failing(Fault::HtmlBadGateway), false, &["COMPLETED"]),
        part("pages that are called answers", Some(GROUP), failing(Fault::Html), false, &["COMPLETED"]),
        part("errors in the middle", Some(GROUP), failing(Fault::ErrorEvent), false, &["COMPLETED"]),
        part("refused requests", Some(GROUP), failing(Fault::BadRequest), true, &["FAILED", "COMPLETED"]),
        part("time-outs", Some(GROUP), taking(GROUP).with(Fault::Hang, 1.0), false, &["PAUSED"]),
        part("a wrong key", Some(WRONG), taking(GROUP), false, &["PAUSED"]),
        part("a batch with a wrong key", Some(WRONG), taking(GROUP), true, &["PAUSED"]),
        part("a wrong key of the instance", None, taking(GROUP), false, &["PAUSED"]),
    ]
}

/// Looks at the arguments of all processes of this machine until it is stopped.
struct Watch {
    over: Arc<AtomicBool>,
    looking: JoinHandle<BTreeSet<String>>,
}

impl Watch {
    fn begin() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let until = over.clone();
        let looking = thread::spawn(move || {
            let mut found = BTreeSet::new();
            while !AtomicBool::load(&until, Ordering::Relaxed) {
                for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
                    let arguments = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                    if arguments.windows(MARKER.len()).any(|window| window == MARKER.as_bytes()) {
                        found.insert(String::from_utf8_lossy(&arguments).into_owned());
                    }
                }
                thread::sleep(Duration::from_millis(20));
            }
            found
        });
        Self { over, looking }
    }

    fn found(self) -> BTreeSet<String> {
        self.over.store(true, Ordering::Relaxed);
        self.looking.join().expect("it does not panic")
    }
}

/// A worker that is killed when this is dropped.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[derive(QueryableByName)]
struct Named {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    row: String,
}

/// Searches every row of every table.
async fn search_tables(database: &Database) {
    let pool = database.pool().await;
    let connection = &mut *pool.get().await.expect("a connection");
    let tables = "SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
        WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')";
    let tables: Vec<Named> = diesel::sql_query(tables).load(connection).await.expect("the tables");
    assert!(tables.iter().any(|table| table.name == "public.group_model_keys"), "{}", tables.len());
    for Named { name } in tables {
        let rows = format!("SELECT shown::text AS row FROM {name} AS shown");
        let rows: Vec<Row> = diesel::sql_query(rows).load(connection).await.expect("the rows");
        for Row { row } in rows {
            is_clean(&name, row.as_bytes());
        }
    }
}

#[actix_web::test]
async fn no_key_is_anywhere_whatever_model_servers_do_on_every_wire() {
    let watch = Watch::begin();
    let folder = TempDir::new().expect("a folder");
    let fixture = EngineFixture::new(TWINS).await;
    let wires = ["openai", "anthropic", "gemini"];
    let stubs: Vec<ModelServer> = wires.iter().map(|_| ModelServer::start(Faults::default())).collect();
    let file = folder.path().join("models.toml");
    let server = |(wire, stub): (&&str, &ModelServer)| {
        format!(
            "[[server]]\nname = \"{wire}\"\nwire = \"{wire}\"\nbase_url = \"{}\"\napi_key_env = \"THE_KEY\"\ntimeout = 1\n\
             rpm = 1000000\ntpm = 1000000000\nmodels = [{{ name = \"m-{wire}\" }}]\n",
            stub.base_url()
        )
    };
    let text: String = wires.iter().zip(&stubs).map(server).collect();
    fs::write(&file, text).expect("the file is written");

    let configured = |log: &str, format: &str| -> Command {
        let mut command = twinlab();
        command
            .env("DATABASE_URL", fixture.database.url())
            .env("DATA_DIR", folder.path().join("data"))
            .env("JWT_SECRET", SECRET)
            .env("MODELS", &file)
            .env("THE_KEY", INSTANCE)
            .env("LLM_MAX_ATTEMPTS", "6")
            .env("RUST_LOG", "debug")
            .env("LOG_FORMAT", format)
            .stderr(File::create(folder.path().join(log)).expect("a log"));
        command
    };
    let serving = Serving::start(&mut configured("json.log", "json"));
    let mut worker = configured("text.log", "text");
    worker.args(["serve", "--role", "worker"]).stdout(Stdio::null());
    let worker = Worker(worker.spawn().expect("a worker"));

    let (root, member) = {
        let connection = &mut *fixture.pool.get().await.expect("a connection");
        let root = sample::person(connection, "root@test.example", Role::SuperAdmin).await;
        let email = Email::parse(MEMBER).expect("an address");
        (root, User::find_by_email(connection, &email).await.expect("an answer").expect("the member"))
    };
    let client = |user: &User| {
        let token = Sessions::new(&Secret::new(SECRET)).sign(&Claims::new(user, Utc::now())).expect("a token");
        Searching(Client::new(&serving.url, Some(token)))
    };
    let (root, member) = (client(&root), client(&member));
    let keys = format!("/api/groups/{}/model-keys", fixture.group_id);

    for part in parts() {
        for (wire, stub) in wires.iter().zip(&stubs) {
            stub.set_faults(part.faults.clone());
            let key = format!("{keys}/{wire}");
            match part.group_key {
                Some(own) => root.send(Method::PUT, &key, Some(json!({"key": own}))).await.ok(),
                None => root.send(Method::DELETE, &key, None).await.body,
            };
        }
        join_all(wires.iter().map(async |wire| {
            let (survey, run) = member.start(fixture.group_id, &format!("m-{wire}"), part.batch).await;
            let (status, reason) = member.ended(&run).await;
            assert!(part.ends.contains(&status.as_str()), "{} on {wire}: {status}, {reason}", part.name);
            if part.name.contains("wrong key") {
                let whose = if part.group_key.is_some() { "the key of the group" } else { "the key of the instance" };
                assert!(reason.contains(&format!("asked with {whose} for {wire}")), "{reason}");
                assert!(reason.contains("[key]"), "the server repeats the key: {reason}");
            }
            member.read_all(survey, &run).await;
            if status == "PAUSED" {
                member.post(&format!("/api/simulations/{run}/stop"), json!({})).await;
            }
        }))
        .await;
    }
    // The last part left the servers refusing the key of the instance.
    for wire in wires {
        let check = root.send(Method::POST, &format!("/api/admin/model-servers/{wire}/check"), None).await;
        assert_eq!(check.status, 202, "{}", check.body);
        let start = Instant::now();
        loop {
            let servers = root.get("/api/admin/model-servers").await.ok();
            let server =
                servers.as_array().expect("servers").iter().find(|server| server["name"] == wire).expect("it").clone();
            if server["checking"] == false {
                assert!(server["checkFailure"].as_str().is_some_and(|why| why.contains("[key]")), "{server:#}");
                break;
            }
            assert!(start.elapsed() < RUN_TIMEOUT, "this check got nowhere: {server:#}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
    for path in [
        "/api/admin/model-servers",
        "/api/simulations/queue/status",
        "/api/simulations",
        "/api/transactions/all",
        "/api/auth/data",
        "/metrics",
        "/admin",
        &keys,
        &format!("/api/groups/{}", fixture.group_id),
        &format!("/api/groups/{}/usage", fixture.group_id),
        &format!("/groups/{}/manage-members", fixture.group_id),
    ] {
        root.get(path).await;
    }
    let refused = root.send(Method::PUT, &format!("{keys}/openai"), Some(json!([INSTANCE]))).await;
    assert_eq!(refused.status, 400);
    let refused = root.send(Method::PUT, &format!("{keys}/openai"), Some(json!({"key": [INSTANCE]}))).await;
    assert_eq!(refused.status, 400);

    let dump = folder.path().join("lab.dump");
    let saved = Outcome::of(configured("backup.log", "text").arg("backup").arg(&dump).stderr(Stdio::piped()));
    assert_eq!(saved.code, Some(0), "{saved:#?}");
    drop(worker);
    serving.terminate();
    assert_eq!(serving.ended(), Some(0));
    search_tables(&fixture.database).await;
    is_clean("the backup", &fs::read(&dump).expect("a backup"));
    let copy = Database::empty();
    let restored = Outcome::of(twinlab().arg("restore").arg(&dump).env("DATABASE_URL", copy.url()));
    assert_eq!(restored.code, Some(0), "{restored:#?}");
    search_tables(&copy).await;
    for log in ["json.log", "text.log"] {
        let log_bytes = fs::read(folder.path().join(log)).expect("a log");
        assert!(String::from_utf8_lossy(&log_bytes).contains("taking up a run"), "{log} is a log of runs");
        is_clean(log, &log_bytes);
    }
    assert_eq!(watch.found(), BTreeSet::new());
}

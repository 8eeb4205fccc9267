//! Two servers, the second a synchronous standby. The first dies under load and the second takes over.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use diesel::sql_types::{BigInt, Bool, Integer, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use model_server::{Faults, ModelServer};
use rustix::process::geteuid;
use simulation::status::Status;
use simulation::wire::Wire;
use tempfile::TempDir;
use tokio::time::{Instant, sleep, timeout};
use twinlab::db;
use twinlab::models::simulations;

use super::program::{Program, verify};
use super::workspace::{QUESTIONS, plain, start_run};

const TWINS: i32 = 200;
const REQUESTS: usize = TWINS as usize * QUESTIONS;

const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Time limit of the run.
const RUN_TIMEOUT: Duration = Duration::from_secs(180);

/// A PostgreSQL on a port of this machine, which is stopped when dropped.
struct Server {
    programs: PathBuf,
    data: PathBuf,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.data.join("postmaster.pid").exists() {
            self.run("pg_ctl", &["stop", "--mode=immediate", "--silent"]);
        }
    }
}

impl Server {
    /// Creates a server that is not started and has no data.
    fn new(folder: &TempDir, name: &str) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/postgres-programs");
        let found = Command::new(script).output().expect("bash is there");
        let programs = String::from_utf8(found.stdout).expect("a path of text");
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|taken| taken.local_addr()).expect("a port is free").port();
        Self { programs: programs.trim().into(), data: folder.path().join(name), port }
    }

    /// Runs one of PostgreSQL's programs on this server's data, as its user.
    fn run(&self, program: &str, words: &[&str]) {
        let program = self.programs.join(program);
        let mut command = match geteuid().is_root() {
            true => Command::new("setpriv"),
            false => Command::new(&program),
        };
        if geteuid().is_root() {
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(&program);
        }
        let done = command.arg("--pgdata").arg(&self.data).args(words).current_dir("/tmp").output();
        let done = done.expect("it starts");
        assert!(done.status.success(), "{program:?} {words:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn start(&self) {
        let options = format!("-c listen_addresses=127.0.0.1 -c port={} -c unix_socket_directories=''", self.port);
        let log = self.data.join("log").to_str().expect("a path of text").to_owned();
        self.run("pg_ctl", &["start", "--wait", "--silent", "--log", &log, "--options", &options]);
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}?sslmode=disable", self.port)
    }

    async fn change(&self, sql: &str) {
        let mut connection = connect(&self.url("postgres")).await;
        diesel::sql_query(sql).execute(&mut connection).await.unwrap_or_else(|reason| panic!("{sql}: {reason}"));
    }

    /// Ends it as a power failure does.
    fn end(&self) {
        self.run("pg_ctl", &["stop", "--mode=immediate", "--silent"]);
    }
}

async fn connect(url: &str) -> AsyncPgConnection {
    AsyncPgConnection::establish(url).await.expect("the server answers")
}

#[derive(diesel::QueryableByName, Debug, PartialEq, Eq, Hash)]
struct Shown {
    #[diesel(sql_type = Integer)]
    persona_id: i32,
    #[diesel(sql_type = BigInt)]
    question_id: i64,
    #[diesel(sql_type = Text)]
    answer: String,
}

/// Returns every answer that a reader sees.
async fn shown(connection: &mut AsyncPgConnection) -> Vec<Shown> {
    let sql = "SELECT persona_id, question_id, answer FROM responses";
    diesel::sql_query(sql).load(connection).await.expect("the server answers")
}

#[derive(diesel::QueryableByName)]
struct Holds {
    #[diesel(sql_type = Bool)]
    holds: bool,
}

async fn until(connection: &mut AsyncPgConnection, condition: &str) {
    let begun = Instant::now();
    let sql = format!("SELECT {condition} AS holds");
    while !diesel::sql_query(&sql).get_result::<Holds>(connection).await.expect("the server answers").holds {
        assert!(begun.elapsed() < RUN_TIMEOUT, "never: {condition}");
        sleep(CHECK_INTERVAL).await;
    }
}

/// Creates a server and its synchronous standby, with a migrated database.
async fn pair(folder: &TempDir) -> (Server, Server) {
    if geteuid().is_root() {
        fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).expect("it is ours");
    }
    let (first, second) = (Server::new(folder, "first"), Server::new(folder, "second"));
    first.run("initdb", &["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]);
    first.start();
    first.change("CREATE DATABASE lab").await;
    let from = format!("host=127.0.0.1 port={} user=postgres application_name=second", first.port);
    second.run("pg_basebackup", &["--dbname", &from, "--write-recovery-conf", "--checkpoint=fast"]);
    second.start();
    first.change("ALTER SYSTEM SET synchronous_standby_names = 'second'").await;
    first.change("SELECT pg_reload_conf()").await;
    let connection = &mut connect(&first.url("postgres")).await;
    until(connection, "EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')").await;
    (first, second)
}

#[tokio::test]
#[ignore = "slow: builds two servers"]
async fn a_standby_that_takes_over_under_load_has_everything_that_was_shown_and_the_run_goes_on_within_ten_seconds() {
    let folder = TempDir::new().expect("a folder");
    let (first, second) = pair(&folder).await;
    let both = format!(
        "postgres://postgres@127.0.0.1:{},127.0.0.1:{}/lab?target_session_attrs=read-write&sslmode=disable",
        first.port, second.port
    );
    db::migrate(&both).await.expect("the first can be written to");
    let run = start_run(&mut connect(&first.url("lab")).await, TWINS, &plain(), (Wire::default(), false)).await;
    let stub = ModelServer::start(Faults::default().latency_ms(100));
    let worker = Program::start(&["serve", "--role", "worker"], ("DATABASE_URL", &both), &stub.base_url());
    timeout(RUN_TIMEOUT, stub.reached(300)).await.expect("the run goes on");
    let looking = &mut connect(&first.url("lab")).await;
    until(looking, "(SELECT count(*) > 100 FROM responses)").await;
    let before = shown(looking).await;

    first.end();
    let begun = Instant::now();
    second.run("pg_ctl", &["promote", "--wait", "--silent"]);
    let promoted = begun.elapsed();
    let looking = &mut connect(&second.url("lab")).await;
    let there: std::collections::HashSet<Shown> = shown(looking).await.into_iter().collect();
    let lost: Vec<_> = before.iter().filter(|answer| !there.contains(answer)).collect();
    assert!(lost.is_empty(), "{lost:#?}");
    until(looking, &format!("(SELECT count(*) > {} FROM responses)", there.len())).await;
    let back = begun.elapsed() - promoted;
    println!("{} answers were shown; promoted after {promoted:?}, the next answer {back:?} later", before.len());

    let ended = loop {
        let run = simulations::find(looking, run).await.expect("the server answers").expect("the run");
        if run.status.is_over() {
            break run;
        }
        assert!(begun.elapsed() < RUN_TIMEOUT, "the run got nowhere: {run:#?}");
        sleep(CHECK_INTERVAL).await;
    };
    assert_eq!((ended.status, ended.successful_requests as usize), (Status::Completed, REQUESTS), "{ended:#?}");
    assert!(worker.terminate().success());
    verify(("DATABASE_URL", &both));
    assert!(back < Duration::from_secs(10), "the next answer came {back:?} after the promotion");
}

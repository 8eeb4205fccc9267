//! A connection pooler before PostgreSQL: pgbouncer, which `make setup` installs.

use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::{env, fs, thread};

use model_server::{Faults, ModelServer};
use reqwest::Url;
use simulation::status::Status;
use tempfile::TempDir;
use twinlab::models::simulations::start::PersonaChoice;

use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::{Database, Outcome, is_root, twinlab};

struct Pooler {
    process: Child,
    url: String,
    _folder: TempDir,
}

impl Pooler {
    /// Starts pgbouncer with this number of connections to the database.
    fn start(database: &Database, mode: &str, connections: u32) -> Self {
        let program = env::var("PGBOUNCER").unwrap_or_else(|_| "pgbouncer".to_owned());
        let is_there = Command::new(&program).arg("--version").stdout(Stdio::null()).status().is_ok();
        assert!(is_there, "there is no {program}: make setup installs it, and PGBOUNCER may name another one");
        let folder = TempDir::new().expect("a folder");
        fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).expect("it is ours");
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|taken| taken.local_addr()).expect("a port is free").port();
        let server = Url::parse(database.url()).expect("a URL");
        let host = server.query_pairs().find(|(name, _)| name == "host").map(|(_, host)| host.into_owned());
        let host = host.or_else(|| server.host_str().map(str::to_owned)).expect("a host");
        let name = server.path().trim_start_matches('/');
        let file = folder.path().join("pgbouncer.ini");
        let settings = format!(
            "[databases]\n{name} = host={host} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}
             unix_socket_dir =\nauth_type = any\npool_mode = {mode}\ndefault_pool_size = {connections}\n"
        );
        fs::write(&file, settings.replace("\n             ", "\n")).expect("the folder is ours");
        // It refuses to run as root, and must be able to enter the folder of the server's socket.
        let mut command = match is_root() {
            true => Command::new("setpriv"),
            false => Command::new(&program),
        };
        if is_root() {
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", &program]);
        }
        let process = command.arg(&file).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            thread::yield_now();
        }
        Self { process, url: format!("postgres://postgres@127.0.0.1:{port}/{name}"), _folder: folder }
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[actix_web::test]
async fn a_run_goes_through_a_pooler_in_session_mode() {
    let empty = Database::empty();
    let pooler = Pooler::start(&empty, "session", 20);
    let migrated = Outcome::of(twinlab().arg("migrate").env("DATABASE_URL", &pooler.url));
    assert_eq!(migrated.code, Some(0), "{migrated:#?}");
    drop(pooler);

    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(20).await;
    let pooler = Pooler::start(&fixture.database, "session", 20);
    let engine = fixture.engine_at(&pooler.url, &stub, 8).await;
    let id = fixture.start(&survey(3), PersonaChoice::Random(20), |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 60), "{run:#?}");
    fixture.sound_and_paid(60).await;
}

#[test]
fn a_pooler_in_transaction_mode_is_refused_in_one_line() {
    let database = Database::empty();
    let pooler = Pooler::start(&database, "transaction", 20);
    let refused = Outcome::of(twinlab().arg("migrate").env("DATABASE_URL", &pooler.url));
    assert_eq!(
        refused.only_line(),
        "twinlab: DATABASE_URL leads to a connection pooler in transaction mode; twinlab needs session mode or the \
         server itself"
    );
    assert_eq!(refused.code, Some(2));
}

#[test]
#[ignore = "slow: the second connection is waited for"]
fn a_pooler_with_one_connection_is_refused_in_one_line_in_either_mode() {
    for mode in ["session", "transaction"] {
        let database = Database::empty();
        let pooler = Pooler::start(&database, mode, 1);
        let refused = Outcome::of(twinlab().arg("migrate").env("DATABASE_URL", &pooler.url));
        assert!(refused.only_line().contains("it gives no second connection"), "{mode}: {refused:#?}");
        assert_eq!(refused.code, Some(1));
    }
}

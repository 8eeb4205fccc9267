//! `twinlab serve`: the product, until Ctrl-C, SIGTERM or SIGHUP.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::process::ExitCode;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::web::Data;
use actix_web::{App as Web, HttpServer, rt};
use chrono::{SecondsFormat, Utc};
use serde_json::json;

use super::demo::{self, Workspace};
use super::interrupt::Interrupt;
use super::{conduct, open_files};
use crate::app::{App, Database, DemoModel};
use crate::auth::session_secret::SessionSecret;
use crate::background;
use crate::config::{Config, LogFormat};
use crate::engine::{Engine, EngineConfig, RunScope, Timings};
use crate::error::{Error, Result};
use crate::http;

/// The parts of the product that a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ProcessRole {
    /// Everything
    All,
    /// The API and the pages only
    Web,
    /// Simulations only
    Worker,
}

#[derive(Debug, clap::Args)]
pub struct Args {
    #[arg(long, value_enum, default_value_t = ProcessRole::All)]
    role: ProcessRole,
    /// Fill an empty database with the demo workspace first
    #[arg(long)]
    demo: bool,
}

/// Seconds that open requests have to finish.
const SHUTDOWN_TIMEOUT_S: u64 = 25;
/// Time limit for the head of a request. A browser opens connections ahead of its requests: one that is unused for a
/// few seconds must not be answered 408.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// How long an idle connection stays open: longer than proxies and clients keep theirs, so that no call meets a closing
/// one.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// Threads that answer requests. They mostly wait for the database.
const THREADS: usize = 2;
/// Upper limit of simultaneous connections to a worker's probes.
const MAX_PROBE_CONNECTIONS: usize = 32;

pub async fn run(config: Config, args: Args) -> Result<ExitCode> {
    let mut interrupt = Interrupt::listen()?;
    // The port comes first: a taken one is found at once, while PostgreSQL takes a second to start.
    let (listener, probes) = match (args.role, config.health_port) {
        (ProcessRole::Worker, None) => (None, None),
        (ProcessRole::Worker, Some(port)) => (None, Some(listen(&config.host, port, "HEALTH_PORT")?)),
        _ => (Some(listen(&config.host, config.port, "PORT")?), None),
    };
    let database = tokio::select! {
        opened = Database::open(&config) => opened?,
        () = interrupt.received() => return Ok(ExitCode::SUCCESS),
    };
    let secret = match args.role {
        ProcessRole::Worker => SessionSecret::unused(),
        ProcessRole::All | ProcessRole::Web => SessionSecret::claim(&config, database.url()).await?,
    };
    let app = Data::new(App::build(config.clone(), database.url(), secret.secret()).await?);
    let workspace = if args.demo { demo::fill(database.url(), &app.pool).await? } else { None };
    conduct::name_abandoned(&app.pool).await?;
    let probes = probes.map(|listener| answer_probes(app.clone(), listener)).transpose()?;
    let demo = DemoModel::start(&config)?;
    let engine = match args.role {
        ProcessRole::Web => None,
        _ => Some(start_engine(&config, &database, &demo, RunScope::Everything).await?),
    };
    let watching = engine.is_some().then(|| rt::spawn(background::run_for_engine(app.clone())));
    let served = serve(app, workspace, engine.is_some(), listener, &mut interrupt).await;
    if let Some(watching) = watching {
        watching.abort();
    }
    if let Some(engine) = engine {
        engine.shut_down().await;
    }
    if let Some(probes) = probes {
        probes.stop(false).await;
    }
    database.close().await?;
    served.map(|()| ExitCode::SUCCESS)
}

/// Starts an engine in this process, with no more simultaneous calls than its open files allow.
pub async fn start_engine(config: &Config, database: &Database, demo: &DemoModel, scope: RunScope) -> Result<Engine> {
    let mut models = config.models.clone();
    let most = open_files::max_calls(models.main().is_demo()) / models.iter().count().max(1) as u32;
    for server in models.iter_mut() {
        server.max_concurrency = server.max_concurrency.min(most.max(1));
    }
    Engine::start(EngineConfig {
        database_url: database.url().to_owned(),
        models,
        demo_url: demo.base_url(),
        secret: config.given_secret()?,
        scope,
        timings: Timings { interview_lease: config.interview_lease, ..Timings::default() },
    })
    .await
}

/// Shows the demo's run in a new workspace, then serves until a signal comes.
async fn serve(
    app: Data<App>,
    workspace: Option<Workspace>,
    works: bool,
    listener: Option<TcpListener>,
    interrupt: &mut Interrupt,
) -> Result<()> {
    if let Some(workspace) = workspace.filter(|_| works) {
        tokio::select! {
            shown = demo::run(&app, workspace) => shown?,
            () = interrupt.received() => return Ok(()),
        }
    }
    if let Some(listener) = listener {
        let background = rt::spawn(background::run(app.clone()));
        let answered = answer(app, listener, interrupt).await;
        background.abort();
        return answered;
    }
    tracing::info!("worker ready");
    interrupt.received().await;
    app.announce_end();
    Ok(())
}

/// Listens on the port that the variable `name` sets.
fn listen(host: &str, port: u16, name: &str) -> Result<TcpListener> {
    TcpListener::bind((host, port)).map_err(|reason| match reason.kind() {
        std::io::ErrorKind::AddrInUse => {
            Error::internal(format!("port {port} of {host} is taken by another program: set {name}"))
        }
        _ => Error::internal(format!("cannot listen on HOST {host}, {name} {port}: {reason}")),
    })
}

/// Answers a worker's probes and shows its metrics, on a thread of their own.
fn answer_probes(app: Data<App>, listener: TcpListener) -> Result<ServerHandle> {
    let url = url_of(listener.local_addr().map_err(|reason| failed(&reason))?);
    let server = HttpServer::new(move || Web::new().configure(http::probes).app_data(app.clone()))
        .workers(1)
        .max_connections(MAX_PROBE_CONNECTIONS)
        .client_request_timeout(HEAD_TIMEOUT)
        .keep_alive(KEEP_ALIVE)
        .disable_signals()
        .listen(listener)
        .map_err(|reason| failed(&reason))?
        .run();
    let handle = server.handle();
    rt::spawn(server);
    tracing::info!("health and metrics: {url}");
    Ok(handle)
}

fn failed(reason: &std::io::Error) -> Error {
    Error::internal(format!("the web server: {reason}"))
}

/// Answers requests until a signal comes, then lets open requests finish. A second signal ends them.
async fn answer(app: Data<App>, listener: TcpListener, interrupt: &mut Interrupt) -> Result<()> {
    let address = listener.local_addr().map_err(|reason| failed(&reason))?;
    let public_url = app.config.public_url.clone().unwrap_or_else(|| url_of(address));
    let data = app.clone();
    let server = HttpServer::new(move || http::web(data.clone()))
        .workers(THREADS)
        // Limit for each thread. Further callers wait outside, so that the database and the engine keep their files.
        .max_connections(open_files::max_connections() / THREADS)
        .client_request_timeout(HEAD_TIMEOUT)
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(SHUTDOWN_TIMEOUT_S)
        .disable_signals()
        // If a client closes the connection, its handler is dropped with everything that it builds.
        .h1_allow_half_closed(false)
        // Otherwise the last packet of an answer waits 40 ms for an acknowledgement (Nagle's algorithm).
        .tcp_nodelay(true)
        .listen(listener)
        .map_err(|reason| failed(&reason))?
        .run();
    let handle = server.handle();
    let mut running = rt::spawn(server);
    announce(&app.config, &format!("Digital Twin Lab: {public_url}"));
    match demo::introduction(&app).await {
        Ok(Some(introduction)) => announce(&app.config, &introduction),
        Ok(None) => {}
        Err(reason) => tracing::warn!(%reason, "could not list the users who can sign in"),
    }
    tokio::select! {
        ended = &mut running => {
            let ended = ended.map_err(|reason| Error::internal(format!("the web server: {reason}")))?;
            return ended.map_err(|reason| failed(&reason));
        }
        () = interrupt.received() => {}
    }
    drain(&app, interrupt).await;
    tracing::info!("stopping: open requests have {SHUTDOWN_TIMEOUT_S} s");
    app.progress.close();
    tokio::select! {
        () = handle.stop(true) => {}
        () = interrupt.received() => handle.stop(false).await,
    }
    Ok(())
}

/// Prints what a person at a terminal needs. With JSON logs, it is a line in the log's format.
fn announce(config: &Config, message: &str) {
    match config.log_format {
        LogFormat::Text => say!("{message}"),
        LogFormat::Json => {
            let timestamp = Utc::now().to_rfc3339_opts(SecondsFormat::Micros, true);
            let fields = json!({ "message": message });
            say!("{}", json!({ "timestamp": timestamp, "level": "INFO", "fields": fields, "target": module_path!() }));
        }
    }
}

/// Keeps serving while load balancers learn from `/ready` that this process ends; not after Ctrl-C, since no load
/// balancer uses a terminal. A second signal ends the wait.
async fn drain(app: &App, interrupt: &mut Interrupt) {
    app.announce_end();
    let time = app.config.drain;
    if time.is_zero() || !interrupt.is_terminated() {
        return;
    }
    tracing::info!("/ready says 503 for {time:?}, then the port is closed");
    tokio::select! {
        () = tokio::time::sleep(time) => {}
        () = interrupt.received() => {}
    }
}

/// The address for a browser on this machine.
fn url_of(address: SocketAddr) -> String {
    let host = match address.ip() {
        ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    format!("http://{host}:{}", address.port())
}

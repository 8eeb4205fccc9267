//! `twinlab serve`: the product, until Ctrl-C, SIGTERM or SIGHUP.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::process::ExitCode;
use std::time::Duration;

use actix_web::web::Data;
use actix_web::{HttpServer, rt};

use super::conduct;
use super::demo::{self, Workspace};
use super::interrupt::Interrupt;
use crate::app::{App, Database, ModelEndpoint};
use crate::background;
use crate::config::Config;
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
/// For the head of a request. A browser opens connections ahead of its requests: one that it has not used for a few
/// seconds must not be answered 408.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// How long an idle connection stays open: longer than proxies and clients keep theirs, or a call could meet its end.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// Threads that answer requests. They mostly wait for the database.
const THREADS: usize = 2;

pub async fn run(config: Config, args: Args) -> Result<ExitCode> {
    let mut interrupt = Interrupt::listen()?;
    // First, because a port that is taken is found in no time, and PostgreSQL takes a second to start.
    let listener = if args.role == ProcessRole::Worker { None } else { Some(listen(&config)?) };
    let database = tokio::select! {
        opened = Database::open(&config) => opened?,
        () = interrupt.received() => return Ok(ExitCode::SUCCESS),
    };
    let app = Data::new(App::build(config.clone(), database.url()).await?);
    let workspace = if args.demo { demo::fill(database.url(), &app.pool).await? } else { None };
    conduct::name_abandoned(&app.pool).await?;
    let model = ModelEndpoint::open(&config)?;
    let engine =
        if args.role == ProcessRole::Web { None } else { Some(start_engine(&config, &database, &model).await?) };
    let watching = engine.is_some().then(|| rt::spawn(background::pause_abandoned(app.clone())));
    let served = serve(app, workspace, engine.is_some(), listener, &mut interrupt).await;
    if let Some(watching) = watching {
        watching.abort();
    }
    if let Some(engine) = engine {
        engine.shut_down().await;
    }
    database.close().await?;
    served.map(|()| ExitCode::SUCCESS)
}

async fn start_engine(config: &Config, database: &Database, model: &ModelEndpoint) -> Result<Engine> {
    Engine::start(EngineConfig {
        database_url: database.url().to_owned(),
        model: config.model.clone(),
        base_url: model.base_url().to_owned(),
        scope: RunScope::Everything,
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
    Ok(())
}

fn listen(config: &Config) -> Result<TcpListener> {
    let Config { host, port, .. } = config;
    TcpListener::bind((host.as_str(), *port)).map_err(|reason| match reason.kind() {
        std::io::ErrorKind::AddrInUse => {
            Error::internal(format!("port {port} of {host} is taken by another program: set PORT"))
        }
        _ => Error::internal(format!("cannot listen on HOST {host}, PORT {port}: {reason}")),
    })
}

/// Answers requests until a signal comes, then lets open requests finish. A second signal ends them.
async fn answer(app: Data<App>, listener: TcpListener, interrupt: &mut Interrupt) -> Result<()> {
    let failed = |reason: std::io::Error| Error::internal(format!("the web server: {reason}"));
    let address = listener.local_addr().map_err(failed)?;
    let public_url = app.config.public_url.clone().unwrap_or_else(|| url_of(address));
    let data = app.clone();
    let server = HttpServer::new(move || http::web(data.clone()))
        .workers(THREADS)
        .client_request_timeout(HEAD_TIMEOUT)
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(SHUTDOWN_TIMEOUT_S)
        .disable_signals()
        // When a client closes the connection, its handler is dropped with everything that it builds.
        .h1_allow_half_closed(false)
        // Without this the last packet of an answer waits 40 ms for an acknowledgement (Nagle's algorithm).
        .tcp_nodelay(true)
        .listen(listener)
        .map_err(failed)?
        .run();
    let handle = server.handle();
    let mut running = rt::spawn(server);
    say!("Digital Twin Lab: {public_url}");
    if let Err(reason) = demo::introduce(&app).await {
        tracing::warn!(%reason, "who can sign in is not shown");
    }
    tokio::select! {
        ended = &mut running => {
            return ended.map_err(|reason| Error::internal(format!("the web server: {reason}")))?.map_err(failed);
        }
        () = interrupt.received() => tracing::info!("stopping: open requests have {SHUTDOWN_TIMEOUT_S} s"),
    }
    app.progress.close();
    tokio::select! {
        () = handle.stop(true) => {}
        () = interrupt.received() => handle.stop(false).await,
    }
    Ok(())
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

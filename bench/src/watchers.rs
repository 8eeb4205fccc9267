//! W8: 300 users watch a run under way, by polling once a second or on the event stream. W9: 30 users have its charts
//! open. Measures the cost for twinlab and PostgreSQL.

use std::net::SocketAddr;
use std::time::Duration;

use model_server::client::Client;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout_at};
use tokio_postgres::Client as Database;

use crate::bench::{Bench, Failure, Result};
use crate::in_use::{InUse, SURVEY, email, members};
use crate::process::Cores;
use crate::report::{self, Row};
use crate::server::Server;
use crate::workloads::{CHARTS, STREAMS, WATCHERS};

const WATCHING: usize = 300;
const READING_CHARTS: usize = 30;
const INTERVAL: Duration = Duration::from_secs(1);
const WARM_UP: Duration = Duration::from_secs(3);
const WINDOW: Duration = Duration::from_secs(20);
/// Limit in percent of one core.
const BAR_OF_POLLING: f64 = 30.0;
const BAR_OF_STREAMS: f64 = 10.0;
const BAR_OF_CHARTS: f64 = 25.0;

/// A free-text question of [`SURVEY`].
const IN_FREE_WORDS: i64 = 50 * (SURVEY - 1) + 4;

/// Polls by the run's own id, as its page does, and by its survey's, as lists of surveys do.
pub async fn polling(bench: &Bench) -> Result<Vec<Row>> {
    let InUse { server, database, run } = InUse::open(bench).await?;
    let paths = [
        ("a run", format!("/api/simulations/{run}/live-progress")),
        ("a survey's latest run", format!("/api/simulations/survey/{SURVEY}/live-progress")),
    ];
    let mut rows = Vec::new();
    for (what, path) in paths {
        let watched = watch(bench, &server, &database, WATCHING, &[(path, 1)], poll).await?;
        rows.extend(watched.rows(WATCHERS, format!("{WATCHING} watchers of {what}, % of a core"), BAR_OF_POLLING));
    }
    Ok(rows)
}

pub async fn streaming(bench: &Bench) -> Result<Vec<Row>> {
    let InUse { server, database, run } = InUse::open(bench).await?;
    let path = format!("/api/simulations/{run}/events");
    let watched = watch(bench, &server, &database, WATCHING, &[(path, 1)], stream).await?;
    Ok(watched.rows(STREAMS, format!("{WATCHING} watchers on the event stream, % of a core"), BAR_OF_STREAMS).into())
}

/// Requests what a run's page needs while answers arrive and its charts, free-text answers (split by an attribute) and
/// matrix are open.
pub async fn charts(bench: &Bench) -> Result<Vec<Row>> {
    let InUse { server, database, run } = InUse::open(bench).await?;
    let paths = [
        (format!("/api/simulations/{run}/live-progress"), 1),
        (format!("/api/surveys/{SURVEY}/simulation/{run}/summary?by=Gender"), 2),
        (format!("/api/simulations/{run}"), 2),
        (format!("/api/surveys/{SURVEY}/simulation-history?limit=500&offset=0"), 2),
        (format!("/api/surveys/{SURVEY}/simulation/{run}/texts?questionId={IN_FREE_WORDS}&by=Gender&limit=20"), 2),
        (format!("/api/surveys/{SURVEY}/simulation/{run}/responses/matrix?limit=20&offset=0"), 2),
    ];
    let watched = watch(bench, &server, &database, READING_CHARTS, &paths, poll).await?;
    Ok(watched.rows(CHARTS, format!("{READING_CHARTS} people with open charts, % of a core"), BAR_OF_CHARTS).into())
}

/// Cost of the watchers in percent of one core, and the host's share of all cores.
struct Watched {
    twinlab: f64,
    postgres: f64,
    taken: f64,
}

impl Watched {
    fn rows(self, workload: &'static str, what: String, bar: f64) -> [Row; 2] {
        let Self { twinlab, postgres, taken } = self;
        let note = format!("twinlab {twinlab:.1}, PostgreSQL {postgres:.1}");
        [
            Row { workload, what, target: Some(bar), measured: Some(twinlab + postgres), note },
            report::taken(workload, taken),
        ]
    }
}

/// A user who watches some paths for a time.
struct Watcher {
    address: SocketAddr,
    /// Paths, each with the seconds between two requests.
    paths: Vec<(String, u64)>,
    token: String,
    first: Instant,
    end: Instant,
}

async fn watch<Watching>(
    bench: &Bench,
    server: &Server,
    database: &Database,
    people: usize,
    paths: &[(String, u64)],
    watching: fn(Watcher) -> Watching,
) -> Result<Watched>
where
    Watching: Future<Output = Result<()>> + Send + 'static,
{
    eprintln!("{people} people: {}", paths[0].0);
    let mut tokens = Vec::new();
    for member in members() {
        tokens.push(server.sign_in(&email(member)).await?);
    }
    let start = Instant::now();
    let watchers: Vec<_> = (0..people)
        .map(|number| Watcher {
            address: server.address,
            paths: paths.to_vec(),
            token: tokens[number % tokens.len()].clone(),
            first: start + INTERVAL * number as u32 / people as u32,
            end: start + WARM_UP + WINDOW + INTERVAL,
        })
        .map(|watcher| tokio::spawn(watching(watcher)))
        .collect();
    let measured = async {
        sleep(WARM_UP).await;
        let (before, cores) = ((server.cpu()?, bench.cluster.cpu()?), Cores::now()?);
        sleep(WINDOW).await;
        let percent = |after: Duration, before: Duration| {
            after.saturating_sub(before).as_secs_f64() / WINDOW.as_secs_f64() * 100.0
        };
        let (twinlab, postgres) = (percent(server.cpu()?, before.0), percent(bench.cluster.cpu()?, before.1));
        Ok(Watched { twinlab, postgres, taken: Cores::now()?.percent_taken_since(cores) })
    };
    let measured = tokio::select! {
        measured = measured => measured,
        ended = run_on(database) => ended.and(Err(Failure("the run ended".into()))),
    };
    database.batch_execute(&format!("UPDATE simulations SET {COMPLETED} WHERE id = {SURVEY}")).await?;
    for watcher in watchers {
        watcher.await??;
    }
    measured
}

const COMPLETED: &str = "status = 'COMPLETED', successful_requests = total_requests, open_requests = 0, held = 0,
    completed_at = now(), updated_at = now()";
const BEGUN: &str = "status = 'RUNNING', successful_requests = 0, open_requests = total_requests,
    held = total_requests, completed_at = NULL, started_at = now(), updated_at = now()";
const ANSWERED: &str = "successful_requests = successful_requests + 500, open_requests = open_requests - 500,
    held = held - 500, updated_at = now()";

/// Restarts the run and stores 500 answers twice a second, until this is dropped.
async fn run_on(database: &Database) -> Result<()> {
    let mut change = BEGUN;
    loop {
        database.batch_execute(&format!("UPDATE simulations SET {change} WHERE id = {SURVEY}")).await?;
        change = ANSWERED;
        sleep(INTERVAL / 2).await;
    }
}

/// Requests each path at its interval, by default once a second. Fails if a request is refused.
async fn poll(watcher: Watcher) -> Result<()> {
    let mut client = Client::connect(watcher.address).await?;
    let mut ticks = interval_at(watcher.first, INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for second in 0.. {
        if ticks.tick().await >= watcher.end {
            break;
        }
        for (path, _) in watcher.paths.iter().filter(|(_, every)| second % every == 0) {
            let answer = client.get(path, Some(&watcher.token)).await?;
            if answer.status != 200 {
                return Err(Failure(format!("{}: {}", answer.status, String::from_utf8_lossy(&answer.body))));
            }
        }
    }
    Ok(())
}

/// Reads the event stream. Fails if it does not begin or sends nothing.
async fn stream(watcher: Watcher) -> Result<()> {
    let mut client = Client::connect(watcher.address).await?;
    let status = client.open_stream(&watcher.paths[0].0, &watcher.token).await?.status;
    let mut events = 0;
    while let Ok(more) = timeout_at(watcher.end, client.more()).await {
        match more? {
            0 => break,
            _ => events += 1,
        }
    }
    let at_least = WINDOW.as_secs() / 2;
    match events {
        _ if status != 200 => Err(Failure(format!("the event stream answers {status}"))),
        few if few < at_least => Err(Failure(format!("only {few} events came"))),
        _ => Ok(()),
    }
}

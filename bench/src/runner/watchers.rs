//! W8: 300 people watch a run, each asking once a second how far it is. What that costs twinlab and PostgreSQL.

use std::net::SocketAddr;
use std::time::Duration;

use model_server::client::Client;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};
use twinlab_bench::process::Cores;

use super::in_use::{InUse, MEMBER, SURVEY};
use super::report::{self, Row};
use super::workloads::WATCHERS;
use super::{Bench, Failure, Result};

const WATCHING: u32 = 300;
const EVERY: Duration = Duration::from_secs(1);
const WARM_UP: Duration = Duration::from_secs(3);
const WINDOW: Duration = Duration::from_secs(20);
/// Of one core.
const PERCENT_AT_MOST: f64 = 10.0;

/// By the run's own id, as its page asks, and by its survey's, as lists of surveys do.
pub async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let InUse { server, run } = InUse::open(bench).await?;
    let token = server.sign_in(MEMBER).await?;
    let paths =
        [format!("/api/simulations/{run}/live-progress"), format!("/api/simulations/survey/{SURVEY}/live-progress")];
    let mut rows = Vec::new();
    for (path, by) in paths.iter().zip(["a run", "a survey's latest run"]) {
        eprintln!("{WATCHERS} {path}");
        let start = Instant::now();
        let watchers: Vec<_> = (0..WATCHING)
            .map(|number| start + EVERY * number / WATCHING)
            .map(|first| tokio::spawn(watch(server.address, path.clone(), token.clone(), first)))
            .collect();
        sleep(WARM_UP).await;
        let (before, cores) = ((server.cpu()?, bench.cluster.cpu()?), Cores::now()?);
        sleep(WINDOW).await;
        let share = |after: Duration, before: Duration| {
            after.saturating_sub(before).as_secs_f64() / WINDOW.as_secs_f64() * 100.0
        };
        let (twinlab, postgres) = (share(server.cpu()?, before.0), share(bench.cluster.cpu()?, before.1));
        let taken = Cores::now()?.percent_taken_since(cores);
        for watcher in watchers {
            watcher.await??;
        }
        rows.push(Row {
            workload: WATCHERS,
            what: format!("{WATCHING} watchers of {by}, % of a core"),
            target: Some(PERCENT_AT_MOST),
            measured: Some(twinlab + postgres),
            note: format!("twinlab {twinlab:.1}, PostgreSQL {postgres:.1}"),
            bare: None,
        });
        rows.push(report::taken(WATCHERS, taken));
    }
    Ok(rows)
}

/// Asks from `first` on until the measurement is over. Fails where an answer is no progress.
async fn watch(address: SocketAddr, path: String, token: String, first: Instant) -> Result<()> {
    let mut client = Client::connect(address).await?;
    let mut ticks = interval_at(first, EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let end = first + WARM_UP + WINDOW;
    while ticks.tick().await < end {
        let answer = client.get(&path, Some(&token)).await?;
        if answer.status != 200 {
            return Err(Failure(format!("{}: {}", answer.status, String::from_utf8_lossy(&answer.body))));
        }
    }
    Ok(())
}

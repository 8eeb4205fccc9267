//! W7: every read of the API on a product in use, 50 requests in flight. The p99 of each, and its CPU time.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use model_server::client::Client;
use twinlab_bench::process::Cores;

use super::in_use::{InUse, MEMBER, SUPER_ADMIN};
use super::report::{self, Row};
use super::workloads::READS;
use super::{Bench, Failure, Result};

const IN_FLIGHT: usize = 50;
/// Requests to each read: 80 rounds, so that one moment in which the machine stood still, which hits all that are in
/// flight, is not yet the 99th percentile.
const REQUESTS: usize = 4_000;
/// Those before them: until every connection of the server knows the statements.
const FIRST_REQUESTS: usize = 200;
/// Milliseconds.
const AT_MOST: f64 = 50.0;

/// The reads, with the run's id of the API for `{run}`.
const READ: &[&str] = &[
    "/api/auth/profile",
    "/api/auth/settings",
    "/api/groups?limit=50",
    "/api/groups/my?limit=50",
    "/api/groups/2",
    "/api/groups/2/members?limit=50",
    "/api/groups/2/transactions?limit=50",
    "/api/groups/2/usage",
    "/api/groups/transactions/all?limit=50",
    "/api/transactions?limit=50",
    "/api/transactions?limit=50&offset=5000",
    "/api/transactions?limit=50&type=MINES&sort=amount",
    "/api/transactions?limit=50&q=Grant",
    "/api/transactions?limit=50&q=nobody",
    "/api/transactions/all?limit=50",
    "/api/transactions/user-groups?limit=50",
    "/api/transactions/group/2?limit=50",
    "/api/transactions/group/2/stats",
    "/api/transactions/group/2/count",
    "/api/transactions/user/21?limit=50",
    "/api/transactions/user/21/stats",
    "/api/transactions/simulation/{run}",
    "/api/surveys/my?limit=50",
    "/api/surveys/my?limit=50&shared=true",
    "/api/surveys/20",
    "/api/surveys/20/questions",
    "/api/surveys/20/simulation-history?limit=50",
    "/api/surveys/20/simulation-status",
    "/api/surveys/20/simulation-config",
    "/api/surveys/20/export",
    "/api/simulations?limit=50",
    "/api/simulations?limit=50&status=FAILED",
    "/api/simulations/{run}/progress",
    "/api/simulations/survey/20/live-progress",
    "/api/simulations/{run}/failures?limit=50",
    "/api/simulations/queue/status",
    "/api/simulations/personas/available?limit=50",
    "/api/personas?limit=50",
    "/api/personas?limit=50&Gender=Female",
    "/api/personas/search?limit=50&q=nurse",
    "/api/personas/attributes",
    "/api/personas/count",
    "/api/personas/random/100?seed=1",
    "/api/personas/17",
    "/api/access-requests?limit=50",
    "/api/surveys/20/simulation/{run}/responses/formatted?limit=50&offset=90000",
    "/api/surveys/20/simulation/{run}/responses/debug?limit=50&offset=50000",
    "/api/surveys/20/simulation/{run}/responses/export?limit=50",
    "/api/surveys/20/simulation/{run}/responses/matrix?limit=20&offset=1000",
    "/api/surveys/20/simulation/{run}/responses/counts",
];

/// Of the reads that hold `only` in their path; of all where it is `None`.
pub async fn measure(bench: &Bench, only: Option<&str>) -> Result<Vec<Row>> {
    let InUse { server, run } = InUse::open(bench).await?;
    let mut rows = Vec::new();
    let before = Cores::now()?;
    for caller in [SUPER_ADMIN, MEMBER] {
        let token = server.sign_in(caller).await?;
        for path in READ.iter().filter(|path| only.is_none_or(|part| path.contains(part))) {
            let path = path.replace("{run}", &run);
            eprintln!("{READS} {caller} {path}");
            let cpu = || Ok::<_, Failure>(server.cpu()? + bench.cluster.cpu()?);
            rows.push(row(caller, &path, of_read(server.address, &path, &token, cpu).await));
        }
    }
    rows.push(report::taken(READS, Cores::now()?.percent_taken_since(before)));
    Ok(rows)
}

fn row(caller: &str, path: &str, measured: Result<Measured>) -> Row {
    let who = caller.split('@').next().unwrap_or_default();
    let (measured, note) = match measured {
        Ok(Measured { status: 200, p99, cpu }) => (Some(p99), format!("CPU {cpu:.2} ms each")),
        Ok(Measured { status, p99, cpu }) => (Some(p99), format!("CPU {cpu:.2} ms each; {status}")),
        Err(failure) => (None, failure.to_string().replace(['|', '\n'], " ")),
    };
    let what = format!("{who} {}, p99 ms", path.trim_start_matches("/api")).replace('|', "/");
    Row { workload: READS, what, target: Some(AT_MOST), measured, note, bare: None }
}

/// Of one read.
struct Measured {
    status: u16,
    /// Milliseconds.
    p99: f64,
    /// Milliseconds a request, twinlab and PostgreSQL together.
    cpu: f64,
}

/// `cpu`: what the servers have used so far.
async fn of_read(address: SocketAddr, path: &str, token: &str, cpu: impl Fn() -> Result<Duration>) -> Result<Measured> {
    let first = Client::connect(address).await?.get(path, Some(token)).await?;
    // What the member may not see is no read of theirs; that it is refused is measured all the same.
    if !matches!(first.status, 200 | 403 | 404) {
        return Err(Failure(format!("{}: {}", first.status, String::from_utf8_lossy(&first.body))));
    }
    crowd(address, path, token, FIRST_REQUESTS).await?;
    let before = cpu()?;
    let mut times = crowd(address, path, token, REQUESTS).await?;
    times.sort_unstable();
    let cpu = cpu()?.saturating_sub(before) / REQUESTS as u32;
    let p99 = times[(times.len() * 99).div_ceil(100) - 1];
    Ok(Measured { status: first.status, p99: milliseconds(p99), cpu: milliseconds(cpu) })
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// How long each of the requests took.
async fn crowd(address: SocketAddr, path: &str, token: &str, requests: usize) -> Result<Vec<Duration>> {
    let tasks: Vec<_> = (0..IN_FLIGHT)
        .map(|_| tokio::spawn(ask(address, path.to_owned(), token.to_owned(), requests / IN_FLIGHT)))
        .collect();
    let mut times = Vec::with_capacity(requests);
    for task in tasks {
        times.extend(task.await??);
    }
    Ok(times)
}

async fn ask(address: SocketAddr, path: String, token: String, times: usize) -> Result<Vec<Duration>> {
    let mut client = Client::connect(address).await?;
    let mut taken = Vec::with_capacity(times);
    for _ in 0..times {
        let began = Instant::now();
        client.get(&path, Some(&token)).await?;
        taken.push(began.elapsed());
    }
    Ok(taken)
}

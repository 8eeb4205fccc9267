//! W7: every read of the API on a product in use, by ten callers who read different pages. Measures the p99 and the CPU
//! time of each.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use model_server::client::Client;

use crate::bench::{Bench, Failure, Result};
use crate::in_use::{CALLERS, InUse, email, members, super_admins};
use crate::process::Cores;
use crate::report::{self, Row};
use crate::workloads::READS;

/// Requests of each caller for each read: a pause of the machine hits all ten callers, and must not determine the 99th
/// percentile.
const REQUESTS: usize = 200;
/// Requests of each caller before the measured ones, until every connection of the server has prepared its statements.
const WARM_UP: usize = 20;
const ROWS_A_PAGE: usize = 50;
/// Limit of the p99 in milliseconds.
const BAR: f64 = 100.0;
/// Limit for lists whose total counts over 100,000 rows.
const BAR_OF_LONG_LISTS: f64 = 250.0;

/// Limit for figures from the 100,000 answers of the run.
const BAR_OF_SUMMARIES: f64 = 300.0;

/// The reads. `{run}` is the run's id, `{user}` the caller's or a member's, `{page}` the offset of the caller's page,
/// `{deep}` that of a page in the list's later tenths.
const PATHS: &[&str] = &[
    "/api/auth/profile",
    "/api/auth/settings",
    "/api/groups?limit=50&offset={page}",
    "/api/groups/my?limit=50&offset={page}",
    "/api/groups/2",
    "/api/groups/2/members?limit=50&offset={page}",
    "/api/groups/2/transactions?limit=50&offset={page}",
    "/api/groups/2/usage",
    "/api/groups/transactions/all?limit=50&offset={page}",
    "/api/transactions?limit=50&offset={page}",
    "/api/transactions?limit=50&offset={deep}",
    "/api/transactions?limit=50&offset={page}&type=MINES&sort=amount",
    "/api/transactions?limit=50&offset={page}&q=Grant",
    "/api/transactions?limit=50&offset={page}&q=nobody",
    "/api/transactions/all?limit=50&offset={page}",
    "/api/transactions/user-groups?limit=50&offset={page}",
    "/api/transactions/group/2?limit=50&offset={page}",
    "/api/transactions/group/2/stats",
    "/api/transactions/group/2/count",
    "/api/transactions/user/{user}?limit=50&offset={page}",
    "/api/transactions/user/{user}/stats",
    "/api/transactions/simulation/{run}",
    "/api/surveys/my?limit=50&offset={page}",
    "/api/surveys/my?limit=50&offset={page}&shared=true",
    "/api/surveys/20",
    "/api/surveys/20/questions",
    "/api/surveys/20/simulation-history?limit=50&offset={page}",
    "/api/surveys/20/simulation-status",
    "/api/surveys/20/simulation-config",
    "/api/surveys/20/export",
    "/api/simulations?limit=50&offset={page}",
    "/api/simulations?limit=50&offset={page}&status=FAILED",
    "/api/simulations/{run}/progress",
    "/api/simulations/survey/20/live-progress",
    "/api/simulations/{run}/failures?limit=50&offset={page}",
    "/api/simulations/queue/status",
    "/api/simulations/personas/available?limit=50&offset={page}",
    "/api/personas?limit=50&offset={page}",
    "/api/personas?limit=50&offset={page}&Gender=Female",
    "/api/personas/search?limit=50&offset={page}&q=nurse",
    "/api/personas/attributes",
    "/api/personas/count",
    "/api/personas/random/100?seed=1",
    "/api/personas/17",
    "/api/access-requests?limit=50&offset={page}",
    "/api/surveys/20/simulation/{run}/responses/formatted?limit=50&offset={deep}",
    "/api/surveys/20/simulation/{run}/responses/debug?limit=50&offset={deep}",
    "/api/surveys/20/simulation/{run}/responses/export?limit=50&offset={page}",
    "/api/surveys/20/simulation/{run}/responses/matrix?limit=50&offset={page}",
    "/api/surveys/20/simulation/{run}/responses/counts",
    "/api/surveys/20/simulation/{run}/summary",
    "/api/surveys/20/simulation/{run}/summary?by=Gender&where=question:955:Never",
];

const SUPER_ADMINS: &str = "super admins";
/// Lists whose total counts the 100,000 answers of the run.
const LISTS_OF_ANSWERS: &[&str] = &["/responses/formatted", "/responses/debug", "/responses/export"];
/// Lists whose total counts the ledger, for a super administrator.
const LISTS_OF_LEDGER: &[&str] = &["/api/transactions?", "/transactions/all"];

/// Measures the reads whose path contains `only`, or all.
pub async fn measure(bench: &Bench, only: Option<&str>) -> Result<Vec<Row>> {
    let InUse { server, run, .. } = InUse::open(bench).await?;
    let mut rows = Vec::new();
    let before = Cores::now()?;
    for (role, users) in [(SUPER_ADMINS, super_admins()), ("members", members())] {
        let mut callers = Vec::new();
        for (number, user) in users.into_iter().enumerate() {
            let token = server.sign_in(&email(user)).await?;
            callers.push(Caller { token, member: members()[number], page: number * ROWS_A_PAGE });
        }
        for path in PATHS.iter().filter(|path| only.is_none_or(|part| path.contains(part))) {
            eprintln!("{READS} {role} {path}");
            let path = path.replace("{run}", &run);
            let cpu = || Ok::<_, Failure>(server.cpu()? + bench.cluster.cpu()?);
            rows.push(row(role, &path, of_read(server.address, &path, &callers, cpu).await));
        }
    }
    rows.push(report::taken(READS, Cores::now()?.percent_taken_since(before)));
    Ok(rows)
}

struct Caller {
    token: String,
    member: usize,
    /// Offset of the page that it reads.
    page: usize,
}

impl Caller {
    fn path(&self, path: &str) -> String {
        path.replace("{user}", &self.member.to_string())
            .replace("{page}", &self.page.to_string())
            .replace("{deep}", &(180 * self.page).to_string())
    }
}

fn row(role: &str, path: &str, measured: Result<Measured>) -> Row {
    let (measured, note) = match measured {
        Ok(Measured { status: 200, p99, cpu }) => (Some(p99), format!("CPU {cpu:.2} ms each")),
        Ok(Measured { status, p99, cpu }) => (Some(p99), format!("CPU {cpu:.2} ms each; {status}")),
        Err(failure) => (None, failure.to_string().replace(['|', '\n'], " ")),
    };
    let is_one_of = |lists: &[&str]| lists.iter().any(|list| path.contains(list));
    let is_long = is_one_of(LISTS_OF_ANSWERS) || role == SUPER_ADMINS && is_one_of(LISTS_OF_LEDGER);
    let bar = match () {
        () if is_long => BAR_OF_LONG_LISTS,
        () if path.contains("/summary") => BAR_OF_SUMMARIES,
        () => BAR,
    };
    let what = format!("{role} {}, p99 ms", path.trim_start_matches("/api"));
    Row { workload: READS, what, target: Some(bar), measured, note }
}

/// Measurement of one read.
struct Measured {
    status: u16,
    /// 99th percentile in milliseconds.
    p99: f64,
    /// CPU milliseconds a request, twinlab and PostgreSQL together.
    cpu: f64,
}

/// Measures one read. `cpu` returns the CPU time that the servers have used so far.
async fn of_read(
    address: SocketAddr,
    path: &str,
    callers: &[Caller],
    cpu: impl Fn() -> Result<Duration>,
) -> Result<Measured> {
    let first = &callers[0];
    let answer = Client::connect(address).await?.get(&first.path(path), Some(&first.token)).await?;
    // Reads that a member may not see are measured too.
    if !matches!(answer.status, 200 | 403 | 404) {
        return Err(Failure(format!("{}: {}", answer.status, String::from_utf8_lossy(&answer.body))));
    }
    read(address, path, callers, WARM_UP).await?;
    let before = cpu()?;
    let mut times = read(address, path, callers, REQUESTS).await?;
    times.sort_unstable();
    let cpu = cpu()?.saturating_sub(before) / times.len() as u32;
    let p99 = times[(times.len() * 99).div_ceil(100) - 1];
    Ok(Measured { status: answer.status, p99: milliseconds(p99), cpu: milliseconds(cpu) })
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// Returns the times of all requests of all callers.
async fn read(address: SocketAddr, path: &str, callers: &[Caller], requests: usize) -> Result<Vec<Duration>> {
    let reading = callers.iter().map(|caller| (caller.path(path), caller.token.clone()));
    let tasks: Vec<_> =
        reading.map(|(path, token)| tokio::spawn(read_as_one(address, path, token, requests))).collect();
    let mut times = Vec::with_capacity(requests * CALLERS);
    for task in tasks {
        times.extend(task.await??);
    }
    Ok(times)
}

async fn read_as_one(address: SocketAddr, path: String, token: String, requests: usize) -> Result<Vec<Duration>> {
    let mut client = Client::connect(address).await?;
    let mut times = Vec::with_capacity(requests);
    for _ in 0..requests {
        let began = Instant::now();
        client.get(&path, Some(&token)).await?;
        times.push(began.elapsed());
    }
    Ok(times)
}

//! W7: every read of the API on a product in use, 50 requests in flight. The p99 of each, and the big tables that any
//! of them scanned from end to end.

mod server;

use std::time::{Duration, Instant};

use tokio::time::sleep;
use tokio_postgres::Client as Database;
use twinlab_bench::client::Client;

use self::server::Server;
use super::report::Row;
use super::workloads::READS;
use super::{Bench, Failure, Result, twins};

const DATABASE: &str = "reads";
const FILL: &str = include_str!("fill.sql");
/// Who asks: the one who sees everything, and a member of one group.
const CALLERS: [&str; 2] = ["root@bench.example", "user21@bench.example"];

const IN_FLIGHT: usize = 50;
/// Requests to each read.
const REQUESTS: usize = 1_000;
/// Milliseconds.
const AT_MOST: f64 = 50.0;
/// PostgreSQL tells the others what a session did about once a second.
const TOLD: Duration = Duration::from_millis(1_500);

/// Tables that grow with use, and of which no list may read every row.
const BIG: &str = "'responses', 'transactions', 'simulations', 'simulation_personas', 'surveys', 'questions'";

/// The reads, with the run's id of the API for `{run}`.
const READ: &[&str] = &[
    "/api/auth/profile",
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
    "/api/transactions/all?limit=50",
    "/api/transactions/user-groups?limit=50",
    "/api/transactions/group/2?limit=50",
    "/api/transactions/group/2/stats",
    "/api/transactions/group/2/count",
    "/api/transactions/user/21?limit=50",
    "/api/transactions/user/21/stats",
    "/api/transactions/simulation/{run}",
    "/api/surveys/my?limit=50",
    "/api/surveys/20",
    "/api/surveys/20/questions",
    "/api/surveys/20/simulation-history?limit=50",
    "/api/surveys/20/simulation-status",
    "/api/surveys/20/simulation-config",
    "/api/surveys/20/export",
    "/api/simulations?limit=50",
    "/api/simulations/{run}/progress",
    "/api/simulations/{run}/failures?limit=50",
    "/api/personas?limit=50",
    "/api/personas?limit=50&Gender=Female",
    "/api/personas/count",
    "/api/personas/17",
    "/api/surveys/20/simulation/{run}/responses/formatted?limit=50&offset=90000",
    "/api/surveys/20/simulation/{run}/responses/debug?limit=50&offset=50000",
    "/api/surveys/20/simulation/{run}/responses/export?limit=50",
    "/api/surveys/20/simulation/{run}/responses/matrix?limit=20&offset=1000",
    "/api/surveys/20/simulation/{run}/responses/counts",
];

pub async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    bench.cluster.create(DATABASE, &twins(2_000)).await?;
    let rows = of_database(bench).await;
    bench.cluster.drop(DATABASE).await?;
    rows
}

async fn of_database(bench: &Bench) -> Result<Vec<Row>> {
    let database = bench.cluster.open(DATABASE).await?;
    eprintln!("{READS}: filling the database");
    for statement in FILL.split_inclusive(";\n") {
        database.batch_execute(statement).await?;
    }
    let run = database.query_one("SELECT simulation_id::text FROM simulations WHERE id = 20", &[]).await?;
    let run: String = run.try_get(0)?;
    let server = Server::start(bench, DATABASE)?;
    let mut rows = Vec::new();
    for caller in CALLERS {
        let token = server.sign_in(caller).await?;
        for path in READ {
            let path = path.replace("{run}", &run);
            eprintln!("{READS} {caller} {path}");
            rows.push(one(&server, &database, caller, &path, &token).await);
        }
    }
    Ok(rows)
}

async fn one(server: &Server, database: &Database, caller: &str, path: &str, token: &str) -> Row {
    let who = caller.split('@').next().unwrap_or_default();
    let row = |measured, note| Row {
        workload: READS,
        what: format!("{who} {}, p99 ms", path.trim_start_matches("/api")).replace('|', "/"),
        target: Some(AT_MOST),
        measured,
        note,
        bare: None,
    };
    match of_read(server, database, path, token).await {
        Ok((p99, note)) => row(Some(p99), note),
        Err(failure) => row(None, failure.to_string().replace(['|', '\n'], " ")),
    }
}

/// The p99 in milliseconds, and what is to be said beside it.
async fn of_read(server: &Server, database: &Database, path: &str, token: &str) -> Result<(f64, String)> {
    let mut client = Client::connect(server.address).await?;
    let first = client.get_as(path, token).await?;
    let status = first.status;
    // What the member may not see is no read of theirs; that it is refused is measured all the same.
    if !matches!(status, 200 | 403 | 404) {
        return Err(Failure(format!("{status}: {}", String::from_utf8_lossy(&first.body))));
    }
    sleep(TOLD).await;
    let before = scans(database).await?;
    client.get_as(path, token).await?;
    drop(client);
    sleep(TOLD).await;
    let after = scans(database).await?;
    let scanned: Vec<_> = after.iter().filter(|scan| !before.contains(scan)).map(|(table, _)| table.as_str()).collect();
    let note = if scanned.is_empty() { String::new() } else { format!("**scans {}**", scanned.join(", ")) };
    let note = if status == 200 { note } else { format!("{status} {note}") };

    let tasks: Vec<_> = (0..IN_FLIGHT)
        .map(|_| tokio::spawn(ask(server.address, path.to_owned(), token.to_owned(), REQUESTS / IN_FLIGHT)))
        .collect();
    let mut times = Vec::with_capacity(REQUESTS);
    for task in tasks {
        times.extend(task.await??);
    }
    times.sort_unstable();
    let p99 = times[(times.len() * 99).div_ceil(100) - 1];
    Ok((p99.as_secs_f64() * 1_000.0, note))
}

/// How often each big table was read from end to end.
async fn scans(database: &Database) -> Result<Vec<(String, i64)>> {
    let sql = format!("SELECT relname::text, seq_scan FROM pg_stat_user_tables WHERE relname IN ({BIG}) ORDER BY 1");
    let rows = database.query(&sql, &[]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

async fn ask(address: std::net::SocketAddr, path: String, token: String, times: usize) -> Result<Vec<Duration>> {
    let mut client = Client::connect(address).await?;
    let mut taken = Vec::with_capacity(times);
    for _ in 0..times {
        let began = Instant::now();
        client.get_as(&path, &token).await?;
        taken.push(began.elapsed());
    }
    Ok(taken)
}

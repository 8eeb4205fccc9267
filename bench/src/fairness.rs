//! W6: a small run next to a big one. Two twinlabs on one database share its limit; the small one's time next to the
//! big one is compared with its time alone.
//!
//! W6b: a small run next to twenty big ones in one twinlab, compared with its fair share of the limit.

use std::time::Duration;

use model_server::client::Client;
use model_server::{Faults, ModelServer};
use serde_json::json;
use tokio::time::{Instant, sleep};
use tokio_postgres::Client as Database;

use crate::bench::{Bench, Failure, Result, twins};
use crate::measured::median;
use crate::report::Row;
use crate::server::Server;
use crate::twinlab::ask;
use crate::workloads::{CROWD, FAIRNESS, LATENCY, W1, Workload};

const DATABASE: &str = "fairness";

const SMALL: Workload =
    Workload { name: "W6-small", personas: 5, concurrency: 256, rpm: Some(500), targets: &[], ..W1 };
const BIG: Workload = Workload { name: "W6-big", personas: 2_000, questions: 50, ..SMALL };

const CROWD_SIZE: usize = 20;
const CROWD_RPM: u32 = 6_000;
const SMALL_IN_CROWD: Workload = Workload { name: "W6b-small", rpm: Some(CROWD_RPM), ..SMALL };
const BIG_IN_CROWD: Workload = Workload { name: "W6b-big", personas: 2_000, questions: 5, ..SMALL_IN_CROWD };

/// Time limit for a run or a crowd to reach a state.
const TIMEOUT: Duration = Duration::from_secs(120);

pub async fn two_runs(bench: &Bench, runs: u16) -> Row {
    let mut taken = Vec::new();
    let mut failure = None;
    for number in 1..=runs {
        eprintln!("{FAIRNESS} {number}/{runs}");
        let pair = async { Ok::<_, Failure>((once(bench, false).await?, once(bench, true).await?)) };
        match pair.await {
            Ok(pair) => taken.push(pair),
            Err(error) => failure = Some(error.to_string()),
        }
    }
    let alone = median(taken.iter().map(|&(alone, _)| alone).collect());
    let beside = median(taken.iter().map(|&(_, beside)| beside).collect());
    let times = alone.zip(beside).map(|(alone, beside)| format!("{alone:.1} s alone, {beside:.1} s beside"));
    Row {
        workload: FAIRNESS,
        what: "time / alone".into(),
        target: Some(2.2),
        measured: median(taken.iter().map(|&(alone, beside)| beside / alone).collect()),
        note: failure.or(times).unwrap_or_default().replace(['|', '\n'], " "),
    }
}

/// Measures the seconds of the small run on a fresh database, alone or next to the big one.
async fn once(bench: &Bench, beside: bool) -> Result<f64> {
    bench.cluster.create(DATABASE, &twins(2_000)).await?;
    let taken = small_run(bench, beside).await;
    bench.cluster.drop(DATABASE).await?;
    taken
}

async fn small_run(bench: &Bench, beside: bool) -> Result<f64> {
    let model = ModelServer::start(Faults { latency: LATENCY, ..Faults::default() });
    let twinlab = bench.twinlab(DATABASE);
    let database = bench.cluster.open(DATABASE).await?;
    bench.write_survey(&SMALL)?;
    bench.write_survey(&BIG)?;
    // Killed at the end of this function, because its other answers are not needed.
    let mut big = None;
    if beside {
        big = Some(twinlab.simulate(BIG.name, &BIG, &model)?);
        let begun = until(&database, "SELECT EXISTS (SELECT FROM responses)").await;
        begun.map_err(|error| twinlab.failed(BIG.name, &error.to_string()))?;
    }
    let small = twinlab.simulate(SMALL.name, &SMALL, &model)?.watch().await;
    small.map_err(|how| twinlab.failed(SMALL.name, &how))?;
    drop(big);
    let row = database.query_one(
        "SELECT extract(epoch FROM completed_at - created_at)::float8 FROM simulations
         WHERE persona_count = $1 AND status = 'COMPLETED'",
        &[&(SMALL.personas as i32)],
    );
    Ok(row.await?.try_get(0)?)
}

pub async fn crowd(bench: &Bench) -> Row {
    eprintln!("{CROWD}");
    let calls = SMALL_IN_CROWD.calls() as f64;
    let fair = calls * (CROWD_SIZE + 1) as f64 / (f64::from(CROWD_RPM) / 60.0);
    let taken = async {
        bench.cluster.create(DATABASE, &twins(2_000)).await?;
        let taken = small_run_in_crowd(bench).await;
        bench.cluster.drop(DATABASE).await?;
        taken
    };
    let (measured, note) = match taken.await {
        Ok(seconds) => (Some(seconds / fair), format!("{seconds:.1} s, fair share {fair:.1} s")),
        Err(error) => (None, error.to_string().replace(['|', '\n'], " ")),
    };
    Row { workload: CROWD, what: "time / fair share".into(), target: Some(1.5), measured, note }
}

/// SQL that creates the surveys 1 to 20 for the crowd and one more for the small run.
const SURVEYS: &str = "
    INSERT INTO users (id, email, name, role, is_verified) VALUES (1, 'user1@bench.example', 'User', 'admin', true);
    INSERT INTO groups (id, group_name, owner_id, default_budget_per_user) VALUES (1, 'Group', 1, 0);
    INSERT INTO group_members (group_id, user_id, budget) VALUES (1, 1, 1000000);
    INSERT INTO surveys (id, user_id, group_id, title)
    SELECT n, 1, 1, 'Survey ' || n FROM generate_series(1, 21) AS n;
    INSERT INTO questions (survey_id, position, text, name, question_type, options)
    SELECT surveys.id, n, 'Question ' || n, 'Question_' || n, 'SINGLE_CHOICE', ARRAY['Yes', 'No', 'Perhaps']
    FROM surveys, generate_series(1, 10) AS n WHERE n <= 5 OR surveys.id = 21";

async fn small_run_in_crowd(bench: &Bench) -> Result<f64> {
    let database = bench.cluster.open(DATABASE).await?;
    database.batch_execute(SURVEYS).await?;
    let model = ModelServer::start(Faults { latency: LATENCY, ..Faults::default() });
    let server = Server::start(bench, DATABASE, |command| _ = ask(command, &BIG_IN_CROWD, &model))?;
    let token = server.sign_in("user1@bench.example").await?;
    for survey in 1..=CROWD_SIZE {
        start(&server, &token, survey, BIG_IN_CROWD.personas).await?;
    }
    let all_begun = format!("SELECT count(DISTINCT simulation_id) >= {CROWD_SIZE} FROM responses");
    until(&database, &all_begun).await?;
    start(&server, &token, CROWD_SIZE + 1, SMALL_IN_CROWD.personas).await?;
    let small = "FROM simulations WHERE survey_id = 21 AND status = 'COMPLETED'";
    until(&database, &format!("SELECT EXISTS (SELECT {small})")).await?;
    let seconds = format!("SELECT extract(epoch FROM completed_at - created_at)::float8 {small}");
    Ok(database.query_one(&seconds, &[]).await?.try_get(0)?)
}

async fn start(server: &Server, token: &str, survey: usize, personas: usize) -> Result<()> {
    let path = format!("/api/simulations/survey/{survey}/start");
    let body = json!({"personaCount": personas, "seed": 1, "questionsPerCall": 1, "model": "stub"});
    let mut client = Client::connect(server.address).await?;
    let answer = client.post(&path, Some(token), body.to_string().as_bytes()).await?;
    match answer.status {
        201 => Ok(()),
        status => Err(Failure(format!("{path}: {status}: {}", String::from_utf8_lossy(&answer.body)))),
    }
}

/// Waits until the query returns true.
async fn until(database: &Database, query: &str) -> Result<()> {
    let deadline = Instant::now() + TIMEOUT;
    while Instant::now() < deadline {
        if database.query_one(query, &[]).await?.try_get(0)? {
            return Ok(());
        }
        sleep(Duration::from_millis(50)).await;
    }
    Err(Failure(format!("not within {} s: {query}", TIMEOUT.as_secs())))
}

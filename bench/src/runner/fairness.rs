//! W6: a small run beside a big one. Two twinlabs on one database share its limit; the small one's time beside the
//! big one is compared with its time alone.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_postgres::Client;

use super::measured::median;
use super::programs::{ModelStub, Running};
use super::report::Row;
use super::workloads::{FAIRNESS, Workload};
use super::{Bench, Failure, Result, twins};

const DATABASE: &str = "fairness";
const LIMIT_RPM: u32 = 500;

const SMALL: Workload = Workload {
    name: "W6-small",
    personas: 5,
    questions: 10,
    per_call: 1,
    concurrency: 256,
    stub: &[],
    told_rpm: Some(LIMIT_RPM),
    targets: &[],
};

const BIG: Workload = Workload { name: "W6-big", personas: 2_000, questions: 50, ..SMALL };

pub async fn measure(bench: &Bench, runs: u16) -> Vec<Row> {
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
    vec![Row {
        workload: FAIRNESS,
        what: "time / alone".into(),
        target: Some(2.2),
        measured: median(taken.iter().map(|&(alone, beside)| beside / alone).collect()),
        note: failure.or(times).unwrap_or_default().replace(['|', '\n'], " "),
        bare: None,
    }]
}

/// Seconds that the small run takes on a fresh database, alone or beside the big one.
async fn once(bench: &Bench, beside: bool) -> Result<f64> {
    bench.cluster.create(DATABASE, &twins(2_000)).await?;
    let taken = small_run(bench, beside).await;
    bench.cluster.drop(DATABASE).await?;
    taken
}

async fn small_run(bench: &Bench, beside: bool) -> Result<f64> {
    let stub = ModelStub::start(&[])?;
    let twinlab = bench.twinlab(DATABASE);
    let database = bench.cluster.open(DATABASE).await?;
    bench.write_survey(SMALL.name, SMALL.questions)?;
    bench.write_survey(BIG.name, BIG.questions)?;
    // Killed at the end of this function: nobody needs its other answers.
    let mut big = None;
    if beside {
        let running = big.insert(twinlab.simulate(BIG.name, &BIG, &stub)?);
        if let Err(how) = under_way(running, &database).await {
            return Err(twinlab.failed(BIG.name, how));
        }
    }
    let small = twinlab.simulate(SMALL.name, &SMALL, &stub)?.watch().await;
    small.map_err(|how| twinlab.failed(SMALL.name, &how))?;
    let row = database.query_one(
        "SELECT extract(epoch FROM completed_at - created_at)::float8 FROM simulations
         WHERE persona_count = $1 AND status = 'COMPLETED'",
        &[&(SMALL.personas as i32)],
    );
    Ok(row.await?.try_get(0)?)
}

/// Waits until the big run has answers.
async fn under_way(big: &mut Running, database: &Client) -> Result<(), &'static str> {
    let patience = Instant::now() + Duration::from_secs(60);
    while Instant::now() < patience && !big.has_ended() {
        let answers = database.query_one("SELECT count(*) FROM responses", &[]).await;
        if answers.is_ok_and(|row| row.get::<_, i64>(0) > 0) {
            return Ok(());
        }
        sleep(Duration::from_millis(50)).await;
    }
    Err("the big run gave no answer within a minute")
}

//! W10: downloads every file of a run with 1,000,000 answers, and its summary. Measures the time to the first byte, the
//! total time and twinlab's memory.

use std::time::Instant;

use model_server::client::Client;

use crate::bench::{Bench, Failure, Result, twins};
use crate::report::Row;
use crate::server::Server;
use crate::workloads::DOWNLOADS;

const DATABASE: &str = "downloads";
const FILL: &str = include_str!("downloads.sql");
const EMAIL: &str = "user1@bench.example";

/// The files, with the limit of the first byte in seconds. Workbooks and files for SPSS and Stata have none: they begin
/// with data that is known only at their end.
const FILES: &[(&str, Option<f64>)] = &[
    ("export.csv", Some(0.5)),
    ("export.jsonl", Some(0.5)),
    ("export.parquet", Some(0.5)),
    ("export.xlsx", None),
    ("wide.csv", Some(0.5)),
    ("wide.jsonl", Some(0.5)),
    ("wide.parquet", Some(0.5)),
    ("wide.sav", None),
    ("wide.dta", None),
    ("codebook.csv", Some(0.5)),
    (BUNDLE, Some(60.0)),
];
/// All tables in one file, which is built before its first byte.
const BUNDLE: &str = "bundle.zip";
const MEGABYTES: f64 = 150.0;
const MEGABYTES_OF_A_BUNDLE: f64 = 200.0;
const SUMMARIES: &[&str] = &["summary", "summary?by=Gender&where=question:5:Never"];
const SECONDS_OF_A_SUMMARY: f64 = 1.0;

pub async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    if !bench.cluster.has(DATABASE).await? {
        eprintln!("filling a database with a run of 1,000,000 answers");
        let filling = "downloads_filling";
        bench.cluster.create(filling, &twins(2_000)).await?;
        bench.cluster.fill(filling, FILL).await?;
        bench.cluster.rename(filling, DATABASE).await?;
    }
    let database = bench.cluster.open(DATABASE).await?;
    let run: String = database.query_one("SELECT simulation_id::text FROM simulations", &[]).await?.try_get(0)?;
    let mut rows = Vec::new();
    let below = format!("/api/surveys/1/simulation/{run}");
    for &(file, bar) in FILES {
        database.batch_execute("DELETE FROM login_requests").await?;
        rows.extend(download(bench, &format!("{below}/responses/{file}"), file, bar).await?);
    }
    for summary in SUMMARIES {
        rows.push(figures(bench, &format!("{below}/{summary}"), summary).await?);
    }
    Ok(rows)
}

/// Measures the second request of a summary, when the database has the pages in memory as during a run.
async fn figures(bench: &Bench, address: &str, path: &str) -> Result<Row> {
    eprintln!("{DOWNLOADS} {path}");
    let server = Server::start(bench, DATABASE, |command| _ = command.arg("--role=web"))?;
    let token = server.sign_in(EMAIL).await?;
    let mut client = Client::connect(server.address).await?;
    client.get(address, Some(&token)).await?;
    let begun = Instant::now();
    let answer = client.get(address, Some(&token)).await?;
    let seconds = begun.elapsed().as_secs_f64();
    if answer.status != 200 {
        return Err(Failure(format!("{path}: {} {}", answer.status, String::from_utf8_lossy(&answer.body))));
    }
    Ok(Row {
        workload: DOWNLOADS,
        what: format!("{path}, s"),
        target: Some(SECONDS_OF_A_SUMMARY),
        measured: Some(seconds),
        note: format!("peak memory {:.0} MB", server.peak_bytes() as f64 / 1e6),
    })
}

/// Downloads a file from a server of its own, whose peak memory is this download's.
async fn download(bench: &Bench, address: &str, path: &str, bar: Option<f64>) -> Result<[Row; 2]> {
    eprintln!("{DOWNLOADS} {path}");
    let server = Server::start(bench, DATABASE, |command| _ = command.arg("--role=web"))?;
    let token = server.sign_in(EMAIL).await?;
    let mut client = Client::connect(server.address).await?;
    let begun = Instant::now();
    let head = client.open_stream(address, &token).await?;
    let first = begun.elapsed().as_secs_f64();
    if head.status != 200 {
        return Err(Failure(format!("{path}: {}", head.status)));
    }
    let bytes = client.rest(&head).await?;
    let note = format!("{:.1} MB in {:.1} s", bytes as f64 / 1e6, begun.elapsed().as_secs_f64());
    let row = |what: &str, target, measured| Row {
        workload: DOWNLOADS,
        what: format!("{path}, {what}"),
        target,
        measured: Some(measured),
        note: note.clone(),
    };
    let most = if path == BUNDLE { MEGABYTES_OF_A_BUNDLE } else { MEGABYTES };
    Ok([row("first byte, s", bar, first), row("peak memory, MB", Some(most), server.peak_bytes() as f64 / 1e6)])
}

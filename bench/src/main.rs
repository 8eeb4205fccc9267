//! `make bench`: runs the workloads through twinlab and prints the results next to their limits. `bench/README.md`
//! explains each number.

mod bare_client;
mod bench;
mod cluster;
mod designs;
mod downloads;
mod fairness;
mod import;
mod in_use;
mod inputs;
mod measured;
mod process;
mod reads;
mod report;
mod server;
mod twinlab;
mod watchers;
mod workloads;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Measures twinlab: fresh database, own PostgreSQL, own model server, median of several runs.
#[derive(Parser)]
pub struct Arguments {
    /// Workloads to run, e.g. W1 W4b. Default: all.
    workloads: Vec<String>,
    /// Runs of each workload, of which the median counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Write the table to bench/results.md as well.
    #[arg(long)]
    write: bool,
    /// Keep the databases in this directory for the next time: filling W7's takes minutes.
    #[arg(long, value_name = "DIRECTORY")]
    keep: Option<PathBuf>,
    /// Only the reads of W7 whose path contains this text.
    #[arg(long, value_name = "TEXT")]
    read: Option<String>,
    /// The program to measure.
    #[arg(long, default_value = "target/release/twinlab")]
    twinlab: PathBuf,
    /// PostgreSQL's programs. Default: from PG_BIN_DIR, PATH or /usr/lib/postgresql.
    #[arg(long, env = "PG_BIN_DIR")]
    pg_bin_dir: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // Dropping the bench stops PostgreSQL and twinlab and removes the scratch directory.
    let ended = tokio::select! {
        ended = bench::run(&arguments) => ended,
        _ = tokio::signal::ctrl_c() => return ExitCode::from(130),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("twinlab-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

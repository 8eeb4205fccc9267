//! `twinlab personas`: imports or invents digital twins.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use tokio::task::spawn_blocking;

use crate::app::Database;
use crate::config::Config;
use crate::db;
use crate::error::{Error, Result};
use crate::models::persona_import::replace_current;
use crate::models::personas::NewPersona;
use crate::personas::{self, ImportOptions};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Read twins from CSV, .xlsx, JSON Lines or parquet (any table, or Twin-2K-500's); they replace the current ones
    Import(Import),
    /// Invent synthetic twins, labelled as such; they replace the current ones
    Synthesize(Synthesize),
}

#[derive(Debug, clap::Args)]
struct Import {
    /// One file, or the parts of one set in their order
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    options: ImportOptions,
}

#[derive(Debug, clap::Args)]
struct Synthesize {
    /// Number of twins
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: u32,
    /// Seed: the same one invents the same twins
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub async fn run(config: Config, args: Args) -> Result<ExitCode> {
    match args.action {
        Action::Import(Import { files, options }) => {
            // Checked first, so that an unreadable file is reported before PostgreSQL is started.
            personas::open(&files, options)?;
            let (source, stored) = store(&config, move |conn, watch| {
                let profiles = personas::open(&files, options)?;
                let source = profiles.source().to_owned();
                let (_, stored) = replace_current(conn, &source, false, watch.over(profiles))?;
                Ok((source, stored))
            })
            .await?;
            say!("Imported {stored} twins from {source}. They are the current ones now.");
        }
        Action::Synthesize(Synthesize { count, seed }) => {
            let (_, stored) = store(&config, move |conn, watch| {
                let invented = personas::synthesize(count as usize, seed).map(Ok);
                replace_current(conn, &personas::synthetic_source(seed), true, watch.over(invented))
            })
            .await?;
            say!("Invented {stored} synthetic twins with seed {seed}. They are the current ones now.");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens the database and runs `work` on a blocking thread.
async fn store<T: Send + 'static>(
    config: &Config,
    work: impl FnOnce(&mut diesel::PgConnection, &Watch) -> Result<T> + Send + 'static,
) -> Result<T> {
    let database = Database::visit(config).await?;
    let url = database.url().to_owned();
    let dropped = Dropped::default();
    let watch = Watch { dropped: dropped.0.clone() };
    let done = spawn_blocking(move || work(&mut db::connect(&url)?, &watch)).await;
    database.close().await?;
    done.map_err(|reason| Error::internal(format!("storing twins: {reason}")))?
}

/// Signals to the thread that the command was dropped: Ctrl-C does not end threads.
#[derive(Default)]
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Watch {
    dropped: Arc<AtomicBool>,
}

impl Watch {
    /// Shows progress on a terminal as the personas pass, and ends them with an error once the command was dropped.
    fn over(&self, twins: impl Iterator<Item = Result<NewPersona>>) -> impl Iterator<Item = Result<NewPersona>> {
        let style = ProgressStyle::with_template("{spinner} {human_pos} twins, {per_sec}");
        let bar = ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        let dropped = self.dropped.clone();
        bar.wrap_iter(twins).map(move |twin| match dropped.load(Ordering::Relaxed) {
            true => Err(Error::internal("interrupted: nothing was stored")),
            false => twin,
        })
    }
}

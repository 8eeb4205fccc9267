//! The command line. Each command is a file with `run(config, args)`, which returns the exit code.

use std::process::ExitCode;

use clap::Subcommand;

use crate::config::Config;
use crate::error::Result;

/// Prints a line of results. A reader that has gone away, such as `head`, is no error.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

pub mod backup;
pub mod bundle;
pub mod demo;
pub mod demo_model;
pub mod evidence;
pub mod migrate;
pub mod models;
pub mod openapi;
pub mod personas;
pub mod prices;
pub mod reproduce;
pub mod serve;
pub mod simulate;
pub mod survey;
pub mod user;
pub mod verify;

mod command_line;
mod conduct;
pub mod interrupt;
mod open_files;
mod payer;
mod progress;
mod report;
mod worked_prices;

pub use command_line::parse;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the product: API, pages and simulations
    Serve(serve::Args),
    /// Bring the database to this version
    Migrate(migrate::Args),
    /// Run a survey file and write the answers to a file
    Simulate(Box<simulate::Args>),
    /// Import, check and preview surveys with a design: arms, orders, routing and piping
    Survey(survey::Args),
    /// Compare the answers of twins with those of people
    Evidence(evidence::Args),
    /// Import or invent digital twins
    Personas(personas::Args),
    /// Create people
    User(user::Args),
    /// Run the built-in demo model on its own, on HOST:PORT
    DemoModel(demo_model::Args),
    /// Write a run or a study, with everything that its files are built from, into one zip
    Bundle(bundle::BundleArgs),
    /// Rebuild the files of such a zip and compare them byte for byte
    Replay(bundle::ReplayArgs),
    /// Repeat a run of such a zip and compare the answers
    Reproduce(reproduce::Args),
    /// Check the invariants of the ledger and the counters
    Verify(verify::Args),
    /// Write the whole database to a file, while runs go on
    Backup(backup::BackupArgs),
    /// Fill an empty database from such a file
    Restore(backup::RestoreArgs),
    /// Find out what a model server really does
    Models(models::Args),
    /// Print the prices of models' tokens that ship with the program, with their sources and age
    Prices(prices::Args),
    /// Print the OpenAPI document
    Openapi(openapi::Args),
}

impl Command {
    /// Runs the command and returns its exit code. Ctrl-C drops the command and with it a private PostgreSQL; `serve` and
    /// `simulate` handle signals themselves.
    pub async fn run(self, config: Config) -> Result<ExitCode> {
        open_files::allow_enough(matches!(self, Self::Serve(_) | Self::Simulate(_) | Self::Reproduce(_)))?;
        match self {
            Self::Serve(args) => serve::run(config, args).await,
            Self::Migrate(args) => interrupt::or_dropped(migrate::run(config, args)).await,
            Self::Simulate(args) => simulate::run(config, *args).await,
            Self::Survey(args) => survey::run(args),
            Self::Evidence(args) => evidence::run(config, args).await,
            Self::Personas(args) => interrupt::or_dropped(personas::run(config, args)).await,
            Self::User(args) => interrupt::or_dropped(user::run(config, args)).await,
            Self::DemoModel(args) => interrupt::or_dropped(demo_model::run(config, args)).await,
            Self::Backup(args) => interrupt::or_dropped(backup::backup(config, args)).await,
            Self::Restore(args) => interrupt::or_dropped(backup::restore(config, args)).await,
            Self::Bundle(args) => interrupt::or_dropped(bundle::bundle(config, args)).await,
            Self::Replay(args) => bundle::replay(&args),
            Self::Reproduce(args) => reproduce::run(config, args).await,
            Self::Openapi(args) => openapi::run(args),
            Self::Models(args) => interrupt::or_dropped(models::run(config, args)).await,
            Self::Prices(args) => prices::run(args),
            Self::Verify(args) => interrupt::or_dropped(verify::run(config, args)).await,
        }
    }
}

//! `twinlab migrate`: brings the database to this version and ends, as the release step of a deployment.

use std::process::ExitCode;

use crate::app::Database;
use crate::config::Config;
use crate::error::Result;

#[derive(Debug, clap::Args)]
pub struct Args {}

pub async fn run(config: Config, _: Args) -> Result<ExitCode> {
    Database::visit(&config).await?.close().await?;
    say!("The database is up to date.");
    Ok(ExitCode::SUCCESS)
}

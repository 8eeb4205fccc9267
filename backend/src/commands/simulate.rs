//! `twinlab simulate`: runs a survey file through the engine and writes the answers.

use std::process::ExitCode;

use crate::config::Config;
use crate::error::{Error, Result};

#[derive(Debug, clap::Args)]
pub struct Args {}

pub async fn run(_: Config, _: Args) -> Result<ExitCode> {
    Err(Error::internal("`twinlab simulate` is not there yet"))
}

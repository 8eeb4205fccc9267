//! `twinlab demo-model`: the built-in demo model on its own.

use std::process::ExitCode;

use crate::config::Config;
use crate::error::{Error, Result};

#[derive(Debug, clap::Args)]
pub struct Args {}

pub async fn run(_: Config, _: Args) -> Result<ExitCode> {
    Err(Error::internal("`twinlab demo-model` is not there yet"))
}

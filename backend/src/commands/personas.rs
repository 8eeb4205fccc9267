//! `twinlab personas`: imports or invents digital twins.

use std::process::ExitCode;

use crate::config::Config;
use crate::error::{Error, Result};

#[derive(Debug, clap::Args)]
pub struct Args {}

pub async fn run(_: Config, _: Args) -> Result<ExitCode> {
    Err(Error::internal("`twinlab personas` is not there yet"))
}

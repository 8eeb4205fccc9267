//! `twinlab openapi`: prints the OpenAPI document of the API.

use std::io::{ErrorKind, Write, stdout};
use std::process::ExitCode;

use crate::error::{Error, Result};
use crate::http;

#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: Args) -> Result<ExitCode> {
    let document = http::document().to_pretty_json();
    let document = document.map_err(|reason| Error::internal(format!("the OpenAPI document: {reason}")))?;
    match writeln!(stdout(), "{document}") {
        // The reader has closed the pipe.
        Err(reason) if reason.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(reason) => Err(Error::internal(format!("the OpenAPI document: {reason}"))),
        Ok(()) => Ok(ExitCode::SUCCESS),
    }
}

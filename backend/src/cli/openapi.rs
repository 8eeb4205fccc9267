//! `twinlab openapi`: prints the OpenAPI document of the API.

use std::process::ExitCode;

use crate::error::{Error, Result};
use crate::http;

#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_: Args) -> Result<ExitCode> {
    let document = http::document().to_pretty_json();
    println!("{}", document.map_err(|reason| Error::internal(format!("the OpenAPI document: {reason}")))?);
    Ok(ExitCode::SUCCESS)
}

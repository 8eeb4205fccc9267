//! `twinlab evidence`: how far to trust answers, from files. No database and no model is needed.

mod compare;

use std::process::ExitCode;

use crate::error::Result;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Set the answers of twins beside those of people, question by question
    Compare(compare::Args),
}

pub fn run(args: Args) -> Result<ExitCode> {
    match args.action {
        Action::Compare(args) => compare::run(&args),
    }
}

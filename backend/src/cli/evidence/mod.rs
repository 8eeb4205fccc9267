//! `twinlab evidence`: how far to trust answers, from files. No database and no model is needed.

mod compare;
mod draw;
mod print;

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
    Compare(Box<compare::Args>),
    /// Draw whom to ask from the persons of the twins, each with the probability that estimates need
    Draw(draw::Args),
}

pub fn run(args: Args) -> Result<ExitCode> {
    match args.action {
        Action::Compare(args) => compare::run(&args),
        Action::Draw(args) => draw::run(&args),
    }
}

//! `twinlab evidence`: tests from files how far answers can be trusted. It needs neither database nor model.

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
    /// Compare the answers of twins with those of people, question by question
    Compare(Box<compare::Args>),
    /// Draw people to ask among the persons of the twins, each with the probability that estimates need
    Draw(draw::Args),
}

pub fn run(args: Args) -> Result<ExitCode> {
    match args.action {
        Action::Compare(args) => compare::run(&args),
        Action::Draw(args) => draw::run(&args),
    }
}

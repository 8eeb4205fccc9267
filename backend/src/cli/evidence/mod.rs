//! `twinlab evidence`: tests how far answers can be trusted. Only `modes` needs a database and a model.

mod compare;
mod draw;
mod modes;
mod print;

use std::process::ExitCode;

use crate::config::Config;
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
    /// Ask the held-out questions in each mode, and print how well each forecasts people's answers, at what price
    Modes(Box<modes::Args>),
}

pub async fn run(config: Config, args: Args) -> Result<ExitCode> {
    match args.action {
        Action::Compare(args) => compare::run(&args),
        Action::Draw(args) => draw::run(&args),
        Action::Modes(args) => modes::run(config, &args).await,
    }
}

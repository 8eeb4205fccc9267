//! Parses the arguments, the environment and `.env` into a configuration and a command. Errors are one line each.

use std::error::Error as _;

use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser};

use super::Command;
use crate::config::{Config, Options};
use crate::error::{Error, Result};

/// Digital Twin Lab: surveys answered by digital twins
///
/// Every option of the configuration is also an environment variable, in capitals, and can be set in a file .env.
#[derive(Parser)]
#[command(name = "twinlab", version)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    options: Options,
}

/// Returns the command and its configuration. `--help` and `--version` print and end the process.
pub fn parse() -> Result<(Config, Command)> {
    read_dot_env()?;
    let command = without_empty_variables(CommandLine::command())?;
    let line = command.clone().try_get_matches().and_then(|mut found| CommandLine::from_arg_matches_mut(&mut found));
    let line = line.map_err(|error| one_line(&command, error))?;
    Ok((Config::try_from(line.options)?, line.command))
}

fn read_dot_env() -> Result<()> {
    match dotenvy::dotenv() {
        Err(dotenvy::Error::LineParse(..)) => {
            // The line itself may hold a secret, so the message names the line before it.
            let read = dotenvy::dotenv_iter().into_iter().flatten().map_while(std::result::Result::ok);
            let line = read.last().map_or("the first line".to_owned(), |(name, _)| format!("the line after {name}"));
            Err(Error::bad_input(format!(".env: {line} cannot be read; a value with blanks goes in quotes")))
        }
        Err(reason) if !reason.not_found() => Err(Error::bad_input(format!(".env cannot be read: {reason}"))),
        _ => Ok(()),
    }
}

/// Treats an empty variable as unset, for example `OPENAI_API_KEY=` in a `.env` file.
fn without_empty_variables(command: clap::Command) -> Result<clap::Command> {
    for name in command.get_arguments().filter_map(clap::Arg::get_env) {
        if std::env::var_os(name).is_some_and(|value| value.to_str().is_none()) {
            return Err(Error::bad_input(format!("{} is not UTF-8", name.to_string_lossy())));
        }
    }
    Ok(command.mut_args(|argument| match argument.get_env() {
        Some(name) if std::env::var_os(name).is_some_and(|value| value.is_empty()) => argument.env(None::<&str>),
        _ => argument,
    }))
}

/// Reduces clap's error to one line, without hints, and names the variable first if its value is wrong.
fn one_line(command: &clap::Command, error: clap::Error) -> Error {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    if matches!(error.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand) {
        error.exit();
    }
    let flag = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
    let variable = command.get_arguments().find_map(|argument| {
        let long = argument.get_long()?;
        flag.starts_with(&format!("--{long} ")).then(|| argument.get_env()).flatten()
    });
    if let (Some(variable), Some(value)) = (variable, error.get(ContextKind::InvalidValue)) {
        let variable = variable.to_string_lossy();
        let expected = match (error.source(), error.get(ContextKind::ValidValue)) {
            (Some(reason), _) => format!(": {reason}"),
            (None, Some(values)) => format!("; it takes {values}"),
            (None, None) => String::new(),
        };
        return Error::bad_input(format!("{variable} cannot be '{value}'{expected}"));
    }
    let text = error.to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let line = first.split_whitespace().collect::<Vec<_>>().join(" ");
    Error::bad_input(line.strip_prefix("error: ").unwrap_or(&line))
}

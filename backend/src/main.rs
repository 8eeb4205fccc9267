//! `twinlab`, the one program: it reads the command line, starts logging, and runs one command.

use std::process::ExitCode;

use twinlab::cli;

fn main() -> ExitCode {
    let done = cli::parse().and_then(|(config, command)| {
        twinlab::logging::start(&config)?;
        actix::System::new().block_on(command.run(config))
    });
    done.unwrap_or_else(|error| {
        eprintln!("twinlab: {error}");
        ExitCode::from(error.exit_code())
    })
}

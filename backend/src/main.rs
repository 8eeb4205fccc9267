//! `twinlab`, the one program: it reads the command line, starts logging, and runs one command.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use twinlab::commands;

/// Thousands of prompts come and go at once, and the system's allocator takes a fifth of a call's time. Without huge
/// pages (`no_thp`): they would add a quarter to the memory that is resident.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let done = commands::parse().and_then(|(config, command)| {
        twinlab::logging::start(&config)?;
        actix::System::new().block_on(command.run(config))
    });
    done.unwrap_or_else(|error| {
        eprintln!("twinlab: {error}");
        ExitCode::from(error.exit_code())
    })
}

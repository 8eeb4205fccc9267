//! `twinlab`, the one program: it reads the command line, starts logging, and runs one command.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use twinlab::cli;

// The prompts and replies of thousands of calls at once fragment the C library's heap.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

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

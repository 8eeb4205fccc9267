//! `twinlab`, the one program: it reads the command line, starts logging, and runs one command.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use twinlab::cli;

// Each call allocates and frees hundreds of small blocks: with the C library's allocator a run takes a quarter more
// processor time.
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

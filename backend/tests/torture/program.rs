//! The program as a process that may be killed and frozen.

use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// Calls at once over all workers.
const CALLS_AT_ONCE: usize = 16;
/// Interviews that a worker holds: as many again as it may make calls.
const HELD: usize = 2 * CALLS_AT_ONCE;
/// What a worker's end can cost: each of its interviews has at most one call under way and one answer on its way to the
/// database.
pub const SURPLUS: usize = 2 * HELD;

/// A process at work on runs; killed when dropped.
pub struct Program(Child);

impl Program {
    /// `twinlab WORDS`, asking this model server as fast as it may. `place` says where the database is: a variable and
    /// its value.
    pub fn start(words: &[&str], place: (&str, &str), model_server: &str) -> Self {
        let process = command(place)
            .args(words)
            .env("OPENAI_BASE_URL", model_server)
            .env("LLM_RPM", u32::MAX.to_string())
            .env("LLM_TPM", u32::MAX.to_string())
            .env("LLM_MAX_CONCURRENCY", CALLS_AT_ONCE.to_string())
            .stdout(Stdio::piped())
            .spawn();
        Self(process.expect("the program starts"))
    }

    /// `twinlab WORDS` with its log in this file, below a shell that sets the limit of open files.
    pub fn start_limited(words: &[&str], place: (&str, &str), files: usize, log: File) -> Self {
        let program = command(place);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &format!("ulimit -n {files}; exec \"$@\""), "sh"]).arg(program.get_program()).args(words);
        shell
            .env_clear()
            .current_dir(env::temp_dir())
            .envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let process = shell.env("RUST_LOG", "info").stdout(Stdio::piped()).stderr(log).spawn();
        Self(process.expect("the program starts"))
    }

    /// Where `serve` answers, once it does; blocks until then.
    pub fn url(&mut self) -> String {
        let mut line = String::new();
        BufReader::new(self.0.stdout.as_mut().expect("its output is read")).read_line(&mut line).expect("it is UTF-8");
        line.trim().strip_prefix("Digital Twin Lab: ").unwrap_or_else(|| panic!("it said {line:?}")).to_owned()
    }

    /// As `kill -9` does.
    pub fn kill(mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("it ends");
    }

    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Asks it to end, and waits.
    pub fn terminate(mut self) -> ExitStatus {
        self.signal(Signal::TERM);
        self.0.wait().expect("it ends")
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).expect("it runs");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // A test that failed half-way leaves it running; one that went through has ended it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Checks that `twinlab verify` finds every promise kept.
pub fn verify(place: (&str, &str)) {
    run(&["verify"], place);
}

/// Runs a command that succeeds.
pub fn run(words: &[&str], place: (&str, &str)) {
    let output = command(place).args(words).output().expect("the program starts");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stdout));
}

/// With nothing of this process's environment but what finding other programs takes.
fn command((variable, value): (&str, &str)) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_twinlab"));
    command.env_clear().current_dir(env::temp_dir()).env("RUST_LOG", "twinlab=error").env("DRAIN_S", "0");
    command.env(variable, value);
    for name in ["PATH", "HOME", "TMPDIR", "PG_BIN_DIR"] {
        if let Some(value) = env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

//! The program as a process that may be killed and frozen.

use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};

/// Upper limit of simultaneous calls over all workers.
const MAX_CALLS: usize = 16;
/// Interviews that a worker holds: twice the number of its calls.
const HELD: usize = 2 * MAX_CALLS;
/// Upper limit of what a worker's end can cost: each of its interviews has at most one call under way and one answer
/// that is not stored yet.
pub const SURPLUS: usize = 2 * HELD;

/// A process that works on runs, which is killed when dropped.
pub struct Program(Child);

impl Program {
    /// Starts `twinlab WORDS`, which asks this model server at full speed. `place` is a variable with its value that
    /// names the database.
    pub fn start(words: &[&str], place: (&str, &str), model_server: &str) -> Self {
        let process = command(place)
            .args(words)
            .env("OPENAI_BASE_URL", model_server)
            .env("LLM_RPM", u32::MAX.to_string())
            .env("LLM_TPM", u32::MAX.to_string())
            .env("LLM_MAX_CONCURRENCY", MAX_CALLS.to_string())
            .stdout(Stdio::piped())
            .spawn();
        Self(process.expect("the program starts"))
    }

    /// Starts `twinlab WORDS` with its log in this file, by a shell that sets the limit of open files.
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

    /// Waits until `serve` answers, and returns its address.
    pub fn url(&mut self) -> String {
        let mut line = String::new();
        BufReader::new(self.0.stdout.as_mut().expect("its output is read")).read_line(&mut line).expect("it is UTF-8");
        line.trim().strip_prefix("Digital Twin Lab: ").unwrap_or_else(|| panic!("it said {line:?}")).to_owned()
    }

    /// Does what `kill -9` does.
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

    /// Signals it to end, and waits.
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
        // A test that failed half-way leaves it running; one that succeeded has ended it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Checks that `twinlab verify` finds every invariant kept.
pub fn verify(place: (&str, &str)) {
    run(&["verify"], place);
}

/// Runs a command that must succeed.
pub fn run(words: &[&str], place: (&str, &str)) {
    let output = command(place).args(words).output().expect("the program starts");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stdout));
}

/// A command with only those variables of this process's environment that it needs to find other programs.
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

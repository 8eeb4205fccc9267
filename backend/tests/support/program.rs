//! The program as a script sees it: arguments in, an exit code and lines out.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;

/// The program with only those variables of this process's environment that it needs to find other programs, in a
/// folder without a `.env`.
pub fn twinlab() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_twinlab"));
    command.env_clear().current_dir(env::temp_dir());
    for name in ["PATH", "HOME"] {
        if let Some(value) = env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// Exit code and output of a run of the program.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    pub fn of(command: &mut Command) -> Self {
        Self::from(command.output().expect("the program starts"))
    }

    /// Lines of the output that are not progress, which is printed after more than two seconds.
    pub fn complaints(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| !line.contains(" answers, ")).collect()
    }

    /// Checks that the error is one line and returns it.
    pub fn only_line(&self) -> &str {
        let lines: Vec<&str> = self.stderr.lines().collect();
        match lines[..] {
            [line] => line,
            _ => panic!("expected one line of error, got {self:#?}"),
        }
    }
}

impl From<Output> for Outcome {
    fn from(Output { status, stdout, stderr }: Output) -> Self {
        Self {
            code: status.code(),
            stdout: String::from_utf8(stdout).expect("the program writes UTF-8"),
            stderr: String::from_utf8(stderr).expect("the program writes UTF-8"),
        }
    }
}

/// A running `twinlab serve`, which is killed when dropped.
pub struct Serving {
    process: Child,
    pub url: String,
}

impl Serving {
    /// Starts it on a free port and waits until it is ready. It ends at once when it is signalled.
    pub fn start(command: &mut Command) -> Self {
        for (variable, value) in [("RUST_LOG", "warn"), ("DRAIN_S", "0")] {
            if !command.get_envs().any(|(name, _)| name == variable) {
                command.env(variable, value);
            }
        }
        // A separate process group, as a shell gives every program in a terminal.
        let mut process = command
            .args(["serve", "--port", "0"])
            .process_group(0)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().expect("its output is read")).read_line(&mut line).expect("it is UTF-8");
        let said = match serde_json::from_str::<Value>(&line) {
            Ok(json) => json["fields"]["message"].as_str().map(str::to_owned),
            Err(_) => Some(line.trim().to_owned()),
        };
        let url = said.as_ref().and_then(|said| said.strip_prefix("Digital Twin Lab: "));
        let url = url.unwrap_or_else(|| panic!("it said {line:?}")).to_owned();
        Self { process, url }
    }

    /// Does what Ctrl-C in its terminal does: the signal goes to every process of the group.
    pub fn press_ctrl_c(&self) {
        kill_process_group(self.pid(), Signal::INT).expect("it runs");
    }

    pub fn terminate(&self) {
        kill_process(self.pid(), Signal::TERM).expect("it runs");
    }

    /// Does what a closing terminal does.
    pub fn hang_up(&self) {
        kill_process(self.pid(), Signal::HUP).expect("it runs");
    }

    /// Does what `kill -9` does.
    pub fn kill(mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it ends");
    }

    /// Waits until it has ended by itself, and returns the exit code.
    pub fn ended(mut self) -> Option<i32> {
        self.process.wait().expect("it ends").code()
    }

    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// Takes its log, if that is piped. Works once.
    pub fn log(&mut self) -> Log {
        Log::of(&mut self.process)
    }
}

/// The lines of a process's standard error.
pub struct Log(BufReader<ChildStderr>);

impl Log {
    pub fn of(process: &mut Child) -> Self {
        Self(BufReader::new(process.stderr.take().expect("it is piped")))
    }

    /// Reads up to the line with these words, and returns it.
    pub fn until(&mut self, words: &str) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).expect("it is UTF-8"), 0, "it ended before {words:?}");
            if line.contains(words) {
                return line;
            }
        }
    }

    /// Reads the remaining lines of a process that ends.
    pub fn rest(mut self) -> String {
        let mut rest = String::new();
        self.0.read_to_string(&mut rest).expect("it is UTF-8");
        rest
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // A test that failed half-way leaves it running; one that succeeded has ended it.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

//! The program as a stranger's script sees it: words in, an exit code and lines out.

use std::env;
use std::process::{Command, Output};

/// The program with nothing of this process's environment but what finding other programs takes, in a folder without a
/// `.env`.
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

/// What a run of the program came to.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    pub fn of(command: &mut Command) -> Self {
        let Output { status, stdout, stderr } = command.output().expect("the program starts");
        Self {
            code: status.code(),
            stdout: String::from_utf8(stdout).expect("the program writes UTF-8"),
            stderr: String::from_utf8(stderr).expect("the program writes UTF-8"),
        }
    }

    /// The one line of an error, checked to be one.
    pub fn only_line(&self) -> &str {
        let lines: Vec<&str> = self.stderr.lines().collect();
        match lines[..] {
            [line] => line,
            _ => panic!("expected one line of error, got {self:#?}"),
        }
    }
}

//! `twinlab simulate` with a database and a stub, and files in a folder of its own.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use model_server::ModelServer;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use super::engine_fixture::{EngineFixture, MEMBER};
use super::program::{Outcome, twinlab};

/// A folder with a survey file, and the command that runs it on a member's credits.
pub struct Simulate {
    folder: TempDir,
    pub command: Command,
}

impl Simulate {
    /// Prepares the command; `out` is the name of the answers' file.
    pub fn new(fixture: &EngineFixture, stub: &ModelServer, survey: &Value, out: &str) -> Self {
        Self::paid_by(MEMBER, fixture, stub, survey, out)
    }

    pub fn paid_by(email: &str, fixture: &EngineFixture, stub: &ModelServer, survey: &Value, out: &str) -> Self {
        let folder = TempDir::new().expect("a folder");
        std::fs::write(folder.path().join("survey.json"), survey.to_string()).expect("the folder can be written");
        let mut command = twinlab();
        command
            .args(["simulate", "survey.json", "--as", email, "--out", out])
            .current_dir(folder.path())
            .env("DATABASE_URL", fixture.database.url())
            .env("OPENAI_BASE_URL", stub.base_url())
            .env("LLM_MODEL", "stub")
            .env("LLM_RPM", "1000000")
            .env("LLM_TPM", "1000000000")
            .env("LLM_TIMEOUT_S", "1")
            .env("RUST_LOG", "error");
        Self { folder, command }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Names of the files in the folder other than the survey.
    pub fn written(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name != "survey.json").collect();
        names.sort();
        names
    }

    pub fn outcome(&mut self) -> Outcome {
        Outcome::of(&mut self.command)
    }

    /// Starts the command without waiting for its end.
    pub fn spawn(&mut self) -> Simulating {
        let command = self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Simulating { process: Some(command.spawn().expect("the program starts")) }
    }
}

/// The running command, which is killed when dropped.
pub struct Simulating {
    process: Option<Child>,
}

impl Simulating {
    fn process(&self) -> &Child {
        self.process.as_ref().expect("it is taken only at its end")
    }

    pub fn pid(&self) -> u32 {
        self.process().id()
    }

    pub fn interrupt(&self) {
        kill_process(Pid::from_child(self.process()), Signal::INT).expect("it runs");
    }

    /// Does what a closing terminal does.
    pub fn hang_up(&self) {
        kill_process(Pid::from_child(self.process()), Signal::HUP).expect("it runs");
    }

    /// Does what `kill -9` does.
    pub fn kill(mut self) {
        let process = self.process.as_mut().expect("it is taken only at its end");
        process.kill().expect("it runs");
        process.wait().expect("it ends");
    }

    /// Waits until it has ended by itself.
    pub fn ended(mut self) -> Outcome {
        let process = self.process.take().expect("it is taken only at its end");
        Outcome::from(process.wait_with_output().expect("it ends"))
    }
}

impl Drop for Simulating {
    fn drop(&mut self) {
        // A test that failed half-way leaves it running; one that succeeded has ended it.
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

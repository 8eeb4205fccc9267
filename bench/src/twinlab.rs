//! twinlab as a measured process.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use model_server::ModelServer;
use tokio::time::sleep;

use crate::bench::{Failure, Result};
use crate::process;
use crate::workloads::{NO_LIMIT, Workload};

/// Interval at which a process's memory is read.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Program and settings of twinlab, independent of the caller's environment.
pub struct Twinlab<'a> {
    pub program: &'a Path,
    /// Directory in which it runs, logs and stores its data.
    pub directory: &'a Path,
    pub database_url: String,
}

/// Costs of a twinlab from its start to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watched {
    pub cpu: Duration,
    pub peak_bytes: u64,
}

impl Twinlab<'_> {
    /// Prepares a command, with its output in the file `NAME.log` of the directory.
    pub fn command(&self, name: &str) -> Result<Command> {
        let log = File::create(self.log(name))?;
        let mut command = Command::new(self.program);
        command
            .env_clear()
            .envs(["PATH", "HOME"].iter().filter_map(|key| Some((key, std::env::var_os(key)?))))
            .env("DATABASE_URL", &self.database_url)
            .env("DATA_DIR", self.directory.join("data"))
            .current_dir(self.directory)
            .stdin(Stdio::inherit())
            .stdout(log.try_clone()?)
            .stderr(log);
        Ok(command)
    }

    fn log(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.log"))
    }

    /// Runs a command to its end.
    pub fn run(&self, name: &str, arguments: &[&str]) -> Result<()> {
        let status = self.command(name)?.args(arguments).status()?;
        if status.success() { Ok(()) } else { Err(self.failed(name, &status.to_string())) }
    }

    /// Starts a simulation of the survey file `NAME.json`.
    pub fn simulate(&self, name: &str, workload: &Workload, model: &ModelServer) -> Result<Running> {
        let mut command = self.command(name)?;
        ask(&mut command, workload, model)
            .arg("simulate")
            .arg(self.directory.join(format!("{name}.json")))
            .args(["--personas", &workload.personas.to_string(), "--seed=1", "--model=stub", "--out"])
            .arg(self.directory.join(format!("{name}.csv")));
        Ok(Running(command.spawn()?))
    }

    /// Builds a failure that quotes the end of the log.
    pub fn failed(&self, name: &str, how: &str) -> Failure {
        let log = fs::read_to_string(self.log(name)).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        let last = lines[lines.len().saturating_sub(5)..].join("\n  ");
        Failure(format!("{name}: {how}\n  {last}"))
    }
}

/// Makes a twinlab ask this model server, with the workload's settings.
pub fn ask<'a>(command: &'a mut Command, workload: &Workload, model: &ModelServer) -> &'a mut Command {
    command
        .env("OPENAI_BASE_URL", model.base_url())
        .env("LLM_MODELS", "stub")
        .env("OPENAI_API_KEY", "bench")
        .env("LLM_MAX_CONCURRENCY", workload.concurrency.to_string())
        .env("LLM_QUESTIONS_PER_CALL", workload.per_call.to_string());
    if let Some(rpm) = workload.rpm {
        command.env("LLM_RPM", rpm.to_string()).env("LLM_TPM", NO_LIMIT.to_string());
    }
    command
}

/// A running twinlab, which is killed when dropped.
pub struct Running(pub Child);

impl Running {
    /// Watches until the end. Fails if it does not end well.
    pub async fn watch(mut self) -> Result<Watched, String> {
        let pid = self.0.id();
        let mut peak_bytes = 0;
        // Its CPU time can still be read between its end and `wait`, its memory only before.
        let stat = loop {
            peak_bytes = process::peak_resident(pid).unwrap_or(peak_bytes);
            match process::stat(pid) {
                Ok(stat) if stat.ended => break stat,
                Ok(_) => sleep(POLL_INTERVAL).await,
                Err(error) => return Err(error.to_string()),
            }
        };
        match self.0.wait() {
            Ok(status) if status.success() => Ok(Watched { cpu: stat.own_cpu + stat.children_cpu, peak_bytes }),
            Ok(status) => Err(status.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).ok();
    }
}

//! The other processes: the model stub, the bare client, and twinlab under watch.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use model_server::Counters;
use model_server::client::Client;
use tokio::time::sleep;
use twinlab_bench::process::{self, Cost};

use super::workloads::{LATENCY_MS, Workload};
use super::{Failure, Result};

const LOOK_EVERY: Duration = Duration::from_millis(10);
const NO_LIMIT: u32 = 4_000_000_000;

/// A model stub in a process of its own. It ends when dropped.
pub struct ModelStub {
    process: Child,
    pub base_url: String,
    address: SocketAddr,
}

impl ModelStub {
    pub fn start(options: &[&str]) -> Result<Self> {
        let mut process = Command::new(sibling("model-server")?)
            .arg(format!("--latency-ms={LATENCY_MS}"))
            .args(options)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut base_url = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut base_url)?;
        }
        let base_url = base_url.trim().to_owned();
        let address = base_url.trim_start_matches("http://").trim_end_matches("/v1").parse();
        let address = address.map_err(|_| Failure("the model stub did not start".into()))?;
        Ok(Self { process, base_url, address })
    }

    pub async fn counters(&self) -> Result<Counters> {
        let response = Client::connect(self.address).await?.get("/counters", None).await?;
        Ok(serde_json::from_slice(&response.body)?)
    }

    pub fn bare_client(&self, workload: &Workload) -> Result<Cost> {
        let mut command = Command::new(sibling("bare-client")?);
        command
            .arg(self.address.to_string())
            .arg(format!("--personas={}", workload.personas))
            .arg(format!("--questions={}", workload.questions))
            .arg(format!("--per-call={}", workload.per_call))
            .arg(format!("--concurrency={}", workload.concurrency));
        command.args(workload.told_rpm.map(|rpm| format!("--rpm={rpm}")));
        let output = command.stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err(Failure(format!("bare-client: {}", output.status)));
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

impl Drop for ModelStub {
    fn drop(&mut self) {
        self.process.kill().and_then(|()| self.process.wait()).ok();
    }
}

fn sibling(name: &str) -> Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name(name);
    if path.is_file() { Ok(path) } else { Err(Failure(format!("{} is not built", path.display()))) }
}

/// How twinlab is called: nothing of the caller's environment decides.
pub struct Twinlab<'a> {
    pub program: &'a Path,
    /// Where it runs, logs and keeps its data.
    pub directory: &'a Path,
    pub database_url: String,
}

/// What a twinlab has cost from its first instruction to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watched {
    pub cpu: Duration,
    pub peak_bytes: u64,
}

impl Twinlab<'_> {
    /// The command, with its output in the file `NAME.log` of the directory.
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
    pub fn simulate(&self, name: &str, workload: &Workload, stub: &ModelStub) -> Result<Running> {
        let process = self
            .command(name)?
            .env("OPENAI_BASE_URL", &stub.base_url)
            .env("OPENAI_API_KEY", "bench")
            .env("LLM_RPM", workload.told_rpm.unwrap_or(NO_LIMIT).to_string())
            .env("LLM_TPM", NO_LIMIT.to_string())
            .env("LLM_MAX_CONCURRENCY", workload.concurrency.to_string())
            .env("LLM_QUESTIONS_PER_CALL", workload.per_call.to_string())
            .arg("simulate")
            .arg(self.directory.join(format!("{name}.json")))
            .args(["--personas", &workload.personas.to_string(), "--seed=1", "--model=stub", "--out"])
            .arg(self.directory.join(format!("{name}.csv")))
            .spawn()?;
        Ok(Running(process))
    }

    /// A failure that quotes the end of the log.
    pub fn failed(&self, name: &str, how: &str) -> Failure {
        let log = fs::read_to_string(self.log(name)).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        let last = lines[lines.len().saturating_sub(5)..].join("\n  ");
        Failure(format!("{name}: {how}\n  {last}"))
    }
}

/// A twinlab at work. It is killed when dropped.
pub struct Running(Child);

impl Running {
    /// Watches until the end; fails with how it ended unless that was well.
    pub async fn watch(mut self) -> Result<Watched, String> {
        let pid = self.0.id();
        let mut peak_bytes = 0;
        // Its CPU time can still be read between its end and `wait`; its memory only before.
        let stat = loop {
            peak_bytes = process::peak_resident(pid).unwrap_or(peak_bytes);
            match process::stat(pid) {
                Ok(stat) if stat.ended => break stat,
                Ok(_) => sleep(LOOK_EVERY).await,
                Err(error) => return Err(error.to_string()),
            }
        };
        match self.0.wait() {
            Ok(status) if status.success() => Ok(Watched { cpu: stat.own_cpu + stat.children_cpu, peak_bytes }),
            Ok(status) => Err(status.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }

    pub fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).ok();
    }
}

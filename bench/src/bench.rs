//! Runs one workload after the other, each several times, always on a fresh database and a fresh model server.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use model_server::ModelServer;

use crate::cluster::Cluster;
use crate::measured::{Measured, Run};
use crate::process::Cores;
use crate::twinlab::Twinlab;
use crate::workloads::{self, Chosen, Workload};
use crate::{Arguments, bare_client, designs, downloads, fairness, import, inputs, reads, report, watchers};

/// The reason why a measurement could not be taken.
#[derive(Debug)]
pub struct Failure(pub String);

pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
        Self(format!("{error}{cause}"))
    }
}

/// Settings and servers that all runs share.
pub struct Bench {
    twinlab: PathBuf,
    pub directory: PathBuf,
    pub cluster: Cluster,
}

pub async fn run(arguments: &Arguments) -> Result<()> {
    let chosen = Chosen::select(&arguments.workloads).map_err(Failure)?;
    let twinlab = fs::canonicalize(&arguments.twinlab)
        .map_err(|error| Failure(format!("{}: {error}; build it first", arguments.twinlab.display())))?;
    let directory = Directory::open(arguments.keep.as_deref())?;
    let cluster = Cluster::start(arguments.pg_bin_dir.as_deref(), &directory.path).await?;
    let bench = Bench { twinlab, directory: directory.path.clone(), cluster };

    let mut rows = Vec::new();
    let mut by_name: HashMap<&str, Measured> = HashMap::new();
    for workload in workloads::ALL.iter().filter(|workload| chosen.has(workload.name)) {
        bench.prepare(workload.personas.max(2_000)).await?;
        let mut measured = Measured::default();
        for number in 1..=arguments.runs {
            eprintln!("{} {number}/{}", workload.name, arguments.runs);
            match bench.measure(workload).await {
                Ok(run) => measured.runs.push(run),
                // A workload that cannot be measured must not hide the others.
                Err(error) => measured.failures.push(error.to_string()),
            }
        }
        rows.extend(report::rows(workload, &measured, workload.other.and_then(|other| by_name.get(other))));
        by_name.insert(workload.name, measured);
    }
    if chosen.has(workloads::FAIRNESS) {
        bench.prepare(2_000).await?;
        rows.push(fairness::two_runs(&bench, arguments.runs).await);
    }
    if chosen.has(workloads::CROWD) {
        bench.prepare(2_000).await?;
        rows.push(fairness::crowd(&bench).await);
    }
    if chosen.has(workloads::READS) {
        bench.prepare(2_000).await?;
        rows.extend(reads::measure(&bench, arguments.read.as_deref()).await?);
    }
    if chosen.has(workloads::WATCHERS) {
        bench.prepare(2_000).await?;
        rows.extend(watchers::polling(&bench).await?);
    }
    if chosen.has(workloads::STREAMS) {
        bench.prepare(2_000).await?;
        rows.extend(watchers::streaming(&bench).await?);
    }
    if chosen.has(workloads::CHARTS) {
        bench.prepare(2_000).await?;
        rows.extend(watchers::charts(&bench).await?);
    }
    if chosen.has(workloads::DOWNLOADS) {
        bench.prepare(2_000).await?;
        rows.extend(downloads::measure(&bench).await?);
    }
    if chosen.has(workloads::DESIGNS) {
        bench.prepare(designs::PERSONAS).await?;
        rows.extend(designs::measure(&bench).await?);
    }
    if chosen.has(workloads::IMPORT) {
        rows.extend(import::measure(&bench).await);
    }

    let table = report::table(&rows, &bench.cluster.version);
    println!("{table}");
    if arguments.write {
        fs::write("bench/results.md", table)?;
    }
    match rows.iter().filter(|row| row.failed()).count() {
        0 => Ok(()),
        failed => Err(Failure(format!("{failed} measurements could not be taken"))),
    }
}

impl Bench {
    pub fn twinlab(&self, database: &str) -> Twinlab<'_> {
        Twinlab { program: &self.twinlab, directory: &self.directory, database_url: self.cluster.url(database) }
    }

    /// Creates a migrated database with this number of personas once, for all runs to copy.
    async fn prepare(&self, personas: usize) -> Result<()> {
        let database = twins(personas);
        if self.cluster.has(&database).await? {
            return Ok(());
        }
        let file = self.directory.join(format!("{database}.csv"));
        let mut out = BufWriter::new(File::create(&file)?);
        inputs::write_personas(&mut out, personas)?;
        out.flush()?;
        // It gets its final name only once it is complete.
        let importing = "importing";
        self.cluster.create(importing, "template0").await?;
        let twinlab = self.twinlab(importing);
        twinlab.run("migrate", &["migrate"])?;
        twinlab.run("import", &["personas", "import", &file.to_string_lossy()])?;
        self.cluster.rename(importing, &database).await
    }

    pub fn write_survey(&self, workload: &Workload) -> Result<()> {
        let survey = inputs::survey(workload.questions);
        Ok(fs::write(self.directory.join(format!("{}.json", workload.name)), survey.to_string())?)
    }

    async fn measure(&self, workload: &Workload) -> Result<Run> {
        let bare_cpu = match workload.needs_bare_client() {
            true => Some(bare_client::cpu(ModelServer::start(workload.faults()).address(), workload)?.as_secs_f64()),
            false => None,
        };
        let database = "run";
        self.cluster.create(database, &twins(workload.personas.max(2_000))).await?;
        let measured = self.measure_twinlab(workload, database).await;
        self.cluster.drop(database).await?;
        Ok(Run { bare_cpu, ..measured? })
    }

    async fn measure_twinlab(&self, workload: &Workload, database: &str) -> Result<Run> {
        let name = workload.name;
        self.write_survey(workload)?;
        let model = ModelServer::start(workload.faults());
        let twinlab = self.twinlab(database);
        let (before, cores) = (self.cluster.cpu()?, Cores::now()?);
        let watched = twinlab.simulate(name, workload, &model)?.watch().await;
        let watched = watched.map_err(|how| twinlab.failed(name, &how))?;
        let postgres_cpu = self.cluster.cpu()?.saturating_sub(before);
        let taken = Cores::now()?.percent_taken_since(cores);
        let counters = model.counters();
        twinlab.run("verify", &["verify"])?;
        let client = self.cluster.open(database).await?;
        let row = client.query_one(
            "SELECT status, extract(epoch FROM completed_at - created_at)::float8, (SELECT count(*) FROM responses)
             FROM simulations",
            &[],
        );
        let row = row.await?;
        let status: String = row.try_get(0)?;
        if status != "COMPLETED" {
            return Err(Failure(format!("{name}: the run ended {status}")));
        }
        Ok(Run {
            seconds: row.try_get(1)?,
            answers: row.try_get::<_, i64>(2)? as u64,
            twinlab_cpu: watched.cpu.as_secs_f64(),
            postgres_cpu: postgres_cpu.as_secs_f64(),
            peak_bytes: watched.peak_bytes,
            taken,
            counters,
            bare_cpu: None,
        })
    }
}

/// Name of the database with this number of personas.
pub fn twins(personas: usize) -> String {
    format!("twins_{personas}")
}

/// The directory for everything that the bench creates.
struct Directory {
    path: PathBuf,
    kept: bool,
}

impl Directory {
    /// Opens the given directory, which stays for the next time, or a temporary one, which ends with this.
    fn open(keep: Option<&Path>) -> Result<Self> {
        if let Some(path) = keep {
            fs::create_dir_all(path)?;
            return Ok(Self { path: fs::canonicalize(path)?, kept: true });
        }
        let path = std::env::temp_dir().join(format!("twinlab-bench-{}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(Self { path, kept: false })
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if !self.kept {
            fs::remove_dir_all(&self.path).ok();
        }
    }
}

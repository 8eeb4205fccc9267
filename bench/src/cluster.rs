//! A PostgreSQL of the bench's own with the usual settings, so that its CPU time can be separated from twinlab's.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokio::time::sleep;
use tokio_postgres::{Client, NoTls};

use crate::bench::{Failure, Result};
use crate::process::family_cpu;

/// A function of the session that makes the snapshot of a survey: `pg_temp.snapshot`.
const SNAPSHOT: &str = include_str!("snapshot.sql");

pub struct Cluster {
    bin: PathBuf,
    data: PathBuf,
    port: u16,
    server: Child,
    owner: Option<(u32, u32)>,
    admin: Client,
    pub version: String,
}

impl Cluster {
    /// Starts the cluster in `directory`, a new one if there is none. Everybody must be able to enter the directory:
    /// PostgreSQL refuses to run as root, and then runs as `postgres` or `nobody`.
    pub async fn start(bin_dir: Option<&Path>, directory: &Path) -> Result<Self> {
        let bin = find_programs(bin_dir)?;
        let data = directory.join("postgres");
        let owner = if fs::metadata(directory)?.uid() == 0 { Some(unprivileged()?) } else { None };
        if !data.join("PG_VERSION").exists() {
            initialize(&bin, &data, owner)?;
        }
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let log = fs::File::create(directory.join("postgres.log"))?;
        let mut server = program(&bin, "postgres", owner)
            .arg("-D")
            .arg(&data)
            .arg("-p")
            .arg(port.to_string())
            .args(["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()?;
        let admin = match when_ready(&mut server, &url(port, "postgres")).await {
            Ok(admin) => admin,
            Err(error) => {
                server.kill().and_then(|()| server.wait()).ok();
                return Err(error);
            }
        };
        let version = admin.query_one("SHOW server_version", &[]).await?.get(0);
        Ok(Self { bin, data, port, server, owner, admin, version })
    }

    pub fn url(&self, database: &str) -> String {
        url(self.port, database)
    }

    pub async fn has(&self, database: &str) -> Result<bool> {
        let found = self.admin.query_opt("SELECT FROM pg_database WHERE datname = $1", &[&database]).await?;
        Ok(found.is_some())
    }

    /// Creates a copy of `template`, in place of a database of this name, and writes everything out, so that no
    /// checkpoint falls into the measurement.
    pub async fn create(&self, database: &str, template: &str) -> Result<()> {
        self.drop(database).await?;
        self.admin.batch_execute(&format!("CREATE DATABASE \"{database}\" TEMPLATE \"{template}\"")).await?;
        Ok(self.admin.batch_execute("CHECKPOINT").await?)
    }

    pub async fn drop(&self, database: &str) -> Result<()> {
        Ok(self.admin.batch_execute(&format!("DROP DATABASE IF EXISTS \"{database}\" WITH (FORCE)")).await?)
    }

    /// Renames a database that nobody is connected to.
    pub async fn rename(&self, from: &str, to: &str) -> Result<()> {
        Ok(self.admin.batch_execute(&format!("ALTER DATABASE \"{from}\" RENAME TO \"{to}\"")).await?)
    }

    /// Runs the statements in a database; they may call the function `pg_temp.snapshot`.
    pub async fn fill(&self, database: &str, statements: &str) -> Result<()> {
        let database = self.open(database).await?;
        database.batch_execute(SNAPSHOT).await?;
        for statement in statements.split_inclusive(";\n") {
            database.batch_execute(statement).await?;
        }
        Ok(())
    }

    pub async fn open(&self, database: &str) -> Result<Client> {
        connect(&self.url(database)).await
    }

    /// CPU time of the server and all its processes since its start.
    pub fn cpu(&self) -> Result<Duration> {
        Ok(family_cpu(self.server.id())?)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let stop = program(&self.bin, "pg_ctl", self.owner)
            .args(["stop", "--mode=fast", "--silent", "-D"])
            .arg(&self.data)
            .status();
        if !stop.is_ok_and(|status| status.success()) {
            self.server.kill().ok();
        }
        self.server.wait().ok();
    }
}

fn initialize(bin: &Path, data: &Path, owner: Option<(u32, u32)>) -> Result<()> {
    // Leftovers of an interrupted bench.
    fs::remove_dir_all(data).ok();
    fs::create_dir(data)?;
    if let Some((user, group)) = owner {
        chown(data, Some(user), Some(group))?;
    }
    let initdb = program(bin, "initdb", owner)
        .args(["--username=bench", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"])
        .arg(data)
        .stdout(Stdio::null())
        .output()?;
    if initdb.status.success() {
        return Ok(());
    }
    Err(Failure(format!("initdb: {}", String::from_utf8_lossy(&initdb.stderr).trim())))
}

fn url(port: u16, database: &str) -> String {
    format!("postgres://bench@127.0.0.1:{port}/{database}")
}

async fn when_ready(server: &mut Child, url: &str) -> Result<Client> {
    for _ in 0..600 {
        if let Some(status) = server.try_wait()? {
            return Err(Failure(format!("PostgreSQL ended at once: {status}")));
        }
        match connect(url).await {
            Ok(client) => return Ok(client),
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
    Err(Failure("PostgreSQL does not answer within 30 s".into()))
}

async fn connect(url: &str) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    // Its end shows in the client.
    tokio::spawn(async move { connection.await.ok() });
    Ok(client)
}

fn program(bin: &Path, name: &str, owner: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(bin.join(name));
    // The other user may not be able to enter the caller's directory.
    command.current_dir("/").stdin(Stdio::null());
    if let Some((user, group)) = owner {
        command.uid(user).gid(group);
    }
    command
}

fn find_programs(given: Option<&Path>) -> Result<PathBuf> {
    let has_programs = |dir: &PathBuf| ["initdb", "postgres", "pg_ctl"].iter().all(|name| dir.join(name).is_file());
    if let Some(dir) = given {
        let dir = dir.to_path_buf();
        return has_programs(&dir).then_some(dir).ok_or_else(|| Failure("no PostgreSQL in PG_BIN_DIR".into()));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<_> = std::env::split_paths(&path).collect();
    let mut installed: Vec<_> = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().collect();
    let major = |entry: &fs::DirEntry| entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
    installed.sort_by_key(|entry| std::cmp::Reverse(major(entry)));
    let installed = installed.into_iter().map(|entry| entry.path().join("bin"));
    let found = on_path.into_iter().chain(installed).find(has_programs);
    found.ok_or_else(|| Failure("no PostgreSQL found: set PG_BIN_DIR to the directory of initdb".into()))
}

/// User and group to run as instead of root.
fn unprivileged() -> Result<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd")?;
    let find = |name: &str| {
        let line = users.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        let mut fields = line.split(':').skip(1).map(str::parse);
        Some((fields.next()?.ok()?, fields.next()?.ok()?))
    };
    find("postgres").or_else(|| find("nobody")).ok_or_else(|| Failure("no user `postgres` or `nobody`".into()))
}

//! A PostgreSQL of the test's own, as durable as a real one, that may be broken.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;

use clap::Parser;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use tempfile::TempDir;
use twinlab::config::{Config, Options};
use twinlab::postgres::Postgres;

use super::first_start::copy_first_start;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    options: Options,
}

pub struct Cluster {
    config: Config,
    /// `None` while a twinlab process has it.
    server: Option<Postgres>,
    url: String,
    /// Dropped last, because the server's data are in it.
    _folder: TempDir,
}

impl Cluster {
    /// Starts it with one user, Ada, in its database.
    pub fn start() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        // The server's user must be able to enter it.
        fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).expect("it is ours");
        let data_dir = folder.path().join("data");
        copy_first_start(&data_dir);
        let data_dir = data_dir.to_str().expect("a path of text");
        let options = Line::parse_from(["test", "--data-dir", data_dir]).options;
        let config = Config::try_from(options).expect("a configuration");
        let server = Postgres::start(&config).expect("a PostgreSQL");
        Self { config, url: server.url().to_owned(), server: Some(server), _folder: folder }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// `DATA_DIR` for a process that runs this server itself.
    pub fn data_dir(&self) -> &Path {
        &self.config.data_dir
    }

    /// Stops the server and leaves the data to a process.
    pub fn hand_over(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop().expect("it stops");
        }
    }

    /// Does what `pg_ctl restart -m immediate` does: no checkpoint, no clean end, recovery at the start.
    pub fn restart_immediately(&mut self) {
        self.end_with(Signal::QUIT);
        drop(self.server.take());
        let server = Postgres::start(&self.config).expect("it recovers");
        assert_eq!(server.url(), self.url, "the workers find it where it was");
        self.server = Some(server);
    }

    /// Kills the server with `kill -9`, even if another process started it.
    pub fn kill(&self) {
        self.end_with(Signal::KILL);
    }

    fn end_with(&self, signal: Signal) {
        let postmaster = self.postmaster().expect("it runs");
        kill_process(postmaster, signal).expect("it runs");
        while test_kill_process(postmaster).is_ok() {
            thread::yield_now();
        }
    }

    pub fn lock_file(&self) -> PathBuf {
        self.data_dir().join("postgres/data/postmaster.pid")
    }

    pub fn postmaster(&self) -> Option<Pid> {
        let text = fs::read_to_string(self.lock_file()).ok()?;
        Pid::from_raw(text.lines().next()?.parse().ok()?)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.server.take());
        if let Some(postmaster) = self.postmaster() {
            // A killed process left it.
            let _ = kill_process(postmaster, Signal::QUIT);
        }
        if let Ok(home) = self.data_dir().join("postgres").canonicalize() {
            // The home is elsewhere if the server's user cannot enter that folder.
            let _ = fs::remove_dir_all(home);
        }
    }
}

//! A private PostgreSQL's directory for one test, with access to its server.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use rustix::process::{Pid, Signal, geteuid, kill_process, test_kill_process};
use tempfile::TempDir;
use twinlab::postgres::{Postgres, Unopened};

use super::first_start::{EMAIL, copy_first_start};
use super::{Outcome, config, twinlab};

/// A `DATA_DIR` for one test. Everything in it ends with it, also if a test fails.
pub struct DataDir {
    pub folder: TempDir,
    pub path: PathBuf,
}

impl DataDir {
    /// Creates it in a folder that everybody may enter.
    pub fn new() -> Self {
        Self::at("data")
    }

    pub fn at(path: impl AsRef<Path>) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).expect("it is ours");
        let path = folder.path().join(path);
        Self { folder, path }
    }

    /// Creates it as after a first start, with ada@example.org in its database.
    pub fn with_ada() -> Self {
        Self::with_ada_at("data")
    }

    pub fn with_ada_at(path: impl AsRef<Path>) -> Self {
        let data = Self::at(path);
        copy_first_start(&data.path);
        data
    }

    pub fn twinlab(&self) -> Command {
        let mut command = twinlab();
        command.env("DATA_DIR", &self.path);
        command
    }

    /// Connects to its server in this process, as commands do.
    pub fn visit(&self) -> Result<Postgres, Unopened> {
        Postgres::connect_or_start(&config(&["--data-dir", self.path.to_str().expect("a path of text")]))
    }

    /// Creates Ada, which starts the server and stops it again.
    pub fn create_ada(&self) -> Outcome {
        Outcome::of(self.twinlab().args(["user", "create", EMAIL, "--role", "user"]))
    }

    /// Checks that a start still finds the created user.
    pub fn assert_holds_ada(&self) {
        let outcome = self.create_ada();
        let taken = format!("twinlab: {EMAIL} is taken: there is a user with this e-mail");
        assert_eq!(outcome.stderr.lines().last(), Some(taken.as_str()), "{outcome:#?}");
        self.assert_nothing_runs();
    }

    pub fn home(&self) -> PathBuf {
        self.path.join("postgres")
    }

    pub fn lock_file(&self) -> PathBuf {
        self.home().join("data/postmaster.pid")
    }

    pub fn server(&self) -> Option<Pid> {
        let text = fs::read_to_string(self.lock_file()).ok()?;
        Pid::from_raw(text.lines().next()?.parse().ok()?)
    }

    pub fn assert_nothing_runs(&self) {
        assert!(!self.lock_file().exists(), "a server was left running");
    }
}

impl Drop for DataDir {
    fn drop(&mut self) {
        if let Some(server) = self.server() {
            // It has usually ended already.
            let _ = kill_process(server, Signal::QUIT);
            wait_for_end(server);
        }
        if let Ok(home) = self.home().canonicalize() {
            // The home is elsewhere if the server's user cannot enter that folder.
            let _ = fs::remove_dir_all(home);
        }
    }
}

pub fn wait_for_end(process: Pid) {
    while test_kill_process(process).is_ok() {
        thread::yield_now();
    }
}

pub fn is_root() -> bool {
    geteuid().is_root()
}

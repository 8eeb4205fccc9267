//! A `DATA_DIR` as after a first start. The program makes it once, and it is copied for each test that is not about
//! first starts, because initdb and the migrations take seconds.

use std::env;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

use super::fingerprint;

/// E-mail of the user in its database.
pub const EMAIL: &str = "ada@example.org";

/// Creates `data_dir`, with a database that has [`EMAIL`] as its only user, and no running server.
pub fn copy_first_start(data_dir: &Path) {
    static ORIGINAL: OnceLock<PathBuf> = OnceLock::new();
    let original = ORIGINAL.get_or_init(original);
    if let Some(parent) = data_dir.parent() {
        fs::create_dir_all(parent).expect("the folder can be written");
    }
    // Keeps the owners, since the server's user is not root.
    run(Command::new("cp").args(["-a", "--"]).args([original, data_dir]));
}

/// The original, which the first process makes if there is none of this version.
fn original() -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/postgres");
    let place = env::temp_dir().join(format!("first-start-{}", fingerprint::of([sources])));
    let lock = File::create(place.with_extension("lock")).expect("temporary files can be made");
    lock.lock().expect("nobody holds it for long");
    if !place.exists() {
        // Renamed when complete: a test run that is killed must not leave half of one.
        let draft = TempDir::new().expect("a temporary folder");
        fs::set_permissions(draft.path(), PermissionsExt::from_mode(0o755)).expect("it is ours");
        let made = draft.path().join("data");
        let mut program = Command::new(env!("CARGO_BIN_EXE_twinlab"));
        program.args(["user", "create", EMAIL, "--role", "user"]).current_dir(draft.path()).stdout(Stdio::null());
        program.env_clear().env("RUST_LOG", "error").env("DATA_DIR", &made);
        let others = ["PATH", "HOME", "PG_BIN_DIR"].into_iter().filter_map(|name| Some((name, env::var_os(name)?)));
        run(program.envs(others));
        assert!(!made.join("postgres").is_symlink(), "PostgreSQL's user cannot enter {}", made.display());
        fs::rename(made, &place).expect("it is a place beside it");
    }
    place
}

fn run(command: &mut Command) {
    let status = command.status().expect("the program starts");
    assert!(status.success(), "{command:?}: {status}");
}

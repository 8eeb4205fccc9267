//! The program as a process: its open files, the permissions of its files, and readers that go away.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::{DataDir, Database, Outcome, Serving, is_root, twinlab};

/// The command, run by a shell that sets the limit on open files first.
fn limited(command: &Command, limit: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &format!("ulimit {limit}; exec \"$@\""), "sh"]).arg(command.get_program());
    shell.args(command.get_args()).env_clear();
    for (name, value) in command.get_envs() {
        shell.envs(value.map(|value| (name, value)));
    }
    shell
}

#[test]
fn a_low_limit_of_open_files_is_raised() {
    let database = Database::new();
    let serving = Serving::start(&mut limited(twinlab().env("DATABASE_URL", database.url()), "-Sn 200"));
    let limits = fs::read_to_string(format!("/proc/{}/limits", serving.pid().as_raw_nonzero())).expect("it runs");
    let line = limits.lines().find(|line| line.starts_with("Max open files")).expect("the limit");
    let values: Vec<&str> = line.split_whitespace().skip(3).take(2).collect();
    assert_eq!(values[0], values[1], "{line}");
    serving.terminate();
    assert_eq!(serving.ended(), Some(0));
}

#[test]
fn a_limit_of_open_files_that_stays_low_is_named() {
    let database = Database::new();
    let mut command = twinlab();
    command.args(["verify"]).env("DATABASE_URL", database.url());
    let outcome = Outcome::of(&mut limited(&command, "-n 100"));
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    assert!(outcome.stderr.contains("may open only 100 files"), "{outcome:#?}");
}

#[test]
fn a_limit_of_open_files_with_which_nothing_would_work_stops_the_start() {
    let database = Database::new();
    let mut command = twinlab();
    command.args(["serve", "--port", "0"]).env("DATABASE_URL", database.url());
    let outcome = Outcome::of(&mut limited(&command, "-n 64"));
    assert_eq!(
        outcome.only_line(),
        "twinlab: this process may open only 64 files, and needs 256 or more: raise the hard limit (ulimit -Hn)"
    );
    assert_eq!(outcome.code, Some(1));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut printing =
        twinlab().arg("openapi").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut first = [0];
    printing.stdout.take().expect("its output").read_exact(&mut first).expect("it prints");
    let outcome = Outcome::from(printing.wait_with_output().expect("it ends"));
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[tokio::test]
async fn its_files_are_its_owners_alone() {
    let data = DataDir::new();
    let database = Database::new();
    let serving =
        Serving::start(data.twinlab().env("DATABASE_URL", database.url()).env("SUPER_ADMIN_EMAIL", "root@example.org"));
    let request = reqwest::Client::new().post(format!("{}/api/auth/request-login", serving.url));
    let request =
        request.header("content-type", "application/json").body(json!({"email": "root@example.org"}).to_string());
    assert!(request.send().await.expect("it answers").status().is_success());
    let mails = data.path.join("mail");
    let mail = loop {
        let entries = fs::read_dir(&mails).into_iter().flatten().flatten().map(|entry| entry.path());
        if let Some(mail) = entries.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "eml")) {
            break mail;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    };
    assert_eq!((mode(&mail), mode(&mails)), (0o600, 0o700));
    assert_eq!(mode(&data.path), if is_root() { 0o711 } else { 0o700 });
    serving.kill();
}

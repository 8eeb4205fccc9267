//! The lock files of PostgreSQL, `postmaster.pid` and the socket's: who holds them, and whether it is still that process.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use rustix::process::{Pid, test_kill_process};

/// What a running server says of itself. A server that has just begun has not written it all.
#[derive(Debug, PartialEq, Eq)]
pub struct LockFile {
    pub pid: i32,
    pub port: Option<u16>,
    /// Empty where it has no socket.
    pub socket_dir: String,
    pub ready: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub enum State {
    /// Nobody holds it; a file of a dead process is PostgreSQL's own to judge, as it knows the shared memory too.
    Free,
    /// Its process is a server of this data.
    Running(LockFile),
    /// Its process is alive, but another program: the number was given again.
    Stale,
    /// Empty or not a lock file: cut short by a crash.
    Unreadable,
}

/// Looks at the lock file of the server whose data is in `data`, a canonical path.
pub fn state(lock_file: &Path, data: &Path) -> State {
    let text = match fs::read(lock_file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(reason) if reason.kind() == ErrorKind::NotFound => return State::Free,
        Err(_) => return State::Unreadable,
    };
    match parse(&text) {
        None => State::Unreadable,
        Some(found) if is_server_of(found.pid, data) => State::Running(found),
        Some(found) if is_alive(found.pid) => State::Stale,
        Some(_) => State::Free,
    }
}

/// Line by line: process, data directory, start time, port, socket directory, address, shared memory, status.
fn parse(text: &str) -> Option<LockFile> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let line = |index: usize| lines.get(index).copied().unwrap_or_default();
    // A standalone backend writes its number negated.
    let pid = line(0).parse::<i32>().ok().and_then(i32::checked_abs).filter(|pid| *pid > 1)?;
    Some(LockFile { pid, port: line(3).parse().ok(), socket_dir: line(4).to_owned(), ready: line(7) == "ready" })
}

fn is_alive(pid: i32) -> bool {
    // Not permitted to signal it: alive all the same.
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// A server works in its data directory, from its start to its end.
fn is_server_of(pid: i32, data: &Path) -> bool {
    let process = Path::new("/proc").join(pid.to_string());
    if Path::new("/proc/self").exists() {
        let name = fs::read_to_string(process.join("comm")).unwrap_or_default();
        return name.trim().starts_with("postgres") && fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == data);
    }
    let listed = Command::new("lsof").args(["-a", "-d", "cwd", "-F", "cn", "-p", &pid.to_string()]).output();
    listed.is_ok_and(|output| {
        let text = String::from_utf8_lossy(&output.stdout);
        let works_there = text.lines().any(|line| line.strip_prefix('n').is_some_and(|cwd| Path::new(cwd) == data));
        works_there && text.lines().any(|line| line.starts_with("cpostgres"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_tells_the_process_and_the_way_to_it() {
        let text = "4711\n/data\n1700000000\n5432\n/run/twinlab\n\n  5432001   131072\nready   \n";
        let expected = LockFile { pid: 4711, port: Some(5432), socket_dir: "/run/twinlab".to_owned(), ready: true };
        assert_eq!(parse(text), Some(expected));
    }

    #[test]
    fn a_server_that_has_just_begun_is_not_ready() {
        let expected = LockFile { pid: 4711, port: None, socket_dir: String::new(), ready: false };
        assert_eq!(parse("4711\n/data\n"), Some(expected));
    }

    #[test]
    fn what_a_crash_cut_short_is_not_a_lock_file() {
        for text in ["", "\n", "\0\0\0\0", "postgres", "0\n", "1\n", "99999999999\n", "-2147483648\n"] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_live_process_that_is_no_server_of_the_data_is_told_from_a_dead_one() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let lock_file = folder.path().join("postmaster.pid");
        assert_eq!(state(&lock_file, folder.path()), State::Free);
        fs::write(&lock_file, std::process::id().to_string()).expect("the folder can be written");
        assert_eq!(state(&lock_file, folder.path()), State::Stale);
        // No kernel gives out so high a number.
        fs::write(&lock_file, i32::MAX.to_string()).expect("the folder can be written");
        assert_eq!(state(&lock_file, folder.path()), State::Free);
        fs::write(&lock_file, "").expect("the folder can be written");
        assert_eq!(state(&lock_file, folder.path()), State::Unreadable);
    }
}

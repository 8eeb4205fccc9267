//! PostgreSQL's lock files, and the processes that they name.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

/// Content of a running server's lock file. A server that is starting has not written all of it yet.
#[derive(Debug, PartialEq, Eq)]
pub struct LockFile {
    pub pid: i32,
    pub port: Option<u16>,
    /// Empty if the server has no socket.
    pub socket_dir: String,
    pub ready: bool,
}

/// State of a lock file.
#[derive(Debug, PartialEq, Eq)]
pub enum State {
    /// The file is missing or names a dead process. PostgreSQL handles the latter itself: it also checks the shared
    /// memory.
    Free,
    /// The file names a process that is a server of this data.
    Running(LockFile),
    /// The file names another program that got the same process number.
    Stale,
    /// Its text is empty or not that of a lock file, for example after a crash.
    Damaged,
}

/// Returns the state of a lock file (`postmaster.pid` or the socket's) of the server with its data in `data`, a
/// canonical path. An error means that the state is unknown, for example because this process has no file descriptors
/// left; the server may be alive.
pub fn lock_state(lock_file: &Path, data: &Path) -> io::Result<State> {
    let text = match fs::read(lock_file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(reason) if reason.kind() == ErrorKind::NotFound => return Ok(State::Free),
        Err(reason) => return Err(naming(lock_file, &reason)),
    };
    Ok(match parse_lock_file(&text) {
        None => State::Damaged,
        Some(found) if is_server_of(found.pid, data)? => State::Running(found),
        Some(found) if is_alive(found.pid) => State::Stale,
        Some(_) => State::Free,
    })
}

/// The error with the path in its message.
fn naming(path: &Path, reason: &io::Error) -> io::Error {
    io::Error::new(reason.kind(), format!("cannot read {}: {reason}", path.display()))
}

/// Parses the lines: process, data directory, start time, port, socket directory, address, shared memory, status.
fn parse_lock_file(text: &str) -> Option<LockFile> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let line = |index: usize| lines.get(index).copied().unwrap_or_default();
    // A standalone backend writes its number negated.
    let pid = line(0).parse::<i32>().ok().and_then(i32::checked_abs).filter(|pid| *pid > 1)?;
    Some(LockFile { pid, port: line(3).parse().ok(), socket_dir: line(4).to_owned(), ready: line(7) == "ready" })
}

pub fn is_alive(pid: i32) -> bool {
    // A process that we may not signal is alive too.
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

/// Lists every process of a server of this data, including those that a dead server left. Linux only; empty elsewhere.
/// An error means that they cannot be listed.
pub fn servers_in(data: &Path) -> io::Result<Vec<i32>> {
    let mut servers = Vec::new();
    if !has_proc() {
        return Ok(servers);
    }
    let processes = Path::new("/proc");
    for process in fs::read_dir(processes).map_err(|reason| naming(processes, &reason))? {
        let name = process.map_err(|reason| naming(processes, &reason))?.file_name();
        if let Some(id) = name.to_str().and_then(|name| name.parse().ok())
            && is_server_of(id, data)?
        {
            servers.push(id);
        }
    }
    Ok(servers)
}

fn has_proc() -> bool {
    Path::new("/proc/self").exists()
}

/// Whether the process is a server of this data, that is, its current directory is the data directory.
fn is_server_of(pid: i32, data: &Path) -> io::Result<bool> {
    if has_proc() {
        let process = Path::new("/proc").join(pid.to_string());
        return match works_in(&process, data) {
            Ok(works_there) => Ok(works_there),
            // The process has ended, perhaps just now. ESRCH has no kind of its own.
            Err(reason) if reason.kind() == ErrorKind::NotFound => Ok(false),
            Err(reason) if Errno::from_io_error(&reason) == Some(Errno::SRCH) => Ok(false),
            // A server runs as the owner of its data.
            Err(_) if owner(&process).is_some_and(|user| owner(data).is_some_and(|other| user != other)) => Ok(false),
            Err(reason) => Err(naming(&process, &reason)),
        };
    }
    let listed = Command::new("lsof").args(["-a", "-d", "cwd", "-F", "cn", "-p", &pid.to_string()]).output()?;
    let text = String::from_utf8_lossy(&listed.stdout);
    let works_there = text.lines().any(|line| line.strip_prefix('n').is_some_and(|cwd| Path::new(cwd) == data));
    Ok(works_there && text.lines().any(|line| line.starts_with("cpostgres")))
}

/// Whether the process with this directory in `/proc` is a postgres whose current directory is `data`.
fn works_in(process: &Path, data: &Path) -> io::Result<bool> {
    let name = fs::read_to_string(process.join("comm"))?;
    Ok(name.trim().starts_with("postgres") && fs::read_link(process.join("cwd"))? == data)
}

fn owner(path: &Path) -> Option<u32> {
    fs::metadata(path).ok().map(|found| found.uid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_tells_the_process_and_the_way_to_it() {
        let text = "4711\n/data\n1700000000\n5432\n/run/twinlab\n\n  5432001   131072\nready   \n";
        let expected = LockFile { pid: 4711, port: Some(5432), socket_dir: "/run/twinlab".to_owned(), ready: true };
        assert_eq!(parse_lock_file(text), Some(expected));
    }

    #[test]
    fn a_server_that_has_just_begun_is_not_ready() {
        let expected = LockFile { pid: 4711, port: None, socket_dir: String::new(), ready: false };
        assert_eq!(parse_lock_file("4711\n/data\n"), Some(expected));
    }

    #[test]
    fn what_a_crash_cut_short_is_not_a_lock_file() {
        for text in ["", "\n", "\0\0\0\0", "postgres", "0\n", "1\n", "99999999999\n", "-2147483648\n"] {
            assert_eq!(parse_lock_file(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_live_process_that_is_no_server_of_the_data_is_told_from_a_dead_one() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let lock_file = folder.path().join("postmaster.pid");
        let state = || lock_state(&lock_file, folder.path()).expect("it can be read");
        assert_eq!(state(), State::Free);
        fs::write(&lock_file, std::process::id().to_string()).expect("the folder can be written");
        assert_eq!(state(), State::Stale);
        // No kernel assigns so high a number.
        fs::write(&lock_file, i32::MAX.to_string()).expect("the folder can be written");
        assert_eq!(state(), State::Free);
        fs::write(&lock_file, "").expect("the folder can be written");
        assert_eq!(state(), State::Damaged);
    }

    #[test]
    fn a_lock_file_that_cannot_be_read_says_nothing_of_its_server() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // Reading a directory fails for root too.
        let lock_file = folder.path().join("postmaster.pid");
        fs::create_dir(&lock_file).expect("the folder can be written");
        let unknown = lock_state(&lock_file, folder.path()).expect_err("it cannot be read");
        assert!(unknown.to_string().contains("postmaster.pid"), "{unknown}");
    }
}

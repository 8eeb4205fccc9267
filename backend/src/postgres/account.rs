//! Who runs the server: PostgreSQL refuses root.

use std::os::unix::fs::{MetadataExt, lchown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, io};

use crate::error::{Error, Result};

/// Looked for in this order when twinlab is root.
const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];

pub enum Account {
    /// Whoever runs twinlab.
    Own,
    /// Twinlab is root and steps down to this user for every program of PostgreSQL.
    Other { name: String, uid: u32, gid: u32 },
}

impl Account {
    /// The owner of the server's home where there is one already; else ourselves, or an unprivileged user for root.
    pub fn choose(home: &Path) -> Result<Self> {
        let own = rustix::process::geteuid().as_raw();
        let owner = fs::metadata(home).ok().map(|home| (home.uid(), home.gid()));
        match owner {
            Some((uid, _)) if own != 0 && uid != own => Err(Error::internal(format!(
                "{} belongs to another user (id {uid}): run twinlab as that user or as root",
                home.display()
            ))),
            _ if own != 0 => Ok(Self::Own),
            // Root's own: made by a start that was cut short before it gave the directory away.
            None | Some((0, _)) => UNPRIVILEGED.iter().find_map(|name| Self::named(name)).ok_or_else(|| {
                Error::internal("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
            }),
            Some((uid, gid)) => Ok(Self::Other { name: format!("with id {uid}"), uid, gid }),
        }
    }

    fn named(name: &str) -> Option<Self> {
        let id = |which: &str| {
            let output = Command::new("id").args([which, name]).stderr(Stdio::null()).output().ok()?;
            String::from_utf8(output.stdout).ok()?.trim().parse().ok()
        };
        Some(Self::Other { name: name.to_owned(), uid: id("-u")?, gid: id("-g")? })
    }

    /// For messages: `you` or the user's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Own => "you",
            Self::Other { name, .. } => name,
        }
    }

    /// A program that runs as this user, undisturbed by Ctrl-C in twinlab's terminal and by settings meant for
    /// other servers.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        // Its own process group; `/`, because the user may not be allowed where twinlab was started.
        command.process_group(0).current_dir("/").stdin(Stdio::null()).env("LC_ALL", "C");
        for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
            command.env_remove(name);
        }
        if let Self::Other { uid, gid, .. } = self {
            command.uid(*uid).gid(*gid);
        }
        command
    }

    /// Gives the file or directory to this user. A link is given itself, never what it points to: the user may write
    /// where root is about to.
    pub fn give(&self, path: &Path) -> io::Result<()> {
        match self {
            Self::Own => Ok(()),
            Self::Other { uid, gid, .. } => lchown(path, Some(*uid), Some(*gid)),
        }
    }

    pub fn owns(&self, path: &Path) -> bool {
        let uid = match self {
            Self::Own => rustix::process::geteuid().as_raw(),
            Self::Other { uid, .. } => *uid,
        };
        fs::symlink_metadata(path).is_ok_and(|found| found.uid() == uid)
    }

    /// Whether this user can enter the directory: every directory above it has a say, so it is tried.
    pub fn reaches(&self, directory: &Path) -> bool {
        let mut shell = self.command(Path::new("/bin/sh"));
        shell.args(["-c", "cd -- \"$1\"", "sh"]).arg(directory).stdout(Stdio::null()).stderr(Stdio::null());
        shell.status().is_ok_and(|status| status.success())
    }
}

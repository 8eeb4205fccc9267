//! What a process has cost, as Linux counts it.

use std::fs;
use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a workload has cost one process.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    pub seconds: f64,
    pub cpu_seconds: f64,
    pub peak_bytes: u64,
    pub answers: u64,
}

/// Linux counts CPU time in hundredths of a second, on every architecture it runs on today.
const TICK: Duration = Duration::from_millis(10);

/// The fields of `/proc/PID/stat` that matter here.
#[derive(Clone, Copy, Debug)]
pub struct Stat {
    pub parent: u32,
    /// Ended, but its parent has not asked yet how.
    pub ended: bool,
    /// User and system time of its own threads.
    pub own_cpu: Duration,
    /// The same of its children that have ended and been waited for.
    pub children_cpu: Duration,
}

pub fn stat(pid: u32) -> io::Result<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name, in parentheses, may hold anything; what follows the last one is numbers.
    let fields: Vec<_> = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field).and_then(|field| field.parse::<u32>().ok()).unwrap_or(0);
    Ok(Stat {
        parent: number(1),
        ended: fields.first() == Some(&"Z"),
        own_cpu: TICK * (number(11) + number(12)),
        children_cpu: TICK * (number(13) + number(14)),
    })
}

/// CPU time of a process and everything that it has started, ended or not.
pub fn family_cpu(pid: u32) -> io::Result<Duration> {
    let stat = stat(pid)?;
    let alive: Duration = children(pid)?.into_iter().filter_map(|child| family_cpu(child).ok()).sum();
    Ok(stat.own_cpu + stat.children_cpu + alive)
}

fn children(pid: u32) -> io::Result<Vec<u32>> {
    let processes = fs::read_dir("/proc")?;
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    Ok(pids.filter(|&child| stat(child).is_ok_and(|stat| stat.parent == pid)).collect())
}

/// The most memory that the process has had resident, in bytes; `None` once it has ended.
pub fn peak_resident(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_can_see_what_it_costs_itself() {
        let pid = std::process::id();
        assert!(peak_resident(pid).is_some_and(|bytes| bytes > 100_000));
        assert!(stat(pid).is_ok_and(|stat| !stat.ended && stat.parent > 0));
        assert!(family_cpu(pid).is_ok());
    }
}

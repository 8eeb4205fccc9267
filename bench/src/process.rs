//! Costs of a process, and the share of the machine that its host took, as Linux counts them.

use std::fmt::Display;
use std::fs;
use std::io;
use std::time::Duration;

/// Linux counts CPU time in hundredths of a second, on every architecture it runs on today.
const TICK: Duration = Duration::from_millis(10);

/// The needed fields of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug)]
pub struct Stat {
    pub parent: u32,
    /// Whether it has ended but was not waited for yet.
    pub ended: bool,
    /// User and system time of its own threads.
    pub own_cpu: Duration,
    /// User and system time of its children that have ended and were waited for.
    pub children_cpu: Duration,
}

/// Reads the fields of the process with this id, or of `thread-self`.
pub fn stat(pid: impl Display) -> io::Result<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name, in parentheses, may hold anything; numbers follow the last parenthesis.
    let fields: Vec<_> = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_ascii_whitespace().collect();
    let number = |field: usize| fields.get(field).and_then(|field| field.parse::<u32>().ok()).unwrap_or(0);
    Ok(Stat {
        parent: number(1),
        ended: fields.first() == Some(&"Z"),
        own_cpu: TICK * (number(11) + number(12)),
        children_cpu: TICK * (number(13) + number(14)),
    })
}

/// CPU time of a process and all its descendants, ended or not.
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

/// Peak resident memory of the process in bytes; `None` once it has ended.
pub fn peak_resident(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// CPU time of all cores together until now.
#[derive(Clone, Copy, Debug)]
pub struct Cores {
    all: u64,
    /// Time in which a virtual machine had work for a core but its host ran something else on it.
    taken: u64,
}

impl Cores {
    pub fn now() -> io::Result<Self> {
        let text = fs::read_to_string("/proc/stat")?;
        Self::parse(&text)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "/proc/stat has no line of all cores"))
    }

    /// Parses user nice system idle iowait irq softirq steal; the fields after these are included in the first two.
    fn parse(text: &str) -> Option<Self> {
        let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let fields: Vec<u64> = line.split_ascii_whitespace().take(8).map_while(|field| field.parse().ok()).collect();
        Some(Self { all: fields.iter().sum(), taken: *fields.get(7)? })
    }

    /// The share of the cores that the host took since `before`, in percent.
    pub fn percent_taken_since(self, before: Self) -> f64 {
        let all = self.all.saturating_sub(before.all).max(1);
        100.0 * self.taken.saturating_sub(before.taken) as f64 / all as f64
    }
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

    #[test]
    fn what_the_host_took_is_a_part_of_all_time() {
        let at = |text: &str| Cores::parse(text).unwrap();
        let before = at("cpu  10 0 20 60 0 0 0 10 5 5\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
        assert_eq!(at("cpu  40 0 40 80 0 0 0 40 9 9\n").percent_taken_since(before), 30.0);
        assert_eq!(before.percent_taken_since(before), 0.0);
        assert!(Cores::parse("cpu  10 0 20 60\n").is_none());
        assert!(Cores::now().is_ok());
    }
}

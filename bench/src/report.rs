//! The table of results.

use std::fmt::Write as _;
use std::fs;

use crate::measured::{Measured, Run, per_thousand};
use crate::workloads::{Measure, Workload};

/// If this is not near 0, the other figures are those of a smaller machine.
const TAKEN: &str = "taken by the host, % of the cores";

/// A measure of a workload, with its limit.
#[derive(Clone, Debug)]
pub struct Row {
    pub workload: &'static str,
    pub what: String,
    pub target: Option<f64>,
    pub measured: Option<f64>,
    /// Components of the figure, or the reason why there is none.
    pub note: String,
}

impl Row {
    /// Whether the figure is missing.
    pub fn failed(&self) -> bool {
        self.measured.is_none()
    }

    fn verdict(&self) -> &'static str {
        match (self.measured, self.target) {
            (None, _) => "**failed**",
            (_, None) => "",
            (Some(measured), Some(target)) if measured <= target => "pass",
            _ => "**miss**",
        }
    }
}

/// The row for the share of the cores that the host took during a workload.
pub fn taken(workload: &'static str, percent: f64) -> Row {
    Row { workload, what: TAKEN.to_owned(), target: None, measured: Some(percent), note: String::new() }
}

/// The rows of a workload: its targets; time, CPU and memory with or without a limit; and the host's share.
pub fn rows(workload: &Workload, measured: &Measured, other: Option<&Measured>) -> Vec<Row> {
    let mut measures: Vec<_> = workload.targets.iter().map(|target| (target.measure, Some(target.at_most))).collect();
    for measure in [Measure::Time, Measure::Cpu, Measure::Memory, Measure::Taken] {
        if !measures.iter().any(|&(known, _)| known == measure) {
            measures.push((measure, None));
        }
    }
    let row = |(measure, target)| Row {
        workload: workload.name,
        what: name(measure, workload),
        target,
        measured: measured.take(measure, workload, other),
        note: note(measure, workload, measured),
    };
    measures.into_iter().map(row).collect()
}

fn name(measure: Measure, workload: &Workload) -> String {
    let of_other = |what| format!("{what} / {}'s", workload.other.unwrap_or_default());
    let name = match measure {
        Measure::Time => "time, s",
        Measure::TimeOfIdeal => "time / ideal",
        Measure::Cpu => "CPU, s per 1,000 answers",
        Measure::CpuOfBare => "CPU / bare client's",
        Measure::Memory => "peak memory, MB",
        Measure::TooManyRequests => "429s",
        Measure::NeedlessCalls => "needless calls",
        Measure::Lost => "answers lost",
        Measure::Taken => TAKEN,
        Measure::TimeOfOther => return of_other("time"),
        Measure::MemoryOfOther => return of_other("memory"),
    };
    name.to_owned()
}

fn note(measure: Measure, workload: &Workload, measured: &Measured) -> String {
    if let Some(failure) = measured.failures.first() {
        return failure.lines().map(str::trim).collect::<Vec<_>>().join("; ").replace('|', "/");
    }
    match measure {
        Measure::Cpu => {
            let part = |of: fn(&Run) -> f64| measured.median(|run| per_thousand(of(run), run)).unwrap_or(0.0);
            let (twinlab, postgres) = (part(|run| run.twinlab_cpu), part(|run| run.postgres_cpu));
            format!("twinlab {}, PostgreSQL {}", figure(twinlab), figure(postgres))
        }
        Measure::Time => {
            let each: Vec<_> = measured.runs.iter().map(|run| figure(run.seconds)).collect();
            format!("each {}", each.join(" "))
        }
        Measure::TimeOfIdeal => format!("ideal {} s", figure(workload.ideal_seconds())),
        Measure::CpuOfBare => {
            let bare = measured.median(|run| per_thousand(run.bare_cpu.unwrap_or_default(), run)).unwrap_or(0.0);
            format!("bare client {} s per 1,000", figure(bare))
        }
        Measure::Lost => {
            let calls = measured.median(|run| run.counters.calls as f64).unwrap_or(0.0);
            format!("{calls} calls")
        }
        _ => String::new(),
    }
}

/// Formats a number with three significant digits.
fn figure(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        below if below < 0.1 => format!("{value:.4}"),
        below if below < 10.0 => format!("{value:.2}"),
        below if below < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

pub fn table(rows: &[Row], postgres: &str) -> String {
    let cell = |value: Option<f64>| value.map_or(String::new(), figure);
    let mut text = format!("{}, PostgreSQL {postgres}; the model server shares the cores.\n\n", machine());
    text.push_str("| workload | measure | bar | measured | | |\n|---|---|--:|--:|---|---|\n");
    for row in rows {
        // Writing to a string cannot fail.
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            row.workload,
            row.what,
            cell(row.target),
            cell(row.measured),
            row.note,
            row.verdict()
        )
        .ok();
    }
    text
}

/// Name and number of the processors.
fn machine() -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ")).map(|(_, name)| name);
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{count} × {}", name.unwrap_or("unknown processor"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_passes_at_its_target_misses_above_it_and_fails_without_a_figure() {
        let row =
            |measured| Row { workload: "W1", what: "time, s".into(), target: Some(3.5), measured, note: String::new() };
        let verdicts = [Some(3.5), Some(3.6), None].map(|measured| row(measured).verdict());
        assert_eq!(verdicts, ["pass", "**miss**", "**failed**"]);
        let table = table(&[row(Some(3.0))], "15");
        assert!(table.ends_with("| W1 | time, s | 3.50 | 3.00 |  | pass |\n"), "{table}");
    }
}

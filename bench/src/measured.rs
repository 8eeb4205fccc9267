//! Measurements of runs, and their medians.

use model_server::Counters;

use crate::workloads::{Measure, Workload};

/// One run of a workload.
#[derive(Clone, Debug)]
pub struct Run {
    /// Time from the run's start to COMPLETED, according to the database.
    pub seconds: f64,
    /// Number of stored answers.
    pub answers: u64,
    /// CPU seconds of the whole process.
    pub twinlab_cpu: f64,
    pub postgres_cpu: f64,
    pub peak_bytes: u64,
    /// Share of all cores that the machine's host took, in percent.
    pub taken: f64,
    pub counters: Counters,
    /// CPU seconds of the bare client, if the workload needs it.
    pub bare_cpu: Option<f64>,
}

/// All runs of a workload.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    pub runs: Vec<Run>,
    pub failures: Vec<String>,
}

impl Measured {
    pub fn median(&self, of: impl Fn(&Run) -> f64) -> Option<f64> {
        median(self.runs.iter().map(of).collect())
    }

    /// The median of a measure. `other` is the workload that it is compared with.
    pub fn take(&self, measure: Measure, workload: &Workload, other: Option<&Self>) -> Option<f64> {
        let of_other = |of: fn(&Run) -> f64| Some(self.median(of)? / other?.median(of)?);
        match measure {
            Measure::Time => self.median(|run| run.seconds),
            Measure::TimeOfIdeal => self.median(|run| run.seconds / workload.ideal_seconds()),
            Measure::Cpu => self.median(|run| per_thousand(run.twinlab_cpu + run.postgres_cpu, run)),
            Measure::CpuOfBare => {
                let ratio = |run: &Run| Some((run.twinlab_cpu + run.postgres_cpu) / run.bare_cpu?);
                median(self.runs.iter().filter_map(ratio).collect())
            }
            Measure::Memory => self.median(|run| run.peak_bytes as f64 / 1e6),
            Measure::TooManyRequests => self.median(|run| run.counters.too_many_requests as f64),
            Measure::NeedlessCalls => self.median(|run| {
                let injected = run.counters.calls - run.counters.outcome("answered");
                run.counters.calls as f64 - (workload.calls() as u64 + injected) as f64
            }),
            Measure::Lost => self.median(|run| workload.requests() as f64 - run.answers as f64),
            Measure::Taken => self.median(|run| run.taken),
            Measure::TimeOfOther => of_other(|run| run.seconds),
            Measure::MemoryOfOther => of_other(|run| run.peak_bytes as f64),
        }
    }
}

/// CPU seconds per 1,000 stored answers.
pub fn per_thousand(cpu_seconds: f64, run: &Run) -> f64 {
    1_000.0 * cpu_seconds / run.answers.max(1) as f64
}

/// The middle value, or the mean of the two in the middle.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        1 => Some(values[middle]),
        _ => Some((values[middle.checked_sub(1)?] + values[middle]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_between_the_two_middle_values() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0]), Some(2.5));
        assert_eq!(median(Vec::new()), None);
    }
}

//! Workloads that consist of one simulation each, with their limits.

use std::time::Duration;

use model_server::{Fault, Faults, Limits};

/// Latency of every answer.
pub const LATENCY: Duration = Duration::from_millis(200);

/// A limit of calls or tokens a minute that is never reached.
pub const NO_LIMIT: u32 = 4_000_000_000;

/// Settings of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    pub name: &'static str,
    pub personas: usize,
    pub questions: usize,
    pub per_call: usize,
    pub concurrency: u32,
    /// `LLM_RPM`; `None`: neither it nor `LLM_TPM` is set.
    pub rpm: Option<u32>,
    /// The model server's limits.
    pub limits: Limits,
    /// Share of calls that end with status 500.
    pub errors: f64,
    /// The workload that it is compared with, which precedes it.
    pub other: Option<&'static str>,
    pub targets: &'static [Target],
}

#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub measure: Measure,
    pub at_most: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Seconds from the run's start to COMPLETED.
    Time,
    /// Time as a multiple of [`Workload::ideal_seconds`].
    TimeOfIdeal,
    /// CPU seconds per 1,000 answers, twinlab and PostgreSQL together.
    Cpu,
    /// CPU seconds as a multiple of the bare client's.
    CpuOfBare,
    /// Peak resident memory of twinlab alone, in megabytes.
    Memory,
    /// Number of 429s that the model server gave.
    TooManyRequests,
    /// Calls beyond one per set of questions and one per injected fault.
    NeedlessCalls,
    /// Requests without a stored answer.
    Lost,
    /// Share of the cores that the machine's host took meanwhile, in percent.
    Taken,
    /// Time as a multiple of that of the compared workload.
    TimeOfOther,
    /// Memory as a multiple of that of the compared workload.
    MemoryOfOther,
}

const fn at_most(measure: Measure, at_most: f64) -> Target {
    Target { measure, at_most }
}

impl Workload {
    pub fn requests(&self) -> usize {
        self.personas * self.questions
    }

    /// Number of calls that answer every question if nothing fails.
    pub fn calls(&self) -> usize {
        self.personas * self.questions.div_ceil(self.per_call)
    }

    /// Upper limit of simultaneous calls: those of one persona follow each other.
    pub fn side_by_side(&self) -> usize {
        self.personas.min(self.concurrency as usize)
    }

    /// Seconds that the model server alone needs, by its latency or by its limit of calls.
    pub fn ideal_seconds(&self) -> f64 {
        let (calls, latency) = (self.calls() as f64, LATENCY.as_secs_f64());
        let by_latency = calls / self.side_by_side() as f64 * latency;
        let by_limit = self.limits.requests.map_or(0.0, |per_minute| {
            calls / (f64::from(per_minute) / 60.0) - self.limits.burst.as_secs_f64() + latency
        });
        by_latency.max(by_limit)
    }

    /// Behaviour of its model server.
    pub fn faults(&self) -> Faults {
        Faults { latency: LATENCY, limits: self.limits, ..Faults::default() }.with(Fault::ServerError, self.errors)
    }

    /// Whether the workload needs the bare client's CPU time.
    pub fn needs_bare_client(&self) -> bool {
        self.targets.iter().any(|target| target.measure == Measure::CpuOfBare)
    }
}

const NOTHING_LOST: Target = at_most(Measure::Lost, 0.0);

/// One question a call, at full speed.
pub const W1: Workload = Workload {
    name: "W1",
    personas: 2_000,
    questions: 10,
    per_call: 1,
    concurrency: 2_000,
    rpm: Some(NO_LIMIT),
    limits: Limits { requests: None, tokens: None, burst: Duration::ZERO, headers: false },
    errors: 0.0,
    other: None,
    targets: &[
        NOTHING_LOST,
        at_most(Measure::TimeOfIdeal, 1.35),
        at_most(Measure::CpuOfBare, 5.0),
        at_most(Measure::Memory, 250.0),
    ],
};

const W3: Workload = Workload {
    name: "W3",
    personas: 200,
    concurrency: 256,
    targets: &[NOTHING_LOST, at_most(Measure::TimeOfIdeal, 1.15)],
    ..W1
};

const W4_LIMITS: Limits = Limits { requests: Some(6_000), tokens: None, burst: Duration::from_secs(1), headers: false };
const W4_TARGETS: &[Target] =
    &[NOTHING_LOST, at_most(Measure::TimeOfIdeal, 1.03), at_most(Measure::TooManyRequests, 9.0)];

pub const ALL: [Workload; 9] = [
    W1,
    Workload { name: "W1b", concurrency: 500, targets: &[NOTHING_LOST, at_most(Measure::TimeOfIdeal, 1.1)], ..W1 },
    Workload {
        name: "W2",
        questions: 50,
        per_call: 20,
        targets: &[NOTHING_LOST, at_most(Measure::Time, 5.0), at_most(Measure::Memory, 300.0)],
        ..W1
    },
    W3,
    // The server's limit is configured.
    Workload { name: "W4", rpm: Some(6_000), limits: W4_LIMITS, targets: W4_TARGETS, ..W3 },
    // The limit is only in the server's headers. They report a limit of tokens too, because without one twinlab keeps
    // to its own.
    Workload {
        name: "W4h",
        rpm: None,
        limits: Limits { tokens: Some(NO_LIMIT), headers: true, ..W4_LIMITS },
        targets: W4_TARGETS,
        ..W3
    },
    // The limit is neither configured nor in the headers.
    Workload { name: "W4-untold", limits: W4_LIMITS, targets: &[NOTHING_LOST], ..W3 },
    Workload { name: "W4b", errors: 0.02, targets: &[NOTHING_LOST, at_most(Measure::NeedlessCalls, 0.0)], ..W3 },
    Workload {
        name: "W5",
        personas: 20_000,
        other: Some("W1"),
        targets: &[NOTHING_LOST, at_most(Measure::TimeOfOther, 10.5), at_most(Measure::MemoryOfOther, 1.15)],
        ..W1
    },
];

/// Workloads that modules of their own measure.
pub const FAIRNESS: &str = "W6";
pub const CROWD: &str = "W6b";
pub const READS: &str = "W7";
pub const WATCHERS: &str = "W8";
pub const STREAMS: &str = "W8e";
pub const CHARTS: &str = "W9";
pub const DOWNLOADS: &str = "W10";
pub const DESIGNS: &str = "W12";
pub const IMPORT: &str = "import";

/// The workloads that an invocation measures.
pub struct Chosen {
    names: Vec<String>,
}

impl Chosen {
    /// Selects the named workloads, or all if none is named.
    pub fn select(names: &[String]) -> Result<Self, String> {
        let others = [FAIRNESS, CROWD, READS, WATCHERS, STREAMS, CHARTS, DOWNLOADS, DESIGNS, IMPORT];
        let known: Vec<_> = ALL.iter().map(|workload| workload.name).chain(others).collect();
        match names.iter().find(|name| !known.contains(&name.as_str())) {
            Some(unknown) => Err(format!("no workload `{unknown}`: one of {}", known.join(", "))),
            None => Ok(Self { names: names.to_vec() }),
        }
    }

    /// Whether a workload is selected, itself or as the one that another is compared with.
    pub fn has(&self, name: &str) -> bool {
        let named = |name: &str| self.names.iter().any(|named| named == name);
        let is_other = || ALL.iter().any(|workload| workload.other == Some(name) && named(workload.name));
        self.names.is_empty() || named(name) || is_other()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(name: &str) -> Workload {
        *ALL.iter().find(|workload| workload.name == name).unwrap()
    }

    #[test]
    fn a_workload_brings_along_what_it_is_compared_with_and_no_name_means_all() {
        let of = |names: &[&str]| Chosen::select(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        let w5 = of(&["W5"]).unwrap();
        assert_eq!([w5.has("W1"), w5.has("W5"), w5.has("W2"), w5.has(READS)], [true, true, false, false]);
        let all = of(&[]).unwrap();
        assert!(all.has("W1") && all.has(IMPORT));
        assert!(of(&["W13"]).err().is_some_and(|message| message.contains("W13") && message.contains("W10")));
    }

    #[test]
    fn the_last_call_of_a_persona_may_ask_fewer_questions() {
        assert_eq!((workload("W2").calls(), workload("W2").requests()), (6_000, 100_000));
    }

    #[test]
    fn the_ideal_follows_from_the_latency_or_from_the_limit() {
        let ideal = |name| (workload(name).ideal_seconds() * 10.0).round() / 10.0;
        assert_eq!(["W1", "W1b", "W3", "W4"].map(ideal), [2.0, 8.0, 2.0, 19.2]);
    }
}

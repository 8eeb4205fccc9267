//! The workloads and what they may take.

/// What a run is given.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    pub name: &'static str,
    pub personas: usize,
    pub questions: usize,
    pub per_call: usize,
    pub concurrency: u32,
    /// Beyond the latency of 200 ms.
    pub stub: &'static [&'static str],
    /// Calls a minute that the clients are told to keep to.
    pub told_rpm: Option<u32>,
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
    /// CPU seconds per 1,000 answers, twinlab and PostgreSQL together.
    Cpu,
    /// Peak resident memory of twinlab alone, in megabytes.
    Memory,
    /// 429s that the stub had to give.
    TooManyRequests,
    /// Calls beyond one per set of questions and one per injected fault.
    NeedlessCalls,
    /// Requests without a stored answer.
    Lost,
    /// What the machine's host took of the cores meanwhile, in percent.
    Taken,
    /// Time as a multiple of W1's.
    TimeOfW1,
    /// Memory as a multiple of W1's.
    MemoryOfW1,
}

const fn at_most(measure: Measure, at_most: f64) -> Target {
    Target { measure, at_most }
}

impl Workload {
    pub fn requests(&self) -> usize {
        self.personas * self.questions
    }

    /// Calls that answer every question when nothing fails.
    pub fn calls(&self) -> usize {
        self.personas * self.questions.div_ceil(self.per_call)
    }
}

const NOTHING_LOST: Target = at_most(Measure::Lost, 0.0);

pub const LATENCY_MS: u32 = 200;

pub const ALL: [Workload; 8] = [
    Workload {
        name: "W1",
        personas: 2_000,
        questions: 10,
        per_call: 1,
        concurrency: 2_000,
        stub: &[],
        told_rpm: None,
        targets: &[
            NOTHING_LOST,
            at_most(Measure::Time, 3.5),
            at_most(Measure::Cpu, 0.14),
            at_most(Measure::Memory, 150.0),
        ],
    },
    Workload {
        name: "W1b",
        personas: 2_000,
        questions: 10,
        per_call: 1,
        concurrency: 500,
        stub: &[],
        told_rpm: None,
        targets: &[NOTHING_LOST, at_most(Measure::Time, 8.4), at_most(Measure::Memory, 70.0)],
    },
    Workload {
        name: "W2",
        personas: 2_000,
        questions: 50,
        per_call: 20,
        concurrency: 2_000,
        stub: &[],
        told_rpm: None,
        targets: &[
            NOTHING_LOST,
            at_most(Measure::Time, 5.0),
            at_most(Measure::Cpu, 0.04),
            at_most(Measure::Memory, 250.0),
        ],
    },
    Workload {
        name: "W3",
        personas: 200,
        questions: 10,
        per_call: 1,
        concurrency: 256,
        stub: &[],
        told_rpm: None,
        targets: &[NOTHING_LOST, at_most(Measure::Time, 2.3), at_most(Measure::Memory, 60.0)],
    },
    Workload {
        name: "W4",
        personas: 200,
        questions: 10,
        per_call: 1,
        concurrency: 256,
        stub: &["--rpm=6000", "--burst-s=1"],
        told_rpm: Some(6_000),
        targets: &[NOTHING_LOST, at_most(Measure::Time, 19.8), at_most(Measure::TooManyRequests, 9.0)],
    },
    Workload {
        name: "W4-untold",
        personas: 200,
        questions: 10,
        per_call: 1,
        concurrency: 256,
        stub: &["--rpm=6000", "--burst-s=1"],
        told_rpm: None,
        targets: &[NOTHING_LOST, at_most(Measure::Time, 22.0), at_most(Measure::TooManyRequests, 199.0)],
    },
    Workload {
        name: "W4b",
        personas: 200,
        questions: 10,
        per_call: 1,
        concurrency: 256,
        stub: &["--fault=server-error=0.02"],
        told_rpm: None,
        targets: &[NOTHING_LOST, at_most(Measure::NeedlessCalls, 0.0)],
    },
    Workload {
        name: "W5",
        personas: 20_000,
        questions: 10,
        per_call: 1,
        concurrency: 2_000,
        stub: &[],
        told_rpm: None,
        targets: &[NOTHING_LOST, at_most(Measure::TimeOfW1, 10.5), at_most(Measure::MemoryOfW1, 1.1)],
    },
];

/// The fairness workload is measured in a way of its own, see `fairness.rs`.
pub const FAIRNESS: &str = "W6";

pub const READS: &str = "W7";

pub const WATCHERS: &str = "W8";

/// What an invocation measures.
pub struct Chosen {
    /// In the table's order.
    pub workloads: Vec<Workload>,
    pub fairness: bool,
    pub reads: bool,
    pub watchers: bool,
}

impl Chosen {
    /// Those asked for, all where none is. W5 is measured against W1 and brings it along.
    pub fn of(names: &[String]) -> Result<Self, String> {
        let others = [FAIRNESS, READS, WATCHERS];
        let known: Vec<_> = ALL.iter().map(|workload| workload.name).chain(others).collect();
        if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("no workload `{unknown}`: one of {}", known.join(", ")));
        }
        let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
        let is_chosen = |workload: &&Workload| wanted(workload.name) || (workload.name == "W1" && wanted("W5"));
        Ok(Self {
            workloads: ALL.iter().filter(is_chosen).copied().collect(),
            fairness: wanted(FAIRNESS),
            reads: wanted(READS),
            watchers: wanted(WATCHERS),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w5_brings_w1_along_and_no_name_means_all() {
        let of = |names: &[&str]| Chosen::of(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        let w5 = of(&["W5"]).unwrap();
        assert_eq!(w5.workloads.iter().map(|workload| workload.name).collect::<Vec<_>>(), ["W1", "W5"]);
        assert_eq!((w5.fairness, w5.reads, w5.watchers), (false, false, false));
        let all = of(&[]).unwrap();
        assert_eq!((all.workloads.len(), all.fairness, all.reads, all.watchers), (ALL.len(), true, true, true));
        assert!(of(&["W9"]).err().is_some_and(|told| told.contains("W9") && told.contains("W8")));
    }

    #[test]
    fn the_last_call_of_a_twin_may_ask_fewer_questions() {
        let w2 = ALL.iter().find(|workload| workload.name == "W2").unwrap();
        assert_eq!((w2.calls(), w2.requests()), (6_000, 100_000));
    }
}

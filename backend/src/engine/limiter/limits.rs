//! Which limits hold: those that the user set, and those that the model server reports.

use crate::config::ModelConfig;

/// Requests and tokens per minute; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    pub rpm: Option<u32>,
    pub tpm: Option<u32>,
}

/// Until a server reports its limits, if the user set none.
const INITIAL: Rates = Rates { rpm: Some(500), tpm: Some(200_000) };

/// What is configured, over all workers.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    set: Rates,
    initial: Rates,
    pub max_concurrency: u32,
}

impl Limits {
    pub fn new(model: &ModelConfig) -> Self {
        Self {
            set: Rates { rpm: model.rpm, tpm: model.tpm },
            initial: if model.is_demo() { Rates::default() } else { INITIAL },
            max_concurrency: model.max_concurrency,
        }
    }

    /// The limits that hold over all workers. `reported`: what the server reported, `None` if nothing yet.
    pub fn rates(&self, reported: Option<Rates>) -> Rates {
        match reported {
            Some(reported) => {
                Rates { rpm: smaller(self.set.rpm, reported.rpm), tpm: smaller(self.set.tpm, reported.tpm) }
            }
            None => Rates { rpm: self.set.rpm.or(self.initial.rpm), tpm: self.set.tpm.or(self.initial.tpm) },
        }
    }
}

fn smaller(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    a.into_iter().chain(b).min()
}

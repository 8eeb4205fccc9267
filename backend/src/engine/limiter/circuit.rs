//! The circuit to a server that is down: after enough failures only one probe at a time gets through.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

#[derive(Default)]
pub struct Circuit {
    /// Calls by the second they ended in.
    seconds: VecDeque<Second>,
    open: Option<Open>,
}

struct Second {
    began: Instant,
    calls: u32,
    failures: u32,
}

struct Open {
    probe_at: Instant,
    wait: Duration,
    probing: bool,
}

const WINDOW: Duration = Duration::from_secs(30);
const ENOUGH_CALLS: u32 = 20;
const FIRST_PROBE: Duration = Duration::from_secs(5);
const LAST_PROBE: Duration = Duration::from_secs(60);

/// Whether a call may go now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    Free,
    /// Only as the probe.
    Probe,
    /// Not before this, or not before the probe under way is back (`None`).
    Wait(Option<Instant>),
}

impl Circuit {
    pub fn passage(&self, now: Instant) -> Passage {
        match &self.open {
            None => Passage::Free,
            Some(open) if open.probing => Passage::Wait(None),
            Some(open) if open.probe_at <= now => Passage::Probe,
            Some(open) => Passage::Wait(Some(open.probe_at)),
        }
    }

    pub fn probe_sent(&mut self) {
        if let Some(open) = &mut self.open {
            open.probing = true;
        }
    }

    /// The probe was given up unanswered (its run was paused): the next caller probes.
    pub fn given_up(&mut self) {
        if let Some(open) = &mut self.open {
            open.probing = false;
        }
    }

    /// Until when calls wait, while the circuit is open.
    pub fn open_until(&self) -> Option<Instant> {
        self.open.as_ref().map(|open| open.probe_at)
    }

    /// Notes how a call ended and says whether the circuit is open now.
    pub fn note(&mut self, failed: bool, now: Instant) -> bool {
        if let Some(open) = &mut self.open {
            if !failed {
                self.open = None;
                self.seconds.clear();
            } else if open.probing {
                open.wait = (open.wait * 2).min(LAST_PROBE);
                open.probe_at = now + open.wait;
                open.probing = false;
            }
            return self.open.is_some();
        }
        self.count(failed, now);
        let (calls, failures) =
            self.seconds.iter().fold((0, 0), |sum, second| (sum.0 + second.calls, sum.1 + second.failures));
        if failed && calls >= ENOUGH_CALLS && 2 * failures >= calls {
            self.open = Some(Open { probe_at: now + FIRST_PROBE, wait: FIRST_PROBE, probing: false });
        }
        self.open.is_some()
    }

    fn count(&mut self, failed: bool, now: Instant) {
        while self.seconds.front().is_some_and(|second| now.duration_since(second.began) > WINDOW) {
            self.seconds.pop_front();
        }
        if self.seconds.back().is_none_or(|second| now.duration_since(second.began) >= Duration::from_secs(1)) {
            self.seconds.push_back(Second { began: now, calls: 0, failures: 0 });
        }
        if let Some(second) = self.seconds.back_mut() {
            second.calls += 1;
            second.failures += u32::from(failed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_down_gets_one_probe_at_a_time_and_ever_more_seldom() {
        let mut now = Instant::now();
        let mut circuit = Circuit::default();
        for call in 0..20 {
            assert_eq!(circuit.passage(now), Passage::Free, "call {call}");
            circuit.note(true, now);
        }
        for expected in [5, 10, 20, 40, 60, 60] {
            let until = now + Duration::from_secs(expected);
            assert_eq!(circuit.passage(now), Passage::Wait(Some(until)));
            now = until;
            assert_eq!(circuit.passage(now), Passage::Probe);
            circuit.probe_sent();
            assert_eq!(circuit.passage(now), Passage::Wait(None));
            assert!(circuit.note(true, now));
        }
        now = circuit.open_until().unwrap();
        circuit.probe_sent();
        assert!(!circuit.note(false, now));
        assert_eq!(circuit.passage(now), Passage::Free);
    }

    #[test]
    fn a_fifth_of_failures_leaves_the_circuit_closed() {
        let now = Instant::now();
        let mut circuit = Circuit::default();
        for call in 0..1_000 {
            assert!(!circuit.note(call % 5 == 0, now));
        }
    }
}

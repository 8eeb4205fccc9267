//! Circuit breaker: after enough failures only one probe at a time reaches the server.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

#[derive(Default)]
pub struct Circuit {
    /// Calls by the second in which they ended.
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
/// Fewer calls in the window say too little to open the circuit.
const MIN_CALLS: u32 = 20;
const MIN_PROBE_WAIT: Duration = Duration::from_secs(5);
const MAX_PROBE_WAIT: Duration = Duration::from_secs(60);

/// Whether a call may start now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CircuitState {
    Closed,
    /// Only as the probe.
    HalfOpen,
    /// Not before this; `None`: not before the probe under way ends.
    Open(Option<Instant>),
}

impl Circuit {
    pub fn state(&self, now: Instant) -> CircuitState {
        match &self.open {
            None => CircuitState::Closed,
            Some(open) if open.probing => CircuitState::Open(None),
            Some(open) if open.probe_at <= now => CircuitState::HalfOpen,
            Some(open) => CircuitState::Open(Some(open.probe_at)),
        }
    }

    pub fn probe_started(&mut self) {
        if let Some(open) = &mut self.open {
            open.probing = true;
        }
    }

    /// The probe was dropped without an outcome, e.g. because its run was paused: the next call probes.
    pub fn probe_dropped(&mut self) {
        if let Some(open) = &mut self.open {
            open.probing = false;
        }
    }

    /// Until when calls wait, while the circuit is open.
    pub fn open_until(&self) -> Option<Instant> {
        self.open.as_ref().map(|open| open.probe_at)
    }

    /// Records how a call ended. Returns whether the circuit is open now.
    pub fn record(&mut self, failed: bool, now: Instant) -> bool {
        if let Some(open) = &mut self.open {
            if !failed {
                self.open = None;
                self.seconds.clear();
            } else if open.probing {
                open.wait = (open.wait * 2).min(MAX_PROBE_WAIT);
                open.probe_at = now + open.wait;
                open.probing = false;
            }
            return self.open.is_some();
        }
        self.count(failed, now);
        let (calls, failures) =
            self.seconds.iter().fold((0, 0), |sum, second| (sum.0 + second.calls, sum.1 + second.failures));
        if failed && calls >= MIN_CALLS && 2 * failures >= calls {
            self.open = Some(Open { probe_at: now + MIN_PROBE_WAIT, wait: MIN_PROBE_WAIT, probing: false });
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
            assert_eq!(circuit.state(now), CircuitState::Closed, "call {call}");
            circuit.record(true, now);
        }
        for expected in [5, 10, 20, 40, 60, 60] {
            let until = now + Duration::from_secs(expected);
            assert_eq!(circuit.state(now), CircuitState::Open(Some(until)));
            now = until;
            assert_eq!(circuit.state(now), CircuitState::HalfOpen);
            circuit.probe_started();
            assert_eq!(circuit.state(now), CircuitState::Open(None));
            assert!(circuit.record(true, now));
        }
        now = circuit.open_until().unwrap();
        circuit.probe_started();
        assert!(!circuit.record(false, now));
        assert_eq!(circuit.state(now), CircuitState::Closed);
    }

    #[test]
    fn a_fifth_of_failures_leaves_the_circuit_closed() {
        let now = Instant::now();
        let mut circuit = Circuit::default();
        for call in 0..1_000 {
            assert!(!circuit.record(call % 5 == 0, now));
        }
    }
}

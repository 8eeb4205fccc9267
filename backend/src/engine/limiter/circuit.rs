//! Circuit breaker: while calls fail whoever makes them, only a probe now and then reaches the server.

use std::time::Duration;

use tokio::time::Instant;

/// Failures in a row, without a success between them, that open the circuit at once.
const MANY_FAILURES: u32 = 10;
/// Fewer open it if nothing has succeeded for [`SILENCE`]: a server that few calls reach is not down for one bad call.
const FEW_FAILURES: u32 = 3;
const SILENCE: Duration = Duration::from_secs(1);
/// Between two probes in the first [`FREQUENT`] of an outage, and later.
const FIRST_PROBE_WAIT: Duration = Duration::from_secs(5);
const PROBE_WAIT: Duration = Duration::from_secs(10);
const FREQUENT: Duration = Duration::from_secs(120);

/// Whose call it is: the simulation and the persona.
pub type Caller = (i64, i32);

/// What a failed call costs the requests that it asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// The circuit is open: the server is down for everybody.
    Nothing,
    /// An attempt, but not the last one: several calls failed in a row, so the server may be going down.
    NotTheLastAttempt,
    Attempt,
}

pub struct Circuit {
    /// See [`Timings::outage`](crate::engine::Timings::outage).
    outage: Duration,
    failures: Option<Failures>,
    open: Option<Open>,
}

/// The failures since the last success.
struct Failures {
    count: u32,
    first_at: Instant,
    first_caller: Caller,
    /// Not the fault of one request: several interviews fail, or the server cannot be reached at all.
    shared: bool,
}

struct Open {
    since: Instant,
    probe_at: Instant,
}

/// Whether a call may start now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CircuitState {
    Closed,
    /// Only as a probe.
    HalfOpen,
    /// Not before this.
    Open(Instant),
}

impl Circuit {
    pub fn new(outage: Duration) -> Self {
        Self { outage, failures: None, open: None }
    }

    pub fn state(&self, now: Instant) -> CircuitState {
        match &self.open {
            None => CircuitState::Closed,
            Some(open) if open.probe_at <= now => CircuitState::HalfOpen,
            Some(open) => CircuitState::Open(open.probe_at),
        }
    }

    /// The next probe is due a while after this one starts, not after it ends: one that gets no answer must not keep the
    /// circuit open for as long as its time-out.
    pub fn probe_started(&mut self, now: Instant) {
        if let Some(open) = &mut self.open {
            let wait = if now.duration_since(open.since) < FREQUENT { FIRST_PROBE_WAIT } else { PROBE_WAIT };
            open.probe_at = now + wait;
        }
    }

    /// The probe was dropped without an outcome, e.g. because its run was paused: the next call probes.
    pub fn probe_dropped(&mut self, now: Instant) {
        if let Some(open) = &mut self.open {
            open.probe_at = now;
        }
    }

    /// Until when calls wait, while the circuit is open.
    pub fn open_until(&self) -> Option<Instant> {
        self.open.as_ref().map(|open| open.probe_at)
    }

    /// A call brought an answer of whatever kind.
    pub fn record_answer(&mut self) {
        (self.failures, self.open) = (None, None);
    }

    /// A call failed. `unreachable`: whatever its content, it would have.
    pub fn record_failure(&mut self, caller: Caller, unreachable: bool, now: Instant) -> Cost {
        let first = Failures { count: 0, first_at: now, first_caller: caller, shared: false };
        let failures = self.failures.get_or_insert(first);
        failures.count += 1;
        failures.shared |= unreachable || caller != failures.first_caller;
        let failing_for = now.duration_since(failures.first_at);
        let enough = failures.count >= MANY_FAILURES || failures.count >= FEW_FAILURES && failing_for >= SILENCE;
        if self.open.is_none() && failures.shared && enough {
            self.open = Some(Open { since: now, probe_at: now + FIRST_PROBE_WAIT });
        }
        match self.open {
            Some(_) => Cost::Nothing,
            // After an answer it is this call that failed, not all.
            None if failures.count > 1 && failing_for < self.outage => Cost::NotTheLastAttempt,
            None => Cost::Attempt,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn closed() -> Circuit {
        Circuit::new(seconds(60))
    }

    /// Records a failure and returns whether the circuit is open now.
    fn opens(circuit: &mut Circuit, caller: Caller, unreachable: bool, now: Instant) -> bool {
        circuit.record_failure(caller, unreachable, now) == Cost::Nothing
    }

    /// A circuit that several interviews have opened.
    fn open(now: Instant) -> Circuit {
        let mut circuit = closed();
        for persona in 1..MANY_FAILURES as i32 {
            assert!(!opens(&mut circuit, (1, persona), false, now));
            assert_eq!(circuit.state(now), CircuitState::Closed);
        }
        assert!(opens(&mut circuit, (1, 1), false, now));
        circuit
    }

    #[test]
    fn a_server_that_is_down_is_probed_every_few_seconds_whether_probes_are_answered_or_not() {
        let began = Instant::now();
        let (mut now, mut circuit, mut probes) = (began, open(began), 0);
        while now < began + seconds(3_600) {
            let CircuitState::Open(until) = circuit.state(now) else { panic!("closed after {probes} probes") };
            assert!(until - now <= PROBE_WAIT);
            now = until;
            assert_eq!(circuit.state(now), CircuitState::HalfOpen);
            circuit.probe_started(now);
            probes += 1;
            // Every other probe is never answered.
            assert!(probes % 2 == 0 || opens(&mut circuit, (1, probes), false, now));
        }
        assert_eq!(probes, 120 / 5 + (3_600 - 120) / 10);
        circuit.record_answer();
        assert_eq!(circuit.state(now), CircuitState::Closed);
    }

    #[test]
    fn a_probe_that_was_not_made_leaves_the_next_call_to_probe() {
        let now = Instant::now();
        let mut circuit = open(now);
        let due = now + FIRST_PROBE_WAIT;
        circuit.probe_started(due);
        circuit.probe_dropped(due);
        assert_eq!(circuit.state(due), CircuitState::HalfOpen);
    }

    #[test]
    fn few_calls_at_once_open_the_circuit_after_a_second_without_an_answer() {
        let now = Instant::now();
        let mut circuit = closed();
        assert!(!opens(&mut circuit, (1, 1), false, now));
        assert!(!opens(&mut circuit, (1, 2), false, now));
        assert!(!opens(&mut circuit, (1, 1), false, now + SILENCE / 2));
        assert!(opens(&mut circuit, (1, 2), false, now + SILENCE));
    }

    #[test]
    fn one_interview_alone_opens_the_circuit_only_if_the_server_cannot_be_reached() {
        let (now, mut answered, mut refused) = (Instant::now(), closed(), closed());
        for second in 0..100 {
            let expected = if (1..60).contains(&second) { Cost::NotTheLastAttempt } else { Cost::Attempt };
            assert_eq!(answered.record_failure((1, 1), false, now + seconds(second)), expected);
        }
        assert!(!opens(&mut refused, (1, 1), true, now));
        assert!(!opens(&mut refused, (1, 1), true, now));
        assert!(opens(&mut refused, (1, 1), true, now + SILENCE));
    }

    #[test]
    fn failures_between_answers_leave_the_circuit_closed() {
        let (now, mut circuit) = (Instant::now(), closed());
        for call in 0..1_000 {
            match call % 5 {
                0 => circuit.record_answer(),
                1 => assert_eq!(circuit.record_failure((1, call), true, now), Cost::Attempt),
                _ => assert!(!opens(&mut circuit, (1, call), true, now)),
            }
        }
    }
}

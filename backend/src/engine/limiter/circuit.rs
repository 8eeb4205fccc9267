//! Circuit breaker: while all calls fail, only a probe now and then reaches the server.
//!
//! One interview that fails alone may be asking what the server cannot answer. So a probe is no interview's request but a
//! tiny one of its own ([`Prompt::probe`](crate::llm::prompt::Prompt::probe)): where it fails too, the server is down, and
//! the failures cost nothing however long that takes; where it is answered, the server is up, and they count.

use std::time::Duration;

use tokio::time::Instant;

/// Failures in a row, without a success between them, that open the circuit at once: as many as there were calls under
/// way, within these bounds.
const MIN_FAILURES: u32 = 2;
const MAX_FAILURES: u32 = 10;
/// Fewer open it if nothing has succeeded for [`SILENCE`]: a server that few calls reach is not down for one bad call.
const FEW_FAILURES: u32 = 3;
const SILENCE: Duration = Duration::from_secs(1);
/// Time from the opening to the first probe, which soon shows if it was a false alarm.
const FIRST_PROBE_WAIT: Duration = Duration::from_secs(1);
/// Time between two probes in the first [`FREQUENT`] of an outage, and later.
const FREQUENT_PROBE_WAIT: Duration = Duration::from_secs(5);
const PROBE_WAIT: Duration = Duration::from_secs(8);
const FREQUENT: Duration = Duration::from_secs(120);

/// Cost of a failed call to the requests that it asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// The server is down for everybody.
    Nothing,
    /// An attempt, but not the last one: several calls failed in a row, so the server may be down.
    NotTheLastAttempt,
    Attempt,
}

/// A failed call.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// Any call would have failed, whatever it asked.
    pub unreachable: bool,
    /// The call was a probe and asked no request.
    pub probe: bool,
    /// Calls under way at its end, itself included.
    pub under_way: u32,
}

#[derive(Default)]
pub struct Circuit {
    failures: Option<Failures>,
    open: Option<Open>,
    outages: u32,
}

/// The failures since the last answer.
struct Failures {
    count: u32,
    first_at: Instant,
    /// The most calls that were under way when one of them failed.
    under_way: u32,
    /// No request can be blamed for one of them.
    unreachable: bool,
}

struct Open {
    since: Instant,
    probe_at: Instant,
    /// No request is to blame.
    certain: bool,
}

/// Whether a call may start now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CircuitState {
    Closed,
    /// Only a probe.
    HalfOpen,
    /// Not before this.
    Open(Instant),
}

impl Circuit {
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
            let wait = if now.duration_since(open.since) < FREQUENT { FREQUENT_PROBE_WAIT } else { PROBE_WAIT };
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

    /// Outages so far that no request was to blame for. Attempts that failed before the last one began do not count.
    pub fn outages(&self) -> u32 {
        self.outages
    }

    /// A call brought an answer of whatever kind.
    pub fn record_answer(&mut self) {
        (self.failures, self.open) = (None, None);
    }

    pub fn record_failure(&mut self, failure: Failure, now: Instant) -> Cost {
        let first = Failures { count: 0, first_at: now, under_way: 0, unreachable: false };
        let failures = self.failures.get_or_insert(first);
        failures.count += 1;
        failures.under_way = failures.under_way.max(failure.under_way);
        failures.unreachable |= failure.unreachable;
        let enough = failures.count >= failures.under_way.clamp(MIN_FAILURES, MAX_FAILURES)
            || failures.count >= FEW_FAILURES && now.duration_since(failures.first_at) >= SILENCE;
        if self.open.is_none() && enough {
            self.open = Some(Open { since: now, probe_at: now + FIRST_PROBE_WAIT, certain: false });
        }
        if let Some(open) = &mut self.open
            && (failure.probe || failures.unreachable)
            && !std::mem::replace(&mut open.certain, true)
        {
            self.outages = self.outages.wrapping_add(1);
        }
        match &self.open {
            _ if failure.probe => Cost::Nothing,
            Some(open) if open.certain => Cost::Nothing,
            // After an answer it is this call that failed, not all.
            _ if failures.count > 1 => Cost::NotTheLastAttempt,
            _ => Cost::Attempt,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    const REQUEST: Failure = Failure { unreachable: false, probe: false, under_way: 1 };
    const UNREACHABLE: Failure = Failure { unreachable: true, ..REQUEST };
    const PROBE: Failure = Failure { probe: true, ..REQUEST };

    fn of(under_way: u32) -> Failure {
        Failure { under_way, ..REQUEST }
    }

    /// A circuit that many calls at once have opened.
    fn open(now: Instant) -> Circuit {
        let mut circuit = Circuit::default();
        for _ in 1..MAX_FAILURES {
            circuit.record_failure(of(50), now);
            assert_eq!(circuit.state(now), CircuitState::Closed);
        }
        circuit.record_failure(of(50), now);
        assert_eq!(circuit.state(now), CircuitState::Open(now + FIRST_PROBE_WAIT));
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
            assert!(probes % 2 == 0 || circuit.record_failure(PROBE, now) == Cost::Nothing);
        }
        // At 1, 6, .. 116, 121 and then every 8 s.
        assert_eq!(probes, 25 + (3_600 - 121_u32).div_ceil(8));
        assert_eq!(circuit.outages(), 1);
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
    fn as_many_failures_as_calls_under_way_open_the_circuit() {
        let now = Instant::now();
        for at_once in 2..=MAX_FAILURES {
            let mut circuit = Circuit::default();
            for under_way in (1..=at_once).rev() {
                assert_eq!(circuit.state(now), CircuitState::Closed, "{at_once} at once, {under_way} under way");
                circuit.record_failure(of(under_way), now);
            }
            assert_ne!(circuit.state(now), CircuitState::Closed, "{at_once} at once");
        }
    }

    #[test]
    fn few_failures_open_the_circuit_after_a_second_without_an_answer() {
        let now = Instant::now();
        let mut circuit = Circuit::default();
        for later in [Duration::ZERO, Duration::ZERO, SILENCE / 2] {
            circuit.record_failure(of(8), now + later);
            assert_eq!(circuit.state(now), CircuitState::Closed);
        }
        circuit.record_failure(of(8), now + SILENCE);
        assert_ne!(circuit.state(now), CircuitState::Closed);
    }

    #[test]
    fn failures_count_until_a_probe_or_an_unreachable_server_shows_that_no_request_is_to_blame() {
        let now = Instant::now();
        let mut circuit = Circuit::default();
        assert_eq!(circuit.record_failure(REQUEST, now), Cost::Attempt);
        assert_eq!(circuit.record_failure(REQUEST, now), Cost::NotTheLastAttempt);
        assert_ne!(circuit.state(now), CircuitState::Closed);
        assert_eq!((circuit.record_failure(REQUEST, now), circuit.outages()), (Cost::NotTheLastAttempt, 0));
        assert_eq!((circuit.record_failure(PROBE, now), circuit.outages()), (Cost::Nothing, 1));
        assert_eq!((circuit.record_failure(REQUEST, now), circuit.outages()), (Cost::Nothing, 1));
        circuit.record_answer();
        assert_eq!(circuit.record_failure(UNREACHABLE, now), Cost::Attempt);
        assert_eq!((circuit.record_failure(UNREACHABLE, now), circuit.outages()), (Cost::Nothing, 2));
    }

    #[test]
    fn a_request_that_fails_alone_spends_an_attempt_for_each_probe_that_is_answered() {
        let now = Instant::now();
        let mut circuit = Circuit::default();
        for _ in 0..10 {
            assert_eq!(circuit.record_failure(REQUEST, now), Cost::Attempt);
            assert_eq!(circuit.record_failure(REQUEST, now), Cost::NotTheLastAttempt);
            circuit.record_answer();
        }
        assert_eq!(circuit.outages(), 0);
    }

    #[test]
    fn a_probe_that_fails_after_all_is_well_again_costs_nothing() {
        let now = Instant::now();
        assert_eq!(Circuit::default().record_failure(PROBE, now), Cost::Nothing);
    }

    #[test]
    fn failures_between_answers_leave_the_circuit_closed() {
        let (now, mut circuit) = (Instant::now(), Circuit::default());
        for call in 0..1_000 {
            match call % 5 {
                0 => circuit.record_answer(),
                1 => assert_eq!(circuit.record_failure(Failure { under_way: 8, ..UNREACHABLE }, now), Cost::Attempt),
                _ => assert_eq!(circuit.record_failure(of(8), now), Cost::NotTheLastAttempt),
            }
            assert_eq!(circuit.state(now), CircuitState::Closed);
        }
    }
}

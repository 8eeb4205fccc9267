//! The circuit and the retry policy together, in virtual time: what outages of each kind and length cost.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::outcome::{Pending, failed_call};
use super::retry::longest_back_off;
use crate::engine::Timings;
use crate::engine::limiter::circuit::{Circuit, CircuitState};
use crate::llm::prompt::PromptItem;
use crate::llm::{CallError, samples};
use crate::models::questions::Question;

const MAX_ATTEMPTS: u16 = 6;
/// Of a call that is answered.
const LATENCY: Duration = Duration::from_millis(500);
/// Of the calls before the outage.
const GOOD_TIME: Duration = Duration::from_secs(5);
const MINUTE: Duration = Duration::from_secs(60);

/// How a call fails while the server is away, and after which time.
#[derive(Clone, Copy, Debug)]
struct Fault {
    code: &'static str,
    takes: Duration,
}

const fn fault(code: &'static str, milliseconds: u64) -> Fault {
    Fault { code, takes: Duration::from_millis(milliseconds) }
}

/// Connections that are refused, hosts that no name server knows and failures of TLS.
const UNREACHABLE: Fault = fault(CallError::CONNECT, 1);
const MODEL_MISSING: Fault = fault(CallError::MODEL_MISSING, 20);
const RESET: Fault = fault("connection", 1);
const SERVER_ERROR: Fault = fault("server_error", 20);
const TIME_OUT: Fault = fault("timeout", 5_000);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// An interview waits for a permit.
    Ready(usize),
    Ended {
        interview: usize,
        answered: bool,
    },
    /// A probe may be due.
    Look,
}

/// Interviews that ask a server, which is away for a while.
struct Outage<'a> {
    fault: Fault,
    away: Range<Instant>,
    /// An interview whose calls fail at any time.
    poisoned: Option<usize>,
    at_once: usize,
    question: &'a Question,
    circuit: Circuit,
    events: BinaryHeap<Reverse<(Instant, usize, Event)>>,
    scheduled: usize,
    look_at: Option<Instant>,
    waiting: VecDeque<usize>,
    under_way: usize,
    /// Of each interview: what it asks now, and how many requests come after that.
    pending: Vec<(Vec<Pending<'a>>, usize)>,
    calls: Vec<Instant>,
    answered: usize,
    /// When requests failed.
    failed: Vec<Instant>,
}

impl<'a> Outage<'a> {
    fn new(fault: Fault, question: &'a Question, (interviews, requests): (usize, usize)) -> Self {
        let now = Instant::now();
        let mut outage = Self {
            fault,
            away: now..now,
            poisoned: None,
            at_once: interviews,
            question,
            circuit: Circuit::new(Timings::default().outage),
            events: BinaryHeap::new(),
            scheduled: 0,
            look_at: None,
            waiting: VecDeque::new(),
            under_way: 0,
            pending: (0..interviews).map(|_| (Vec::new(), requests)).collect(),
            calls: Vec::new(),
            answered: 0,
            failed: Vec::new(),
        };
        outage.schedule(now, Event::Look);
        (0..interviews).for_each(|interview| outage.next_request(interview));
        outage
    }

    /// Goes on until every request is answered or has failed.
    fn lasting(mut self, after: Duration, time: Duration) -> Self {
        let begins = self.away.start + after;
        self.away = begins..begins + time;
        while let Some(Reverse((now, _, event))) = self.events.pop() {
            match event {
                Event::Ready(interview) => self.waiting.push_back(interview),
                Event::Ended { interview, answered } => {
                    self.under_way -= 1;
                    if answered {
                        self.circuit.record_answer();
                        self.answered += 1;
                        self.next_request(interview);
                    } else {
                        self.fail(interview, now);
                    }
                }
                Event::Look => {}
            }
            self.grant(now);
        }
        self
    }

    fn schedule(&mut self, at: Instant, event: Event) {
        self.scheduled += 1;
        self.events.push(Reverse((at, self.scheduled, event)));
    }

    fn next_request(&mut self, interview: usize) {
        let (pending, left) = &mut self.pending[interview];
        if *left > 0 {
            *left -= 1;
            *pending = vec![Pending::new(PromptItem {
                question: self.question,
                order: None,
                texts: Vec::new(),
                rejection: None,
            })];
            self.waiting.push_back(interview);
        }
    }

    /// As the limiter does.
    fn grant(&mut self, now: Instant) {
        while self.under_way < self.at_once && !self.waiting.is_empty() {
            match self.circuit.state(now) {
                CircuitState::Closed => {}
                CircuitState::HalfOpen => self.circuit.probe_started(now),
                CircuitState::Open(until) => {
                    if self.look_at.replace(until) != Some(until) {
                        self.schedule(until, Event::Look);
                    }
                    return;
                }
            }
            let Some(interview) = self.waiting.pop_front() else { return };
            self.under_way += 1;
            self.calls.push(now);
            let answered = !self.away.contains(&now) && self.poisoned != Some(interview);
            let takes = if answered { LATENCY } else { self.fault.takes };
            self.schedule(now + takes, Event::Ended { interview, answered });
        }
    }

    /// As an interview does whose call has failed.
    fn fail(&mut self, interview: usize, now: Instant) {
        let code = self.fault.code;
        let error = CallError::Transient { code, message: "away".to_owned(), retry_after: None };
        let cost = self.circuit.record_failure((1, interview as i32), error.blames_no_request(), now);
        let pending = std::mem::take(&mut self.pending[interview].0);
        let jitter = (self.scheduled % 10) as f64 / 10.0;
        let back_off = longest_back_off(&pending, cost).mul_f64(jitter);
        let outcome = failed_call(pending, cost, MAX_ATTEMPTS, code, "away");
        if outcome.again.is_empty() {
            self.failed.push(now);
            self.next_request(interview);
        } else {
            self.pending[interview].0 = outcome.again;
            self.schedule(now + back_off, Event::Ready(interview));
        }
    }
}

fn question() -> Question {
    samples::question(1, json!({ "type": "BOOLEAN", "text": "Do you smoke?" }))
}

#[test]
fn an_outage_of_any_kind_and_length_is_probed_and_costs_nobody_a_request() {
    const FAULTS: [Fault; 5] = [UNREACHABLE, MODEL_MISSING, RESET, SERVER_ERROR, TIME_OUT];
    const SIZE: (usize, usize) = (60, 20);
    let question = question();
    for fault in FAULTS {
        for (minutes, at_once) in [(1, 2), (1, 8), (1, 32), (1, 60), (10, 8), (60, 2), (60, 60)] {
            let case = format!("{fault:?} for {minutes} minutes, {at_once} at once");
            let outage = Outage { at_once, ..Outage::new(fault, &question, SIZE) };
            let outage = outage.lasting(GOOD_TIME, MINUTE * minutes);
            assert_eq!((outage.answered, outage.failed.len()), (SIZE.0 * SIZE.1, 0), "{case}");
            let Range { start, end } = outage.away;
            // Two seconds after the third failure of few calls at once, which take a time-out each.
            let closed = start + LATENCY + fault.takes * 2 + Duration::from_secs(2);
            let probes: Vec<_> = outage.calls.iter().filter(|call| (closed..end).contains(call)).collect();
            assert!(probes.len() > 1, "{case}");
            for pair in probes.windows(2) {
                let wait = *pair[1] - *pair[0];
                assert!((5..=30).contains(&wait.as_secs()), "{case}: {wait:?} between probes");
            }
            let first = outage.calls.iter().find(|call| **call >= end).expect("it is asked again");
            assert!(*first - end <= Duration::from_secs(10), "{case}: asked {:?} after its return", *first - end);
        }
    }
}

#[test]
fn an_interview_alone_waits_for_a_server_that_is_not_to_be_reached_as_long_as_it_takes() {
    let question = question();
    for fault in [UNREACHABLE, MODEL_MISSING] {
        let outage = Outage::new(fault, &question, (1, 3)).lasting(Duration::ZERO, MINUTE * 60);
        assert_eq!((outage.answered, outage.failed.len()), (3, 0), "{fault:?}");
    }
}

#[test]
fn an_interview_alone_keeps_its_last_attempt_for_a_minute_and_then_fails() {
    let question = question();
    for fault in [RESET, SERVER_ERROR, TIME_OUT] {
        let short = Outage::new(fault, &question, (1, 3)).lasting(Duration::ZERO, MINUTE * 5 / 6);
        assert_eq!((short.answered, short.failed.len()), (3, 0), "{fault:?}");
        let long = Outage::new(fault, &question, (1, 1)).lasting(Duration::ZERO, MINUTE * 10);
        assert_eq!((long.answered, long.failed.len()), (0, 1), "{fault:?}");
        let (waited, started) = (long.failed[0] - long.away.start, fault.takes);
        assert!((MINUTE..MINUTE * 2).contains(&(waited - started)), "{fault:?}: {waited:?}");
    }
}

#[test]
fn a_request_that_always_fails_spends_its_attempts_while_others_are_answered() {
    let question = question();
    for fault in [RESET, SERVER_ERROR, TIME_OUT] {
        let mut outage = Outage { poisoned: Some(0), ..Outage::new(fault, &question, (8, 400)) };
        // Of its requests it asks the first one only.
        outage.pending[0].1 = 0;
        let outage = outage.lasting(Duration::ZERO, Duration::ZERO);
        assert_eq!((outage.answered, outage.failed.len()), (7 * 400, 1), "{fault:?}");
        let tries = outage.calls.len() - 7 * 400;
        assert!((6..=12).contains(&tries), "{fault:?}: {tries} calls");
    }
}

//! The circuit and the retry policy together, in virtual time: what outages of each kind and length cost.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;
use std::time::Duration;

use serde_json::json;
use simulation::draw::DrawKey;
use simulation::parameters::Parameters;
use survey::distribution::AnswerForm;
use survey::question::Question;
use tokio::time::Instant;

use super::outcome::{Pending, count_failed_call};
use super::retry::longest_back_off;
use crate::engine::limiter::circuit::{Circuit, CircuitState, Failure};
use crate::llm::CallError;
use crate::llm::prompt::PromptItem;

const MAX_ATTEMPTS: u16 = 6;
/// Duration of a call that is answered.
const LATENCY: Duration = Duration::from_millis(500);
/// Duration of the calls before the outage.
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
const FAULTS: [Fault; 5] = [UNREACHABLE, MODEL_MISSING, RESET, SERVER_ERROR, TIME_OUT];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// An interview waits for a permit.
    Ready(usize),
    Ended {
        interview: usize,
        answered: bool,
        probe: bool,
    },
    /// A probe may be due.
    Look,
}

/// Interviews that ask a server, which is away for a while.
struct Outage<'a> {
    fault: Fault,
    away: Range<Instant>,
    /// The server is away so often, each time for as long as the first time and after as much good time.
    times: u32,
    /// Interviews whose calls fail at any time.
    poisoned: Range<usize>,
    at_once: usize,
    question: &'a Question,
    circuit: Circuit,
    events: BinaryHeap<Reverse<(Instant, usize, Event)>>,
    scheduled: usize,
    look_at: Option<Instant>,
    waiting: VecDeque<usize>,
    under_way: usize,
    /// Requests that each interview asks now, and how many come after that.
    pending: Vec<(Vec<Pending<'a>>, usize)>,
    /// How many outages each interview knows of.
    outages: Vec<u32>,
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
            times: 1,
            poisoned: 0..0,
            at_once: interviews,
            question,
            circuit: Circuit::default(),
            events: BinaryHeap::new(),
            scheduled: 0,
            look_at: None,
            waiting: VecDeque::new(),
            under_way: 0,
            pending: (0..interviews).map(|_| (Vec::new(), requests)).collect(),
            outages: vec![0; interviews],
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
                Event::Ended { interview, answered, probe } => {
                    if answered {
                        self.circuit.record_answer();
                    } else {
                        self.fail(interview, probe, now);
                    }
                    if answered && probe {
                        self.waiting.push_back(interview);
                    } else if answered {
                        self.answered += 1;
                        self.next_request(interview);
                    }
                    self.under_way -= 1;
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
                max_text_length: None,
                rejection: None,
                form: AnswerForm::Answer,
                draw: DrawKey::new(&Parameters::new("m", 1, 1), 1),
                draws: 1,
            })];
            self.waiting.push_back(interview);
        }
    }

    fn is_away(&self, now: Instant) -> bool {
        let period = self.away.end - self.away.start + GOOD_TIME;
        (0..self.times).any(|time| self.away.contains(&(now - period * time)))
    }

    /// Grants permits as the limiter does.
    fn grant(&mut self, now: Instant) {
        while self.under_way < self.at_once && !self.waiting.is_empty() {
            let probe = match self.circuit.state(now) {
                CircuitState::Closed => false,
                CircuitState::HalfOpen => {
                    self.circuit.probe_started(now);
                    true
                }
                CircuitState::Open(until) => {
                    if self.look_at.replace(until) != Some(until) {
                        self.schedule(until, Event::Look);
                    }
                    return;
                }
            };
            let Some(interview) = self.waiting.pop_front() else { return };
            self.under_way += 1;
            self.calls.push(now);
            if std::mem::replace(&mut self.outages[interview], self.circuit.outages()) != self.circuit.outages() {
                let pending = std::mem::take(&mut self.pending[interview].0);
                self.pending[interview].0 = pending.into_iter().map(Pending::without_failed_calls).collect();
            }
            let answered = !self.is_away(now) && (probe || !self.poisoned.contains(&interview));
            let takes = if answered { LATENCY } else { self.fault.takes };
            self.schedule(now + takes, Event::Ended { interview, answered, probe });
        }
    }

    /// Does what an interview does whose call has failed.
    fn fail(&mut self, interview: usize, probe: bool, now: Instant) {
        let code = self.fault.code;
        let error = CallError::Transient { code, message: "away".to_owned(), retry_after: None };
        let under_way = self.under_way as u32;
        let failure = Failure { unreachable: error.blames_no_request(), probe, under_way };
        let cost = self.circuit.record_failure(failure, now);
        let pending = std::mem::take(&mut self.pending[interview].0);
        let jitter = (self.scheduled % 10) as f64 / 10.0;
        let back_off = longest_back_off(&pending, cost).mul_f64(jitter);
        let outcome = count_failed_call(pending, cost, MAX_ATTEMPTS, code, "away");
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
    survey::samples::question(1, json!({ "type": "BOOLEAN", "text": "Do you smoke?" }))
}

#[test]
fn an_outage_of_any_kind_and_length_is_probed_and_costs_nobody_a_request() {
    const SIZE: (usize, usize) = (60, 20);
    let question = question();
    for fault in FAULTS {
        for (minutes, at_once) in [(1, 2), (1, 8), (1, 32), (1, 60), (10, 8), (60, 2), (60, 60)] {
            let case = format!("{fault:?} for {minutes} minutes, {at_once} at once");
            let outage = Outage { at_once, ..Outage::new(fault, &question, SIZE) };
            let outage = outage.lasting(GOOD_TIME, MINUTE * minutes);
            assert_eq!((outage.answered, outage.failed.len()), (SIZE.0 * SIZE.1, 0), "{case}");
            let Range { start, end } = outage.away;
            // Two seconds after the calls that were under way have failed.
            let closed = start + LATENCY + fault.takes + Duration::from_secs(2);
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
fn an_interview_alone_waits_for_the_server_as_long_as_it_takes() {
    let question = question();
    for fault in FAULTS {
        for time in [MINUTE / 2, MINUTE, MINUTE * 10, MINUTE * 60] {
            let outage = Outage::new(fault, &question, (1, 20)).lasting(GOOD_TIME, time);
            assert_eq!((outage.answered, outage.failed.len()), (20, 0), "{fault:?} for {time:?}");
            let first = outage.calls.iter().find(|call| **call >= outage.away.end).expect("it is asked again");
            assert!(*first - outage.away.end <= Duration::from_secs(10), "{fault:?} for {time:?}");
        }
    }
}

#[test]
fn outages_that_follow_one_another_cost_nobody_a_request() {
    let question = question();
    for at_once in [1, 2, 8] {
        let outage = Outage { times: 20, ..Outage::new(SERVER_ERROR, &question, (at_once, 400)) };
        let outage = outage.lasting(GOOD_TIME, MINUTE);
        assert_eq!((outage.answered, outage.failed.len()), (at_once * 400, 0), "{at_once} at once");
    }
}

#[test]
fn a_request_that_fails_alone_ends_if_a_probe_is_answered() {
    let question = question();
    for fault in [RESET, SERVER_ERROR, TIME_OUT] {
        let outage = Outage { poisoned: 0..1, ..Outage::new(fault, &question, (1, 1)) };
        let outage = outage.lasting(Duration::ZERO, Duration::ZERO);
        assert_eq!((outage.answered, outage.failed.len()), (0, 1), "{fault:?}");
        assert!((7..=12).contains(&outage.calls.len()), "{fault:?}: {} calls", outage.calls.len());
    }
}

#[test]
fn requests_that_fail_beside_one_another_end_if_probes_are_answered() {
    let question = question();
    let outage = Outage { poisoned: 0..4, ..Outage::new(SERVER_ERROR, &question, (4, 1)) };
    let outage = outage.lasting(Duration::ZERO, Duration::ZERO);
    assert_eq!((outage.answered, outage.failed.len()), (0, 4));
}

#[test]
fn a_request_that_always_fails_spends_its_attempts_while_others_are_answered() {
    let question = question();
    for fault in [RESET, SERVER_ERROR, TIME_OUT] {
        let mut outage = Outage { poisoned: 0..1, ..Outage::new(fault, &question, (8, 400)) };
        // Of its requests it asks the first one only.
        outage.pending[0].1 = 0;
        let outage = outage.lasting(Duration::ZERO, Duration::ZERO);
        assert_eq!((outage.answered, outage.failed.len()), (7 * 400, 1), "{fault:?}");
        let tries = outage.calls.len() - 7 * 400;
        assert!((6..=12).contains(&tries), "{fault:?}: {tries} calls");
    }
}

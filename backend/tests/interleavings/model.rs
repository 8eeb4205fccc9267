//! The model: the expected state of a run.

use std::collections::BTreeMap;

use simulation::status::Status;
use twinlab::models::queue::Lease;
use twinlab::models::settlement::{Booked, InterviewReport};

pub const RUNS: usize = 2;
pub const PERSONAS: i32 = 3;
pub const QUESTIONS: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Open,
    Answered,
    Failed,
    /// Failed in an earlier pass, and asked again in this one.
    Retrying,
}

/// An interview's message in the queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct Message {
    /// The last delivery. Its holder may report until there is another.
    pub lease: Option<Lease>,
    /// Whether it is leased, so that no worker may claim it.
    pub hidden: bool,
}

#[derive(Clone, Debug)]
pub struct Run {
    pub id: i64,
    pub status: Status,
    pub attempt: i32,
    /// Whether this pass asks failed requests only.
    pub retries_failed: bool,
    pub requests: BTreeMap<(i32, i64), Request>,
    pub messages: BTreeMap<i32, Message>,
}

impl Run {
    pub fn started(id: i64, questions: &[i64]) -> Self {
        let requests = (1..=PERSONAS)
            .flat_map(|persona| questions.iter().map(move |question| ((persona, *question), Request::Open)));
        Self {
            id,
            status: Status::Queued,
            attempt: 1,
            retries_failed: false,
            requests: requests.collect(),
            messages: (1..=PERSONAS).map(|persona| (persona, Message::default())).collect(),
        }
    }

    pub fn count(&self, state: Request) -> usize {
        self.requests.values().filter(|request| **request == state).count()
    }

    /// The state of the requests that this pass asks.
    fn wanted(&self) -> Request {
        if self.retries_failed { Request::Retrying } else { Request::Open }
    }

    pub fn open(&self) -> usize {
        if self.status.is_over() { 0 } else { self.count(self.wanted()) }
    }

    /// Held credits. Failed requests keep theirs until the pass ends.
    pub fn held(&self) -> usize {
        if self.status.is_over() { 0 } else { self.open() + self.count(Request::Failed) }
    }

    /// The open questions of an interview.
    pub fn questions(&self, persona: i32) -> Vec<i64> {
        let asks = |((of, question), state): (&(i32, i64), &Request)| {
            (*of == persona && *state == self.wanted()).then_some(*question)
        };
        self.requests.iter().filter_map(asks).collect()
    }

    pub fn settle(&mut self, reports: &[InterviewReport]) -> Vec<Booked> {
        if self.status.is_over() {
            return vec![Booked::RunFinished; reports.len()];
        }
        let held = |report: &&InterviewReport| {
            self.messages.get(&report.persona_id).is_some_and(|message| message.lease == Some(report.lease))
        };
        let booked = reports.iter().map(|report| if held(&report) { Booked::Stored } else { Booked::LeaseLost });
        let booked: Vec<_> = booked.collect();
        let reports: Vec<_> = reports.iter().filter(held).collect();
        for report in &reports {
            for answer in &report.answers {
                self.settle_one((report.persona_id, answer.question_id), Request::Answered);
            }
        }
        for report in &reports {
            for failure in &report.failures {
                self.settle_one((report.persona_id, failure.question_id), Request::Failed);
            }
            if report.finished {
                self.messages.remove(&report.persona_id);
            }
        }
        if self.open() == 0 {
            self.close();
        }
        booked
    }

    fn settle_one(&mut self, key: (i32, i64), outcome: Request) {
        if let Some(request) = self.requests.get_mut(&key)
            && matches!(request, Request::Open | Request::Retrying)
        {
            *request = outcome;
        }
    }

    fn close(&mut self) {
        let total = self.requests.len();
        let (answered, failed) = (self.count(Request::Answered), self.count(Request::Failed));
        self.status = match (answered, failed) {
            (answered, _) if answered == total => Status::Completed,
            (answered, failed) if answered + failed == total => Status::Failed,
            _ => Status::Stopped,
        };
        self.messages.clear();
    }

    pub fn may_retry(&self) -> bool {
        self.status.is_over() && self.count(Request::Failed) > 0
    }

    pub fn retry(&mut self) {
        self.status = Status::Queued;
        self.attempt += 1;
        self.retries_failed = true;
        for ((persona, _), request) in &mut self.requests {
            if *request == Request::Failed {
                *request = Request::Retrying;
                self.messages.insert(*persona, Message::default());
            }
        }
    }

    pub fn may_go_on(&self) -> bool {
        self.status == Status::Stopped && self.count(Request::Open) > 0
    }

    pub fn go_on(&mut self) {
        self.status = Status::Queued;
        self.attempt += 1;
        self.retries_failed = false;
        for ((persona, _), request) in &self.requests {
            if *request == Request::Open {
                self.messages.insert(*persona, Message::default());
            }
        }
    }

    pub fn stop(&mut self) {
        self.status = Status::Stopped;
        self.messages.clear();
        for request in self.requests.values_mut().filter(|request| **request == Request::Retrying) {
            *request = Request::Failed;
        }
    }
}

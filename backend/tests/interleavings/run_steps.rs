//! Runs steps on a database and on the model, and compares the two after each step.

use diesel::prelude::*;
use diesel_async::AsyncPgConnection;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestCaseError;
use serde_json::json;
use simulation::row::Simulation;
use simulation::status::Status;
use twinlab::models::queue::{self, Lease};
use twinlab::models::settlement::{self, Booked, InterviewReport, NewAnswer, Settled};
use twinlab::models::simulations::claims::Claimed;
use twinlab::models::simulations::passes::Pass;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::models::simulations::{self, control, reconcile};

use super::model::{Message, PERSONAS, QUESTIONS, RUNS, Request, Run};
use super::step::{Fate, Outcome, Step};
use crate::support::engine_fixture::{BUDGET, EngineFixture, survey};
use crate::support::interviews::{claim, failure, report};
use crate::support::sample::{self, breaches, number};

type Tried<T = ()> = Result<T, TestCaseError>;

pub fn run_steps(steps: &[Step]) -> Tried {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let lab = EngineFixture::new(PERSONAS).await;
        let mut fixture = Fixture::new(&lab).await;
        let connection = &mut *lab.pool.get().await.expect("a connection");
        for step in steps {
            fixture.run(connection, step).await?;
            fixture.compare(connection).await?;
        }
        Ok(())
    })
}

/// An interview in a worker's memory.
struct Held {
    run: usize,
    persona: i32,
    lease: Lease,
    open: Vec<i64>,
}

struct Fixture {
    settler: PgConnection,
    runs: Vec<Run>,
    /// The runs' rows as they were started, in the order of `runs`.
    started: Vec<Simulation>,
    held: Vec<Held>,
    batches: Vec<(usize, Vec<InterviewReport>)>,
}

impl Fixture {
    async fn new(lab: &EngineFixture) -> Self {
        let (mut runs, mut started) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let id = lab.start(&survey(QUESTIONS), PersonaChoice::Random(PERSONAS), |_| ()).await;
            let simulation = lab.run(id).await;
            let snapshot = simulation.snapshot().expect("a snapshot");
            let questions: Vec<i64> = snapshot.questions.iter().map(|question| question.id).collect();
            runs.push(Run::started(simulation.id, &questions));
            started.push(simulation);
        }
        Self { settler: lab.database.connect(), runs, started, held: Vec::new(), batches: Vec::new() }
    }

    async fn run(&mut self, connection: &mut AsyncPgConnection, step: &Step) -> Tried {
        match step {
            Step::Claim { run, quantity } => self.claim(connection, *run, *quantity).await?,
            Step::Report { run, interviews, fate } => self.report(*run, interviews, *fate)?,
            Step::Replay(_) if self.batches.is_empty() => {}
            Step::Replay(which) => {
                let (run, reports) = which.get(&self.batches).clone();
                self.settle(run, &reports)?;
            }
            Step::Expire(which) => self.expire(connection, which).await,
            Step::Release(which) => {
                if let Some(held) = self.take(which) {
                    queue::release(connection, &[held.lease]).await.expect("the database answers");
                    if let Some(message) = self.message(&held) {
                        message.hidden = false;
                    }
                }
            }
            Step::Abandon(which) => {
                if let Some(held) = self.take(which) {
                    queue::abandon(connection, held.lease, 1, 1).await.expect("the database answers");
                    if let Some(message) = self.message(&held) {
                        message.hidden = false;
                    }
                }
            }
            Step::Restart => self.restart(connection).await?,
            Step::Pause(run) => {
                let run = &mut self.runs[*run];
                let legal = matches!(run.status, Status::Queued | Status::Running);
                let paused = control::pause(connection, run.id).await;
                prop_assert_eq!(paused.is_ok(), legal, "{:?}", paused);
                run.status = if legal { Status::Paused } else { run.status };
            }
            Step::Resume(run) => {
                let run = &mut self.runs[*run];
                let legal = run.status == Status::Paused;
                let resumed = control::resume(connection, run.id).await;
                prop_assert_eq!(resumed.is_ok(), legal, "{:?}", resumed);
                run.status = if legal { Status::Queued } else { run.status };
            }
            Step::Stop(run) => {
                let run = &mut self.runs[*run];
                let legal = !run.status.is_over();
                let stopped = control::stop(connection, run.id).await;
                prop_assert_eq!(stopped.is_ok(), legal, "{:?}", stopped);
                if legal {
                    run.stop();
                }
            }
            Step::Retry(run) => {
                let run = &mut self.runs[*run];
                let legal = run.may_retry();
                let retried = Pass::RetryFailed.begin(connection, run.id).await;
                prop_assert_eq!(retried.is_ok(), legal, "{:?}", retried);
                if legal {
                    run.retry();
                }
            }
            Step::GoOn(run) => {
                let run = &mut self.runs[*run];
                let legal = run.may_go_on();
                let continued = Pass::GoOn.begin(connection, run.id).await;
                prop_assert_eq!(continued.is_ok(), legal, "{:?}", continued);
                if legal {
                    run.go_on();
                }
            }
            Step::Recount(run) => {
                let run = &self.runs[*run];
                let recounted = reconcile::reset_counters(connection, run.id).await;
                prop_assert_eq!(recounted.is_ok(), run.status != Status::Running, "{:?}", recounted);
            }
            Step::Refresh(run) => {
                let refreshed = reconcile::refresh(connection, self.runs[*run].id).await;
                prop_assert!(refreshed.is_ok(), "{:?}", refreshed);
            }
        }
        Ok(())
    }

    async fn claim(&mut self, connection: &mut AsyncPgConnection, index: usize, quantity: usize) -> Tried {
        let claims = claim(connection, &self.started[index], quantity).await;
        let run = &mut self.runs[index];
        let waiting = run.messages.values().filter(|message| !message.hidden).count();
        prop_assert_eq!(claims.len(), waiting.min(quantity));
        // This also applies if all its interviews have been under way since before a pause.
        if run.status == Status::Queued && !run.messages.is_empty() {
            run.status = Status::Running;
        }
        for claim in claims {
            let Claimed { persona_id: persona, lease, mut open, .. } = claim;
            let message = run.messages.get_mut(&persona).expect("a message that the model knows");
            prop_assert!(!message.hidden, "claimed while leased");
            *message = Message { lease: Some(lease), hidden: true };
            open.sort_unstable();
            prop_assert_eq!(&open, &run.questions(persona));
            self.held.push(Held { run: index, persona, lease, open });
        }
        Ok(())
    }

    fn report(&mut self, run: usize, interviews: &[(Index, Vec<Outcome>)], fate: Fate) -> Tried {
        let mut reporting: Vec<Held> = Vec::new();
        let mut reports = Vec::new();
        for (which, outcomes) in interviews {
            let of_run: Vec<usize> = (0..self.held.len()).filter(|place| self.held[*place].run == run).collect();
            if of_run.is_empty() {
                break;
            }
            let mut held = self.held.swap_remove(*which.get(&of_run));
            reports.push(held.report(outcomes));
            reporting.push(held);
        }
        self.batches.push((run, reports.clone()));
        if fate == Fate::Lost {
            let id = self.runs[run].id;
            let lost = self.settler.transaction(|settler| {
                settlement::settle(settler, id, &reports)?;
                Err::<(), _>(diesel::result::Error::RollbackTransaction)
            });
            prop_assert_eq!(lost, Err(diesel::result::Error::RollbackTransaction));
            return Ok(());
        }
        let mut booked = self.settle(run, &reports)?;
        if fate == Fate::Unheard {
            booked = self.settle(run, &reports)?;
        }
        let goes_on = reporting
            .into_iter()
            .zip(booked)
            .filter(|(held, booked)| *booked == Booked::Stored && !held.open.is_empty());
        self.held.extend(goes_on.map(|(held, _)| held));
        Ok(())
    }

    fn settle(&mut self, run: usize, reports: &[InterviewReport]) -> Tried<Vec<Booked>> {
        let run = &mut self.runs[run];
        let settled = settlement::settle(&mut self.settler, run.id, reports);
        let Settled { booked, status, open } = settled.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let expected = run.settle(reports);
        prop_assert_eq!(&booked, &expected);
        prop_assert!(status.is_none_or(|status| status == run.status), "{:?} is not {:?}", status, run.status);
        prop_assert_eq!(open, (status == Some(Status::Running)).then(|| run.open()));
        Ok(booked)
    }

    async fn expire(&mut self, connection: &mut AsyncPgConnection, which: &Index) {
        let mut leased: Vec<(Lease, &mut Message)> = self
            .runs
            .iter_mut()
            .flat_map(|run| run.messages.values_mut())
            .filter_map(|message| message.hidden.then_some((message.lease?, message)))
            .collect();
        if leased.is_empty() {
            return;
        }
        let place = which.index(leased.len());
        let (lease, message) = &mut leased[place];
        message.hidden = false;
        let past = "UPDATE pgmq.q_interviews SET vt = clock_timestamp() - interval '1 second' WHERE msg_id = ";
        sample::run(connection, &format!("{past}{}", lease.msg_id)).await;
    }

    async fn restart(&mut self, connection: &mut AsyncPgConnection) -> Tried {
        self.held.clear();
        let freed = queue::free_all(connection).await.expect("the database answers");
        let messages = self.runs.iter_mut().flat_map(|run| run.messages.values_mut());
        let leased: Vec<_> = messages.filter(|message| message.hidden).collect();
        prop_assert_eq!(freed, leased.len());
        leased.into_iter().for_each(|message| message.hidden = false);
        Ok(())
    }

    fn take(&mut self, which: &Index) -> Option<Held> {
        (!self.held.is_empty()).then(|| self.held.swap_remove(which.index(self.held.len())))
    }

    /// The message, if the holder's lease on it is still valid.
    fn message(&mut self, held: &Held) -> Option<&mut Message> {
        let message = self.runs[held.run].messages.get_mut(&held.persona)?;
        (message.lease == Some(held.lease)).then_some(message)
    }

    async fn compare(&self, connection: &mut AsyncPgConnection) -> Tried {
        let found = breaches(connection).await;
        prop_assert!(found.is_empty(), "{:#?}", found);
        let mut answered = 0;
        for run in &self.runs {
            let row = simulations::find(connection, run.id).await.expect("the database answers").expect("the run");
            let counted = [row.successful_requests, row.failed_requests, row.open_requests, row.held as i32];
            let expected = [run.count(Request::Answered), run.count(Request::Failed), run.open(), run.held()];
            prop_assert_eq!(counted.map(|count| count as usize), expected);
            prop_assert_eq!((row.status, row.attempt), (run.status, run.attempt));
            answered += run.count(Request::Answered);
        }
        let budget = number(connection, "SELECT sum(budget)::bigint AS number FROM group_members").await;
        prop_assert_eq!(budget, BUDGET - answered as i64);
        let queued = number(connection, "SELECT count(*) AS number FROM pgmq.q_interviews").await;
        let expected: usize = self.runs.iter().map(|run| run.messages.len()).sum();
        prop_assert_eq!(queued as usize, expected);
        Ok(())
    }
}

impl Held {
    /// Reports these outcomes for the first open questions, and keeps the rest open.
    fn report(&mut self, outcomes: &[Outcome]) -> InterviewReport {
        let (mut answers, mut failures, mut left) = (Vec::new(), Vec::new(), Vec::new());
        for (question_id, outcome) in std::mem::take(&mut self.open).into_iter().zip(outcomes.iter().cycle()) {
            match outcome {
                Outcome::Answered => answers.push(answer(question_id)),
                Outcome::Failed => failures.push(failure(question_id)),
                Outcome::Left => left.push(question_id),
            }
        }
        self.open = left;
        let finished = self.open.is_empty();
        InterviewReport { answers, failures, finished, ..report(self.persona, self.lease) }
    }
}

fn answer(question_id: i64) -> NewAnswer {
    NewAnswer {
        question_id,
        answer: "Agree".into(),
        answer_value: json!("Agree"),
        distribution: None,
        provenance: sample::provenance("stub"),
    }
}

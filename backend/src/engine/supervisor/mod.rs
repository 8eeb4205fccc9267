//! The supervisor: one per run and worker. It starts a persona actor for every interview that the dispatcher claimed,
//! renews their leases, loads their texts, passes on the run's state and releases what was not finished.
//!
//! Its memory is a cache: the run is its row, an interview is its message in the queue.

mod leases;
mod rejections;
mod texts;
mod time_outs;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix::fut::wrap_future;
use actix::prelude::*;
use futures_util::FutureExt;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::Instant;

use self::rejections::{MAX_REJECTIONS, Rejections, Verdict};
use self::texts::{RunTexts, TextRequest};
use self::time_outs::TimeOuts;
use super::batches::{self, BatchContacts};
use super::denial::with_key;
use super::interview::{Contacts, Interview, LeaseClock, WorkerContacts};
use super::messages::{
    AddInterviews, CallAnswered, CallRefused, Interrupted, InterviewEnded, LoadText, Refusal, Retire, RunContext,
    RunState, SetRunState, SlotFreed,
};
use super::persona::PersonaActor;
use super::timings::Timings;
use crate::db::{self, AsyncPool};
use crate::models::queue::Lease;
use crate::models::simulations::claims::Claimed;
use crate::models::simulations::control::{self, PARAMETER_REFUSED, TIMED_OUT};

/// Interval between two tries while the database is away.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// Interviews that end within this time are released in one statement.
const RELEASE_DELAY: Duration = Duration::from_millis(20);

/// Connections and settings of all supervisors of a worker.
#[derive(Clone)]
pub struct SupervisorResources {
    pub database_url: Arc<str>,
    pub timings: Timings,
    pub contacts: WorkerContacts,
}

struct Held {
    lease: Lease,
    /// Deliveries that ended during a call, before this one.
    breaks: i32,
    /// Requests that were open at the claim.
    open: usize,
    clock: Rc<LeaseClock>,
}

pub struct Supervisor {
    run: Arc<RunContext>,
    pool: AsyncPool,
    timings: Timings,
    contacts: Rc<Contacts>,
    dispatcher: Recipient<SlotFreed>,
    state: watch::Sender<RunState>,
    /// Interviews that are held, by persona id.
    held: HashMap<i32, Held>,
    /// Notified after every renewal.
    renewals: Rc<Notify>,
    texts: RunTexts,
    /// Leases that the next release hands back.
    released: Vec<Lease>,
    rejections: Rejections,
    time_outs: TimeOuts,
    /// The beginning, or the last time that the run was resumed.
    running_since: Instant,
    /// This supervisor pauses the run and the row may not say so yet.
    pausing: bool,
}

/// Its own reminder to load the texts that are waited for.
#[derive(Message)]
#[rtype(result = "()")]
struct LoadTexts;

impl Supervisor {
    pub fn begin(run: Arc<RunContext>, resources: SupervisorResources, dispatcher: Recipient<SlotFreed>) -> Addr<Self> {
        let SupervisorResources { database_url, timings, contacts: worker } = resources;
        Self::create(|ctx| {
            let state = watch::Sender::new(RunState::Running);
            if run.parameters.batch {
                let (run, llm, interval) = (run.clone(), worker.llm.clone(), timings.batch_interval);
                let contacts = BatchContacts { run, llm, database_url, interval };
                ctx.spawn(wrap_future(batches::poll_batches(contacts, state.subscribe())));
            }
            let (texts, refusals) = (ctx.address().recipient(), ctx.address().recipient());
            let answered = ctx.address().recipient();
            Self {
                run,
                pool: worker.pool.clone(),
                timings,
                contacts: Rc::new(Contacts { worker, texts, refusals, answered }),
                dispatcher,
                state,
                held: HashMap::new(),
                renewals: Rc::default(),
                texts: RunTexts::default(),
                released: Vec::new(),
                rejections: Rejections::default(),
                time_outs: TimeOuts::default(),
                running_since: Instant::now(),
                pausing: false,
            }
        })
    }

    fn start_interview(&mut self, claimed: Claimed, ctx: &Context<Self>) {
        let Claimed { persona_id, lease, claimed_at, breaks, .. } = claimed;
        let open = claimed.open.len();
        let clock = Rc::new(LeaseClock::new(self.timings.interview_lease, claimed_at, self.renewals.clone()));
        let interview = Interview {
            run: self.run.clone(),
            claimed,
            contacts: self.contacts.clone(),
            state: self.state.subscribe(),
            lease_clock: clock.clone(),
        };
        PersonaActor::begin(interview, ctx.address().recipient());
        // A second delivery of an interview that is still here: the first one's lease is lost.
        let held = Held { lease, breaks: breaks.unwrap_or_default(), open, clock };
        if let Some(earlier) = self.held.insert(persona_id, held) {
            earlier.clock.lose();
            self.renewals.notify_waiters();
        }
    }

    /// Renews the leases that are held, and schedules the next renewal.
    fn renew(&mut self, ctx: &mut Context<Self>) {
        let leases: Vec<Lease> = self.held.values().map(|held| held.lease).collect();
        let (timings, requested_at) = (self.timings, Instant::now());
        let renewal = leases::renew(self.pool.clone(), timings, leases);
        ctx.spawn(renewal.into_actor(self).map(move |renewed, supervisor, ctx| {
            let next = match renewed {
                Ok((leases, kept)) => {
                    supervisor.note_renewal(requested_at, &leases, kept);
                    timings.interview_renewal()
                }
                Err(reason) => {
                    tracing::warn!(reason, "the leases could not be renewed, trying again");
                    RETRY_DELAY
                }
            };
            ctx.run_later(next, Self::renew);
        }));
    }

    fn note_renewal(&mut self, requested_at: Instant, leases: &[Lease], kept: Vec<i64>) {
        let kept: HashSet<i64> = kept.into_iter().collect();
        let leases: HashSet<&Lease> = leases.iter().collect();
        for Held { lease, clock, .. } in self.held.values().filter(|held| leases.contains(&held.lease)) {
            if kept.contains(&lease.msg_id) { clock.renew(requested_at) } else { clock.lose() }
        }
        self.renewals.notify_waiters();
    }

    /// Loads what is waited for, a few queries at a time; what comes meanwhile waits for the next query.
    fn load_texts(&mut self, ctx: &mut Context<Self>) {
        while let Some(batch) = self.texts.next_batch() {
            let load = texts::load(self.pool.clone(), self.run.clone(), batch);
            ctx.spawn(load.into_actor(self).map(|(), supervisor, ctx| {
                supervisor.texts.query_ended();
                supervisor.load_texts(ctx);
            }));
        }
    }

    /// Hands the collected leases back to the queue.
    fn release(&mut self, ctx: &mut Context<Self>) {
        let leases = std::mem::take(&mut self.released);
        let count = leases.len();
        let release = leases::release(self.pool.clone(), leases);
        ctx.wait(release.into_actor(self).map(move |(), supervisor, _| supervisor.free_slots(count)));
    }

    fn abandon(&self, held: Held, ctx: &mut Context<Self>) {
        let abandon = leases::abandon(self.pool.clone(), held.lease, held.breaks + 1, held.open);
        ctx.spawn(abandon.into_actor(self).map(|(), supervisor, _| supervisor.free_slots(1)));
    }

    /// Only after the queue has the interviews back: the dispatcher retires a supervisor that holds none.
    fn free_slots(&self, interviews: usize) {
        for _ in 0..interviews {
            self.dispatcher.do_send(SlotFreed { run: self.run.id });
        }
    }

    /// Pauses the run here at once, and in its row as soon as the database takes it.
    fn pause_run(&mut self, code: &'static str, message: String) -> ResponseActFuture<Self, bool> {
        self.state.send_replace(RunState::Paused);
        if std::mem::replace(&mut self.pausing, true) {
            return Box::pin(fut::ready(true));
        }
        tracing::warn!(simulation = self.run.id, reason = message, "pausing the run");
        let pause = pause(self.pool.clone(), self.run.id, code, message);
        Box::pin(pause.into_actor(self).map(|(), supervisor, _| {
            // From now on the state Running means that somebody resumed the run.
            supervisor.pausing = false;
            true
        }))
    }
}

/// Pauses the run in its row. Tries until the database takes it.
async fn pause(pool: AsyncPool, id: i64, code: &'static str, message: String) {
    let pause = async || {
        let mut conn = db::checkout(&pool).await?;
        Ok(control::pause_because(&mut conn, id, code, &message).await?)
    };
    while let Err(reason) = db::in_time(pause()).await {
        tracing::error!(simulation = id, %reason, "the run could not be paused, trying again");
        tokio::time::sleep(RETRY_DELAY).await;
    }
}

impl Actor for Supervisor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(4096);
        ctx.run_later(self.timings.interview_renewal(), Self::renew);
    }
}

impl Handler<AddInterviews> for Supervisor {
    type Result = ();

    fn handle(&mut self, AddInterviews(interviews): AddInterviews, ctx: &mut Self::Context) {
        for claimed in interviews {
            self.start_interview(claimed, ctx);
        }
    }
}

impl Handler<SetRunState> for Supervisor {
    type Result = ();

    fn handle(&mut self, SetRunState(state): SetRunState, _: &mut Self::Context) {
        // The dispatcher may have read the row before our own pause was written.
        if self.pausing && state == RunState::Running {
            return;
        }
        self.pausing = false;
        let is_news = self.state.send_if_modified(|current| std::mem::replace(current, state) != state);
        if is_news && state == RunState::Running {
            self.running_since = Instant::now();
            self.rejections = Rejections::default();
            self.time_outs = TimeOuts::default();
        }
    }
}

impl Handler<InterviewEnded> for Supervisor {
    type Result = ();

    fn handle(&mut self, ended: InterviewEnded, ctx: &mut Self::Context) {
        let InterviewEnded { persona_id, lease, result } = ended;
        // A later delivery may have taken its place.
        let held = match self.held.entry(persona_id) {
            Entry::Occupied(held) if held.get().lease == lease => Some(held.remove()),
            _ => None,
        };
        if held.is_some() {
            self.rejections.release_if_all(self.held.len());
        }
        match result {
            Ok(()) | Err(Interrupted::RunFinished | Interrupted::Waits | Interrupted::LeaseLost) => {
                self.free_slots(1);
            }
            Err(Interrupted::Released) => {
                if self.released.is_empty() {
                    ctx.run_later(RELEASE_DELAY, Self::release);
                }
                self.released.push(lease);
            }
            Err(Interrupted::Crashed(reason)) => {
                tracing::error!(simulation = self.run.id, persona = persona_id, reason, "an interview broke off");
                match held {
                    Some(held) => self.abandon(held, ctx),
                    None => self.free_slots(1),
                }
            }
        }
    }
}

impl Handler<CallRefused> for Supervisor {
    type Result = ResponseActFuture<Self, bool>;

    fn handle(&mut self, refused: CallRefused, _: &mut Self::Context) -> Self::Result {
        let CallRefused { persona_id, refusal, message, call_began } = refused;
        // If somebody resumed the run since, the cause may be repaired: the requests are asked again.
        if call_began < self.running_since || *self.state.borrow() != RunState::Running {
            return Box::pin(fut::ready(true));
        }
        match refusal {
            Refusal::Denied => return self.pause_run("denied", with_key(&self.run.parameters, &message)),
            Refusal::Parameter => return self.pause_run(PARAMETER_REFUSED, message),
            Refusal::TimedOut => {
                self.run.timed_out.store(true, Ordering::Relaxed);
                return match self.time_outs.count(call_began, Instant::now()) {
                    true => self.pause_run(TIMED_OUT, time_outs::advice(&self.run.parameters, &message)),
                    false => Box::pin(fut::ready(false)),
                };
            }
            Refusal::Rejected | Refusal::ModelMissing => {}
        }
        self.run.refused.store(true, Ordering::Relaxed);
        match self.rejections.judge(persona_id, refusal, self.held.len()) {
            Verdict::RequestFails => Box::pin(fut::ready(false)),
            Verdict::RunPauses => {
                self.rejections = Rejections::default();
                let message = format!("{MAX_REJECTIONS} interviews in a row were rejected: {message}");
                self.pause_run("rejected", message)
            }
            Verdict::Unclear(others_answered) => Box::pin(async { !others_answered.await }.into_actor(self)),
        }
    }
}

impl Handler<CallAnswered> for Supervisor {
    type Result = ();

    fn handle(&mut self, CallAnswered { is_probe }: CallAnswered, _: &mut Self::Context) {
        std::mem::take(&mut self.rejections).note_answer();
        if !is_probe {
            self.time_outs = TimeOuts::default();
        }
    }
}

impl Handler<LoadText> for Supervisor {
    type Result = ResponseFuture<Result<String, String>>;

    fn handle(&mut self, LoadText(persona_id): LoadText, ctx: &mut Self::Context) -> Self::Result {
        let (reply, text) = oneshot::channel();
        self.texts.request(TextRequest { persona_id, reply });
        // A message to itself comes after the requests that are in the mailbox already, so one batch takes them all.
        ctx.notify(LoadTexts);
        Box::pin(text.map(|text| text.unwrap_or_else(|_| Err("the text was not loaded".into()))))
    }
}

impl Handler<LoadTexts> for Supervisor {
    type Result = ();

    fn handle(&mut self, _: LoadTexts, ctx: &mut Self::Context) {
        self.load_texts(ctx);
    }
}

impl Handler<Retire> for Supervisor {
    type Result = ();

    fn handle(&mut self, _: Retire, ctx: &mut Self::Context) {
        ctx.stop();
    }
}

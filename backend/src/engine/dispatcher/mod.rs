//! The dispatcher: one per worker. It reads the runs, gives each active one a supervisor, and claims interviews for it.
//!
//! It does so when it is notified, when an interview ends, and once a second. Notifications only make it sooner.
//!
//! All active runs are served at once. They divide the interviews that a worker holds, so that a small run starts at
//! once beside many large ones, and the worker's memory does not grow with the number of runs.

mod allotment;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use actix::prelude::*;
use diesel::QueryResult;
use diesel_async::AsyncConnection;
use tokio::sync::oneshot;
use tokio::time::Instant;

use self::allotment::Allotment;
use super::RunScope;
use super::batches;
use super::interview::Places;
use super::limiter::Acquire;
use super::messages::{
    AddInterviews, Busy, Claimed, ForgetRun, Rescan, Retire, RunContext, RunState, SetRunState, Settle, SlotFreed,
};
use super::supervisor::{self, Supervisor};
use super::timings::Timings;
use crate::db::{self, AsyncPool};
use crate::error::Result;
use crate::llm::Llm;
use crate::models::simulations::{self, RunStatus, Simulation, Status, interviews};
use crate::models::{self, assignments, queue};

/// Claim nothing more and have everything released; answers when nothing is held.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Drain;

/// Work on this run although the scope is chosen runs only.
#[derive(Message)]
#[rtype(result = "()")]
pub struct TakeUp(pub i64);

const SCAN_INTERVAL: Duration = Duration::from_secs(1);
/// Looks at a run's batches between two of these.
const LEFT_OVER_LOOKS: u32 = 5;
/// Claims in a row, so that a pause does not wait behind the claims of many runs.
const MAX_CLAIMS: usize = 16;

/// What the dispatcher works with.
#[derive(Clone)]
pub struct DispatcherResources {
    pub database_url: Arc<str>,
    pub pool: AsyncPool,
    pub llm: Llm,
    pub timings: Timings,
    /// Calls under way at once over all workers.
    pub max_concurrency: u32,
    pub max_attempts: u16,
    pub scope: RunScope,
    pub limiter: Recipient<Acquire>,
    pub budget: Recipient<Settle>,
    pub workers: Recipient<Busy>,
    pub places: Places,
    /// Those who keep something for each run.
    pub forget: [Recipient<ForgetRun>; 2],
}

/// A run that has a supervisor.
struct ActiveRun {
    run: Arc<RunContext>,
    supervisor: Addr<Supervisor>,
    held: usize,
    state: RunState,
    /// The queue had nothing more for this run: no claim before the next scan.
    empty_until: Option<Instant>,
}

impl ActiveRun {
    fn may_claim(&self, now: Instant) -> bool {
        self.state == RunState::Running && self.empty_until.is_none_or(|until| until <= now)
    }
}

pub struct Dispatcher {
    resources: DispatcherResources,
    runs: HashMap<i64, ActiveRun>,
    /// A scan or a claim is under way.
    occupied: bool,
    scan_again: bool,
    chosen: HashSet<i64>,
    draining: Option<Vec<oneshot::Sender<()>>>,
}

/// What a scan found.
struct Scan {
    statuses: Vec<RunStatus>,
    new: Vec<Arc<RunContext>>,
}

impl Dispatcher {
    pub fn new(resources: DispatcherResources) -> Self {
        Self {
            resources,
            runs: HashMap::new(),
            occupied: false,
            scan_again: false,
            chosen: HashSet::new(),
            draining: None,
        }
    }

    fn scan(&mut self, ctx: &mut Context<Self>) {
        if std::mem::replace(&mut self.occupied, true) {
            self.scan_again = true;
            return;
        }
        let known = self.runs.keys().copied().collect();
        let chosen = match self.resources.scope {
            RunScope::Everything => None,
            RunScope::Chosen => Some(self.chosen.clone()),
        };
        let scan = db::in_time(scan(self.resources.clone(), known, chosen));
        ctx.spawn(scan.into_actor(self).map(|scan, dispatcher, ctx| {
            match scan {
                Ok(scan) => dispatcher.apply(scan, ctx),
                Err(error) => tracing::warn!(%error, "could not read the runs"),
            }
            dispatcher.occupied = false;
            dispatcher.claim(ctx);
            dispatcher.rescan_if_asked(ctx);
        }));
    }

    /// Cancels the batches of runs that were stopped.
    fn cancel_left_over(&self) -> impl Future<Output = ()> + use<> {
        let DispatcherResources { pool, llm, scope, .. } = self.resources.clone();
        let chosen = (scope == RunScope::Chosen).then(|| self.chosen.iter().copied().collect());
        async move { batches::cancel_of_runs(&pool, &llm, chosen).await }
    }

    fn watch_left_over(&self, ctx: &mut Context<Self>) {
        ctx.spawn(self.cancel_left_over().into_actor(self).map(|(), dispatcher, ctx| {
            let interval = dispatcher.resources.timings.batch_interval * LEFT_OVER_LOOKS;
            ctx.run_later(interval, |dispatcher, ctx| dispatcher.watch_left_over(ctx));
        }));
    }

    fn rescan_if_asked(&mut self, ctx: &mut Context<Self>) {
        if std::mem::take(&mut self.scan_again) {
            self.scan(ctx);
        }
        self.check_drained();
    }

    /// Passes states on, retires supervisors with nothing left to do, starts new ones.
    fn apply(&mut self, scan: Scan, ctx: &mut Context<Self>) {
        for status in &scan.statuses {
            self.set_state(status);
        }
        if self.draining.is_some() {
            return;
        }
        for run in scan.new {
            tracing::info!(simulation = run.id, attempt = run.attempt, "taking up a run");
            let supervisor = Supervisor::begin(
                run.clone(),
                supervisor::SupervisorResources {
                    database_url: self.resources.database_url.clone(),
                    pool: self.resources.pool.clone(),
                    llm: self.resources.llm.clone(),
                    timings: self.resources.timings,
                    limiter: self.resources.limiter.clone(),
                    budget: self.resources.budget.clone(),
                    dispatcher: ctx.address().recipient(),
                    places: self.resources.places.clone(),
                },
            );
            let id = run.id;
            let active = ActiveRun { run, supervisor, held: 0, state: RunState::Running, empty_until: None };
            self.runs.insert(id, active);
        }
        // A worker whose runs are all held by others needs no share of the limits.
        self.resources.workers.do_send(Busy(self.runs.values().any(|run| run.held > 0)));
    }

    fn set_state(&mut self, status: &RunStatus) {
        let Some(active) = self.runs.get_mut(&status.id) else { return };
        active.state = run_state(status, active.run.attempt, self.draining.is_some());
        active.supervisor.do_send(SetRunState(active.state));
        if active.state != RunState::Running && active.held == 0 {
            active.supervisor.do_send(Retire);
            self.runs.remove(&status.id);
            for actor in &self.resources.forget {
                actor.do_send(ForgetRun(status.id));
            }
        }
    }

    /// Claims a batch for every run that has room, those that hold the fewest first.
    fn claim(&mut self, ctx: &mut Context<Self>) {
        if self.occupied || self.draining.is_some() {
            return;
        }
        let now = Instant::now();
        let active = self.runs.values().filter(|run| run.held > 0 || run.may_claim(now)).count();
        let allotment = Allotment::new(self.resources.max_concurrency, active);
        let mut claiming: Vec<&ActiveRun> = self.runs.values().filter(|run| run.may_claim(now)).collect();
        claiming.sort_by_key(|run| run.held);
        let wanted = claiming.iter().filter_map(|run| Some((run.run.clone(), allotment.claim(run.held)?)));
        let wanted: Vec<(Arc<RunContext>, usize)> = wanted.take(MAX_CLAIMS).collect();
        if wanted.is_empty() {
            return;
        }
        self.occupied = true;
        let claim = claim_in_turn(self.resources.clone(), wanted, ctx.address());
        ctx.spawn(claim.into_actor(self).map(|(), dispatcher, ctx| {
            dispatcher.occupied = false;
            if !dispatcher.scan_again {
                dispatcher.claim(ctx);
            }
            dispatcher.rescan_if_asked(ctx);
        }));
    }

    /// Answers those who wait for the end, once nothing is held and nothing is being claimed.
    fn check_drained(&mut self) {
        if !self.occupied
            && self.runs.values().all(|run| run.held == 0)
            && let Some(waiting) = &mut self.draining
        {
            for done in waiting.drain(..) {
                let _ = done.send(());
            }
        }
    }
}

fn run_state(status: &RunStatus, attempt: i32, draining: bool) -> RunState {
    match status.status {
        // Stopped and retried since: the interviews held here belong to the attempt that was stopped.
        _ if status.attempt != attempt => RunState::Stopped,
        Status::Queued | Status::Running if !draining => RunState::Running,
        Status::Pending | Status::Queued | Status::Running | Status::Paused => RunState::Paused,
        Status::Stopped | Status::Completed | Status::Failed => RunState::Stopped,
    }
}

/// Reads the active runs and those already known, and loads those that are new. `chosen`: all others are left alone.
async fn scan(resources: DispatcherResources, known: Vec<i64>, chosen: Option<HashSet<i64>>) -> Result<Scan> {
    let mut conn = db::checkout(&resources.pool).await?;
    queue::shorten_leases(&mut conn, resources.timings.longest_lease()).await?;
    let statuses = simulations::run_statuses(&mut conn, &known).await?;
    let mut new = Vec::new();
    for status in &statuses {
        let active = matches!(status.status, Status::Queued | Status::Running);
        let in_scope = chosen.as_ref().is_none_or(|chosen| chosen.contains(&status.id));
        if !active || !in_scope || known.contains(&status.id) {
            continue;
        }
        let Some(simulation) = simulations::find(&mut conn, status.id).await? else { continue };
        match load_run(&simulation, resources.max_attempts) {
            Ok(run) => new.push(Arc::new(run)),
            Err(error) => {
                let message = format!("the run cannot be read by this version: {error}");
                simulations::control::pause_because(&mut conn, status.id, "unreadable", &message).await?;
            }
        }
    }
    Ok(Scan { statuses, new })
}

fn load_run(simulation: &Simulation, max_attempts: u16) -> Result<RunContext, String> {
    let unreadable = |error: serde_json::Error| error.to_string();
    let snapshot = simulation.snapshot().map_err(unreadable)?;
    Ok(RunContext {
        plan: snapshot.plan()?,
        id: simulation.id,
        persona_set_id: simulation.persona_set_id,
        attempt: simulation.attempt,
        retries_failed: simulation.retries_failed,
        parameters: simulation.parameters().map_err(unreadable)?,
        questions: snapshot.questions,
        max_attempts,
        refused: AtomicBool::new(false),
    })
}

/// What a claim for a run brought.
#[derive(Message)]
#[rtype(result = "()")]
struct ClaimEnded {
    run: i64,
    /// Interviews asked for.
    wanted: usize,
    claimed: Result<Vec<Claimed>>,
}

/// Reports each claim as soon as it is made: the first run's interviews start while the next run's are claimed.
async fn claim_in_turn(
    resources: DispatcherResources,
    wanted: Vec<(Arc<RunContext>, usize)>,
    dispatcher: Addr<Dispatcher>,
) {
    for (run, wanted) in wanted {
        let claimed = db::in_time(claim(&resources, &run, wanted)).await;
        let _ = dispatcher.send(ClaimEnded { run: run.id, wanted, claimed }).await;
    }
}

/// One transaction: if the claimed interviews cannot be read, there is no claim and no delivery counts.
async fn claim(resources: &DispatcherResources, run: &RunContext, quantity: usize) -> Result<Vec<Claimed>> {
    let mut conn = db::checkout(&resources.pool).await?;
    let claimed_at = Instant::now();
    let claimed = conn.transaction(async |conn| {
        simulations::mark_running(conn, run.id).await?;
        let claims = queue::claim(conn, run.id, quantity as i32, resources.timings.interview_lease).await?;
        if claims.is_empty() {
            return Ok(Vec::new());
        }
        let personas: Vec<i32> = claims.iter().map(|claim| claim.persona_id).collect();
        let mut standings = match &run.plan {
            None => HashMap::new(),
            Some(plan) => assignments::standings(conn, run.id, plan, run.retries_failed, &personas).await?,
        };
        let mut open = match run.plan {
            None => {
                let questions: Vec<i64> = run.questions.iter().map(|question| question.id).collect();
                interviews::open_questions(conn, run.id, run.retries_failed, &questions, &personas).await?
            }
            Some(_) => {
                let open =
                    standings.iter().map(|(persona, standing)| (*persona, standing.open.iter().copied().collect()));
                open.collect()
            }
        };
        let mut waiting = match run.parameters.batch {
            true => models::batches::waiting(conn, run.id, &personas).await?,
            false => HashMap::new(),
        };
        let variant = run.parameters.persona_variant;
        let lengths = interviews::text_lengths(conn, run.persona_set_id, variant, &personas).await?;
        let interviews = claims.into_iter().map(|claim| {
            let open = open.remove(&claim.persona_id).unwrap_or_default();
            Claimed {
                persona_id: claim.persona_id,
                lease: claim.lease(),
                claimed_at,
                breaks: claim.breaks(open.len()),
                open,
                text_length: lengths.get(&claim.persona_id).copied().unwrap_or_default(),
                standing: standings.remove(&claim.persona_id).map(Box::new),
                waiting: waiting.remove(&claim.persona_id).map(Box::new),
            }
        });
        QueryResult::Ok(interviews.collect())
    });
    Ok(claimed.await?)
}

impl Actor for Dispatcher {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(4096);
        ctx.run_interval(SCAN_INTERVAL, Self::scan);
        self.watch_left_over(ctx);
        self.scan(ctx);
    }
}

impl Handler<Rescan> for Dispatcher {
    type Result = ();

    fn handle(&mut self, _: Rescan, ctx: &mut Self::Context) {
        self.scan(ctx);
    }
}

impl Handler<TakeUp> for Dispatcher {
    type Result = ();

    fn handle(&mut self, TakeUp(run): TakeUp, ctx: &mut Self::Context) {
        self.chosen.insert(run);
        self.scan(ctx);
    }
}

impl Handler<ClaimEnded> for Dispatcher {
    type Result = ();

    fn handle(&mut self, ClaimEnded { run, wanted, claimed }: ClaimEnded, _: &mut Self::Context) {
        let Some(active) = self.runs.get_mut(&run) else { return };
        let claimed = claimed.unwrap_or_else(|error| {
            tracing::warn!(simulation = run, %error, "could not claim interviews");
            Vec::new()
        });
        if claimed.len() < wanted {
            active.empty_until = Some(Instant::now() + SCAN_INTERVAL);
        }
        if !claimed.is_empty() {
            active.held += claimed.len();
            active.supervisor.do_send(AddInterviews(claimed));
            self.resources.workers.do_send(Busy(true));
        }
    }
}

impl Handler<SlotFreed> for Dispatcher {
    type Result = ();

    fn handle(&mut self, SlotFreed { run }: SlotFreed, ctx: &mut Self::Context) {
        if let Some(active) = self.runs.get_mut(&run) {
            active.held = active.held.saturating_sub(1);
        }
        self.check_drained();
        self.claim(ctx);
    }
}

impl Handler<Drain> for Dispatcher {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: Drain, _: &mut Self::Context) -> Self::Result {
        let (done, drained) = oneshot::channel();
        self.draining.get_or_insert_default().push(done);
        for run in self.runs.values() {
            run.supervisor.do_send(SetRunState(RunState::Paused));
        }
        self.check_drained();
        let cancel = self.cancel_left_over();
        Box::pin(async move {
            // A dispatcher that is gone holds nothing either.
            let _ = drained.await;
            cancel.await;
        })
    }
}

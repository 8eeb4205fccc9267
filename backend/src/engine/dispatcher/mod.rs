//! The dispatcher: one per worker. It reads the runs, gives each active one a supervisor, and claims interviews for it.
//!
//! It does so when it is notified, when an interview ends, and once a second. Notifications only make it sooner.
//!
//! All active runs are served at once. They divide the interviews that a worker holds, so that a small run starts at
//! once beside many large ones, and the worker's memory does not grow with the number of runs.

mod allotment;
mod claim;
mod resources;
mod scan;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use actix::prelude::*;
use chrono::{DateTime, Utc};
use tokio::sync::oneshot;
use tokio::time::Instant;

use self::allotment::Allotment;
use self::claim::{ClaimEnded, claim_in_turn};
pub use self::resources::DispatcherResources;
use self::scan::{NewRun, Scan, run_state, scan};
use super::batches;
use super::config::RunScope;
use super::messages::{AddInterviews, Busy, Rescan, Retire, RunContext, RunState, SetRunState, SlotFreed};
use super::supervisor::Supervisor;
use crate::db;
use crate::models::simulations::RunStatus;

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

/// A run that has a supervisor.
struct ActiveRun {
    run: Arc<RunContext>,
    supervisor: Addr<Supervisor>,
    held: usize,
    state: RunState,
    /// When the key that its calls are made with was set, if that is its group's.
    key_set_at: Option<DateTime<Utc>>,
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
        let DispatcherResources { pool, clients, scope, .. } = &self.resources;
        let (pool, clients) = (pool.clone(), clients.clone());
        let chosen = (*scope == RunScope::Chosen).then(|| self.chosen.iter().copied().collect());
        async move { batches::cancel_of_runs(&pool, &clients, chosen).await }
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
        for NewRun { run, resources, key_set_at } in scan.new {
            tracing::info!(simulation = run.id, attempt = run.attempt, "taking up a run");
            let supervisor = Supervisor::begin(run.clone(), resources, ctx.address().recipient());
            let id = run.id;
            let state = RunState::Running;
            let active = ActiveRun { run, supervisor, held: 0, state, key_set_at, empty_until: None };
            self.runs.insert(id, active);
        }
        // A worker whose runs are all held by others needs no share of the limits.
        self.tell_what_is_busy();
    }

    /// Tells the registry of which model servers this worker holds interviews.
    fn tell_what_is_busy(&self) {
        let held = self.runs.values().filter(|run| run.held > 0);
        let servers: BTreeSet<String> = held.map(|run| run.run.parameters.server().to_owned()).collect();
        self.resources.workers.do_send(Busy(servers));
    }

    fn set_state(&mut self, status: &RunStatus) {
        let Some(active) = self.runs.get_mut(&status.id) else { return };
        active.state = run_state(status, active.run.attempt, self.draining.is_some());
        // With another key it is taken up anew, once its calls under way have ended.
        if status.key_set_at != active.key_set_at {
            active.state = active.state.max(RunState::Paused);
        }
        active.supervisor.do_send(SetRunState(active.state));
        if active.state != RunState::Running && active.held == 0 {
            active.supervisor.do_send(Retire);
            self.resources.forget(status.id, active.run.parameters.server());
            self.runs.remove(&status.id);
        }
    }

    /// Claims a batch for every run that has room, those that hold the fewest first.
    fn claim(&mut self, ctx: &mut Context<Self>) {
        if self.occupied || self.draining.is_some() {
            return;
        }
        let now = Instant::now();
        let mut active: HashMap<&str, usize> = HashMap::new();
        for run in self.runs.values().filter(|run| run.held > 0 || run.may_claim(now)) {
            *active.entry(run.run.parameters.server()).or_default() += 1;
        }
        // The runs of each model server divide its calls.
        let claim = |run: &ActiveRun| {
            let server = run.run.parameters.server();
            let active = active.get(server).copied().unwrap_or_default();
            Allotment::new(self.resources.max_concurrency(server), active).claim(run.held)
        };
        let mut claiming: Vec<&ActiveRun> = self.runs.values().filter(|run| run.may_claim(now)).collect();
        claiming.sort_by_key(|run| run.held);
        let wanted = claiming.iter().filter_map(|run| Some((run.run.clone(), claim(run)?)));
        let wanted: Vec<(Arc<RunContext>, usize)> = wanted.take(MAX_CLAIMS).collect();
        if wanted.is_empty() {
            return;
        }
        self.occupied = true;
        let claim = claim_in_turn(self.resources.clone(), wanted, ctx.address().recipient());
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
            self.tell_what_is_busy();
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

//! The dispatcher: one per worker. It looks at the runs, gives each one that may go a supervisor, and claims interviews
//! for it, as many as the worker can have under way and a few more.
//!
//! It looks when somebody rings, when an interview ends and once a second: the bell only makes it sooner.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use actix::prelude::*;
use diesel::QueryResult;
use diesel_async::AsyncConnection;
use tokio::time::Instant;

use super::Scope;
use super::budget::{BudgetActor, Settle};
use super::interview::Run;
use super::limiter::{Forget, Limits, RateLimiter};
use super::supervisor::{Claimed, Hold, Obey, Order, Retire, Supervisor};
use super::workers::{Busy, Fleet};
use crate::db::{self, AsyncPool};
use crate::llm::Llm;
use crate::models::queue;
use crate::models::simulations::{self, RunStatus, Simulation, Status, interviews};

/// Something changed: look at the runs now.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Look;

/// An interview of this run ended here: there is room for another.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Room {
    pub run: i64,
}

/// Claim nothing more and have everything handed back; answers when nothing is held.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Drain;

const TICK: Duration = Duration::from_secs(1);
/// Interviews of one run in hand, where the calls at once have no limit.
const MOST_HELD: usize = 4_096;
/// Of these, at most so many that have no call under way.
const MOST_AHEAD: usize = 256;
/// Claimed in one statement, as far as there is room: as many as are held already, but no fewer and no more than these,
/// so that the first call while the next are claimed.
const FEWEST_CLAIMED: usize = 32;
const MOST_CLAIMED: usize = 200;

/// A run that this worker is to work on although its scope is chosen runs only.
#[derive(Message)]
#[rtype(result = "()")]
pub struct TakeUp(pub i64);

/// What the dispatcher works with.
#[derive(Clone)]
pub struct Tools {
    pub pool: AsyncPool,
    pub llm: Llm,
    pub limits: Limits,
    pub max_attempts: u16,
    pub max_running: usize,
    pub scope: Scope,
    pub limiter: Addr<RateLimiter>,
    pub budget: Addr<BudgetActor>,
    pub fleet: Addr<Fleet>,
}

struct Supervised {
    run: Arc<Run>,
    supervisor: Addr<Supervisor>,
    held: usize,
    order: Order,
    /// The queue had nothing more for this run: not asked again before the next tick.
    empty_until: Option<Instant>,
}

pub struct Dispatcher {
    tools: Tools,
    runs: HashMap<i64, Supervised>,
    looking: bool,
    look_again: bool,
    chosen: HashSet<i64>,
    draining: Option<Vec<tokio::sync::oneshot::Sender<()>>>,
}

/// What a look found and claimed.
#[derive(Default)]
struct Found {
    standings: Vec<RunStatus>,
    fresh: Vec<Arc<Run>>,
}

impl Dispatcher {
    pub fn new(tools: Tools) -> Self {
        Self { tools, runs: HashMap::new(), looking: false, look_again: false, chosen: HashSet::new(), draining: None }
    }

    /// Interviews that a run may hold here: what can be under way, and up to as many more, because interviews that
    /// began together end together and the next ones must be at the gate by then.
    fn target(&self) -> usize {
        let concurrency = (self.tools.limits.max_concurrency as usize).min(MOST_HELD);
        concurrency + concurrency.clamp(8, MOST_AHEAD)
    }

    fn look(&mut self, ctx: &mut Context<Self>) {
        if std::mem::replace(&mut self.looking, true) {
            self.look_again = true;
            return;
        }
        let tools = self.tools.clone();
        let known: Vec<(i64, i32)> = self.runs.values().map(|held| (held.run.id, held.run.attempt)).collect();
        let chosen = match tools.scope {
            Scope::Everything => None,
            Scope::Chosen => Some(self.chosen.clone()),
        };
        let look = async move { find(&tools, &known, chosen.as_ref()).await };
        ctx.spawn(look.into_actor(self).map(|found, dispatcher, ctx| {
            match found {
                Ok(found) => dispatcher.arrange(found, ctx),
                Err(error) => tracing::warn!(%error, "could not look at the runs"),
            }
            dispatcher.looking = false;
            dispatcher.claim(ctx);
            if std::mem::take(&mut dispatcher.look_again) {
                dispatcher.look(ctx);
            }
            dispatcher.check_drained();
        }));
    }

    /// Passes orders on, retires supervisors with nothing left, makes new ones.
    fn arrange(&mut self, found: Found, ctx: &mut Context<Self>) {
        for standing in &found.standings {
            let Some(supervised) = self.runs.get_mut(&standing.id) else { continue };
            let order = match standing.status {
                // Stopped and asked again since: what is held here belongs to the pass that was stopped.
                _ if standing.attempt != supervised.run.attempt => Order::Stop,
                Status::Queued | Status::Running if self.draining.is_none() => Order::Go,
                Status::Pending | Status::Queued | Status::Running | Status::Paused => Order::Pause,
                Status::Stopped | Status::Completed | Status::Failed => Order::Stop,
            };
            supervised.order = order;
            supervised.supervisor.do_send(Obey(order));
            if order != Order::Go && supervised.held == 0 {
                supervised.supervisor.do_send(Retire);
                self.tools.limiter.do_send(Forget(standing.id));
                self.tools.budget.do_send(Forget(standing.id));
                self.runs.remove(&standing.id);
            }
        }
        if self.draining.is_some() {
            return;
        }
        for run in found.fresh {
            if self.runs.len() >= self.tools.max_running {
                break;
            }
            if self.runs.contains_key(&run.id) {
                continue;
            }
            tracing::info!(simulation = run.id, attempt = run.attempt, "taking up a run");
            let supervisor = Supervisor::begin(
                run.clone(),
                self.tools.pool.clone(),
                self.tools.llm.clone(),
                self.tools.limiter.clone().recipient(),
                self.tools.budget.clone().recipient::<Settle>(),
                ctx.address().recipient(),
            );
            let supervised = Supervised { run: run.clone(), supervisor, held: 0, order: Order::Go, empty_until: None };
            self.runs.insert(run.id, supervised);
        }
        // Runs whose interviews are all held by others are no reason to keep a share of the limits.
        self.tools.fleet.do_send(Busy(self.runs.values().any(|run| run.held > 0)));
    }

    /// Claims for every run that has room, in turn, a batch each.
    fn claim(&mut self, ctx: &mut Context<Self>) {
        if self.looking || self.draining.is_some() {
            return;
        }
        let target = self.target();
        let now = Instant::now();
        let wanted: Vec<(Arc<Run>, usize)> = self
            .runs
            .values()
            .filter(|run| run.order == Order::Go && run.empty_until.is_none_or(|until| until <= now))
            .map(|run| (run, target.saturating_sub(run.held)))
            // Claiming one by one would cost a statement each.
            .filter(|(_, room)| *room > target / 20)
            .map(|(run, room)| (run.run.clone(), room.min(run.held.clamp(FEWEST_CLAIMED, MOST_CLAIMED))))
            .collect();
        if wanted.is_empty() {
            return;
        }
        self.looking = true;
        let tools = self.tools.clone();
        let claim = async move {
            let mut claimed = Vec::with_capacity(wanted.len());
            for (run, room) in wanted {
                let interviews = claim_for(&tools.pool, &run, room).await;
                claimed.push((run.id, room, interviews));
            }
            claimed
        };
        ctx.spawn(claim.into_actor(self).map(|claimed, dispatcher, ctx| {
            for (run, room, interviews) in claimed {
                dispatcher.hold(run, room, interviews);
            }
            dispatcher.looking = false;
            if std::mem::take(&mut dispatcher.look_again) {
                dispatcher.look(ctx);
            } else {
                dispatcher.claim(ctx);
            }
            dispatcher.check_drained();
        }));
    }

    fn hold(&mut self, run: i64, room: usize, interviews: crate::error::Result<Vec<Claimed>>) {
        let Some(supervised) = self.runs.get_mut(&run) else { return };
        match interviews {
            Ok(interviews) => {
                supervised.held += interviews.len();
                if interviews.len() < room {
                    supervised.empty_until = Some(Instant::now() + TICK);
                }
                if !interviews.is_empty() {
                    self.tools.fleet.do_send(Busy(true));
                }
                supervised.supervisor.do_send(Hold(interviews));
            }
            Err(error) => {
                supervised.empty_until = Some(Instant::now() + TICK);
                tracing::warn!(simulation = run, %error, "could not claim interviews");
            }
        }
    }

    /// Tells those who wait for the end that nothing is held any more, and nothing is being claimed.
    fn check_drained(&mut self) {
        if !self.looking
            && self.runs.values().all(|run| run.held == 0)
            && let Some(waiting) = &mut self.draining
        {
            for done in waiting.drain(..) {
                let _ = done.send(());
            }
        }
    }
}

/// Which runs there are, and the frozen parts of those that this worker does not know yet.
async fn find(tools: &Tools, known: &[(i64, i32)], chosen: Option<&HashSet<i64>>) -> crate::error::Result<Found> {
    let mut conn = db::checkout(&tools.pool).await?;
    let ids: Vec<i64> = known.iter().map(|(id, _)| *id).collect();
    let standings = simulations::run_statuses(&mut conn, &ids).await?;
    let mut fresh = Vec::new();
    for standing in &standings {
        let workable = matches!(standing.status, Status::Queued | Status::Running);
        let ours = chosen.is_none_or(|chosen| chosen.contains(&standing.id));
        // More than fit are not loaded: they wait QUEUED for a place.
        if !workable || !ours || ids.contains(&standing.id) || known.len() + fresh.len() >= tools.max_running {
            continue;
        }
        let Some(simulation) = simulations::find(&mut conn, standing.id).await? else { continue };
        match run_of(&simulation, tools.max_attempts) {
            Ok(run) => fresh.push(Arc::new(run)),
            Err(error) => {
                let message = format!("the run cannot be read by this version: {error}");
                simulations::control::pause_because(&mut conn, standing.id, "unreadable", &message).await?;
            }
        }
    }
    Ok(Found { standings, fresh })
}

fn run_of(simulation: &Simulation, max_attempts: u16) -> serde_json::Result<Run> {
    Ok(Run {
        id: simulation.id,
        persona_set_id: simulation.persona_set_id,
        attempt: simulation.attempt,
        parameters: simulation.parameters()?,
        questions: simulation.snapshot()?.questions,
        max_attempts,
        answered: AtomicBool::new(false),
    })
}

/// One transaction: a claim whose interviews cannot be looked up is no claim, and its delivery does not count.
async fn claim_for(pool: &AsyncPool, run: &Run, room: usize) -> crate::error::Result<Vec<Claimed>> {
    let mut conn = db::checkout(pool).await?;
    let asked = Instant::now();
    let claimed = conn.transaction(async |conn| {
        simulations::mark_running(conn, run.id).await?;
        let claims = queue::claim(conn, run.id, room as i32).await?;
        if claims.is_empty() {
            return Ok(Vec::new());
        }
        let personas: Vec<i32> = claims.iter().map(|claim| claim.persona_id).collect();
        let questions: Vec<i64> = run.questions.iter().map(|question| question.id).collect();
        let mut open = interviews::open_questions(conn, run.id, run.attempt, &questions, &personas).await?;
        let variant = run.parameters.persona_variant;
        let lengths = interviews::text_lengths(conn, run.persona_set_id, variant, &personas).await?;
        let interviews = claims.into_iter().map(|claim| Claimed {
            persona_id: claim.persona_id,
            lease: claim.lease(),
            asked,
            deliveries: claim.deliveries(),
            open: open.remove(&claim.persona_id).unwrap_or_default(),
            text_length: lengths.get(&claim.persona_id).copied().unwrap_or_default(),
        });
        QueryResult::Ok(interviews.collect())
    });
    Ok(claimed.await?)
}

impl Actor for Dispatcher {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(4096);
        ctx.run_interval(TICK, |dispatcher, ctx| dispatcher.look(ctx));
        self.look(ctx);
    }
}

impl Handler<Look> for Dispatcher {
    type Result = ();

    fn handle(&mut self, _: Look, ctx: &mut Self::Context) {
        self.look(ctx);
    }
}

impl Handler<TakeUp> for Dispatcher {
    type Result = ();

    fn handle(&mut self, TakeUp(run): TakeUp, ctx: &mut Self::Context) {
        self.chosen.insert(run);
        self.look(ctx);
    }
}

impl Handler<Room> for Dispatcher {
    type Result = ();

    fn handle(&mut self, Room { run }: Room, ctx: &mut Self::Context) {
        if let Some(supervised) = self.runs.get_mut(&run) {
            supervised.held = supervised.held.saturating_sub(1);
        }
        self.check_drained();
        self.claim(ctx);
    }
}

impl Handler<Drain> for Dispatcher {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: Drain, _: &mut Self::Context) -> Self::Result {
        let (done, drained) = tokio::sync::oneshot::channel();
        self.draining.get_or_insert_default().push(done);
        for run in self.runs.values() {
            run.supervisor.do_send(Obey(Order::Pause));
        }
        self.check_drained();
        Box::pin(async move {
            // The dispatcher gone is drained too.
            let _ = drained.await;
        })
    }
}

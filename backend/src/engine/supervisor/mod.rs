//! The supervisor: one per run and worker. It spawns a persona actor for every interview that the dispatcher claimed,
//! renews their leases, loads their texts, passes the run's orders on and hands back what was not finished.
//!
//! It owns nothing that cannot be lost: the run is its row, an interview is its message.

mod texts;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix::prelude::*;
use diesel_async::AsyncConnection;
use futures_util::FutureExt;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};

pub use self::texts::LoadText;
use self::texts::{LoadTexts, Texts};
use super::budget::Settle;
use super::dispatcher::Room;
use super::interview::{Contacts, Halt, Interview, LeaseClock, Run};
use super::limiter::Acquire;
use super::persona::PersonaActor;
use crate::db::{self, AsyncPool};
use crate::llm::Llm;
use crate::models::queue::{self, Lease};
use crate::models::simulations;

/// What a run's interviews are to do, from mildest to harshest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    Go,
    /// No new call; calls under way finish and count.
    Pause,
    /// No new call; calls under way are dropped.
    Stop,
}

/// An interview that the dispatcher claimed for this run.
#[derive(Debug)]
pub struct Claimed {
    pub persona_id: i32,
    pub lease: Lease,
    /// When the lease was asked for.
    pub asked: Instant,
    pub deliveries: i32,
    pub open: Vec<i64>,
    pub text_length: usize,
}

#[derive(Message)]
#[rtype(result = "()")]
pub struct Hold(pub Vec<Claimed>);

#[derive(Message)]
#[rtype(result = "()")]
pub struct Obey(pub Order);

/// Nothing is held and nothing more will come.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Retire;

/// A persona actor's last word.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Over {
    pub persona_id: i32,
    pub lease: Lease,
    pub ending: Result<(), Halt>,
}

/// The model server refuses in a way that more calls will not mend. Answers whether the run is paused for it.
#[derive(Message)]
#[rtype(result = "bool")]
pub enum Trouble {
    /// The key or the account.
    Denied(String),
    /// The request itself; a run whose first calls all end so is paused.
    Rejected(String),
}

/// Renewed this often, a lease survives two failed renewals.
const RENEWAL: Duration = Duration::from_secs(10);
/// A renewal that takes longer is tried again.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between tries while the database is away.
const RETRY: Duration = Duration::from_millis(500);
/// So many rejections and no answer: it is not the question, it is us.
const REJECTIONS: u32 = 20;

struct Held {
    lease: Lease,
    tenure: Rc<LeaseClock>,
}

pub struct Supervisor {
    run: Arc<Run>,
    pool: AsyncPool,
    contacts: Rc<Contacts>,
    dispatcher: Recipient<Room>,
    orders: watch::Sender<Order>,
    held: HashMap<i32, Held>,
    /// Rings after every renewal.
    renewals: Rc<Notify>,
    texts: Texts,
    released: Vec<Lease>,
    rejections: u32,
    /// We paused the run ourselves and the row may not say so yet.
    pausing: bool,
}

impl Supervisor {
    /// Starts one for the run.
    pub fn begin(
        run: Arc<Run>,
        pool: AsyncPool,
        llm: Llm,
        limiter: Recipient<Acquire>,
        budget: Recipient<Settle>,
        dispatcher: Recipient<Room>,
    ) -> Addr<Self> {
        Self::create(|ctx| {
            let (texts, trouble) = (ctx.address().recipient(), ctx.address().recipient());
            Self {
                run,
                pool,
                contacts: Rc::new(Contacts { llm, limiter, budget, texts, trouble }),
                dispatcher,
                orders: watch::Sender::new(Order::Go),
                held: HashMap::new(),
                renewals: Rc::default(),
                texts: Texts::default(),
                released: Vec::new(),
                rejections: 0,
                pausing: false,
            }
        })
    }

    fn spawn(&mut self, claimed: Claimed, ctx: &Context<Self>) {
        let Claimed { persona_id, lease, asked, deliveries, open, text_length } = claimed;
        let tenure = Rc::new(LeaseClock::new(asked, self.renewals.clone()));
        let interview = Interview {
            run: self.run.clone(),
            persona_id,
            lease,
            deliveries,
            open,
            text_length,
            contacts: self.contacts.clone(),
            orders: self.orders.subscribe(),
            tenure: tenure.clone(),
        };
        PersonaActor::begin(interview, ctx.address().recipient());
        // A second delivery of an interview that is still here: the first one's lease is lost.
        if let Some(earlier) = self.held.insert(persona_id, Held { lease, tenure }) {
            earlier.tenure.lose();
            self.renewals.notify_waiters();
        }
    }

    /// Renews what is held, and sees to the next time.
    fn renew(&mut self, ctx: &mut Context<Self>) {
        let leases: Vec<Lease> = self.held.values().map(|held| held.lease).collect();
        let (pool, asked) = (self.pool.clone(), Instant::now());
        let renewal = async move {
            if leases.is_empty() {
                return Ok((leases, Vec::new()));
            }
            let mut conn = db::checkout(&pool).await.map_err(|error| error.to_string())?;
            // A connection that is given up in a transaction is not used again: the next try gets another.
            let kept = conn.transaction(async |conn| queue::extend(conn, &leases).await);
            let kept = kept.await.map_err(|error: diesel::result::Error| error.to_string())?;
            Ok((leases, kept))
        };
        let renewal = timeout(PATIENCE, renewal).map(|ended| ended.unwrap_or_else(|late| Err(late.to_string())));
        ctx.spawn(renewal.into_actor(self).map(move |renewed, supervisor, ctx| {
            let next = match renewed {
                Ok((leases, kept)) => {
                    supervisor.renewed(asked, &leases, kept);
                    RENEWAL
                }
                Err(reason) => {
                    tracing::warn!(reason, "the leases could not be renewed, trying again");
                    RETRY
                }
            };
            ctx.run_later(next, Self::renew);
        }));
    }

    fn renewed(&mut self, asked: Instant, leases: &[Lease], kept: Vec<i64>) {
        let kept: HashSet<i64> = kept.into_iter().collect();
        let leases: HashSet<&Lease> = leases.iter().collect();
        for Held { lease, tenure } in self.held.values().filter(|held| leases.contains(&held.lease)) {
            if kept.contains(&lease.msg_id) { tenure.renew(asked) } else { tenure.lose() }
        }
        self.renewals.notify_waiters();
    }

    /// Hands back, in one statement, what the actors gave up in this turn of the loop.
    fn release(&mut self, ctx: &mut Context<Self>) {
        let leases = std::mem::take(&mut self.released);
        if leases.is_empty() {
            return;
        }
        let pool = self.pool.clone();
        ctx.wait(
            async move {
                let released = async {
                    let mut conn = db::checkout(&pool).await.map_err(|error| error.to_string())?;
                    queue::release(&mut conn, &leases).await.map_err(|error| error.to_string())
                };
                if let Err(reason) = released.await {
                    tracing::warn!(reason, "interviews could not be handed back: their leases will run out");
                }
                leases.len()
            }
            .into_actor(self)
            .map(|count, supervisor, _| supervisor.make_room(count)),
        );
    }

    fn abandon(&self, lease: Lease, ctx: &mut Context<Self>) {
        let pool = self.pool.clone();
        ctx.spawn(
            async move {
                if let Ok(mut conn) = db::checkout(&pool).await {
                    // Failing that, the lease runs out.
                    let _ = queue::abandon(&mut conn, lease).await;
                }
            }
            .into_actor(self)
            .map(|(), supervisor, _| supervisor.make_room(1)),
        );
    }

    /// So many interviews are off our hands: not before they are, because a supervisor that holds none is retired.
    fn make_room(&self, interviews: usize) {
        for _ in 0..interviews {
            self.dispatcher.do_send(Room { run: self.run.id });
        }
    }

    /// Pauses the run here at once and in its row as soon as the database takes it.
    fn pause_run(&mut self, code: &'static str, message: String) -> ResponseActFuture<Self, bool> {
        let first = !std::mem::replace(&mut self.pausing, true);
        self.orders.send_replace(Order::Pause);
        if !first {
            return Box::pin(fut::ready(true));
        }
        let (pool, id) = (self.pool.clone(), self.run.id);
        let pause = async move {
            tracing::warn!(simulation = id, message, "pausing the run");
            while let Err(reason) = pause_row(&pool, id, code, &message).await {
                tracing::error!(simulation = id, reason, "the run could not be paused, trying again");
                tokio::time::sleep(RETRY).await;
            }
        };
        Box::pin(pause.into_actor(self).map(|(), supervisor, _| {
            // From here on an order to go says that somebody resumed the run.
            supervisor.pausing = false;
            true
        }))
    }
}

async fn pause_row(pool: &AsyncPool, id: i64, code: &str, message: &str) -> Result<(), String> {
    let mut conn = db::checkout(pool).await.map_err(|error| error.to_string())?;
    simulations::control::pause_because(&mut conn, id, code, message).await.map_err(|error| error.to_string())
}

impl Actor for Supervisor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(4096);
        ctx.run_later(RENEWAL, Self::renew);
    }
}

impl Handler<Hold> for Supervisor {
    type Result = ();

    fn handle(&mut self, Hold(interviews): Hold, ctx: &mut Self::Context) {
        self.texts.expect(interviews.iter().map(|claimed| claimed.persona_id));
        ctx.notify(LoadTexts);
        for claimed in interviews {
            self.spawn(claimed, ctx);
        }
    }
}

impl Handler<Obey> for Supervisor {
    type Result = ();

    fn handle(&mut self, Obey(order): Obey, _: &mut Self::Context) {
        // The dispatcher may have looked before our own pause was written.
        if self.pausing && order == Order::Go {
            return;
        }
        self.pausing = false;
        self.orders.send_if_modified(|current| std::mem::replace(current, order) != order);
    }
}

impl Handler<Over> for Supervisor {
    type Result = ();

    fn handle(&mut self, Over { persona_id, lease, ending }: Over, ctx: &mut Self::Context) {
        // A later delivery may have taken its place.
        if self.held.get(&persona_id).is_some_and(|held| held.lease == lease) {
            self.held.remove(&persona_id);
            self.texts.forget(persona_id);
        }
        match ending {
            Ok(()) | Err(Halt::RunOver | Halt::LeaseLost) => self.make_room(1),
            Err(Halt::HandedBack) => {
                if self.released.is_empty() {
                    ctx.run_later(Duration::from_millis(20), |supervisor, ctx| supervisor.release(ctx));
                }
                self.released.push(lease);
            }
            Err(Halt::Crashed(reason)) => {
                tracing::error!(simulation = self.run.id, persona = persona_id, reason, "an interview broke off");
                self.abandon(lease, ctx);
            }
        }
    }
}

impl Handler<Retire> for Supervisor {
    type Result = ();

    fn handle(&mut self, _: Retire, ctx: &mut Self::Context) {
        ctx.stop();
    }
}

impl Handler<Trouble> for Supervisor {
    type Result = ResponseActFuture<Self, bool>;

    fn handle(&mut self, trouble: Trouble, _: &mut Self::Context) -> Self::Result {
        match trouble {
            Trouble::Denied(message) => self.pause_run("denied", message),
            Trouble::Rejected(message) => {
                self.rejections += 1;
                if self.rejections < REJECTIONS || self.run.answered.load(Ordering::Relaxed) {
                    return Box::pin(fut::ready(false));
                }
                self.pause_run("rejected", format!("the first {REJECTIONS} requests were all rejected: {message}"))
            }
        }
    }
}

//! The worker registry: this worker's session with the others on the same database.
//!
//! Every worker holds a lease on a share of each model server's limits. The sum of live shares never exceeds the whole:
//! a worker takes its fair share, but no more than the others have left, so a new worker waits until they have made
//! room. A worker that cannot renew its lease stops calling.
//!
//! All of that uses one connection of its own: the lease, the notifications, and an advisory lock that ends with the
//! connection and so shows that the worker is dead. One that does not come back until its lease is over has lost its
//! interviews: a renewal of another worker frees them.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::time::Duration;

use actix::prelude::*;
use chrono::Utc;
use diesel::QueryResult;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use futures_util::StreamExt;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::limiter::RateLimiter;
use super::messages::{BlockUntil, Blocked, Busy, Inspect, LimiterState, Rescan, SetShare};
use super::timings::Timings;
use crate::db;
use crate::metrics;
use crate::models::model_servers::{self, Rates, Traffic};
use crate::models::queue;
use crate::models::workers::{self, Renewal, ServerShare, ServerUse};

/// Connects the registry to the actors that it notifies. It begins its work with this.
#[derive(Clone, Message)]
#[rtype(result = "()")]
pub struct Connect {
    pub dispatcher: Recipient<Rescan>,
    /// The limiters by the name of their model server.
    pub limiters: BTreeMap<String, Addr<RateLimiter>>,
}

/// Gives the share back and ends the session.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Leave;

/// Opening a session takes some ten round trips, which over a slow line take seconds.
const OPEN_TIMEOUT: Duration = Duration::from_secs(15);
/// Interval between two tries to open a session, and between two checks that the lease still holds.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Facts that the session reports at the next renewal.
#[derive(Clone, Debug, Default)]
struct Report {
    /// The model servers of whose runs the worker holds interviews.
    busy: BTreeSet<String>,
    /// The last block of each model server, by its name.
    blocked: BTreeMap<String, Blocked>,
}

/// The facts about the worker that the registry and its session share.
#[derive(Clone)]
struct Registration {
    /// Identifies the present session.
    id: Rc<Cell<Uuid>>,
    /// Identifies the first session, and so the process.
    process: Uuid,
    database_url: String,
    timings: Timings,
    /// When the last successful renewal began.
    renewed_at: Rc<Cell<Option<Instant>>>,
}

pub struct WorkerRegistry {
    registration: Registration,
    /// The first connection, on which the worker has joined.
    joined: Option<AsyncPgConnection>,
    report: watch::Sender<Report>,
    session: Option<SpawnHandle>,
}

impl WorkerRegistry {
    /// Registry of the worker that has joined on this connection.
    pub fn new(id: Uuid, database_url: String, timings: Timings, joined: AsyncPgConnection) -> Self {
        let renewed_at = Rc::new(Cell::new(None));
        Self {
            registration: Registration { id: Rc::new(Cell::new(id)), process: id, database_url, timings, renewed_at },
            joined: Some(joined),
            report: watch::Sender::new(Report::default()),
            session: None,
        }
    }
}

/// The part of the registry that owns the connection.
struct Session {
    registration: Registration,
    joined: Option<AsyncPgConnection>,
    contacts: Connect,
    report: watch::Receiver<Report>,
    /// The model servers by name.
    known: BTreeMap<String, KnownServer>,
}

/// A model server as the session knows it.
#[derive(Default)]
struct KnownServer {
    share: f64,
    wants_more: bool,
    /// The latest block that this worker has written for the others.
    block: Option<Instant>,
    /// The limits that this worker has written.
    rates: Option<Rates>,
    /// The calls that this worker has written.
    traffic: Traffic,
}

type SessionError = Box<dyn std::error::Error>;

async fn open_session(database_url: &str, id: Uuid) -> Result<AsyncPgConnection, SessionError> {
    let mut conn = db::session(database_url).await?;
    workers::open_session(&mut conn, id).await?;
    Ok(conn)
}

/// Name under which the queue's page shows this worker.
fn name() -> String {
    format!("process {}", std::process::id())
}

/// Joins the workers on this database. If there are no others, frees all leases, which dead workers left, and returns
/// how many.
pub(super) async fn join(database_url: &str, id: Uuid) -> Result<(AsyncPgConnection, Option<usize>), SessionError> {
    let mut conn = open_session(database_url, id).await?;
    let freed = conn.transaction(async |conn| match workers::join(conn, id, &name()).await? {
        true => queue::free_all(conn).await.map(Some),
        false => QueryResult::Ok(None),
    });
    let freed = freed.await?;
    Ok((conn, freed))
}

impl Session {
    /// Keeps a session open as long as the process lives.
    async fn keep_open(mut self) {
        loop {
            if let Err(reason) = self.hold().await {
                tracing::warn!(%reason, "the worker's session broke, opening another");
            }
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }

    /// Renews the lease until the connection breaks.
    async fn hold(&mut self) -> Result<(), SessionError> {
        let limit = self.registration.timings.share_renewal_timeout();
        let mut conn = match self.joined.take() {
            Some(joined) => joined,
            None => timeout(OPEN_TIMEOUT, self.open_another()).await??,
        };
        loop {
            let start = Instant::now();
            timeout(limit, self.renew(&mut conn)).await??;
            self.registration.renewed_at.set(Some(start));
            self.wait(&mut conn, start + self.registration.timings.share_renewal()).await?;
        }
    }

    /// Opens a session under a new id: to the others this is another worker. The old one's session may still live on a
    /// server that has not noticed, with its lock and its share.
    async fn open_another(&mut self) -> Result<AsyncPgConnection, SessionError> {
        let id = Uuid::new_v4();
        let mut conn = open_session(&self.registration.database_url, id).await?;
        workers::end_session(&mut conn, self.registration.id.replace(id)).await?;
        Ok(conn)
    }

    async fn renew(&mut self, conn: &mut AsyncPgConnection) -> Result<(), SessionError> {
        let report = self.report.borrow_and_update().clone();
        for blocked in report.blocked.into_values() {
            self.report_block(conn, blocked).await?;
        }
        let states = self.inspect().await?;
        let mut in_flight: HashMap<i64, u32> = HashMap::new();
        for (run, calls) in states.values().flat_map(|state| &state.in_flight) {
            *in_flight.entry(*run).or_default() += calls;
        }
        let used = |(name, state): (&String, &LimiterState)| ServerUse {
            name: name.clone(),
            busy: report.busy.contains(name),
            waiting: u32::try_from(state.waiting).unwrap_or(u32::MAX),
            in_flight: state.in_flight.values().sum(),
        };
        let renewal = Renewal {
            id: self.registration.id.get(),
            process: self.registration.process,
            name: name(),
            servers: states.iter().map(used).collect(),
            in_flight: serde_json::to_value(&in_flight)?,
            lease: self.registration.timings.share_lease,
        };
        let renewed = workers::renew(conn, &renewal).await?;
        if renewed.freed > 0 {
            tracing::info!(interviews = renewed.freed, "going on with interviews of a worker that died");
        }
        let mut is_news = false;
        for share in renewed.servers {
            if let Some(state) = states.get(&share.name) {
                is_news |= self.take_share(conn, share, state).await?;
            }
        }
        // A worker that waits for room or made some notifies the others once, so that they need not wait for their next
        // renewal.
        if is_news {
            queue::notify_workers(conn).await?;
        }
        Ok(())
    }

    /// Asks each limiter for its state.
    async fn inspect(&self) -> Result<BTreeMap<String, LimiterState>, MailboxError> {
        let mut states = BTreeMap::new();
        for (name, limiter) in &self.contacts.limiters {
            states.insert(name.clone(), limiter.send(Inspect).await?);
        }
        Ok(states)
    }

    /// Tells a limiter its share, and stores what it has learnt and done. Returns whether the others should look at once.
    async fn take_share(
        &mut self,
        conn: &mut AsyncPgConnection,
        granted: ServerShare,
        state: &LimiterState,
    ) -> Result<bool, SessionError> {
        let (name, share) = (granted.name.as_str(), granted.share());
        let Some(limiter) = self.contacts.limiters.get(name) else { return Ok(false) };
        let known = self.known.entry(name.to_owned()).or_default();
        let in_flight = state.in_flight.values().sum();
        metrics::limiter(name, share, state.concurrency, in_flight, state.blocked_for.unwrap_or_default());
        if let Some(rates) = state.reported.filter(|rates| known.rates != Some(*rates)) {
            model_servers::report_rates(conn, name, rates).await?;
            known.rates = Some(rates);
        }
        if state.traffic != known.traffic {
            model_servers::add_traffic(conn, name, state.traffic.since(known.traffic)).await?;
            known.traffic = state.traffic;
        }
        limiter.do_send(SetShare(share));
        if let Some(wait) = granted.blocked_until.and_then(|until| (until - Utc::now()).to_std().ok()) {
            limiter.do_send(BlockUntil(Instant::now() + wait));
        }
        let is_news = granted.wants_more && !known.wants_more || share < known.share;
        (known.share, known.wants_more) = (share, granted.wants_more);
        Ok(is_news)
    }

    /// Writes a block once: converted again, the same instant would differ by microseconds and look like a new one.
    async fn report_block(&mut self, conn: &mut AsyncPgConnection, blocked: Blocked) -> QueryResult<()> {
        let Blocked { server, until, reason } = blocked;
        let known = self.known.entry(server.clone()).or_default();
        let Some(until) = until else {
            return if known.block.take().is_some() { model_servers::unblock(conn, &server).await } else { Ok(()) };
        };
        if known.block.max(Some(Instant::now())) >= Some(until) {
            return Ok(());
        }
        let wait = until.saturating_duration_since(Instant::now());
        model_servers::block(conn, &server, Utc::now() + wait, &reason).await?;
        known.block = Some(until);
        Ok(())
    }

    /// Until the next renewal is due, a notification comes, or this worker has something to report.
    async fn wait(&mut self, conn: &mut AsyncPgConnection, until: Instant) -> Result<(), SessionError> {
        let mut notifications = std::pin::pin!(conn.notifications_stream());
        tokio::select! {
            () = tokio::time::sleep_until(until) => {}
            notified = notifications.next() => {
                notified.transpose()?;
                self.contacts.dispatcher.do_send(Rescan);
            }
            changed = self.report.changed() => changed?,
        }
        Ok(())
    }
}

impl Actor for WorkerRegistry {
    type Context = Context<Self>;
}

impl Handler<Connect> for WorkerRegistry {
    type Result = ();

    fn handle(&mut self, contacts: Connect, ctx: &mut Self::Context) {
        let limiters = contacts.limiters.clone();
        let session = Session {
            registration: self.registration.clone(),
            joined: self.joined.take(),
            contacts,
            report: self.report.subscribe(),
            known: BTreeMap::new(),
        };
        self.session = Some(ctx.spawn(session.keep_open().into_actor(self)));
        ctx.run_interval(RETRY_DELAY, move |registry, _| {
            let lease = registry.registration.timings.share_lease;
            if registry.registration.renewed_at.get().is_some_and(|renewed_at| renewed_at.elapsed() > lease) {
                limiters.values().for_each(|limiter| limiter.do_send(SetShare(0.0)));
            }
        });
    }
}

impl Handler<Busy> for WorkerRegistry {
    type Result = ();

    fn handle(&mut self, Busy(busy): Busy, _: &mut Self::Context) {
        self.report.send_if_modified(|report| {
            let is_news = report.busy != busy;
            report.busy = busy;
            is_news
        });
    }
}

impl Handler<Blocked> for WorkerRegistry {
    type Result = ();

    fn handle(&mut self, blocked: Blocked, _: &mut Self::Context) {
        self.report.send_modify(|report| {
            report.blocked.insert(blocked.server.clone(), blocked);
        });
    }
}

impl Handler<Leave> for WorkerRegistry {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: Leave, ctx: &mut Self::Context) -> Self::Result {
        if let Some(session) = self.session.take() {
            ctx.cancel_future(session);
        }
        Box::pin(leave(
            self.registration.id.get(),
            self.registration.database_url.clone(),
            self.registration.timings.share_renewal_timeout(),
        ))
    }
}

/// If the database is away, the lease runs out instead.
async fn leave(id: Uuid, database_url: String, limit: Duration) {
    let left = async {
        let mut conn = timeout(limit, db::session(&database_url)).await??;
        timeout(limit, workers::leave(&mut conn, id)).await??;
        Ok::<_, SessionError>(())
    };
    if let Err(reason) = left.await {
        tracing::debug!(%reason, "the worker's share could not be given back: its lease runs out");
    }
}

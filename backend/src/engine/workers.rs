//! The fleet: what the workers on one database know of each other.
//!
//! Every worker holds a lease on a share of the model server's allowance. It renews the lease every 2 s; not renewed
//! for 6 s, it is gone. The sum of live shares never exceeds the whole: a worker takes what is fair, but no more than the
//! others have left, so a newcomer waits until they have made room. A worker that cannot renew stops calling.
//!
//! One connection of its own carries all that: the leases, the doorbell, and an advisory lock whose end tells at once
//! that its worker is dead.

use std::cell::Cell;
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

use super::dispatcher::{Dispatcher, Look};
use super::limiter::{BlockUntil, Blocked, Inspect, RateLimiter, SetShare};
use crate::db;
use crate::metrics;
use crate::models::queue;
use crate::models::workers::{self, Renewal};

/// This worker has interviews in hand, or none: one with none leaves its share to the others.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Busy(pub bool);

/// Who is to be rung and told. The fleet begins its work with this.
#[derive(Clone, Message)]
#[rtype(result = "()")]
pub struct Introduce {
    pub dispatcher: Addr<Dispatcher>,
    pub limiter: Addr<RateLimiter>,
}

/// Gives the share back and ends the session.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Leave;

const RENEWAL: Duration = Duration::from_secs(2);
const LEASE: Duration = Duration::from_millis((workers::LEASE_SECONDS * 1000.0) as u64);
/// A renewal that takes longer is as good as none.
const PATIENCE: Duration = Duration::from_secs(4);
const RECONNECT: Duration = Duration::from_millis(500);

/// What the session is to say at the next renewal.
#[derive(Clone, Debug, Default)]
struct Wishes {
    busy: bool,
    blocked: Option<Blocked>,
}

pub struct Fleet {
    id: Uuid,
    database_url: String,
    /// The first one, in which the worker has joined.
    joined: Option<AsyncPgConnection>,
    wishes: watch::Sender<Wishes>,
    /// When the last successful renewal began.
    renewed: Rc<Cell<Option<Instant>>>,
    session: Option<SpawnHandle>,
}

impl Fleet {
    /// Of the worker that has joined with this connection.
    pub fn new(id: Uuid, database_url: String, joined: AsyncPgConnection) -> Self {
        Self {
            id,
            database_url,
            joined: Some(joined),
            wishes: watch::Sender::new(Wishes::default()),
            renewed: Rc::new(Cell::new(None)),
            session: None,
        }
    }
}

/// The session's end of the actor.
struct Session {
    id: Uuid,
    database_url: String,
    joined: Option<AsyncPgConnection>,
    contacts: Introduce,
    wishes: watch::Receiver<Wishes>,
    renewed: Rc<Cell<Option<Instant>>>,
    share: f64,
    waiting: bool,
    /// Until when this worker has told the others not to call.
    told: Option<Instant>,
}

type SessionError = Box<dyn std::error::Error>;

/// The connection that says that this worker lives.
async fn open(database_url: &str, id: Uuid) -> Result<AsyncPgConnection, SessionError> {
    let mut conn = db::session(database_url).await?;
    workers::enlist(&mut conn, id).await?;
    Ok(conn)
}

/// As the others see this worker.
fn name() -> String {
    format!("process {}", std::process::id())
}

/// Joins the workers on this database. What those that are dead had in hand is free again if there are no others: how
/// many interviews that were, or `None` if there are.
pub(super) async fn join(database_url: &str, id: Uuid) -> Result<(AsyncPgConnection, Option<usize>), SessionError> {
    let mut conn = open(database_url, id).await?;
    let freed = conn.transaction(async |conn| match workers::join(conn, id, &name()).await? {
        true => queue::free_all(conn).await.map(Some),
        false => QueryResult::Ok(None),
    });
    let freed = freed.await?;
    Ok((conn, freed))
}

impl Session {
    /// Keeps a session open as long as the process lives.
    async fn keep(mut self) {
        loop {
            if let Err(reason) = self.hold().await {
                tracing::warn!(%reason, "the worker's session broke, opening another");
            }
            tokio::time::sleep(RECONNECT).await;
        }
    }

    async fn hold(&mut self) -> Result<(), SessionError> {
        let mut conn = match self.joined.take() {
            Some(joined) => joined,
            None => timeout(PATIENCE, open(&self.database_url, self.id)).await??,
        };
        loop {
            let start = Instant::now();
            timeout(PATIENCE, self.renew(&mut conn)).await??;
            self.renewed.set(Some(start));
            self.rest(&mut conn, start + RENEWAL).await?;
        }
    }

    async fn renew(&mut self, conn: &mut AsyncPgConnection) -> Result<(), SessionError> {
        let wishes = self.wishes.borrow_and_update().clone();
        let news = wishes.blocked.filter(|blocked| self.told.max(Some(Instant::now())) < Some(blocked.until));
        if let Some(Blocked { until, reason }) = news {
            let for_all = Utc::now() + until.saturating_duration_since(Instant::now());
            workers::block(conn, for_all, reason).await?;
            // Once: translated again, the same instant is another time by some microseconds.
            self.told = Some(until);
        }
        let state = self.contacts.limiter.send(Inspect).await?;
        let renewal = Renewal {
            id: self.id,
            name: name(),
            busy: wishes.busy,
            in_flight: serde_json::to_value(&state.in_flight)?,
        };
        let renewed = workers::renew(conn, &renewal).await?;
        let in_flight = state.in_flight.values().sum();
        metrics::limiter(renewed.share, state.concurrency, in_flight, state.blocked_for.unwrap_or_default());
        self.contacts.limiter.do_send(SetShare(renewed.share));
        // Who waits for room, and who made some, says so once: the others need not wait for their next renewal.
        let waits = renewed.wants_more && !self.waiting;
        if waits || renewed.share < self.share {
            queue::ring(conn).await?;
        }
        self.waiting = renewed.wants_more;
        self.share = renewed.share;
        if let Some(wait) = renewed.blocked_until.and_then(|until| (until - Utc::now()).to_std().ok()) {
            self.contacts.limiter.do_send(BlockUntil(Instant::now() + wait));
        }
        Ok(())
    }

    /// Until the next renewal is due, somebody rings, or this worker has something to say.
    async fn rest(&mut self, conn: &mut AsyncPgConnection, until: Instant) -> Result<(), SessionError> {
        let mut bell = std::pin::pin!(conn.notifications_stream());
        tokio::select! {
            () = tokio::time::sleep_until(until) => {}
            rung = bell.next() => {
                rung.transpose()?;
                self.contacts.dispatcher.do_send(Look);
            }
            changed = self.wishes.changed() => changed?,
        }
        Ok(())
    }
}

impl Actor for Fleet {
    type Context = Context<Self>;
}

impl Handler<Introduce> for Fleet {
    type Result = ();

    fn handle(&mut self, contacts: Introduce, ctx: &mut Self::Context) {
        let limiter = contacts.limiter.clone();
        let session = Session {
            id: self.id,
            database_url: self.database_url.clone(),
            joined: self.joined.take(),
            contacts,
            wishes: self.wishes.subscribe(),
            renewed: self.renewed.clone(),
            share: 0.0,
            waiting: false,
            told: None,
        };
        self.session = Some(ctx.spawn(session.keep().into_actor(self)));
        ctx.run_interval(RECONNECT, move |fleet, _| {
            if fleet.renewed.get().is_some_and(|renewed| renewed.elapsed() > LEASE) {
                limiter.do_send(SetShare(0.0));
            }
        });
    }
}

impl Handler<Busy> for Fleet {
    type Result = ();

    fn handle(&mut self, Busy(busy): Busy, _: &mut Self::Context) {
        self.wishes.send_if_modified(|wishes| std::mem::replace(&mut wishes.busy, busy) != busy);
    }
}

impl Handler<Blocked> for Fleet {
    type Result = ();

    fn handle(&mut self, blocked: Blocked, _: &mut Self::Context) {
        self.wishes.send_modify(|wishes| wishes.blocked = Some(blocked));
    }
}

impl Handler<Leave> for Fleet {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, _: Leave, ctx: &mut Self::Context) -> Self::Result {
        if let Some(session) = self.session.take() {
            ctx.cancel_future(session);
        }
        let (id, url) = (self.id, self.database_url.clone());
        Box::pin(async move {
            let left = async {
                let mut conn = timeout(PATIENCE, db::session(&url)).await??;
                timeout(PATIENCE, workers::leave(&mut conn, id)).await??;
                Ok::<_, SessionError>(())
            };
            if let Err(reason) = left.await {
                tracing::debug!(%reason, "the worker's share runs out by itself");
            }
        })
    }
}

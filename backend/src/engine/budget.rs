//! The budget actor: the only one that spends credits.
//!
//! Reports of finished calls are gathered by run and settled in batches, one transaction a batch and one batch of a run
//! at a time, on threads of their own. A reporter hears of its report only after the commit. While a batch is under
//! way the next one grows, so a slow database makes batches larger and reporters wait; nothing piles up, because an
//! interview has at most one report out.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use actix::prelude::*;
use diesel::result::{DatabaseErrorKind, Error as DatabaseError};
use tokio::sync::oneshot;

use super::limiter::Forget;
use crate::db::BlockingPool;
use crate::metrics;
use crate::models::settlement::{self, Booked, Report, Settled};

/// Books one report. The verdict comes through `reply`, after the commit that holds it.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Settle {
    pub run: i64,
    pub report: Report,
    pub reply: Reply,
}

/// The database refused this report for what it says; asking again would not help.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the report could not be booked: {0}")]
pub struct Unsettled(String);

/// Settle a batch that is waiting for company now: nothing more will come soon.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Flush;

/// Rows that make a batch worth a transaction of its own, how long fewer wait for company, and the most that go at once.
/// A transaction costs as much as storing some twenty rows, and nobody stands still for it: interviews ask on meanwhile.
const ENOUGH_ROWS: usize = 400;
const PATIENCE: Duration = Duration::from_millis(50);
const MOST_ROWS: usize = 4_000;
/// Between tries while the database is away.
const FIRST_RETRY: Duration = Duration::from_millis(100);
const LAST_RETRY: Duration = Duration::from_secs(5);

pub type Reply = oneshot::Sender<Result<Booked, Unsettled>>;

#[derive(Default)]
struct Account {
    reports: Vec<Report>,
    replies: Vec<Reply>,
    rows: usize,
    /// Requests of the run that were open after its last batch, while it goes on.
    open: Option<usize>,
    settling: bool,
    alarm: Option<SpawnHandle>,
}

pub struct BudgetActor {
    settlers: Addr<Settler>,
    accounts: HashMap<i64, Account>,
}

impl BudgetActor {
    /// `threads` blocking threads, each with a connection of `pool` while it settles.
    pub fn new(pool: BlockingPool, threads: usize) -> Self {
        let settlers = SyncArbiter::start(threads, move || Settler { pool: pool.clone() });
        Self { settlers, accounts: HashMap::new() }
    }

    /// Settles now, or sets the alarm for it, or leaves it to the batch under way.
    fn consider(&mut self, run: i64, patient: bool, ctx: &mut Context<Self>) {
        let Some(account) = self.accounts.get_mut(&run) else { return };
        if account.settling {
            return;
        }
        if account.reports.is_empty() {
            if account.open.is_none() {
                self.accounts.remove(&run);
            }
            return;
        }
        if patient && account.has_company_to_come() {
            if account.alarm.is_none() {
                account.alarm = Some(ctx.run_later(PATIENCE, move |actor, ctx| {
                    if let Some(account) = actor.accounts.get_mut(&run) {
                        account.alarm = None;
                    }
                    actor.consider(run, false, ctx);
                }));
            }
            return;
        }
        if let Some(alarm) = account.alarm.take() {
            ctx.cancel_future(alarm);
        }
        let (reports, replies) = account.next_batch();
        account.settling = true;
        let settlers = self.settlers.clone();
        ctx.spawn(settle_until_done(settlers, run, reports, replies).into_actor(self).map(move |open, actor, ctx| {
            if let Some(account) = actor.accounts.get_mut(&run) {
                account.settling = false;
                account.open = open;
            }
            actor.consider(run, true, ctx);
        }));
    }
}

impl Account {
    /// Neither is the batch worth a transaction already, nor does it hold all that the run still waits for.
    fn has_company_to_come(&self) -> bool {
        self.rows < ENOUGH_ROWS && self.open.is_none_or(|open| self.rows < open)
    }

    fn next_batch(&mut self) -> (Vec<Report>, Vec<Reply>) {
        let mut rows = 0;
        let most = self.reports.iter().take_while(|report| {
            rows += report.rows();
            rows <= MOST_ROWS
        });
        let count = most.count().max(1);
        let rest = (self.reports.split_off(count), self.replies.split_off(count));
        let batch = (std::mem::replace(&mut self.reports, rest.0), std::mem::replace(&mut self.replies, rest.1));
        self.rows = self.reports.iter().map(Report::rows).sum();
        batch
    }
}

impl Actor for BudgetActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(4096);
    }
}

impl Handler<Settle> for BudgetActor {
    type Result = ();

    fn handle(&mut self, Settle { run, report, reply }: Settle, ctx: &mut Self::Context) {
        let account = self.accounts.entry(run).or_default();
        account.rows += report.rows();
        account.reports.push(report);
        account.replies.push(reply);
        self.consider(run, true, ctx);
    }
}

impl Handler<Forget> for BudgetActor {
    type Result = ();

    /// Another worker may have ended the run: then no batch of ours tells that nothing is open any more.
    fn handle(&mut self, Forget(run): Forget, ctx: &mut Self::Context) {
        if let Some(account) = self.accounts.get_mut(&run) {
            account.open = None;
        }
        self.consider(run, true, ctx);
    }
}

impl Handler<Flush> for BudgetActor {
    type Result = ();

    fn handle(&mut self, _: Flush, ctx: &mut Self::Context) {
        for run in self.accounts.keys().copied().collect::<Vec<_>>() {
            self.consider(run, false, ctx);
        }
    }
}

/// Settles the batch however long the database is away. A batch that the database refuses for its content is settled
/// report by report, so that one bad report fails alone. Returns the requests left open in a run that goes on.
async fn settle_until_done(
    settlers: Addr<Settler>,
    run: i64,
    reports: Vec<Report>,
    replies: Vec<Reply>,
) -> Option<usize> {
    let mut open = None;
    let mut batches = vec![(reports, replies)];
    let mut wait = FIRST_RETRY;
    while let Some((reports, replies)) = batches.pop() {
        let Ok((reports, outcome)) = settlers.send(Batch { run, reports }).await else {
            // The settlers are gone: the process is ending, and the leases recover the rest.
            return None;
        };
        match outcome {
            Ok(settled) => {
                for (reply, booked) in replies.into_iter().zip(settled.booked) {
                    let _ = reply.send(Ok(booked));
                }
                open = settled.open;
                wait = FIRST_RETRY;
            }
            Err(Trouble::Content(reason)) if reports.len() > 1 => {
                tracing::error!(simulation = run, reason, "a batch was refused, settling its reports one by one");
                batches.extend(reports.into_iter().zip(replies).map(|(report, reply)| (vec![report], vec![reply])));
            }
            Err(Trouble::Content(reason)) => {
                tracing::error!(simulation = run, reason, "a report was refused");
                for reply in replies {
                    let _ = reply.send(Err(Unsettled(reason.clone())));
                }
            }
            Err(Trouble::Away(reason)) => {
                tracing::warn!(simulation = run, reason, "the database is away, settling again");
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(LAST_RETRY);
                // Calls and tokens are statistics that a replay would count twice if the commit had come through.
                let reports = reports.into_iter().map(|report| Report { usage: Default::default(), ..report });
                batches.push((reports.collect(), replies));
            }
        }
    }
    open
}

/// One transaction's worth of reports, handed back with the outcome so that it can be tried again.
struct Batch {
    run: i64,
    reports: Vec<Report>,
}

enum Trouble {
    Away(String),
    Content(String),
}

impl Message for Batch {
    type Result = Outcome;
}

type Outcome = (Vec<Report>, Result<Settled, Trouble>);

/// A thread that may block on the database.
struct Settler {
    pool: BlockingPool,
}

impl Actor for Settler {
    type Context = SyncContext<Self>;
}

impl Handler<Batch> for Settler {
    type Result = MessageResult<Batch>;

    fn handle(&mut self, Batch { run, reports }: Batch, _: &mut Self::Context) -> Self::Result {
        let began = Instant::now();
        let outcome = match self.pool.get() {
            Ok(mut conn) => settlement::settle(&mut conn, run, &reports).map_err(trouble),
            Err(error) => Err(Trouble::Away(error.to_string())),
        };
        let word = match &outcome {
            Ok(_) => "settled",
            Err(Trouble::Content(_)) => "refused",
            Err(Trouble::Away(_)) => "database_away",
        };
        metrics::settled(word, reports.iter().map(Report::rows).sum(), began.elapsed());
        MessageResult((reports, outcome))
    }
}

fn trouble(error: DatabaseError) -> Trouble {
    match &error {
        DatabaseError::DatabaseError(
            DatabaseErrorKind::UniqueViolation
            | DatabaseErrorKind::ForeignKeyViolation
            | DatabaseErrorKind::NotNullViolation
            | DatabaseErrorKind::CheckViolation,
            _,
        )
        | DatabaseError::SerializationError(_)
        | DatabaseError::DeserializationError(_)
        | DatabaseError::QueryBuilderError(_) => Trouble::Content(error.to_string()),
        DatabaseError::DatabaseError(DatabaseErrorKind::Unknown, information)
            if information.message().contains("invalid byte sequence")
                || information.message().contains("unsupported Unicode") =>
        {
            Trouble::Content(error.to_string())
        }
        _ => Trouble::Away(error.to_string()),
    }
}

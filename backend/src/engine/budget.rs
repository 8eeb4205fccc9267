//! The budget actor: the only one that spends credits.
//!
//! It collects the reports of finished calls by run and settles them in batches, one transaction a batch and one batch
//! of a run at a time, on threads of their own. A report is answered only after the commit. While a batch is under way
//! the next one grows, so a slow database means larger batches; nothing piles up, because an interview has at most one
//! unanswered report.
//!
//! libpq waits for an answer for as long as the connection stands, and a connection may stay silent for ever while new
//! ones work. So a batch that takes too long is settled again, by new threads with new connections; the old threads end
//! when their connections do.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use actix::prelude::*;
use diesel::result::{DatabaseErrorKind, Error as DatabaseError};
use tokio::sync::oneshot;

use super::messages::{ForgetRun, Settle, Unsettled};
use crate::db::{self, BlockingPool};
use crate::error::Error;
use crate::metrics;
use crate::models::settlement::{self, Booked, InterviewReport, Settled};

/// Settle waiting batches now: no more reports will come soon.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Flush;

/// A batch with this many rows is settled at once; a smaller one waits for more until the time-out. A transaction costs
/// as much as storing some twenty rows, and interviews go on meanwhile.
const MIN_BATCH_ROWS: usize = 400;
const BATCH_TIMEOUT: Duration = Duration::from_millis(50);
const MAX_BATCH_ROWS: usize = 4_000;
/// Interval between two tries while the database is away; doubled each time.
const MIN_RETRY_DELAY: Duration = Duration::from_millis(100);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(5);

type Reply = oneshot::Sender<Result<Booked, Unsettled>>;

/// The next batch of a run.
#[derive(Default)]
struct Account {
    reports: Vec<InterviewReport>,
    replies: Vec<Reply>,
    rows: usize,
    /// Requests of the run that were open after its last batch; `None`: unknown, or the run has ended.
    open: Option<usize>,
    /// An earlier batch is being settled.
    settling: bool,
    timer: Option<SpawnHandle>,
}

pub struct BudgetActor {
    settlers: Settlers,
    accounts: HashMap<i64, Account>,
}

impl BudgetActor {
    pub fn new(settlers: Settlers) -> Self {
        Self { settlers, accounts: HashMap::new() }
    }

    /// Settles the run's batch now, or later: after the time-out, or after the batch under way. `may_wait`: for more
    /// reports.
    fn settle(&mut self, run: i64, may_wait: bool, ctx: &mut Context<Self>) {
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
        if may_wait && account.is_worth_waiting_for() {
            if account.timer.is_none() {
                account.timer = Some(ctx.run_later(BATCH_TIMEOUT, move |actor, ctx| {
                    if let Some(account) = actor.accounts.get_mut(&run) {
                        account.timer = None;
                    }
                    actor.settle(run, false, ctx);
                }));
            }
            return;
        }
        if let Some(timer) = account.timer.take() {
            ctx.cancel_future(timer);
        }
        let (reports, replies) = account.next_batch();
        account.settling = true;
        let settlers = self.settlers.clone();
        ctx.spawn(settle_until_done(settlers, run, reports, replies).into_actor(self).map(move |open, actor, ctx| {
            if let Some(account) = actor.accounts.get_mut(&run) {
                account.settling = false;
                account.open = open;
            }
            actor.settle(run, true, ctx);
        }));
    }
}

impl Account {
    /// The batch is small, and the run has more open requests than it holds.
    fn is_worth_waiting_for(&self) -> bool {
        self.rows < MIN_BATCH_ROWS && self.open.is_none_or(|open| self.rows < open)
    }

    fn next_batch(&mut self) -> (Vec<InterviewReport>, Vec<Reply>) {
        let mut rows = 0;
        let fitting = self.reports.iter().take_while(|report| {
            rows += report.rows();
            rows <= MAX_BATCH_ROWS
        });
        let count = fitting.count().max(1);
        let rest = (self.reports.split_off(count), self.replies.split_off(count));
        let batch = (std::mem::replace(&mut self.reports, rest.0), std::mem::replace(&mut self.replies, rest.1));
        self.rows = self.reports.iter().map(InterviewReport::rows).sum();
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
        self.settle(run, true, ctx);
    }
}

impl Handler<ForgetRun> for BudgetActor {
    type Result = ();

    /// Another worker may have ended the run: then no batch of this one shows that nothing is open any more.
    fn handle(&mut self, ForgetRun(run): ForgetRun, ctx: &mut Self::Context) {
        if let Some(account) = self.accounts.get_mut(&run) {
            account.open = None;
        }
        self.settle(run, true, ctx);
    }
}

impl Handler<Flush> for BudgetActor {
    type Result = ();

    fn handle(&mut self, _: Flush, ctx: &mut Self::Context) {
        for run in self.accounts.keys().copied().collect::<Vec<_>>() {
            self.settle(run, false, ctx);
        }
    }
}

/// Settles the batch, however long the database is away. A batch that the database refuses for its content is settled
/// report by report, so that one bad report fails alone. Returns the requests still open; `None`: the run has ended.
async fn settle_until_done(
    settlers: Settlers,
    run: i64,
    reports: Vec<InterviewReport>,
    replies: Vec<Reply>,
) -> Option<usize> {
    let mut open = None;
    let mut batches = vec![(reports, replies)];
    let mut wait = MIN_RETRY_DELAY;
    while let Some((reports, replies)) = batches.pop() {
        let batch = Arc::new(reports);
        let Ok(outcome) = settlers.settle(run, batch.clone()).await else {
            // The process is ending: the leases recover the rest.
            return None;
        };
        // A thread whose connection is silent still has the batch.
        let reports = Arc::unwrap_or_clone(batch);
        match outcome {
            Ok(settled) => {
                for (reply, booked) in replies.into_iter().zip(settled.booked) {
                    let _ = reply.send(Ok(booked));
                }
                open = settled.open;
                wait = MIN_RETRY_DELAY;
            }
            Err(SettleError::Refused(reason)) if reports.len() > 1 => {
                tracing::error!(simulation = run, reason, "a batch was refused, settling its reports one by one");
                batches.extend(reports.into_iter().zip(replies).map(|(report, reply)| (vec![report], vec![reply])));
            }
            Err(SettleError::Refused(reason)) => {
                tracing::error!(simulation = run, reason, "a report was refused");
                for reply in replies {
                    let _ = reply.send(Err(Unsettled(reason.clone())));
                }
            }
            Err(SettleError::DatabaseAway(reason)) => {
                tracing::warn!(simulation = run, reason, "the database is away, settling again");
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(MAX_RETRY_DELAY);
                batches.push((forget_uncertain_usage(reports), replies));
            }
        }
    }
    open
}

/// Prepares a second try. If the first commit did come through, nothing of the batch is stored again, which shows that its calls
/// and tokens are counted. A batch without rows cannot tell: its usage may not be counted twice.
fn forget_uncertain_usage(reports: Vec<InterviewReport>) -> Vec<InterviewReport> {
    if reports.iter().any(|report| report.rows() > 0) {
        return reports;
    }
    reports.into_iter().map(|report| InterviewReport { usage: Default::default(), ..report }).collect()
}

/// The threads that settle, each with a connection while it does.
#[derive(Clone)]
pub struct Settlers {
    database_url: Arc<str>,
    threads: usize,
    timeout: Duration,
    current: Arc<Mutex<Addr<Settler>>>,
}

impl Settlers {
    /// A batch that takes longer than the time-out is given up.
    pub fn start(database_url: &str, threads: usize, timeout: Duration) -> Result<Self, Error> {
        let current = Arc::new(Mutex::new(start_threads(database_url, threads)?));
        Ok(Self { database_url: database_url.into(), threads, timeout, current })
    }

    fn current(&self) -> MutexGuard<'_, Addr<Settler>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn settle(&self, run: i64, reports: Arc<Vec<InterviewReport>>) -> Result<Outcome, MailboxError> {
        let asked = self.current().clone();
        let settled = asked.send(Batch { run, reports });
        if let Ok(outcome) = tokio::time::timeout(self.timeout, settled).await {
            return outcome;
        }
        let mut current = self.current();
        // Another run's batch may have waited in the same line.
        if *current == asked {
            match start_threads(&self.database_url, self.threads) {
                Ok(threads) => *current = threads,
                Err(error) => tracing::error!(%error, "no new threads to settle"),
            }
        }
        Ok(Err(SettleError::DatabaseAway("the database does not answer".to_owned())))
    }
}

fn start_threads(database_url: &str, threads: usize) -> Result<Addr<Settler>, Error> {
    let pool = db::blocking_pool(database_url, threads as u32)?;
    Ok(SyncArbiter::start(threads, move || Settler { pool: pool.clone() }))
}

/// Reports for one transaction.
struct Batch {
    run: i64,
    reports: Arc<Vec<InterviewReport>>,
}

enum SettleError {
    DatabaseAway(String),
    /// The database refuses the content of a report.
    Refused(String),
}

impl Message for Batch {
    type Result = Outcome;
}

type Outcome = Result<Settled, SettleError>;

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
            Ok(mut conn) => settlement::settle(&mut conn, run, &reports).map_err(classify),
            Err(error) => Err(SettleError::DatabaseAway(error.to_string())),
        };
        let word = match &outcome {
            Ok(_) => "settled",
            Err(SettleError::Refused(_)) => "refused",
            Err(SettleError::DatabaseAway(_)) => "database_away",
        };
        metrics::settled(word, reports.iter().map(InterviewReport::rows).sum(), began.elapsed());
        MessageResult(outcome)
    }
}

fn classify(error: DatabaseError) -> SettleError {
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
        | DatabaseError::QueryBuilderError(_) => SettleError::Refused(error.to_string()),
        DatabaseError::DatabaseError(DatabaseErrorKind::Unknown, information)
            if information.message().contains("invalid byte sequence")
                || information.message().contains("unsupported Unicode") =>
        {
            SettleError::Refused(error.to_string())
        }
        _ => SettleError::DatabaseAway(error.to_string()),
    }
}

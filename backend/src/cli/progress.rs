//! A run, or all runs of a study, as the terminal shows them: a bar with rate and time left on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::time::Instant;

use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::simulate_commands;
use crate::models::simulations::{self, Simulation, Status};

/// How long the database may be away.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(60);
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// For each run that is watched, and altogether.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
const LONGEST_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Between plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(2);

/// The bar before the first answer, when there is no rate yet.
const WAITING: &str = "{bar:32} {pos}/{len} answers  {msg}";
const ANSWERING: &str = "{bar:32} {pos}/{len} answers  {percent}%  {per_sec:0}  {eta} left  {msg}";

/// Shows the run until it is over or paused, and returns it as it is then.
pub async fn watch(pool: &AsyncPool, id: i64) -> Result<Simulation> {
    let ended = watch_all(pool, &[id]).await?;
    ended.into_iter().next().ok_or_else(|| Error::internal(format!("simulation {id} is gone")))
}

/// Shows the runs in one bar until each is over or paused, and returns them as they are then, by id.
pub async fn watch_all(pool: &AsyncPool, ids: &[i64]) -> Result<Vec<Simulation>> {
    let poll_interval = LONGEST_POLL_INTERVAL.min(POLL_INTERVAL * ids.len() as u32);
    let mut view: Option<View> = None;
    let mut failing_since: Option<Instant> = None;
    loop {
        let found = match look(pool, ids).await {
            Err(reason) if failing_since.get_or_insert_with(Instant::now).elapsed() < RECONNECT_TIMEOUT => {
                tracing::debug!(%reason, "the progress cannot be read");
                tokio::time::sleep(RETRY_DELAY).await;
                continue;
            }
            found => found?,
        };
        failing_since = None;
        if found.len() < ids.len() {
            return Err(Error::internal("a simulation is gone"));
        }
        let counts = Counts::of(&found);
        let view = view.get_or_insert_with(|| View::new(counts));
        view.show(counts);
        if found.iter().all(is_at_rest) {
            view.end();
            return Ok(found);
        }
        tokio::time::sleep(poll_interval).await;
    }
}

fn is_at_rest(run: &Simulation) -> bool {
    // A run that was paused only because this command seemed to have ended is resumed by its hold.
    let mistaken = run.error_code.as_deref() == Some(simulate_commands::COMMAND_ENDED);
    run.status.is_over() || (run.status == Status::Paused && !mistaken)
}

async fn look(pool: &AsyncPool, ids: &[i64]) -> Result<Vec<Simulation>> {
    db::in_time(async { Ok(simulations::find_all(&mut *db::checkout(pool).await?, ids).await?) }).await
}

/// Requests of all runs.
#[derive(Clone, Copy)]
struct Counts {
    total: u64,
    done: u64,
    failed: u64,
}

impl Counts {
    fn of(runs: &[Simulation]) -> Self {
        let sum = |of: fn(&Simulation) -> i32| runs.iter().map(|run| u64::from(of(run).unsigned_abs())).sum();
        Self {
            total: sum(|run| run.total_requests),
            done: sum(|run| run.successful_requests + run.failed_requests),
            failed: sum(|run| run.failed_requests),
        }
    }
}

struct View {
    /// Hidden where there is no terminal; it computes the rate and the time left all the same.
    bar: ProgressBar,
    /// Requests that were done before.
    at_start: u64,
    /// When the next plain line is due. `None`: the bar is on a terminal.
    next_line: Option<Instant>,
}

impl View {
    fn new(counts: Counts) -> Self {
        let (visible, at_start) = (stderr().is_terminal(), counts.done);
        let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(counts.total), target).with_position(at_start);
        bar.reset_eta();
        set_style(&bar, WAITING);
        Self { bar, at_start, next_line: (!visible).then(|| Instant::now() + LINE_INTERVAL) }
    }

    fn show(&mut self, counts: Counts) {
        let (before, now) = (self.bar.position(), counts.done);
        if before <= self.at_start && now > self.at_start {
            set_style(&self.bar, ANSWERING);
        }
        self.bar.set_position(now);
        if counts.failed > 0 {
            self.bar.set_message(format!("{} failed", counts.failed));
        }
        if self.next_line.is_some_and(|due| Instant::now() >= due) {
            self.next_line = Some(Instant::now() + LINE_INTERVAL);
            self.print_line(counts);
        }
    }

    fn print_line(&self, Counts { total, done, failed }: Counts) {
        let percent = 100 * done / total.max(1);
        let left = match self.bar.eta().as_secs() {
            0 => "time left unknown".to_owned(),
            seconds => format!("{seconds} s left"),
        };
        let failed = match failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        eprintln!("{done}/{total} answers, {percent} %, {:.0}/s, {left}{failed}", self.bar.per_sec());
    }

    fn end(&self) {
        self.bar.abandon();
    }
}

fn set_style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

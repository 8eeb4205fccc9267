//! Progress of runs on the terminal: a bar with rate and remaining time, or plain lines if the output is no terminal.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use simulation::row::Simulation;
use simulation::status::Status;
use tokio::time::Instant;

use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::simulations::control;
use crate::models::simulations::{self, progress};

/// Time for which the database may be away.
const RECONNECT_TIMEOUT: Duration = Duration::from_secs(60);
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// Interval of polling for each run that is watched, and its limit for all.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of plain lines, and of repeated equal ones.
const LINE_INTERVAL: Duration = Duration::from_secs(2);
const SAME_LINE_INTERVAL: Duration = Duration::from_secs(60);

/// The bar before the first answer, without a rate.
const WAITING: &str = "{bar:32} {pos}/{len} answers  {msg}";
const ANSWERING: &str = "{bar:32} {pos}/{len} answers  {percent}%  {prefix}  {msg}";

/// Shows the run until it is over or paused, and returns its row.
pub async fn watch(pool: &AsyncPool, id: i64) -> Result<Simulation> {
    let ended = watch_all(pool, &[id]).await?;
    ended.into_iter().next().ok_or_else(|| Error::internal(format!("simulation {id} is gone")))
}

/// Shows the runs in one bar until each is over or paused, and returns their rows, by id.
pub async fn watch_all(pool: &AsyncPool, ids: &[i64]) -> Result<Vec<Simulation>> {
    let poll_interval = MAX_POLL_INTERVAL.min(POLL_INTERVAL * ids.len() as u32);
    let mut view: Option<View> = None;
    let mut failing_since: Option<Instant> = None;
    loop {
        let (found, waits) = match look(pool, ids).await {
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
        let counts = Counts::count(&found);
        let view = view.get_or_insert_with(|| View::new(counts));
        view.show(counts, waits);
        if found.iter().all(is_at_rest) {
            view.end();
            return Ok(found);
        }
        tokio::time::sleep(poll_interval).await;
    }
}

fn is_at_rest(run: &Simulation) -> bool {
    // A run that was paused only because this command seemed to have ended is resumed by
    // [`super::conduct::ConductLock`].
    let mistaken = run.error_code.as_deref() == Some(control::COMMAND_ENDED);
    run.status.is_over() || (run.status == Status::Paused && !mistaken)
}

/// Reads the runs, and what the first run with a batch waits for.
async fn look(pool: &AsyncPool, ids: &[i64]) -> Result<(Vec<Simulation>, Option<String>)> {
    db::in_time(async {
        let mut conn = db::checkout(pool).await?;
        let runs = simulations::find_all(&mut conn, ids).await?;
        let in_batches = runs.iter().find(|run| run.parameters.get("batch").is_some() && !run.status.is_over());
        let waits = match in_batches {
            Some(run) => progress::counters(&mut conn, run.id).await?.and_then(|counters| counters.waiting_reason),
            None => None,
        };
        Ok((runs, waits))
    })
    .await
}

/// Requests of all runs, without those that the flow skips.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Counts {
    /// Number of requests; it decreases as the flow skips some.
    total: u64,
    done: u64,
    failed: u64,
}

impl Counts {
    fn count(runs: &[Simulation]) -> Self {
        let sum = |of: fn(&Simulation) -> i32| runs.iter().map(|run| u64::from(of(run).unsigned_abs())).sum();
        Self {
            total: sum(|run| run.total_requests),
            done: sum(|run| run.successful_requests + run.failed_requests),
            failed: sum(|run| run.failed_requests),
        }
    }
}

struct View {
    /// Hidden if there is no terminal.
    bar: ProgressBar,
    started_at: Instant,
    /// Requests that were done before.
    at_start: u64,
    /// `None`: the bar is on a terminal.
    lines: Option<Lines>,
    /// Failures and waiting times.
    message: String,
}

/// The state of plain lines.
struct Lines {
    last_at: Instant,
    last: Option<(Counts, String)>,
}

impl Lines {
    /// Whether a line with this content is due.
    fn is_due(&mut self, now: Instant, counts: Counts, message: &str) -> bool {
        let is_news = self.last.as_ref().is_none_or(|last| (last.0, last.1.as_str()) != (counts, message));
        let interval = if is_news { LINE_INTERVAL } else { SAME_LINE_INTERVAL };
        let is_due = now.duration_since(self.last_at) >= interval;
        if is_due {
            *self = Self { last_at: now, last: Some((counts, message.to_owned())) };
        }
        is_due
    }
}

impl View {
    fn new(counts: Counts) -> Self {
        let (visible, at_start) = (stderr().is_terminal(), counts.done);
        let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(counts.total), target).with_position(at_start);
        set_style(&bar, WAITING);
        let lines = (!visible).then(|| Lines { last_at: Instant::now(), last: None });
        Self { bar, started_at: Instant::now(), at_start, lines, message: String::new() }
    }

    fn show(&mut self, counts: Counts, waits: Option<String>) {
        let (before, now) = (self.bar.position(), counts.done);
        if before <= self.at_start && now > self.at_start {
            set_style(&self.bar, ANSWERING);
        }
        self.bar.set_length(counts.total);
        self.bar.set_position(now);
        let pace = pace(now.saturating_sub(self.at_start), self.started_at.elapsed(), counts.total.saturating_sub(now));
        self.bar.set_prefix(pace.clone());
        let failed = (counts.failed > 0).then(|| format!("{} failed", counts.failed));
        let message = [failed, waits].into_iter().flatten().collect::<Vec<_>>().join(", ");
        if message != self.message {
            self.bar.set_message(message.clone());
            self.message = message;
        }
        if self.lines.as_mut().is_some_and(|lines| lines.is_due(Instant::now(), counts, &self.message)) {
            self.print_line(counts, &pace);
        }
    }

    fn print_line(&self, Counts { total, done, .. }: Counts, pace: &str) {
        let percent = progress::percentage(done, total).floor();
        let message = if self.message.is_empty() { String::new() } else { format!(", {}", self.message) };
        eprintln!("{done}/{total} answers, {percent} %, {pace}{message}");
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

/// Describes the mean rate since the start, and the time that the rest takes at this rate.
fn pace(done: u64, took: Duration, left: u64) -> String {
    if done == 0 || took.is_zero() {
        return "time left unknown".to_owned();
    }
    let a_second = done as f64 / took.as_secs_f64();
    let rate = match a_second {
        1.0.. => format!("{a_second:.0}/s"),
        _ => format!("{:.1}/min", a_second * 60.0),
    };
    let seconds = (left as f64 / a_second).ceil();
    let time = match seconds {
        ..120.0 => format!("{seconds} s"),
        ..7200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.0} h", seconds / 3600.0),
    };
    format!("{rate}, about {time} left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_that_of_the_mean_rate() {
        let paces = [
            (0, 5, 30, "time left unknown"),
            (40, 20, 40, "2/s, about 20 s left"),
            (29, 217, 1, "8.0/min, about 8 s left"),
            (10, 60, 90, "10.0/min, about 9 min left"),
            (6, 3600, 240, "0.1/min, about 40 h left"),
        ];
        for (done, took, left, said) in paces {
            assert_eq!(pace(done, Duration::from_secs(took), left), said);
        }
    }

    #[test]
    fn a_line_that_says_the_same_again_comes_once_a_minute() {
        let mut now = Instant::now();
        let mut lines = Lines { last_at: now, last: None };
        let counts = |done| Counts { total: 9, done, failed: 0 };
        assert!(!lines.is_due(now, counts(0), "waits"), "at once");
        now += LINE_INTERVAL;
        assert!(lines.is_due(now, counts(0), "waits"));
        now += LINE_INTERVAL;
        assert!(!lines.is_due(now, counts(0), "waits"), "the same");
        assert!(lines.is_due(now, counts(1), "waits"));
        now += LINE_INTERVAL;
        assert!(lines.is_due(now, counts(1), "waits for more"));
        now += SAME_LINE_INTERVAL;
        assert!(lines.is_due(now, counts(1), "waits for more"));
    }
}

//! A run as the terminal shows it: a bar with rate and time left on a terminal, plain lines elsewhere.

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
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Between plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(2);

/// The bar before the first answer, when there is no rate yet.
const WAITING: &str = "{bar:32} {pos}/{len} answers  {msg}";
const ANSWERING: &str = "{bar:32} {pos}/{len} answers  {percent}%  {per_sec:0}  {eta} left  {msg}";

/// Shows the run until it is over or paused, and returns it as it is then.
pub async fn watch(pool: &AsyncPool, id: i64) -> Result<Simulation> {
    let mut view: Option<View> = None;
    let mut failing_since: Option<Instant> = None;
    loop {
        let found = match look(pool, id).await {
            Err(reason) if failing_since.get_or_insert_with(Instant::now).elapsed() < RECONNECT_TIMEOUT => {
                tracing::debug!(%reason, "the run's progress cannot be read");
                tokio::time::sleep(RETRY_DELAY).await;
                continue;
            }
            found => found?,
        };
        failing_since = None;
        let simulation = found.ok_or_else(|| Error::internal(format!("simulation {id} is gone")))?;
        let view = view.get_or_insert_with(|| View::new(&simulation));
        view.show(&simulation);
        // A run that was paused only because this command seemed to have ended is resumed by its hold.
        let mistaken = simulation.error_code.as_deref() == Some(simulate_commands::COMMAND_ENDED);
        if simulation.status.is_over() || (simulation.status == Status::Paused && !mistaken) {
            view.end();
            return Ok(simulation);
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

async fn look(pool: &AsyncPool, id: i64) -> Result<Option<Simulation>> {
    db::in_time(async { Ok(simulations::find(&mut *db::checkout(pool).await?, id).await?) }).await
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
    fn new(simulation: &Simulation) -> Self {
        let (visible, at_start) = (stderr().is_terminal(), done(simulation));
        let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let total = simulation.total_requests.unsigned_abs().into();
        let bar = ProgressBar::with_draw_target(Some(total), target).with_position(at_start);
        bar.reset_eta();
        set_style(&bar, WAITING);
        Self { bar, at_start, next_line: (!visible).then(|| Instant::now() + LINE_INTERVAL) }
    }

    fn show(&mut self, simulation: &Simulation) {
        let (before, now) = (self.bar.position(), done(simulation));
        if before <= self.at_start && now > self.at_start {
            set_style(&self.bar, ANSWERING);
        }
        self.bar.set_position(now);
        if simulation.failed_requests > 0 {
            self.bar.set_message(format!("{} failed", simulation.failed_requests));
        }
        if self.next_line.is_some_and(|due| Instant::now() >= due) {
            self.next_line = Some(Instant::now() + LINE_INTERVAL);
            self.print_line(simulation);
        }
    }

    fn print_line(&self, simulation: &Simulation) {
        let (done, total) = (done(simulation), simulation.total_requests);
        let percent = 100 * done / u64::from(total.unsigned_abs().max(1));
        let left = match self.bar.eta().as_secs() {
            0 => "time left unknown".to_owned(),
            seconds => format!("{seconds} s left"),
        };
        let failed = match simulation.failed_requests {
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

fn done(simulation: &Simulation) -> u64 {
    (simulation.successful_requests + simulation.failed_requests).unsigned_abs().into()
}

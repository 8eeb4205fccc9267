//! A run as the terminal shows it: a bar with rate and time left on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::time::Instant;

use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::simulations::{self, Simulation, Status};

const LOOK: Duration = Duration::from_millis(100);
/// Between plain lines.
const LINE: Duration = Duration::from_secs(2);

/// The bar until there is a first answer, when no rate can be told.
const WAITING: &str = "{bar:32} {pos}/{len} answers  {msg}";
const ANSWERING: &str = "{bar:32} {pos}/{len} answers  {percent}%  {per_sec:0}  {eta} left  {msg}";

/// Shows the run until it is over or paused, and returns how it stands then.
pub async fn watch(pool: &AsyncPool, id: i64) -> Result<Simulation> {
    let mut view: Option<View> = None;
    loop {
        let mut conn = db::checkout(pool).await?;
        let found = simulations::find(&mut conn, id).await?;
        drop(conn);
        let simulation = found.ok_or_else(|| Error::internal(format!("simulation {id} is gone")))?;
        let view = view.get_or_insert_with(|| View::new(&simulation));
        view.show(&simulation);
        if simulation.status.is_over() || simulation.status == Status::Paused {
            view.end();
            return Ok(simulation);
        }
        tokio::time::sleep(LOOK).await;
    }
}

enum View {
    Bar { bar: ProgressBar, at_start: i32 },
    Lines { start: Instant, next: Instant, at_start: i32 },
}

impl View {
    fn new(simulation: &Simulation) -> Self {
        let at_start = done(simulation);
        if !stderr().is_terminal() {
            let now = Instant::now();
            return Self::Lines { start: now, next: now + LINE, at_start };
        }
        let bar = ProgressBar::new(simulation.total_requests.unsigned_abs().into());
        look_like(&bar, WAITING);
        Self::Bar { bar, at_start }
    }

    fn show(&mut self, simulation: &Simulation) {
        let failed = match simulation.failed_requests {
            0 => String::new(),
            failed => format!("{failed} failed"),
        };
        match self {
            Self::Bar { bar, at_start } => {
                let before = bar.position() <= u64::from(at_start.unsigned_abs());
                if before && done(simulation) > *at_start {
                    look_like(bar, ANSWERING);
                }
                bar.set_position(done(simulation).unsigned_abs().into());
                bar.set_message(failed);
            }
            Self::Lines { start, next, at_start } => {
                if Instant::now() < *next {
                    return;
                }
                *next = Instant::now() + LINE;
                let rate = f64::from(done(simulation) - *at_start) / start.elapsed().as_secs_f64();
                let left = f64::from(simulation.total_requests - done(simulation)) / rate.max(f64::MIN_POSITIVE);
                let left = if left.is_finite() && left < 1e7 {
                    format!("{left:.0} s left")
                } else {
                    "time left unknown".into()
                };
                let (done, total) = (done(simulation), simulation.total_requests);
                let percent = 100 * i64::from(done) / i64::from(total.max(1));
                let failed = if failed.is_empty() { failed } else { format!(", {failed}") };
                eprintln!("{done}/{total} answers, {percent} %, {rate:.0}/s, {left}{failed}");
            }
        }
    }

    fn end(&self) {
        if let Self::Bar { bar, .. } = self {
            bar.abandon();
        }
    }
}

fn look_like(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

fn done(simulation: &Simulation) -> i32 {
    simulation.successful_requests + simulation.failed_requests
}

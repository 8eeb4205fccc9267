//! Several runs of one command: their variations, their price, and their answers in a folder.

use std::collections::HashSet;
use std::fmt::Display;
use std::hash::Hash;
use std::path::Path;
use std::process::ExitCode;

use simulation::model_options::ReasoningEffort;
use simulation::parameters::{MAX_RUNS, Parameters, PersonaVariant};
use simulation::row::Simulation;
use survey::walk::OptionOrder;

use super::{Args, begin, resolved};
use crate::app::Database;
use crate::config::Config;
use crate::db::AsyncPool;
use crate::error::{Error, Result};
use crate::models::simulations::estimate::{CostRange, RunEstimate};
use crate::models::simulations::pricing::PricedRun;
use crate::models::simulations::speed::{TimeRange, TimeSource};
use crate::models::studies::cells_of;
use crate::models::survey_file::ValidSurvey;
use crate::results::files::{self, Format};

/// Options of a study. Each combination is a run over the same twins.
#[derive(Debug, clap::Args)]
#[group(id = "study", multiple = true)]
pub struct StudyArgs {
    /// Run the same twins with each of these texts, for example summary,empty
    #[arg(long, value_name = "TEXTS", value_enum, value_delimiter = ',', conflicts_with = "persona_variant")]
    variants: Vec<PersonaVariant>,
    /// Run the same twins with each of these models
    #[arg(long, value_name = "MODELS", value_delimiter = ',', conflicts_with = "model",
        value_parser = crate::config::model_name)]
    pub models: Vec<String>,
    /// Run the same twins with each of these efforts, for example low,high
    #[arg(long, value_name = "EFFORTS", value_enum, value_delimiter = ',', conflicts_with = "reasoning_effort")]
    reasoning_efforts: Vec<ReasoningEffort>,
    /// Run everything this many times with the same twins
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_RUNS as i64))]
    repeats: Option<u16>,
    /// Run everything again with options and labels in reverse order
    #[arg(long, conflicts_with = "shuffle_options")]
    reversed: bool,
    /// Ask every twin in every arm, each time in a run of its own
    #[arg(long)]
    pub every_arm: bool,
    /// Print the price in credits and estimates of calls, tokens, money and time, and start nothing
    #[arg(long)]
    pub price: bool,
}

impl StudyArgs {
    /// Whether a study is requested, even one with a single run.
    pub fn is_given(&self) -> bool {
        let Self { variants, models, reasoning_efforts, repeats, reversed, every_arm, price: _ } = self;
        let has_lists = !variants.is_empty() || !models.is_empty() || !reasoning_efforts.is_empty();
        has_lists || repeats.is_some() || *reversed || *every_arm
    }

    /// The parameters of each run: by variant, then model, effort, order and repeat.
    pub fn cells(&self, config: &Config, run: &Parameters) -> Result<Vec<Parameters>> {
        let variants = each("--variants", &self.variants, run.persona_variant)?;
        let models = each("--models", &self.models, config.models.named(run))?;
        let efforts: Vec<_> = self.reasoning_efforts.iter().copied().map(Some).collect();
        let efforts = each("--reasoning-efforts", &efforts, run.reasoning_effort)?;
        let orders: &[OptionOrder] =
            if self.reversed { &[OptionOrder::AsWritten, OptionOrder::Reversed] } else { &[OptionOrder::AsWritten] };
        let mut cells = Vec::new();
        for persona_variant in variants {
            for model in &models {
                let (server, model) = resolved(config, "--models", Some(model))?;
                let price = server.prices.of_run(&model, run.batch, run.service_tier);
                let of_model = Parameters {
                    persona_variant,
                    model,
                    model_server: server.of_parameters(),
                    wire: server.wire,
                    price,
                    questions_per_call: server.questions_per_call,
                    stream: server.streams(run.batch),
                    ..run.clone()
                };
                for reasoning_effort in &efforts {
                    let parameters = Parameters { reasoning_effort: *reasoning_effort, ..of_model.clone() };
                    cells.extend(cells_of(&parameters, orders, self.repeats.unwrap_or(1)));
                }
            }
        }
        Ok(cells)
    }
}

/// Returns the list, or `one` if the list is empty. Fails if an item is listed twice.
fn each<T: Clone + Eq + Hash>(flag: &str, list: &[T], one: T) -> Result<Vec<T>> {
    let mut seen = HashSet::new();
    if list.iter().any(|item| !seen.insert(item)) {
        return Err(Error::bad_input(format!("{flag}: each may be listed once")));
    }
    Ok(if list.is_empty() { vec![one] } else { list.to_vec() })
}

pub async fn print_price(config: &Config, args: &Args, survey: &ValidSurvey) -> Result<ExitCode> {
    let database = Database::visit(config).await?;
    let pool = AsyncPool::open(database.url(), 1).await?;
    let priced = begin::price(&pool, config, args, survey).await;
    drop(pool);
    database.close().await?;
    let price = priced?;
    for (place, PricedRun { parameters, credits, .. }) in price.runs.iter().enumerate() {
        say!("{}", line(place, parameters, format_args!("{credits} credits")));
    }
    let available = price.available.map(|available| format!(", {available} available"));
    say!("{} credits{}", price.credits, available.unwrap_or_default());
    say!("{}", about(&price.estimate));
    Ok(ExitCode::SUCCESS)
}

/// Formats a line such as `about 100 calls, 490000 tokens, USD 0.31 to USD 0.41, 41 to 81 s by earlier runs`.
fn about(RunEstimate { calls, tokens, cost, time, .. }: &RunEstimate) -> String {
    let cost = cost
        .as_ref()
        .map(|CostRange { low, expected, high }| format!(", {expected} ({low} to {high})"))
        .unwrap_or_default();
    let time = time.map(|TimeRange { low_seconds, high_seconds, source }| match (source, high_seconds) {
        (TimeSource::Batch, _) => ", within a day".to_owned(),
        (TimeSource::EarlierRuns, Some(high)) => format!(", {low_seconds:.0} to {high:.0} s by earlier runs"),
        (TimeSource::EarlierRuns | TimeSource::Limits, _) => {
            format!(", {low_seconds:.0} s or more by the model server's limits")
        }
    });
    format!("about {calls} calls, {tokens} tokens{cost}{}", time.unwrap_or_default())
}

/// Writes a file for each run into a new folder, and prints a line for each.
pub async fn write(pool: &AsyncPool, folder: &Path, runs: &[Simulation]) -> Result<()> {
    std::fs::create_dir(folder).map_err(|reason| Error::internal(format!("{}: {reason}", folder.display())))?;
    for (place, run) in runs.iter().enumerate() {
        let path = folder.join(format!("run-{:02}.csv", place + 1));
        files::write(pool, run.id, &path, Format::Csv).await?;
        let parameters = run.parameters().map_err(|reason| Error::internal(reason.to_string()))?;
        let failed = match run.failed_requests {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let reason = run.error_message.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let outcome = format_args!(
            "{} {}, {} of {} answered{failed}{reason}",
            run.simulation_id,
            run.status.as_str(),
            run.successful_requests,
            run.total_requests
        );
        say!("{}", line(place, &parameters, outcome));
    }
    Ok(())
}

/// Formats a line such as `run-02  empty, gpt-4.1-mini, seed 7, repeat 1: 300 credits`.
fn line(place: usize, parameters: &Parameters, what: impl Display) -> String {
    let cell = parameters.cell.as_ref().map(|cell| format!(", {}", cell.in_words())).unwrap_or_default();
    let effort = parameters.reasoning_effort.map(|effort| format!(", effort {}", effort.name())).unwrap_or_default();
    let Parameters { persona_variant, model, seed, .. } = parameters;
    format!("run-{:02}  {}, {model}{effort}, seed {seed}{cell}: {what}", place + 1, persona_variant.name())
}

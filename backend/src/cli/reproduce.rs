//! `twinlab reproduce`: repeats a run of a bundle and compares the answers with the earlier ones.

use std::fmt::Display;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use diesel_async::AsyncConnection;
use rand::RngExt;
use simulation::parameters::Parameters;
use simulation::prompt_cache::caches_at_marks;
use simulation::row::Simulation;
use simulation::run::Run;
use simulation::status::Status;
use tokio::sync::oneshot;

use super::interrupt::Interrupt;
use super::payer::PayerArgs;
use super::simulate::{self, Begun, CONNECTIONS, INTERRUPTED, Place, conducted};
use crate::app::DemoModel;
use crate::config::{Config, ModelConfig};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::llm;
use crate::models::simulate_commands;
use crate::models::simulations::start::{NewSimulation, PersonaChoice, start_again};
use crate::models::survey_file::ValidSurvey;
use crate::models::surveys::NewSurvey;
use crate::results::files::bundle::reproduce::{
    BundledRun, IdenticalShare, PromptCheck, Reproduction, asked_before, check_prompts, compare,
};
use crate::results::runs;

/// Exit code if prompts differ although the program is the same, or if some requests failed.
const DIFFERS: u8 = 3;
/// Range of drawn repeats, beyond those of any study.
const REPEATS: std::ops::Range<u16> = 1_000..u16::MAX;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Zip that `twinlab bundle` wrote
    bundle: PathBuf,
    /// Number of the run in a study's bundle, from 1 [default: 1]
    #[arg(long = "run", value_name = "N")]
    number: Option<usize>,
    /// Model to ask [default: the bundle's]
    #[arg(long, value_name = "M", value_parser = crate::config::model_name)]
    model: Option<String>,
    /// Ask only this many of its twins, drawn by its seed [default: all]
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Seed that the model gets; assignments and orders stay the same
    #[arg(long, value_enum, default_value_t = SeedChoice::Same)]
    seed: SeedChoice,
    /// Ask through the model server's Batch API: at its lower price, within a day [default: by calls, even if it was
    /// asked in batches]
    #[arg(long)]
    batch: bool,
    /// Ask without confirmation
    #[arg(long)]
    yes: bool,
    /// JSON file for the comparison
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    payer: PayerArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum SeedChoice {
    Same,
    New,
}

/// Result of the command, unless a signal ends it.
enum Outcome {
    Refused(ExitCode),
    Compared(Box<Reproduction>, Status),
}

pub async fn run(config: Config, args: Args) -> Result<ExitCode> {
    let mut interrupt = Interrupt::listen()?;
    let scratch = config.scratch()?;
    let mut bundled = BundledRun::open(&args.bundle, scratch.path(), args.number)?;
    if let Some(count) = args.sample {
        bundled.sample(count)?;
    }
    if let Some(out) = args.out.as_ref().filter(|out| out.exists()) {
        return Err(Error::bad_input(format!("--out {}: is there already", out.display())));
    }
    let demo = DemoModel::start(&config)?;
    let servers = [asked(&config, &args, &bundled.run)?.0];
    let database = tokio::select! {
        database = simulate::open(&config, &demo, &servers) => database?,
        () = interrupt.received() => return Ok(ExitCode::from(INTERRUPTED)),
    };
    let pool = AsyncPool::open(database.url(), CONNECTIONS).await?;
    let place = Place { config: &config, demo: &demo, database: &database, pool: &pool };
    let done = reproduced(&place, &args, &bundled, &mut interrupt).await;
    drop(pool);
    database.close().await?;
    match done? {
        Outcome::Refused(code) => Ok(code),
        Outcome::Compared(found, status) => {
            print(&found);
            if let Some(out) = &args.out {
                write(out, &found)?;
            }
            Ok(if status == Status::Completed { ExitCode::SUCCESS } else { ExitCode::from(DIFFERS) })
        }
    }
}

async fn reproduced(
    place: &Place<'_>,
    args: &Args,
    bundled: &BundledRun,
    interrupt: &mut Interrupt,
) -> Result<Outcome> {
    let interrupted = Outcome::Refused(ExitCode::from(INTERRUPTED));
    let check = tokio::select! {
        check = check_prompts(bundled, place.pool) => check?,
        () = interrupt.received() => return Ok(interrupted),
    };
    let parameters = parameters(place.config, args, &bundled.run)?;
    if !announce(place.config, bundled, &check, &parameters) {
        return Ok(Outcome::Refused(ExitCode::from(DIFFERS)));
    }
    if !args.yes {
        let agreed = tokio::select! {
            agreed = confirmed() => agreed?,
            () = interrupt.received() => return Ok(interrupted),
        };
        if !agreed {
            say!("Nothing was asked.");
            return Ok(Outcome::Refused(ExitCode::SUCCESS));
        }
    }
    let begin = async |lock_number: i64| begin(place, args, bundled, &check, &parameters, lock_number).await;
    let Some((_, ended)) = conducted(place, interrupt, begin).await? else { return Ok(interrupted) };
    let ended: &Simulation = ended.first().ok_or_else(|| Error::internal("no run was started"))?;
    let now = {
        let mut conn = db::checkout(place.pool).await?;
        runs::with_attributes(runs::load(&conn, ended.id).await?, &mut conn).await?
    };
    let found = compare(bundled, place.pool, &now, &check).await?;
    Ok(Outcome::Compared(Box::new(found), ended.status))
}

/// The server and the model that the repeated run asks.
fn asked<'a>(config: &'a Config, args: &Args, then: &Run) -> Result<(&'a ModelConfig, String)> {
    let named = args.model.clone().unwrap_or_else(|| config.models.named(&then.parameters));
    simulate::resolved(config, "--model", Some(&named))
}

/// Parameters of the repeated run.
fn parameters(config: &Config, args: &Args, then: &Run) -> Result<Parameters> {
    let (server, model) = asked(config, args, then)?;
    let mut parameters = Parameters {
        model_server: server.of_parameters(),
        wire: server.wire,
        price: server.prices.of_run(&model, args.batch, then.parameters.service_tier),
        batch: args.batch,
        // Another model may not cache at marks.
        prompt_cache: then.parameters.prompt_cache.filter(|_| caches_at_marks(server.wire, &model)),
        model,
        reproduces: Some(then.facts.simulation_id),
        ..then.parameters.clone()
    };
    if args.seed == SeedChoice::New {
        // As a further repeat, assignments and orders are the same and the model draws anew.
        parameters.cell.get_or_insert_default().repeat = rand::rng().random_range(REPEATS);
    }
    Ok(parameters)
}

/// Prints the prompts and the price of the repetition. Returns whether it may be asked.
fn announce(config: &Config, bundled: &BundledRun, check: &PromptCheck, parameters: &Parameters) -> bool {
    let PromptCheck { prompts, differing, ref first, credits, tokens } = *check;
    let run = &bundled.run;
    let twins = bundled.twins().len();
    say!("Simulation {}: {twins} of {} twins, {}", run.simulation_id, run.facts.persona_count, run.parameters.model);
    let is_same_version = run.facts.program_version == env!("CARGO_PKG_VERSION");
    say!("  prompts     {} of {prompts} have the same bytes as then", prompts - differing);
    if let Some(first) = first {
        let version = &run.facts.program_version;
        let why = if is_same_version {
            "although this is the version that asked: nothing is asked".to_owned()
        } else {
            format!("version {version} asked, and this is {}", env!("CARGO_PKG_VERSION"))
        };
        say!("              {differing} differ, first that of {first}; {why}");
        if is_same_version {
            return false;
        }
    }
    let price =
        parameters.price.as_ref().map(|price| format!(", about {} at today's prices", price.money(price.cost(tokens))));
    say!("  credits     {credits}");
    say!("  tokens      then {}{}", tokens.in_words(), price.unwrap_or_default());
    let way = if parameters.batch { ", in batches within a day" } else { "" };
    say!("  asks        {}, seed {}{way}", parameters.model, parameters.model_seed());
    if config.models.main().is_demo() {
        say!("  demo model: not from a language model");
    }
    true
}

/// Asks on the terminal for confirmation. Fails with bad input if there is no terminal.
async fn confirmed() -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Err(Error::bad_input("there is no terminal to confirm at: --yes asks without confirmation"));
    }
    eprint!("Ask? [y/N] ");
    let (reply, answered) = oneshot::channel();
    // On a thread of its own: a signal ends the program while it waits.
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        // The receiver may be gone.
        let _ = reply.send(read.is_ok() && matches!(line.trim(), "y" | "Y" | "yes"));
    });
    Ok(answered.await.unwrap_or(false))
}

async fn begin(
    place: &Place<'_>,
    args: &Args,
    bundled: &BundledRun,
    check: &PromptCheck,
    parameters: &Parameters,
    lock_number: i64,
) -> Result<Begun> {
    let content = ValidSurvey::of_snapshot(&bundled.run.survey)
        .map_err(|reason| Error::bad_input(format!("{}: {reason}", args.bundle.display())))?;
    let asked = asked_before(bundled)?;
    let mut conn = db::checkout(place.pool).await?;
    conn.transaction(async |conn| {
        let payer = args.payer.find(conn).await?.granted(conn, check.credits).await?;
        let new = NewSurvey { user_id: payer.user_id, group_id: payer.group_id, content: &content };
        let (survey, _) = new.create(conn).await?;
        let (choice, is_demo) = (PersonaChoice::Ids(bundled.twins()), place.config.models.main().is_demo());
        let mut parameters = parameters.clone();
        let fitted = llm::fit_runs(conn, &place.config.models, std::slice::from_mut(&mut parameters)).await?;
        fitted.map_err(Error::bad_input)?;
        let new = NewSimulation::new(survey.id, payer.user_id, choice, parameters, is_demo);
        let run = start_again(conn, new, asked.clone()).await?;
        simulate_commands::note(conn, run.id, lock_number).await?;
        Ok(Begun { granted: payer.granted, runs: vec![run.id] })
    })
    .await
}

fn print(found: &Reproduction) {
    let Reproduction { then, now, items, identical, verdict, repeats, .. } = found;
    say!("\nSimulation {} repeated it", now.simulation_id);
    for (when, run) in [("then", then), ("now", now)] {
        let served: Vec<String> = run
            .served_by
            .iter()
            .map(|by| by.fingerprint.as_ref().map_or(by.model.clone(), |print| format!("{} ({print})", by.model)))
            .collect();
        say!("  {when:<11} {}, seed {}, served by {}", run.model, run.seed, served.join(", "));
    }
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    say!("  identical   {}", identical.map_or("-".to_owned(), percent));
    match repeats {
        0 => say!("  repeats     no repeats in the bundle"),
        repeats => say!("  repeats     {repeats} in the bundle"),
    }
    say!("\n{:<20} {:>24} {:>24} {:>6} {:>26}", "item", "identical", "in repeats", "TVD", "shift of the mean");
    let number = |of: f64| format!("{of:.3}");
    let ends = |value: String, ends: Option<(f64, f64)>| match ends {
        Some((low, high)) => format!("{value} [{low:.3}, {high:.3}]"),
        None => value,
    };
    for item in items {
        let share = |of: &IdenticalShare| ends(number(of.share), Some((of.low, of.high)));
        let none = || "-".to_owned();
        let shift = item
            .shift
            .map_or_else(none, |shift| ends(number(shift), item.shift_interval.map(|[low, high]| (low, high))));
        say!(
            "{:<20} {:>24} {:>24} {:>6} {:>26}",
            item.name,
            share(&item.identical),
            item.identical_in_repeats.as_ref().map_or_else(none, share),
            item.tvd.map_or_else(none, number),
            shift
        );
    }
    say!("\n{verdict}");
}

fn write(path: &Path, found: &Reproduction) -> Result<()> {
    let failure = |error: &dyn Display| Error::internal(format!("{}: {error}", path.display()));
    let text = serde_json::to_vec_pretty(found).map_err(|error| failure(&error))?;
    std::fs::write(path, text).map_err(|error| failure(&error))?;
    say!("The comparison is in {}", path.display());
    Ok(())
}

//! `twinlab evidence modes`: asks the held-out questions in each mode of answers, and compares the forecasts and their price.

use std::process::ExitCode;

use diesel_async::AsyncConnection;
use evidence::calibration::{Calibration, ForecastVerdict, NumberScores};
use evidence::intervals::Estimate;
use serde::Serialize;
use simulation::answer_mode::AnswerMode;
use simulation::money::Money;
use simulation::parameters::{Parameters, PersonaVariant};
use simulation::row::Simulation;

use crate::app::DemoModel;
use crate::cli::interrupt::Interrupt;
use crate::cli::payer::PayerArgs;
use crate::cli::simulate::{self, Begun, CONNECTIONS, INTERRUPTED, Place, conducted};
use crate::config::Config;
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::llm::prompt;
use crate::models::simulations::start::PersonaChoice;
use crate::models::studies::{self, NewStudy};
use crate::models::surveys::NewSurvey;
use crate::models::{held_out, personas, simulate_commands};
use crate::results::runs;
use crate::validation::calibration::of_runs;
use crate::validation::figures::find_profile_leak;
use crate::validation::set::Validatable;
use crate::validation::survey;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Twins to ask, drawn by the seed among those whose person answered what is held out
    #[arg(long, value_name = "N", default_value_t = 100)]
    twins: usize,
    /// Answers to each question in the mode of several draws
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=20))]
    draws: u16,
    /// Ask 24 of the held-out questions, drawn evenly over the tasks
    #[arg(long)]
    quick: bool,
    /// Model to ask [default: that of runs that name none]
    #[arg(long, value_name = "M", value_parser = crate::config::model_name)]
    model: Option<String>,
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: i64,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    payer: PayerArgs,
}

/// How well a mode forecasts what people answered, and what it took.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ModeFigures {
    mode: String,
    answers: i32,
    failed: i32,
    calls: i64,
    prompt_tokens: i64,
    completion_tokens: i64,
    /// `None`: the model has no price.
    cost: Option<Money>,
    /// `None`: nothing was answered.
    calibration: Option<Calibration>,
    /// Why the run was stopped.
    stopped: Option<String>,
}

pub async fn run(config: Config, args: &Args) -> Result<ExitCode> {
    let mut interrupt = Interrupt::listen()?;
    let demo = DemoModel::start(&config)?;
    let servers = [simulate::resolved(&config, "--model", args.model.as_deref())?.0];
    let database = tokio::select! {
        database = simulate::open(&config, &demo, &servers) => database?,
        () = interrupt.received() => return Ok(ExitCode::from(INTERRUPTED)),
    };
    let pool = AsyncPool::open(database.url(), CONNECTIONS).await?;
    let place = Place { config: &config, demo: &demo, database: &database, pool: &pool };
    let compared = compared(&place, args, &mut interrupt).await;
    drop(pool);
    database.close().await?;
    let Some(modes) = compared? else { return Ok(ExitCode::from(INTERRUPTED)) };
    if args.json {
        say!("{}", serde_json::to_string_pretty(&modes).map_err(|error| Error::internal(error.to_string()))?);
    } else {
        print(&modes);
    }
    Ok(ExitCode::SUCCESS)
}

/// `None`: a signal came.
async fn compared(place: &Place<'_>, args: &Args, interrupt: &mut Interrupt) -> Result<Option<Vec<ModeFigures>>> {
    let of = validatable(place.pool, args).await?;
    let begin = async |lock_number: i64| begin(place, args, &of, lock_number).await;
    let Some((_, mut ended)) = conducted(place, interrupt, begin).await? else { return Ok(None) };
    ended.sort_by_key(|run| run.id);
    let mut modes = Vec::with_capacity(ended.len());
    for run in &ended {
        modes.push(figures(place.pool, args, &of, run).await?);
    }
    Ok(Some(modes))
}

/// The current twins, if their people have answers that are held out and that no profile holds.
async fn validatable(pool: &AsyncPool, args: &Args) -> Result<Validatable> {
    let mut conn = db::checkout(pool).await?;
    let none = || Error::bad_input("there are no twins: `twinlab personas synthesize N` invents some");
    let set = personas::current_set(&mut conn).await?.ok_or_else(none)?;
    let of = Validatable::of(&mut conn, set).await?.map_err(|(_, reason)| Error::bad_input(reason))?;
    let chosen = held_out::choose(&mut conn, of.set.id, args.twins, args.seed).await?;
    let twins: Vec<i32> = chosen.iter().map(|(twin, _)| *twin).collect();
    let leak = find_profile_leak(&mut conn, of.set.id, &of.questions, &[of.headline], &twins).await?;
    leak.map_or(Ok(of), |leak| Err(Error::bad_input(leak.text)))
}

/// Stores the survey of what is held out, and starts a run of it for each mode.
async fn begin(place: &Place<'_>, args: &Args, of: &Validatable, lock_number: i64) -> Result<Begun> {
    let mut conn = db::checkout(place.pool).await?;
    let chosen = held_out::choose(&mut conn, of.set.id, args.twins, args.seed).await?;
    let tasks = survey::asked(&of.questions, args.quick);
    let content = survey::document(&of.set.source, &tasks).map_err(Error::bad_input)?.into();
    let cells = cells(place.config, args, of.headline)?;
    conn.transaction(async |conn| {
        let payer = args.payer.find(conn).await?;
        let new = NewSurvey { user_id: payer.user_id, group_id: payer.group_id, content: &content };
        let (survey, _) = new.create(conn).await?;
        let study = NewStudy {
            survey_id: survey.id,
            user_id: payer.user_id,
            choice: PersonaChoice::Ids(chosen.iter().map(|(twin, _)| *twin).collect()),
            demo_model: place.config.models.main().is_demo(),
            cells,
            every_arm: false,
            name: Some("Modes of answers".to_owned()),
            note: None,
            max_cost: None,
            plan: None,
        };
        let payer = if payer.is_operator {
            let planned = study.planned_runs(conn, prompt::measure).await?;
            payer.granted(conn, planned.iter().map(|(_, work)| work.answers).sum()).await?
        } else {
            payer
        };
        let id = study.start(conn).await?;
        let runs = studies::run_ids(conn, id).await?;
        for run in &runs {
            simulate_commands::note(conn, *run, lock_number).await?;
        }
        Ok(Begun { granted: payer.granted, runs })
    })
    .await
}

/// The parameters of a run for each mode.
fn cells(config: &Config, args: &Args, variant: PersonaVariant) -> Result<Vec<Parameters>> {
    let (server, model) = simulate::resolved(config, "--model", args.model.as_deref())?;
    let run = Parameters {
        model_server: server.of_parameters(),
        wire: server.wire,
        price: server.prices.of_run(&model, false, None),
        persona_variant: variant,
        stream: server.streams(false),
        ..Parameters::new(model, args.seed, server.questions_per_call)
    };
    let of_mode = |answer_mode| Parameters { answer_mode, ..run.clone() };
    let several = Parameters { draws: Some(args.draws), ..run.clone() };
    Ok(vec![of_mode(AnswerMode::Draw), several, of_mode(AnswerMode::Stated), of_mode(AnswerMode::Tokens)])
}

async fn figures(pool: &AsyncPool, args: &Args, of: &Validatable, found: &Simulation) -> Result<ModeFigures> {
    let run = {
        let mut conn = db::checkout(pool).await?;
        runs::with_attributes(runs::load(&conn, found.id).await?, &mut conn).await?
    };
    let mode = match (run.parameters.answer_mode, run.parameters.draws) {
        (_, Some(draws)) => format!("{draws} draws"),
        (mode, None) => mode.name().to_owned(),
    };
    Ok(ModeFigures {
        mode,
        answers: found.successful_requests,
        failed: found.failed_requests,
        calls: found.calls,
        prompt_tokens: found.prompt_tokens,
        completion_tokens: found.completion_tokens,
        cost: found.cost(),
        calibration: of_runs(pool, of.set.id, args.quick, std::slice::from_ref(&run)).await?,
        stopped: found.error_message.clone(),
    })
}

fn print(modes: &[ModeFigures]) {
    if let Some(of) = modes.iter().find_map(|mode| mode.calibration.as_ref()) {
        say!("{} people; intervals are a bootstrap over people, {} draws", of.people, of.draws);
    }
    say!(
        "{:<9}{:>8}{:>7}{:>10}{:>11}{:>13}  {:<24}{:<24}{:<24}{:<8}{:<24}{}",
        "mode",
        "answers",
        "calls",
        "prompt",
        "completion",
        "cost",
        "Brier",
        "log score",
        "CRPS / people's",
        "ECE",
        "SD ratio",
        "than shares"
    );
    for of in modes {
        let cost = of.cost.as_ref().map(ToString::to_string).unwrap_or_default();
        let took = format!(
            "{:<9}{:>8}{:>7}{:>10}{:>11}{cost:>13}",
            of.mode, of.answers, of.calls, of.prompt_tokens, of.completion_tokens
        );
        let Some(found) = &of.calibration else {
            say!("{took}  {}", of.stopped.as_deref().unwrap_or("nothing was answered"));
            continue;
        };
        let verdict = match found.verdict {
            ForecastVerdict::Better => "better",
            ForecastVerdict::Worse => "worse",
            ForecastVerdict::CannotTell => "cannot tell",
        };
        say!(
            "{took}  {:<24}{:<24}{:<24}{:<8.3}{:<24}{verdict}",
            shown(Some(&found.all.brier)),
            shown(Some(&found.all.log_loss)),
            relative_crps(&found.numbers).map(|ratio| format!("{ratio:.3}")).unwrap_or_default(),
            found.all.expected_calibration_error.value,
            shown(found.all.spread.as_ref()),
        );
    }
}

/// The mean over the questions of numbers of how large the score is, compared with that of people's own answers: below 1 the
/// twins know more than these.
fn relative_crps(numbers: &[NumberScores]) -> Option<f64> {
    let ratios = numbers.iter().filter(|of| of.crps_of_people.value > 0.0);
    let ratios: Vec<f64> = ratios.map(|of| of.crps.value / of.crps_of_people.value).collect();
    (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
}

fn shown(figure: Option<&Estimate>) -> String {
    let Some(figure) = figure else { return String::new() };
    match figure.interval() {
        Some(interval) => format!("{:.3} [{:.3}, {:.3}]", figure.value, interval.low, interval.high),
        None => format!("{:.3} ({})", figure.value, figure.note.unwrap_or("no interval")),
    }
}

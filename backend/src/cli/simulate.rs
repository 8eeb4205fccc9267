//! `twinlab simulate`: runs a survey file and writes the answers to a file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use rand::RngExt;
use uuid::Uuid;

use super::conduct::{self, ConductLock};
use super::interrupt::Interrupt;
use super::payer;
use super::{progress, report};
use crate::app::{Database, ModelEndpoint};
use crate::config::Config;
use crate::db::{self, AsyncPool};
use crate::design::walk::CallScope;
use crate::engine::{Engine, EngineConfig, RunScope, Timings};
use crate::error::{Error, Result};
use crate::llm::Llm;
use crate::models::simulations::start::{NewSimulation, PersonaChoice, start};
use crate::models::simulations::{self, Parameters, PersonaVariant, Simulation, Status, control};
use crate::models::survey_file::{SurveyFile, ValidSurvey};
use crate::models::surveys::NewSurvey;
use crate::models::{personas, simulate_commands};
use crate::results::files;
use crate::schema::simulations::dsl::{simulation_id, simulations as table};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The survey as JSON: {"title": .., "questions": [..]}
    #[arg(value_name = "SURVEY.json", required_unless_present_any = ["resume", "stop"])]
    survey: Option<PathBuf>,
    /// How many twins, drawn by the seed [default: 100, or all if there are fewer]
    #[arg(long, value_name = "N", conflicts_with = "persona_ids", value_parser = clap::value_parser!(i32).range(1..))]
    personas: Option<i32>,
    /// These twins, e.g. 1,2,3
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    persona_ids: Option<Vec<i32>>,
    /// Fixes the choice of twins and the order of options [default: drawn, and printed]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seed: Option<i64>,
    /// Model to ask [default: LLM_MODEL]
    #[arg(long, value_name = "M", value_parser = crate::config::model_name)]
    model: Option<String>,
    /// Sampling temperature, 0 to 2 [default: the server's]
    #[arg(long, value_name = "T", value_parser = temperature)]
    temperature: Option<f64>,
    /// Which text of the twins the model reads
    #[arg(long, value_enum, default_value_t = PersonaVariant::Summary)]
    persona_variant: PersonaVariant,
    /// Show the options of choice questions in an order of their own to each twin
    #[arg(long)]
    shuffle_options: bool,
    /// Where the answers go; the ending tells the format: .csv, .xlsx, .jsonl or .parquet
    #[arg(long, value_name = "FILE", required_unless_present = "stop")]
    out: Option<PathBuf>,
    /// Go on with an unfinished simulation
    #[arg(long, value_name = "ID", conflicts_with_all = ["survey", "stop", "personas", "persona_ids", "seed", "model",
        "temperature", "shuffle_options", "payer"])]
    resume: Option<Uuid>,
    /// End an unfinished simulation; its answers stay
    #[arg(long, value_name = "ID", conflicts_with_all = ["survey", "out"])]
    stop: Option<Uuid>,
    /// Run on this member's credits [default: the machine's local operator, who is granted what it takes]
    #[arg(long = "as", value_name = "EMAIL")]
    payer: Option<String>,
    /// The member's group that pays, where they are in several
    #[arg(long, value_name = "ID", requires = "payer")]
    group: Option<i64>,
}

/// Exit code where some requests failed. The file is written all the same.
const SOME_FAILED: u8 = 3;
const INTERRUPTED: u8 = 130;
const CONNECTIONS: u32 = 3;
const DEFAULT_PERSONAS: i64 = 100;

fn temperature(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(temperature) if (0.0..=2.0).contains(&temperature) => Ok(temperature),
        _ => Err("must be a number from 0 to 2".into()),
    }
}

pub async fn run(config: Config, args: Args) -> Result<ExitCode> {
    let mut interrupt = Interrupt::listen()?;
    if let Some(id) = args.stop {
        return tokio::select! {
            stopped = end(&config, id) => stopped,
            () = interrupt.received() => Ok(ExitCode::from(INTERRUPTED)),
        };
    }
    let out = args.out.clone().ok_or_else(|| Error::bad_input("--out FILE is missing"))?;
    let format = files::check_destination(&out)?;
    let survey = args.survey.as_deref().map(read).transpose()?;
    let server = ModelEndpoint::open(&config)?;
    let database = tokio::select! {
        database = open(&config, &server) => database?,
        () = interrupt.received() => return Ok(ExitCode::from(INTERRUPTED)),
    };
    let pool = AsyncPool::open(database.url(), CONNECTIONS).await?;
    conduct::name_abandoned(&pool).await?;
    let hold = ConductLock::take(database.url()).await?;
    let engine = Engine::start(EngineConfig {
        database_url: database.url().to_owned(),
        model: config.model.clone(),
        base_url: server.base_url().to_owned(),
        scope: RunScope::Chosen,
        timings: Timings { interview_lease: config.interview_lease, ..Timings::default() },
    })
    .await?;
    let begun = match (args.resume, &survey) {
        (Some(id), _) => go_on(&pool, id, hold.number).await.map(|simulation| (None, simulation)),
        (None, Some(survey)) => begin(&pool, &config, &args, survey, hold.number).await,
        (None, None) => Err(Error::bad_input("SURVEY.json is missing")),
    };
    let ended = match begun {
        Ok((granted, simulation)) => {
            let keeping = actix_web::rt::spawn(hold.keep(database.url().to_owned(), simulation.id));
            engine.take_up(simulation.id);
            let ended = conduct(engine, &pool, &simulation, &mut interrupt).await;
            keeping.abort();
            if ended.is_ok() {
                simulate_commands::forget(&mut *db::checkout(&pool).await?, simulation.id).await?;
            }
            ended.map(|ended| (granted, ended))
        }
        Err(error) => {
            engine.shut_down().await;
            Err(error)
        }
    };
    let done = match ended {
        Ok((granted, Some(ended))) => finish(&pool, &out, format, granted, &ended).await,
        Ok((_, None)) => Ok(ExitCode::from(INTERRUPTED)),
        Err(error) => Err(error),
    };
    database.close().await?;
    done
}

/// Opens the database after the model server has answered, so that a wrong address is found first.
async fn open(config: &Config, server: &ModelEndpoint) -> Result<Database> {
    Llm::new(&config.model, server.base_url())?.reach().await?;
    Database::open(config).await
}

fn read(path: &Path) -> Result<ValidSurvey> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|reason| Error::bad_input(format!("{name}: {reason}")))?;
    SurveyFile::parse(&bytes, &name)
}

/// Ends an unfinished run, and may do so beside a server.
async fn end(config: &Config, id: Uuid) -> Result<ExitCode> {
    let database = Database::visit(config).await?;
    let pool = AsyncPool::open(database.url(), 1).await?;
    let mut conn = db::checkout(&pool).await?;
    let stopped = match find(&mut conn, id).await {
        Ok(found) => control::stop(&mut conn, found.id).await.map_err(Error::from),
        Err(reason) => Err(reason),
    };
    drop((conn, pool));
    database.close().await?;
    say!("Simulation {id} is stopped. Its {} answers stay.", stopped?.successful_requests);
    Ok(ExitCode::SUCCESS)
}

async fn find(conn: &mut AsyncPgConnection, id: Uuid) -> Result<Simulation> {
    let found = table.filter(simulation_id.eq(id)).select(Simulation::as_select()).first(conn).await.optional()?;
    found.ok_or_else(|| Error::bad_input(format!("there is no simulation {id}")))
}

/// Takes an unfinished run in hand. One that is over is returned as it is, for its file.
async fn go_on(pool: &AsyncPool, id: Uuid, lock_number: i64) -> Result<Simulation> {
    let mut conn = db::checkout(pool).await?;
    let found = find(&mut conn, id).await?;
    if found.status.is_over() {
        return Ok(found);
    }
    if simulate_commands::is_conducted(&mut conn, found.id).await? {
        return Err(Error::bad_input(format!("another command goes on with simulation {id}")));
    }
    conn.transaction(async |conn| {
        simulate_commands::note(conn, found.id, lock_number).await?;
        match found.status {
            Status::Paused => Ok(control::resume(conn, found.id).await?),
            Status::Pending => Ok(control::execute(conn, found.id).await?),
            _ => Ok(found.clone()),
        }
    })
    .await
}

/// Stores the survey and starts the run in one transaction. Also returns what the local operator was granted for it.
async fn begin(
    pool: &AsyncPool,
    config: &Config,
    args: &Args,
    survey: &ValidSurvey,
    lock_number: i64,
) -> Result<(Option<i64>, Simulation)> {
    let mut conn = db::checkout(pool).await?;
    let total = match personas::current_set(&mut conn).await? {
        Some(set) => personas::count(&mut conn, set.id).await?,
        None => 0,
    };
    if total == 0 {
        return Err(Error::bad_input(
            "there are no twins: `twinlab personas import FILE` or `twinlab personas synthesize N` brings some",
        ));
    }
    let choice = match (&args.persona_ids, args.personas) {
        (Some(ids), _) => PersonaChoice::Ids(ids.clone()),
        (None, Some(count)) if i64::from(count) > total => {
            return Err(Error::bad_input(format!("--personas {count}: there are {total} twins")));
        }
        (None, Some(count)) => PersonaChoice::Random(count),
        (None, None) => PersonaChoice::Random(total.min(DEFAULT_PERSONAS) as i32),
    };
    let asked = match &choice {
        PersonaChoice::Random(count) => i64::from(*count),
        PersonaChoice::Ids(ids) => ids.iter().collect::<HashSet<_>>().len() as i64,
    };
    conn.transaction(async |conn| {
        let payer = match &args.payer {
            Some(email) => payer::member(conn, email, args.group).await?,
            None => {
                let questions = survey.questions.iter().filter(|question| question.is_request()).count();
                payer::operator(conn, asked * questions as i64).await?
            }
        };
        let new = NewSurvey { user_id: payer.user_id, group_id: payer.group_id, content: survey };
        let (survey, _) = new.create(conn).await?;
        let model = args.model.clone().unwrap_or_else(|| config.model.model.clone());
        let parameters = Parameters {
            price: config.model.prices.of(&model).cloned(),
            model,
            temperature: args.temperature,
            seed: args.seed.unwrap_or_else(|| rand::rng().random_range(0..1_000_000_000)),
            questions_per_call: config.model.questions_per_call,
            persona_variant: args.persona_variant,
            shuffle_options: args.shuffle_options,
            call_scope: CallScope::default(),
            memory: None,
            cell: None,
        };
        let new = NewSimulation {
            survey_id: survey.id,
            user_id: payer.user_id,
            choice: choice.clone(),
            parameters,
            demo_model: config.model.is_demo(),
        };
        let started = start(conn, new).await?;
        simulate_commands::note(conn, started.id, lock_number).await?;
        Ok((payer.granted, started))
    })
    .await
}

/// Waits for the end of the run. `None`: a signal came and the run was stopped.
async fn conduct(
    engine: Engine,
    pool: &AsyncPool,
    simulation: &Simulation,
    interrupt: &mut Interrupt,
) -> Result<Option<Simulation>> {
    let ended = tokio::select! {
        ended = progress::watch(pool, simulation.id) => ended.map(Some),
        () = interrupt.received() => Ok(None),
    };
    match ended {
        Ok(Some(paused)) if paused.status == Status::Paused => {
            // First, so that the answers of calls in flight are booked before the run is stopped.
            engine.shut_down().await;
            let reason = paused.error_message.unwrap_or_else(|| "it was paused".into());
            let kept = stop(pool, simulation.id).await?.successful_requests;
            Err(Error::internal(format!("the run was stopped with {kept} answers stored: {reason}")))
        }
        Ok(None) => {
            let stopped = stop(pool, simulation.id).await;
            engine.shut_down().await;
            stopped?;
            eprintln!("twinlab: interrupted, the run was stopped; its answers stay in the database");
            Ok(None)
        }
        ended => {
            engine.shut_down().await;
            ended
        }
    }
}

/// Stops the run, unless it has ended in the meantime, and returns it.
async fn stop(pool: &AsyncPool, id: i64) -> Result<Simulation> {
    let mut conn = db::checkout(pool).await?;
    let _ = control::stop(&mut conn, id).await;
    let simulation = simulations::find(&mut conn, id).await?;
    simulation.ok_or_else(|| Error::internal(format!("simulation {id} is gone")))
}

async fn finish(
    pool: &AsyncPool,
    out: &Path,
    format: files::Format,
    granted: Option<i64>,
    ended: &Simulation,
) -> Result<ExitCode> {
    files::write(pool, ended.id, out, format).await?;
    let mut conn = db::checkout(pool).await?;
    report::print(&mut conn, ended, granted).await?;
    say!("Answers are in {}", out.display());
    Ok(if ended.status == Status::Completed { ExitCode::SUCCESS } else { ExitCode::from(SOME_FAILED) })
}

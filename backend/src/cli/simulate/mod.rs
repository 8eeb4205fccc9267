//! `twinlab simulate`: runs a survey file, once or as a study, and writes the answers to a file or to one for each run.

mod begin;
mod study;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use diesel::{ExpressionMethods, OptionalExtension, QueryDsl};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use simulation::answer_mode::AnswerMode;
use simulation::model_options::{ReasoningEffort, ServiceTier, Verbosity};
use simulation::parameters::PersonaVariant;
use simulation::row::Simulation;
use simulation::status::Status;
use uuid::Uuid;

pub use self::begin::{Begun, resolved};
use self::study::StudyArgs;
use super::conduct::{self, ConductLock};
use super::interrupt::Interrupt;
use super::payer::PayerArgs;
use super::{progress, report, serve};
use crate::app::{Database, DemoModel};
use crate::config::{Config, ModelConfig};
use crate::db::{self, AsyncPool};
use crate::engine::clients::RunClients;
use crate::engine::{Engine, RunScope, batches};
use crate::error::{Error, Result};
use crate::llm::Llm;
use crate::models::simulate_commands;
use crate::models::simulations::{self, control};
use crate::models::study_plans;
use crate::models::survey_file::{SurveyFile, ValidSurvey};
use crate::results::files;
use crate::schema::simulations::dsl::{simulation_id, simulations as table};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The survey as JSON: {"title": .., "questions": [..]}
    #[arg(value_name = "SURVEY.json", required_unless_present_any = ["resume", "stop"])]
    survey: Option<PathBuf>,
    /// Number of twins, drawn by the seed [default: 100, or all if there are fewer]
    #[arg(long, value_name = "N", conflicts_with = "persona_ids", value_parser = clap::value_parser!(i32).range(1..))]
    personas: Option<i32>,
    /// Ids of the twins to ask, for example 1,2,3
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    persona_ids: Option<Vec<i32>>,
    /// Seed of the choice of twins and the order of options [default: drawn, and printed]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seed: Option<i64>,
    /// Model to ask [default: LLM_MODEL]
    #[arg(long, value_name = "M", value_parser = crate::config::model_name)]
    model: Option<String>,
    /// Sampling temperature, 0 to 2 [default: the server's]
    #[arg(long, value_name = "T", value_parser = temperature)]
    temperature: Option<f64>,
    /// Text about the twins that the model reads
    #[arg(long, value_enum, default_value_t = PersonaVariant::Summary)]
    persona_variant: PersonaVariant,
    /// Show the options of choice questions in an order of their own to each twin
    #[arg(long)]
    shuffle_options: bool,
    /// Ask through the model server's Batch API: at its lower price, within a day
    #[arg(long)]
    batch: bool,
    /// Keep the model's reply to each call, word for word: bundles then start from these replies
    #[arg(long)]
    keep_replies: bool,
    /// How much a reasoning model reasons before it answers [default: as much as it does by itself]
    #[arg(long, value_enum, value_name = "EFFORT")]
    reasoning_effort: Option<ReasoningEffort>,
    /// How many words the model answers with [default: its own]
    #[arg(long, value_enum, value_name = "LEVEL")]
    verbosity: Option<Verbosity>,
    /// The model server's service tier [default: its own]
    #[arg(long, value_enum, value_name = "TIER")]
    service_tier: Option<ServiceTier>,
    /// Leave out parameters that the model does not take, and say so; otherwise the simulation pauses
    #[arg(long)]
    lenient: bool,
    /// Kind of answer that the twins are asked for: one answer, or probabilities from which it is drawn [default: draw]
    #[arg(long, value_enum, value_name = "MODE")]
    answer_mode: Option<AnswerMode>,
    /// Ask each question so often and store the shares of the answers, 2 to 20 [default: once]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=20), conflicts_with_all = ["answer_mode", "keep_replies"])]
    draws: Option<u16>,
    #[command(flatten)]
    study: StudyArgs,
    /// File for the answers; its ending names the format: .csv, .xlsx, .jsonl or .parquet. For several runs: a new
    /// folder
    #[arg(long, value_name = "FILE", required_unless_present_any = ["stop", "price"])]
    out: Option<PathBuf>,
    /// Continue an unfinished simulation
    #[arg(long, value_name = "ID", conflicts_with_all = ["survey", "stop", "personas", "persona_ids", "seed", "model",
        "temperature", "shuffle_options", "batch", "keep_replies", "reasoning_effort", "verbosity", "service_tier", "lenient", "answer_mode", "draws",
        "payer", "study"])]
    resume: Option<Uuid>,
    /// End an unfinished simulation; its answers stay
    #[arg(long, value_name = "ID", conflicts_with_all = ["survey", "out", "study"])]
    stop: Option<Uuid>,
    #[command(flatten)]
    payer: PayerArgs,
}

/// Exit code if some requests failed. The file is written anyway.
const SOME_FAILED: u8 = 3;
pub const INTERRUPTED: u8 = 130;
pub const CONNECTIONS: u32 = 3;

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
    let survey = args.survey.as_deref().map(read).transpose()?;
    if let (true, Some(survey)) = (args.study.price, &survey) {
        return tokio::select! {
            priced = study::print_price(&config, &args, survey) => priced,
            () = interrupt.received() => Ok(ExitCode::from(INTERRUPTED)),
        };
    }
    let out = args.out.clone().ok_or_else(|| Error::bad_input("--out FILE is missing"))?;
    let out = if args.study.is_given() { Out::folder(out)? } else { Out::file(out)? };
    let demo = DemoModel::start(&config)?;
    // The server of a run that is taken over stands in the database.
    let servers = if args.resume.is_some() { Vec::new() } else { asked(&config, &args)? };
    let database = tokio::select! {
        database = open(&config, &demo, &servers) => database?,
        () = interrupt.received() => return Ok(ExitCode::from(INTERRUPTED)),
    };
    let pool = AsyncPool::open(database.url(), CONNECTIONS).await?;
    if let Some(id) = args.resume {
        let run = find(&mut *db::checkout(&pool).await?, id).await?;
        if let Some(server) = config.models.find(run.server()).filter(|_| !run.status.is_over()) {
            reach(server, &demo).await?;
        }
    }
    let place = Place { config: &config, demo: &demo, database: &database, pool: &pool };
    let ended = conducted(&place, &mut interrupt, async |lock_number| match (args.resume, &survey) {
        (Some(id), _) => go_on(&pool, id, lock_number).await.map(|run| Begun { granted: None, runs: vec![run.id] }),
        (None, Some(survey)) => begin::begin(&pool, &config, &args, survey, lock_number).await,
        (None, None) => Err(Error::bad_input("SURVEY.json is missing")),
    });
    let done = match ended.await {
        Ok(Some((granted, ended))) => finish(&pool, &out, granted, &ended).await,
        Ok(None) => Ok(ExitCode::from(INTERRUPTED)),
        Err(error) => Err(error),
    };
    database.close().await?;
    done
}

/// Configuration, demo model and database of a command's runs.
pub struct Place<'a> {
    pub config: &'a Config,
    pub demo: &'a DemoModel,
    pub database: &'a Database,
    pub pool: &'a AsyncPool,
}

/// Starts an engine in this process that asks the runs of `begin` to their end. Also returns the credits that were
/// granted for them. `None`: a signal came and they were stopped.
pub async fn conducted(
    place: &Place<'_>,
    interrupt: &mut Interrupt,
    begin: impl AsyncFnOnce(i64) -> Result<Begun>,
) -> Result<Option<(Option<i64>, Vec<Simulation>)>> {
    let Place { config, demo, database, pool } = place;
    conduct::name_abandoned(pool).await?;
    let hold = ConductLock::take(database.url()).await?;
    let engine = serve::start_engine(config, database, demo, RunScope::Chosen).await?;
    let Begun { granted, runs } = match begin(hold.number).await {
        Ok(begun) => begun,
        Err(error) => {
            engine.shut_down().await;
            return Err(error);
        }
    };
    let keeping = actix_web::rt::spawn(hold.keep(database.url().to_owned(), runs.clone()));
    runs.iter().for_each(|run| engine.take_up(*run));
    let ended = conduct(engine, pool, &runs, interrupt).await;
    keeping.abort();
    cancel_batches(config, pool, &demo.base_url(), runs.clone()).await;
    let ended = ended?;
    let mut conn = db::checkout(pool).await?;
    for run in runs {
        simulate_commands::forget(&mut conn, run).await?;
    }
    Ok(ended.map(|ended| (granted, ended)))
}

/// Output of the answers.
enum Out {
    /// A file for one run.
    File(PathBuf, files::Format),
    /// A folder with a file for each run of a study.
    Folder(PathBuf),
}

impl Out {
    fn file(path: PathBuf) -> Result<Self> {
        let format = files::check_destination(&path)?;
        Ok(Self::File(path, format))
    }

    /// Checks that the folder can be created. It leaves nothing behind, because the folder is created with the answers.
    fn folder(path: PathBuf) -> Result<Self> {
        match std::fs::create_dir(&path).and_then(|()| std::fs::remove_dir(&path)) {
            Ok(()) => Ok(Self::Folder(path)),
            Err(_) if path.exists() => Err(Error::bad_input(format!("--out {}: is there already", path.display()))),
            Err(reason) => Err(Error::bad_input(format!("--out {}: {reason}", path.display()))),
        }
    }
}

/// Opens the database after these model servers have answered, so that a wrong address is reported first.
pub async fn open(config: &Config, demo: &DemoModel, servers: &[&ModelConfig]) -> Result<Database> {
    for server in servers {
        reach(server, demo).await?;
    }
    Database::open(config).await
}

/// Fails if the model server cannot be reached, or refuses its key.
async fn reach(server: &ModelConfig, demo: &DemoModel) -> Result<()> {
    Llm::new(server, server.base_url.as_deref().unwrap_or(&demo.base_url()))?.reach().await
}

/// The model servers that the new runs of a command ask.
fn asked<'a>(config: &'a Config, args: &Args) -> Result<Vec<&'a ModelConfig>> {
    let mut servers: Vec<&ModelConfig> = Vec::new();
    let models = args.study.models.iter().map(|model| ("--models", Some(model)));
    // Without `--models` all runs ask the one model.
    let model = args.study.models.is_empty().then_some(("--model", args.model.as_ref()));
    for (flag, model) in models.chain(model) {
        let (server, _) = resolved(config, flag, model.map(String::as_str))?;
        if !servers.iter().any(|known| known.name == server.name) {
            servers.push(server);
        }
    }
    Ok(servers)
}

fn read(path: &Path) -> Result<ValidSurvey> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|reason| Error::bad_input(format!("{name}: {reason}")))?;
    SurveyFile::parse(&bytes, &name)
}

/// Ends an unfinished run, also while a server uses the database.
async fn end(config: &Config, id: Uuid) -> Result<ExitCode> {
    let database = Database::visit(config).await?;
    let pool = AsyncPool::open(database.url(), 1).await?;
    let mut conn = db::checkout(&pool).await?;
    let stopped = match find(&mut conn, id).await {
        Ok(found) => control::stop(&mut conn, found.id).await.map_err(Error::from),
        Err(reason) => Err(reason),
    };
    drop(conn);
    if let (Ok(run), false) = (&stopped, config.models.main().is_demo()) {
        cancel_batches(config, &pool, "", vec![run.id]).await;
    }
    drop(pool);
    database.close().await?;
    say!("Simulation {id} is stopped. Its {} answers stay.", stopped?.successful_requests);
    Ok(ExitCode::SUCCESS)
}

/// Cancels the batches of stopped runs. If the model server is away, a twinlab server does so later.
async fn cancel_batches(config: &Config, pool: &AsyncPool, demo_url: &str, runs: Vec<i64>) {
    let clients =
        config.given_secret().and_then(|secret| RunClients::new(Arc::new(config.models.clone()), demo_url, secret));
    match clients {
        Ok(clients) => batches::cancel_of_runs(pool, &clients, Some(runs)).await,
        Err(reason) => tracing::warn!(%reason, "batches of the runs were not cancelled"),
    }
}

async fn find(conn: &mut AsyncPgConnection, id: Uuid) -> Result<Simulation> {
    let found = table.filter(simulation_id.eq(id)).first(conn).await.optional()?;
    found.ok_or_else(|| Error::bad_input(format!("there is no simulation {id}")))
}

/// Takes over an unfinished run. One that is over is returned as it is, for its file.
async fn go_on(pool: &AsyncPool, id: Uuid, lock_number: i64) -> Result<Simulation> {
    let mut conn = db::checkout(pool).await?;
    let found = find(&mut conn, id).await?;
    // Checked before the run is asked, because its file would not be written.
    study_plans::must_be_shown(&mut conn, found.id).await?;
    if found.status.is_over() {
        return Ok(found);
    }
    if simulate_commands::is_conducted(&mut conn, found.id).await? {
        return Err(Error::bad_input(format!("another command is running simulation {id}")));
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

/// Waits for the end of the runs. `None`: a signal came and they were stopped.
async fn conduct(
    engine: Engine,
    pool: &AsyncPool,
    runs: &[i64],
    interrupt: &mut Interrupt,
) -> Result<Option<Vec<Simulation>>> {
    let ended = tokio::select! {
        ended = progress::watch_all(pool, runs) => ended.map(Some),
        () = interrupt.received() => Ok(None),
    };
    match ended {
        Ok(None) => {
            let stopped = stop(pool, runs).await;
            engine.shut_down().await;
            stopped?;
            let (what, whose) = if runs.len() == 1 { ("run was", "its") } else { ("runs were", "their") };
            eprintln!("twinlab: interrupted, the {what} stopped; {whose} answers stay in the database");
            Ok(None)
        }
        ended => {
            // The engine is shut down first, so that the answers of calls in flight are booked before a paused run is
            // stopped.
            engine.shut_down().await;
            let ended = ended?.unwrap_or_default();
            if ended.iter().all(|run| run.status != Status::Paused) {
                return Ok(Some(ended));
            }
            match stop(pool, runs).await?.as_slice() {
                [run] => {
                    let kept = run.successful_requests;
                    let reason = run.error_message.as_deref().unwrap_or("it was paused");
                    Err(Error::internal(format!("the run was stopped with {kept} answers stored: {reason}")))
                }
                several => Ok(Some(several.to_vec())),
            }
        }
    }
}

/// Stops the runs that have not ended meanwhile, and returns all. The reason of a pause stays in the row.
async fn stop(pool: &AsyncPool, ids: &[i64]) -> Result<Vec<Simulation>> {
    let mut conn = db::checkout(pool).await?;
    for id in ids {
        let _ = control::stop(&mut conn, *id).await;
    }
    Ok(simulations::find_all(&mut conn, ids).await?)
}

async fn finish(pool: &AsyncPool, out: &Out, granted: Option<i64>, ended: &[Simulation]) -> Result<ExitCode> {
    let path = match out {
        Out::File(path, format) => {
            for run in ended {
                files::write(pool, run.id, path, *format).await?;
                report::print(&mut *db::checkout(pool).await?, run, granted).await?;
            }
            path
        }
        Out::Folder(path) => {
            study::write(pool, path, ended).await?;
            path
        }
    };
    say!("Answers are in {}", path.display());
    let completed = ended.iter().all(|run| run.status == Status::Completed);
    Ok(if completed { ExitCode::SUCCESS } else { ExitCode::from(SOME_FAILED) })
}

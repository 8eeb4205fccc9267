//! Starts a run or a study from the command line, and computes its price.

use std::collections::HashSet;

use diesel_async::{AnsiTransactionManager, AsyncConnection, AsyncPgConnection, TransactionManager};
use rand::RngExt;
use simulation::parameters::Parameters;

use super::Args;
use crate::cli::payer::Payer;
use crate::config::{Config, ModelConfig};
use crate::db::{self, AsyncPool};
use crate::engine::shared_limits;
use crate::error::{Error, Result};
use crate::llm::{self, prompt};
use crate::models::simulations::pricing::StudyPrice;
use crate::models::simulations::start::{NewSimulation, PersonaChoice, start};
use crate::models::studies::{self, NewStudy};
use crate::models::survey_file::ValidSurvey;
use crate::models::surveys::NewSurvey;
use crate::models::{group_members, personas, simulate_commands};

const DEFAULT_PERSONAS: i64 = 100;

/// The runs that the command conducts.
pub struct Begun {
    /// Credits that the local operator was granted for them.
    pub granted: Option<i64>,
    /// Row ids, ascending.
    pub runs: Vec<i64>,
}

/// Stores the survey and starts its run, or those of a study, in one transaction.
pub async fn begin(
    pool: &AsyncPool,
    config: &Config,
    args: &Args,
    survey: &ValidSurvey,
    lock_number: i64,
) -> Result<Begun> {
    let mut conn = db::checkout(pool).await?;
    let choice = choose(&mut conn, args).await?;
    conn.transaction(async |conn| {
        let (payer, survey_id) = store(conn, args, survey).await?;
        let begun = if args.study.is_given() {
            let study = new_study(conn, config, args, payer, survey_id, choice.clone()).await?;
            let payer = if payer.is_operator {
                let needed: i64 =
                    study.planned_runs(conn, prompt::measure).await?.iter().map(|(_, work)| work.answers).sum();
                payer.granted(conn, needed).await?
            } else {
                payer
            };
            let id = study.start(conn).await?;
            Begun { granted: payer.granted, runs: studies::run_ids(conn, id).await? }
        } else {
            let questions = survey.questions.iter().filter(|question| question.is_request()).count();
            let payer = payer.granted(conn, asked(&choice) * questions as i64).await?;
            let (mut parameters, is_demo) = (parameters(config, args)?, config.models.main().is_demo());
            fit_to_models(conn, config, std::slice::from_mut(&mut parameters)).await?;
            let new = NewSimulation::new(survey_id, payer.user_id, choice.clone(), parameters, is_demo);
            Begun { granted: payer.granted, runs: vec![start(conn, new).await?.id] }
        };
        for run in &begun.runs {
            simulate_commands::note(conn, *run, lock_number).await?;
        }
        Ok(begun)
    })
    .await
}

/// Computes the price of [`begin`]. Stores nothing.
pub async fn price(pool: &AsyncPool, config: &Config, args: &Args, survey: &ValidSurvey) -> Result<StudyPrice> {
    let mut conn = db::checkout(pool).await?;
    let choice = choose(&mut conn, args).await?;
    AnsiTransactionManager::begin_transaction(&mut *conn).await?;
    let priced = priced(&mut conn, config, args, survey, choice).await;
    AnsiTransactionManager::rollback_transaction(&mut *conn).await?;
    priced
}

async fn priced(
    conn: &mut AsyncPgConnection,
    config: &Config,
    args: &Args,
    survey: &ValidSurvey,
    choice: PersonaChoice,
) -> Result<StudyPrice> {
    let (payer, survey_id) = store(conn, args, survey).await?;
    let (group_id, user_id) = (payer.group_id, payer.user_id);
    let study = new_study(conn, config, args, payer, survey_id, choice).await?;
    let runs = study.planned_runs(conn, prompt::measure).await?;
    // The local operator is granted what the runs cost, so a limit would be misleading.
    let available = match args.payer.payer {
        Some(_) => group_members::available(conn, group_id, user_id).await?,
        None => None,
    };
    let limits = shared_limits(conn, &config.models).await?;
    Ok(StudyPrice::compute(conn, runs, available, limits, ("run", config.models.main().is_demo())).await?)
}

async fn choose(conn: &mut AsyncPgConnection, args: &Args) -> Result<PersonaChoice> {
    let total = match personas::current_set(conn).await? {
        Some(set) => personas::count(conn, set.id).await?,
        None => 0,
    };
    if total == 0 {
        return Err(Error::bad_input(
            "there are no twins: `twinlab personas import FILE` or `twinlab personas synthesize N` adds some",
        ));
    }
    match (&args.persona_ids, args.personas) {
        (Some(ids), _) => Ok(PersonaChoice::Ids(ids.clone())),
        (None, Some(count)) if i64::from(count) > total => {
            Err(Error::bad_input(format!("--personas {count}: there are {total} twins")))
        }
        (None, Some(count)) => Ok(PersonaChoice::Random(count)),
        (None, None) => Ok(PersonaChoice::Random(total.min(DEFAULT_PERSONAS) as i32)),
    }
}

fn asked(choice: &PersonaChoice) -> i64 {
    match choice {
        PersonaChoice::Random(count) => i64::from(*count),
        PersonaChoice::Ids(ids) => ids.iter().collect::<HashSet<_>>().len() as i64,
        PersonaChoice::Quotas(quotas) => quotas.iter().map(|quota| i64::from(quota.count)).sum(),
    }
}

/// Stores the survey. Returns the payer and the survey's row id.
async fn store(conn: &mut AsyncPgConnection, args: &Args, survey: &ValidSurvey) -> Result<(Payer, i64)> {
    let payer = args.payer.find(conn).await?;
    let new = NewSurvey { user_id: payer.user_id, group_id: payer.group_id, content: survey };
    let (survey, _) = new.create(conn).await?;
    Ok((payer, survey.id))
}

async fn new_study(
    conn: &mut AsyncPgConnection,
    config: &Config,
    args: &Args,
    payer: Payer,
    survey_id: i64,
    choice: PersonaChoice,
) -> Result<NewStudy> {
    let mut cells = args.study.cells(config, &parameters(config, args)?)?;
    fit_to_models(conn, config, &mut cells).await?;
    Ok(NewStudy {
        survey_id,
        user_id: payer.user_id,
        choice,
        demo_model: config.models.main().is_demo(),
        cells,
        every_arm: args.study.every_arm,
        name: None,
        note: None,
        max_cost: None,
        plan: None,
    })
}

/// Fits runs to what is known of their models.
pub async fn fit_to_models(conn: &mut AsyncPgConnection, config: &Config, runs: &mut [Parameters]) -> Result<()> {
    llm::fit_runs(conn, &config.models, runs).await?.map_err(Error::bad_input)
}

fn parameters(config: &Config, args: &Args) -> Result<Parameters> {
    let (server, model) = resolved(config, "--model", args.model.as_deref())?;
    let seed = args.seed.unwrap_or_else(|| rand::rng().random_range(0..1_000_000_000));
    let parameters = Parameters {
        model_server: server.of_parameters(),
        wire: server.wire,
        price: server.prices.of_run(&model, args.batch, args.service_tier),
        temperature: args.temperature,
        persona_variant: args.persona_variant,
        shuffle_options: args.shuffle_options,
        batch: args.batch,
        keep_replies: args.keep_replies,
        reasoning_effort: args.reasoning_effort,
        verbosity: args.verbosity,
        service_tier: args.service_tier,
        lenient: args.lenient,
        stream: server.streams(args.batch),
        answer_mode: args.answer_mode.unwrap_or_default(),
        draws: args.draws,
        ..Parameters::new(model, seed, server.questions_per_call)
    };
    parameters.distribution_refusal().map_or(Ok(parameters), |reason| Err(Error::bad_input(reason)))
}

/// The server and the model that a flag names, or those of runs that name none.
pub fn resolved<'a>(config: &'a Config, flag: &str, named: Option<&str>) -> Result<(&'a ModelConfig, String)> {
    let main = config.models.main();
    let Some(named) = named else { return Ok((main, main.model.clone())) };
    config.models.resolve(named).map_err(|reason| Error::bad_input(format!("{flag} {named:?} {reason}")))
}

//! `twinlab models`: finds out what a model server really does.

use std::process::ExitCode;

use simulation::model_check::{CheckFinding, ModelCheck};

use crate::app::{Database, DemoModel};
use crate::config::{Config, model_name};
use crate::db;
use crate::error::{Error, Result};
use crate::llm::{CheckedModel, Llm, check};
use crate::models::model_checks;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make some twenty tiny calls, say which parts of requests the model server takes, keeps to or ignores, and store that for the
    /// starts of runs
    Check(Check),
}

#[derive(Debug, clap::Args)]
struct Check {
    /// Server to check by its first model, or a model as a run names it [default: LLM_MODEL]
    #[arg(value_name = "SERVER|MODEL|SERVER/MODEL", value_parser = model_name)]
    named: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Only print: later starts of runs do not use the findings
    #[arg(long)]
    no_store: bool,
}

pub async fn run(config: Config, args: Args) -> Result<ExitCode> {
    let Action::Check(Check { named, json, no_store }) = args.action;
    let named = named.unwrap_or_else(|| config.models.main_name());
    let (server, model) = match config.models.find(&named) {
        Some(server) => (server, server.model.clone()),
        None => {
            config.models.resolve(&named).map_err(|reason| Error::bad_input(format!("MODEL {named:?} {reason}")))?
        }
    };
    let demo = DemoModel::start(&config)?;
    let address = server.base_url.clone().unwrap_or_else(|| demo.base_url());
    let found = check(&Llm::new(server, &address)?, &model, server.wire, server.prices.find(&model)).await;
    let found = found.map_err(|error| Error::internal(format!("the model server does not answer: {error}")))?;
    if !no_store {
        store(&config, &server.name, &found).await?;
    }
    let CheckedModel { check: found, .. } = found;
    match json {
        true => {
            let json = serde_json::to_string_pretty(&found);
            say!("{}", json.map_err(|reason| Error::internal(reason.to_string()))?);
        }
        false => lines(&found).iter().for_each(|line| say!("{line}")),
    }
    Ok(ExitCode::SUCCESS)
}

async fn store(config: &Config, server: &str, found: &CheckedModel) -> Result<()> {
    let database = Database::visit(config).await?;
    let mut conn = db::session(database.url()).await.map_err(|reason| Error::internal(reason.to_string()))?;
    let stored = model_checks::store(&mut conn, server, &found.check, &found.known).await;
    drop(conn);
    database.close().await?;
    Ok(stored?)
}

fn lines(found: &ModelCheck) -> Vec<String> {
    let ModelCheck { model, wire, findings, calls, tokens, cost } = found;
    let cost = cost.as_ref().map(|cost| format!(", {cost}")).unwrap_or_default();
    let mut lines = vec![format!("{model} by {}: {calls} calls, {tokens} tokens{cost}", wire.in_words())];
    let row =
        |finding: &CheckFinding| format!("{:18}{:22}{}", finding.name, finding.verdict.in_words(), finding.detail);
    lines.extend(findings.iter().map(row));
    lines
}

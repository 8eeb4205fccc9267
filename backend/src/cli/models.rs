//! `twinlab models`: finds out what a model server really does.

use std::process::ExitCode;

use crate::app::DemoModel;
use crate::config::{Config, model_name};
use crate::error::{Error, Result};
use crate::llm::{CheckFinding, Llm, ModelCheck, check};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make some ten tiny calls, and say which parts of requests the model server takes, keeps to or ignores
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
}

pub async fn run(config: Config, args: Args) -> Result<ExitCode> {
    let Action::Check(Check { named, json }) = args.action;
    let named = named.unwrap_or_else(|| config.models.main_name());
    let (server, model) = match config.models.find(&named) {
        Some(server) => (server, server.model.clone()),
        None => {
            config.models.resolve(&named).map_err(|reason| Error::bad_input(format!("MODEL {named:?} {reason}")))?
        }
    };
    let demo = DemoModel::start(&config)?;
    let address = server.base_url.clone().unwrap_or_else(|| demo.base_url());
    let found = check(&Llm::new(server, &address)?, &model, server.wire).await;
    let found = found.map_err(|error| Error::internal(format!("the model server does not answer: {error}")))?;
    match json {
        true => {
            let json = serde_json::to_string_pretty(&found);
            say!("{}", json.map_err(|reason| Error::internal(reason.to_string()))?);
        }
        false => lines(&found).iter().for_each(|line| say!("{line}")),
    }
    Ok(ExitCode::SUCCESS)
}

fn lines(found: &ModelCheck) -> Vec<String> {
    let ModelCheck { model, wire, findings, calls, tokens } = found;
    let mut lines = vec![format!("{model} by {}: {calls} calls, {tokens} tokens", wire.in_words())];
    let row =
        |finding: &CheckFinding| format!("{:18}{:22}{}", finding.name, finding.verdict.in_words(), finding.detail);
    lines.extend(findings.iter().map(row));
    lines
}

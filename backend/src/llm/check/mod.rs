//! Finds out by some tiny calls what a model server really does: what it takes without a word may be without effect.

mod asker;
mod distributions;
mod draws;
mod features;
mod options;

use simulation::known_parameters::KnownParameter;
use simulation::model_check::ModelCheck;
use simulation::money::Price;
use simulation::wire::Wire;

use self::asker::{Ask, Asker};
use super::client::Llm;
use super::outcome::CallError;

/// A check of a model, and what runs can know of its parameters from then on.
#[derive(Clone, Debug)]
pub struct CheckedModel {
    pub check: ModelCheck,
    pub known: Vec<KnownParameter>,
}

/// Checks a model of the server. Fails if the server does not answer at all.
pub async fn check(llm: &Llm, model: &str, wire: Wire, price: Option<&Price>) -> Result<CheckedModel, CallError> {
    let mut asker = Asker::new(llm, model, wire);
    let hello = asker.ask(&Ask::of("Are you there? Answer with yes.")).await?;
    let mut findings = vec![features::stream(&hello), features::limits(&hello)];
    findings.push(features::schema(&mut asker).await);
    findings.extend(draws::seed_and_temperature(&mut asker).await);
    findings.push(features::cache(&mut asker).await);
    findings.push(options::reasoning_effort(&mut asker).await);
    findings.push(options::verbosity(&mut asker).await);
    findings.push(options::service_tier(&mut asker).await);
    findings.push(distributions::logprobs(&mut asker).await);
    findings.push(distributions::several_replies(&mut asker).await);
    findings.push(features::stop_reason(&mut asker).await);
    findings.push(features::batches(&asker).await);
    let Asker { calls, usage, known, .. } = asker;
    let cost = price.map(|price| price.money(price.cost(usage)));
    let tokens = u64::try_from(usage.prompt + usage.completion).unwrap_or_default();
    Ok(CheckedModel { check: ModelCheck { model: model.to_owned(), wire, findings, calls, tokens, cost }, known })
}

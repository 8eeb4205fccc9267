//! A run of a bundle that is asked once more: its prompts are rendered anew from its survey and design and from the twins'
//! texts in the database, and its answers compared with the first ones.

use std::collections::HashMap;

pub use ::bundle::reproduce::{
    BundledRun, IdenticalShare, PairedAnswers, PromptCheck, ReproducedItem, ReproducedRun, Reproduction,
};
use evidence::compare::ItemComparison;
use evidence::upload::ReservedColumns;
use sha2::{Digest, Sha256};
use simulation::answers::RequestOutcome;
use simulation::outcomes::InterviewOutcomes;
use simulation::run::Run;
use simulation::studies::{MAX_ANSWERS, compare_with_reference};
use survey::hex::hex;
use survey::walk::reachable;

use super::asked::{self, AnsweredPrompt};
use super::calls;
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::llm::prompt::Recipe;
use crate::models::personas;
use crate::models::simulations::start::AskedBefore;
use crate::results::pages::Pages;
use crate::results::people;

/// Returns the survey and the assignments that are asked again.
pub fn asked_before(bundled: &BundledRun) -> Result<AskedBefore> {
    Ok(AskedBefore { snapshot: bundled.run.survey.clone(), assignments: bundled.assignments()? })
}

/// Renders the prompts of the twins that are asked again. Bad input: the current twins are others.
pub async fn check_prompts(bundled: &BundledRun, pool: &AsyncPool) -> Result<PromptCheck> {
    let mut conn = db::checkout(pool).await?;
    let set = personas::current_set(&mut conn).await?;
    let set = set.ok_or_else(|| Error::bad_input("there are no twins: import those that the bundle asked"))?;
    drop(conn);
    let recipes = calls::read(bundled.folder())?;
    let mut check = PromptCheck::default();
    let mut others = Vec::new();
    for page in bundled.interviews()? {
        let page = page?;
        let ids: Vec<i32> = page.iter().map(|interview| interview.persona.id).collect();
        let mut conn = db::checkout(pool).await?;
        let texts = personas::texts(&mut conn, set.id, bundled.run.parameters.persona_variant, &ids).await?;
        drop(conn);
        let texts: HashMap<i32, String> = texts.into_iter().collect();
        for interview in &page {
            let id = interview.persona.id;
            let known = bundled.text_hash(id);
            match texts.get(&id).filter(|text| known == Some(hex(&Sha256::digest(text)).as_str())) {
                Some(text) => check_interview(&bundled.run, interview, (text, &recipes), &mut check)?,
                None => others.push(id),
            }
        }
    }
    match others.first() {
        Some(first) => Err(Error::bad_input(format!(
            "the current twins are not those of the bundle: the texts of {} of {} differ, first that of twin {first}",
            others.len(),
            bundled.twins().len()
        ))),
        None => Ok(check),
    }
}

fn check_interview(
    run: &Run,
    of: &InterviewOutcomes,
    (text, recipes): (&str, &HashMap<String, Recipe>),
    check: &mut PromptCheck,
) -> Result<()> {
    let standing = asked::standing(of)?;
    check.credits += match (&run.plan, &standing) {
        (Some(plan), Some(standing)) => reachable(plan, &standing.twin, &standing.assignment).len() as i64,
        _ => run.questions.len() as i64,
    };
    for outcome in &of.outcomes {
        let RequestOutcome::Answered(_, Some(provenance)) = outcome else { continue };
        check.tokens.prompt += i64::from(provenance.prompt_tokens);
        check.tokens.cached += i64::from(provenance.cached_tokens);
        check.tokens.cache_write += i64::from(provenance.cache_write_tokens);
        check.tokens.completion += i64::from(provenance.completion_tokens);
        check.tokens.reasoning += i64::from(provenance.reasoning_tokens);
    }
    for (AnsweredPrompt { hash, places }, prompt) in asked::worded(run, of, text, recipes)? {
        check.prompts += 1;
        if prompt.is_none_or(|prompt| prompt.hash()[..] != *hash) {
            check.differing += 1;
            check.first.get_or_insert_with(|| {
                let names: Vec<_> = places.iter().map(|place| run.questions[*place].name.as_str()).collect();
                format!("twin {}, {}", of.persona.id, names.join(" "))
            });
        }
    }
    Ok(())
}

/// Compares the bundled run with the run that asked it once more.
pub async fn compare(bundled: &BundledRun, pool: &AsyncPool, now: &Run, check: &PromptCheck) -> Result<Reproduction> {
    let mut paired = PairedAnswers::default();
    let mut pages = Pages::new(now);
    // Both are in the order of the twins' ids.
    let mut answered_now: HashMap<i32, InterviewOutcomes> = HashMap::new();
    for page in bundled.interviews()? {
        for then in page? {
            while !answered_now.contains_key(&then.persona.id) {
                let Some(page) = pages.next_from(pool).await? else { break };
                answered_now.extend(page.into_iter().map(|interview| (interview.persona.id, interview)));
            }
            paired.add(&bundled.run, &then, answered_now.remove(&then.persona.id).as_ref())?;
        }
    }
    let compared = compare_items(bundled, pool, now).await?;
    Ok(bundled.reproduction(now, paired, &compared, check)?)
}

/// The items that statistics know, of the twins that were asked again. None where there are too many answers.
async fn compare_items(bundled: &BundledRun, pool: &AsyncPool, now: &Run) -> Result<Vec<ItemComparison>> {
    if i64::from(now.rows()) > MAX_ANSWERS {
        return Ok(Vec::new());
    }
    let answered_now = people::twins(pool, now, &ReservedColumns::default()).await?;
    let answered = bundled.answered_with(answered_now.respondents)?;
    let compare = tokio::task::spawn_blocking(move || compare_with_reference(&answered, 0, &[], None));
    let compared = compare.await.map_err(|error| Error::internal(error.to_string()))??;
    Ok(compared.runs.into_iter().flatten().flat_map(|comparison| comparison.questions).collect())
}

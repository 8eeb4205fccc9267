//! The prompts of a bundle, rendered anew from its survey and design and from the twins' texts in the database.

use std::collections::{BTreeMap, HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::BundledRun;
use crate::db::{self, AsyncPool};
use crate::design::walk::reachable;
use crate::error::{Error, Result};
use crate::hex::hex;
use crate::models::assignments::{self, Standing};
use crate::models::personas;
use crate::money::Tokens;
use crate::results::files::bundle::question_name;
use crate::results::pages::{InterviewOutcomes, RequestOutcome};
use crate::results::prompt::KnownInterview;

/// What rendering the prompts anew found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptCheck {
    pub prompts: usize,
    /// That have another hash now.
    pub differing: usize,
    /// Which of them is the first: its twin and questions.
    pub first: Option<String>,
    /// What asking again takes.
    pub credits: i64,
    /// What the answers took then.
    pub tokens: Tokens,
}

impl BundledRun {
    /// Renders the prompts of the twins that are asked again. Bad input: the current twins are others.
    pub async fn check_prompts(&self, pool: &AsyncPool) -> Result<PromptCheck> {
        let mut conn = db::checkout(pool).await?;
        let set = personas::current_set(&mut conn).await?;
        let set = set.ok_or_else(|| Error::bad_input("there are no twins: import those that the bundle asked"))?;
        drop(conn);
        let mut check = PromptCheck::default();
        let mut others = Vec::new();
        for page in self.interviews()? {
            let page = page?;
            let ids: Vec<i32> = page.iter().map(|interview| interview.persona.id).collect();
            let mut conn = db::checkout(pool).await?;
            let texts = personas::texts(&mut conn, set.id, self.run.parameters.persona_variant, &ids).await?;
            drop(conn);
            let texts: HashMap<i32, String> = texts.into_iter().collect();
            for interview in &page {
                let id = interview.persona.id;
                let known = self.texts.get(&id).map(String::as_str);
                match texts.get(&id).filter(|text| known == Some(hex(&Sha256::digest(text)).as_str())) {
                    Some(text) => self.check_interview(interview, text, &mut check)?,
                    None => others.push(id),
                }
            }
        }
        match others.first() {
            Some(first) => Err(Error::bad_input(format!(
                "the current twins are not those of the bundle: the texts of {} of {} differ, first that of twin {first}",
                others.len(),
                self.twins().len()
            ))),
            None => Ok(check),
        }
    }

    fn check_interview(&self, of: &InterviewOutcomes, text: &str, check: &mut PromptCheck) -> Result<()> {
        let run = &self.run;
        let standing = standing(of)?;
        check.credits += match (&run.plan, &standing) {
            (Some(plan), Some(standing)) => reachable(plan, &standing.twin, &standing.assignment).len() as i64,
            _ => run.questions.len() as i64,
        };
        // By prompt, in the order of their first questions.
        let mut asked: BTreeMap<usize, (&[u8], Vec<usize>)> = BTreeMap::new();
        let mut first_of: HashMap<&[u8], usize> = HashMap::new();
        for (place, outcome) in of.outcomes.iter().enumerate() {
            let RequestOutcome::Answered(_, Some(provenance)) = outcome else { continue };
            check.tokens.prompt += i64::from(provenance.prompt_tokens);
            check.tokens.cached += i64::from(provenance.cached_tokens);
            check.tokens.completion += i64::from(provenance.completion_tokens);
            let hash = provenance.prompt_hash.as_slice();
            let first = *first_of.entry(hash).or_insert(place);
            asked.entry(first).or_insert((hash, Vec::new())).1.push(place);
        }
        let interview = KnownInterview { persona_id: of.persona.id, text, standing: standing.as_ref() };
        for (first, (hash, places)) in asked {
            let Some(question) = run.questions.get(first) else { continue };
            let recipe = self.recipes.get(&hex(hash)).cloned();
            let prompt = interview.prompt(run, question.id, recipe);
            check.prompts += 1;
            if prompt.is_none_or(|prompt| prompt.hash()[..] != *hash) {
                check.differing += 1;
                check.first.get_or_insert_with(|| {
                    let names: Vec<_> = places.iter().map(|place| question_name(run, *place)).collect();
                    format!("twin {}, {}", of.persona.id, names.join(" "))
                });
            }
        }
        Ok(())
    }
}

/// `None`: of a plain survey.
fn standing(of: &InterviewOutcomes) -> Result<Option<Standing>> {
    let Some(dealt) = &of.dealt else { return Ok(None) };
    let unreadable = |error: serde_json::Error| Error::bad_input(format!("twin {}: {error}", of.persona.id));
    let attributes = of.persona.attributes.parse().map_err(unreadable)?;
    let mut standing = Standing {
        twin: assignments::twin(of.persona.id, &attributes, dealt.held_out.iter().cloned().collect()),
        assignment: dealt.assignment.clone(),
        reached: Vec::new(),
        answers: HashMap::new(),
        open: HashSet::new(),
        failed: HashSet::new(),
        not_shown: HashMap::new(),
    };
    for outcome in &of.outcomes {
        match outcome {
            RequestOutcome::Answered(answer, _) => {
                standing.answers.insert(answer.question_id, answer.answer_value.parse().map_err(unreadable)?);
            }
            RequestOutcome::Failed(failure) => {
                standing.failed.insert(failure.question_id);
            }
            _ => {}
        }
    }
    Ok(Some(standing))
}

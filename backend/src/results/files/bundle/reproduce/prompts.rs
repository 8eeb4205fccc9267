//! The prompts of a bundle, rendered anew from its survey and design and from the twins' texts in the database.

use std::collections::HashMap;

use sha2::{Digest, Sha256};
use survey::hex::hex;
use survey::walk::reachable;

use super::BundledRun;
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::personas;
use crate::money::Tokens;
use crate::results::files::bundle::asked::{self, AnsweredPrompt};
use crate::results::pages::{InterviewOutcomes, RequestOutcome};

/// Result of rendering the prompts anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptCheck {
    pub prompts: usize,
    /// Count of prompts that have another hash now.
    pub differing: usize,
    /// Twin and questions of the first of them.
    pub first: Option<String>,
    /// Credits that asking again takes.
    pub credits: i64,
    /// Tokens that the answers took then.
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
        let standing = asked::standing(of)?;
        check.credits += match (&run.plan, &standing) {
            (Some(plan), Some(standing)) => reachable(plan, &standing.twin, &standing.assignment).len() as i64,
            _ => run.questions.len() as i64,
        };
        for outcome in &of.outcomes {
            let RequestOutcome::Answered(_, Some(provenance)) = outcome else { continue };
            check.tokens.prompt += i64::from(provenance.prompt_tokens);
            check.tokens.cached += i64::from(provenance.cached_tokens);
            check.tokens.completion += i64::from(provenance.completion_tokens);
        }
        for (AnsweredPrompt { hash, places }, prompt) in asked::worded(run, of, text, &self.recipes)? {
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
}

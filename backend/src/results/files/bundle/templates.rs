//! `prompts/templates.json`: what the model was asked, word for word, with a mark where a twin's text stood.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use ::bundle::io::write_json;
use ::bundle::paths::TEMPLATES;
use ::bundle::record;
use ::bundle::rules::PROGRAM;
use serde::Serialize;
use serde_json::value::RawValue;
use simulation::answers::RequestOutcome;
use simulation::outcomes::InterviewOutcomes;
use simulation::run::Run;

use super::asked::{self, AnsweredPrompt};
use super::calls;
use crate::error::Result;
use crate::llm::EncodedPrompt;
use crate::llm::prompt::Recipe;

/// Placeholder of a twin's text.
const MARK: &str = "[the twin's text]";
/// Limit of interviews that are read: all arms are among so many, and a bundle of a million answers is not read once more.
const MAX_INTERVIEWS: usize = 500;
/// Limit of combinations of arms.
const MAX_COMBINATIONS: usize = 50;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Templates<'a> {
    /// Version of the program that asked.
    program_version: &'a str,
    /// Program and version that worded the bodies.
    worded_by: &'static str,
    /// Calls of the first twin in each combination of arms that was asked everything; in a plain survey of one twin.
    interviews: Vec<Template>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Template {
    persona_id: i32,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    arms: BTreeMap<String, String>,
    calls: Vec<CallTemplate>,
}

#[derive(Serialize)]
struct CallTemplate {
    questions: Vec<String>,
    /// Body of the request.
    body: Box<RawValue>,
}

/// Builds the file in the folder of an opened bundle.
pub(super) fn build(run: &Run, folder: &Path) -> Result<()> {
    let recipes = calls::read(folder)?;
    let mut of_arms: BTreeMap<BTreeMap<String, String>, (bool, Template)> = BTreeMap::new();
    let mut looked_at = 0;
    for page in record::interviews(run, folder)? {
        for interview in page? {
            looked_at += 1;
            let arms = interview.dealt.as_ref().map(|dealt| dealt.arms.clone()).unwrap_or_default();
            let is_whole = interview.outcomes.iter().all(is_settled);
            let known = of_arms.get(&arms);
            if known.is_some_and(|(known, _)| *known || !is_whole)
                || (known.is_none() && of_arms.len() == MAX_COMBINATIONS)
            {
                continue;
            }
            let template = of(run, &interview, arms.clone(), &recipes)?;
            if !template.calls.is_empty() {
                of_arms.insert(arms, (is_whole, template));
            }
        }
        let has_all = run.plan.is_none() && of_arms.values().any(|(is_whole, _)| *is_whole);
        if has_all || looked_at >= MAX_INTERVIEWS {
            break;
        }
    }
    let templates = Templates {
        program_version: &run.facts.program_version,
        worded_by: PROGRAM,
        interviews: of_arms.into_values().map(|(_, template)| template).collect(),
    };
    Ok(write_json(folder, TEMPLATES, &templates)?)
}

fn is_settled(outcome: &RequestOutcome) -> bool {
    matches!(outcome, RequestOutcome::Answered(..) | RequestOutcome::Skipped(_) | RequestOutcome::NotAssigned)
}

fn of(
    run: &Run,
    interview: &InterviewOutcomes,
    arms: BTreeMap<String, String>,
    recipes: &HashMap<String, Recipe>,
) -> Result<Template> {
    let call = |(asked, prompt): (AnsweredPrompt<'_>, Option<EncodedPrompt>)| {
        let body = RawValue::from_string(prompt?.body().to_owned()).ok()?;
        let questions = asked.places.iter().map(|place| run.questions[*place].name.clone()).collect();
        Some(CallTemplate { questions, body })
    };
    let calls = asked::worded(run, interview, MARK, recipes)?.into_iter().filter_map(call).collect();
    Ok(Template { persona_id: interview.persona.id, arms, calls })
}

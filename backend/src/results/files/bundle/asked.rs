//! Prompts of a stored interview, built again.

use std::collections::{BTreeMap, HashMap};

use simulation::answers::RequestOutcome;
use simulation::dealt;
use simulation::outcomes::InterviewOutcomes;
use simulation::progress::{self, InterviewProgress};
use simulation::run::Run;
use survey::hex::hex;
use survey::question::Question;

use crate::error::{Error, Result};
use crate::llm::EncodedPrompt;
use crate::llm::prompt::Recipe;
use crate::results::prompt::KnownInterview;

/// A prompt, and the places of the questions that its reply answered.
pub(super) struct AnsweredPrompt<'a> {
    /// SHA-256 of the request's body.
    pub hash: &'a [u8],
    pub places: Vec<usize>,
}

impl AnsweredPrompt<'_> {
    pub fn first_question<'r>(&self, run: &'r Run) -> Option<&'r Question> {
        self.places.first().and_then(|place| run.questions.get(*place))
    }
}

/// Groups the answered questions by prompt, in the order of their first questions.
pub(super) fn prompts(of: &InterviewOutcomes) -> impl Iterator<Item = AnsweredPrompt<'_>> {
    let mut asked: BTreeMap<usize, AnsweredPrompt<'_>> = BTreeMap::new();
    let mut first_of: HashMap<&[u8], usize> = HashMap::new();
    for (place, outcome) in of.outcomes.iter().enumerate() {
        let RequestOutcome::Answered(_, Some(provenance)) = outcome else { continue };
        let hash = provenance.prompt_hash.as_slice();
        let first = *first_of.entry(hash).or_insert(place);
        asked.entry(first).or_insert(AnsweredPrompt { hash, places: Vec::new() }).places.push(place);
    }
    asked.into_values()
}

/// Builds the body of each prompt as it is worded now. `None`: it cannot be built. `text` is used as the twin's text; `recipes`
/// has the unusual calls by their hash.
pub(super) fn worded<'a>(
    run: &Run,
    of: &'a InterviewOutcomes,
    text: &str,
    recipes: &HashMap<String, Recipe>,
) -> Result<Vec<(AnsweredPrompt<'a>, Option<EncodedPrompt>)>> {
    let standing = standing(of)?;
    let known = KnownInterview { persona_id: of.persona.id, standing: standing.as_ref() };
    let worded = |asked: AnsweredPrompt<'a>| {
        let recipe = recipes.get(&hex(asked.hash)).cloned();
        let question = asked.first_question(run)?;
        let prompt = known.prompt(run, text, question.id, recipe);
        Some((asked, prompt))
    };
    Ok(prompts(of).filter_map(worded).collect())
}

/// Returns how far the interview is. `None`: the survey is a plain one.
pub(super) fn standing(of: &InterviewOutcomes) -> Result<Option<InterviewProgress>> {
    let Some(dealt) = &of.dealt else { return Ok(None) };
    let unreadable = |error: serde_json::Error| Error::bad_input(format!("twin {}: {error}", of.persona.id));
    let attributes = of.persona.attributes.parse().map_err(unreadable)?;
    let twin = progress::twin(of.persona.id, &attributes, dealt.held_out.iter().cloned().collect());
    let standing = dealt::standing(twin, dealt.assignment.clone(), HashMap::new(), &of.outcomes);
    Ok(Some(standing.map_err(unreadable)?))
}

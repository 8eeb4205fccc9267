//! Features that distributions of answers take: probabilities of tokens, and several replies to one prompt.

use simulation::known_parameters::{ParameterEffect, ParameterValues};
use simulation::model_check::{CheckFinding, CheckVerdict};
use simulation::wire::Wire;

use super::asker::{Ask, Asker, finding, unclear};
use crate::llm::prompt::ModelParameter;

/// Replies that are asked for at once.
const REPLIES: u16 = 3;

pub async fn logprobs(asker: &mut Asker<'_>) -> CheckFinding {
    let name = ModelParameter::Logprobs.name();
    let reply = match asker.ask(&Ask { has_logprobs: true, ..Ask::of("Answer with yes.") }).await {
        Ok(reply) => reply,
        Err(error) => return unclear(name, &error),
    };
    let alternatives = reply.completion.tokens.iter().map(|token| token.alternatives.len()).max();
    let (verdict, effect, detail) = match alternatives {
        Some(most) => (CheckVerdict::Works, ParameterEffect::Works, format!("up to {most} alternatives of a token")),
        None if reply.is_without(ModelParameter::Logprobs) => {
            (CheckVerdict::NotSent, ParameterEffect::NotTaken, "the API or the model does not take it".to_owned())
        }
        None => {
            let detail = "the reply came without probabilities".to_owned();
            (CheckVerdict::NoEffect, ParameterEffect::WithoutEffect, detail)
        }
    };
    asker.note(name, ParameterValues::Any, effect);
    finding(name, verdict, &detail)
}

pub async fn several_replies(asker: &mut Asker<'_>) -> CheckFinding {
    let name = ModelParameter::Draws.name();
    let noted = |asker: &mut Asker<'_>, verdict, effect, detail: &str| {
        asker.note(name, ParameterValues::Any, effect);
        finding(name, verdict, detail)
    };
    if asker.wire != Wire::OpenAi {
        return noted(asker, CheckVerdict::NotSent, ParameterEffect::NotTaken, "it is not asked for through this API");
    }
    let reply = match asker.ask(&Ask { replies: REPLIES, ..Ask::of("Are you there? Answer with yes.") }).await {
        Ok(reply) => reply,
        Err(error) => return unclear(name, &error),
    };
    let came = reply.completion.further.len() + 1;
    if reply.is_without(ModelParameter::Draws) {
        noted(asker, CheckVerdict::NotSent, ParameterEffect::NotTaken, "the model does not take it")
    } else if came == usize::from(REPLIES) {
        noted(asker, CheckVerdict::Works, ParameterEffect::Works, "3 replies came to one prompt")
    } else {
        let detail = format!("{came} of {REPLIES} replies came");
        noted(asker, CheckVerdict::NoEffect, ParameterEffect::WithoutEffect, &detail)
    }
}

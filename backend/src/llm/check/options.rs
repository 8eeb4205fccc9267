//! Effects of the options of a run: effort, verbosity, service tier.

use simulation::known_parameters::{ParameterEffect, ParameterValues};
use simulation::model_check::{CheckFinding, CheckVerdict};
use simulation::model_options::{ReasoningEffort, ServiceTier, Verbosity};

use super::asker::{Ask, Asker, Reply, finding, only, unclear};
use crate::llm::outcome::CallError;
use crate::llm::prompt::ModelParameter;

/// Length limit of the replies whose lengths are compared, in tokens.
const COMPARED_TOKENS: u32 = 400;

/// Asks at low effort and at high: a model that reasons takes more tokens for the second.
pub async fn reasoning_effort(asker: &mut Asker<'_>) -> CheckFinding {
    let name = ModelParameter::ReasoningEffort.name();
    let ask = |effort| Ask { effort: Some(effort), ..Ask::of("Which is larger, 9.9 or 9.11?") };
    let [low, high] = match [asker.ask(&ask(ReasoningEffort::Low)).await, asker.ask(&ask(ReasoningEffort::High)).await]
    {
        [Ok(low), Ok(high)] => [low, high],
        [Err(error), _] | [_, Err(error)] => return unclear(name, &error),
    };
    let refused = [&low, &high].map(|reply| reply.is_without(ModelParameter::ReasoningEffort));
    let not_taken = |asker: &mut Asker<'_>, values, detail| {
        asker.note(name, values, ParameterEffect::NotTaken);
        finding(name, CheckVerdict::NotSent, detail)
    };
    match refused {
        [true, true] => return not_taken(asker, ParameterValues::Any, "the model takes neither low nor high"),
        [true, false] => return not_taken(asker, only(&["low"]), "the model does not take low"),
        [false, true] => return not_taken(asker, only(&["high"]), "the model does not take high"),
        [false, false] => {}
    }
    let [of_low, of_high] = [&low, &high].map(|reply| reply.completion.usage.reasoning);
    if of_low + of_high > 0 {
        asker.note(name, only(&["low", "high"]), ParameterEffect::Works);
        return finding(name, CheckVerdict::Works, &format!("low took {of_low} tokens of reasoning, high {of_high}"));
    }
    // A server may reason and not count it.
    if low.text() == high.text() {
        asker.note(name, ParameterValues::Any, ParameterEffect::WithoutEffect);
        let detail = "no token of reasoning was reported, and low and high gave the same reply";
        return finding(name, CheckVerdict::NoEffect, detail);
    }
    finding(name, CheckVerdict::Unclear, "no token of reasoning was reported")
}

/// Asks for a text in few words and in many.
pub async fn verbosity(asker: &mut Asker<'_>) -> CheckFinding {
    let name = ModelParameter::Verbosity.name();
    let ask = |verbosity| Ask {
        verbosity: Some(verbosity),
        temperature: None,
        max_tokens: COMPARED_TOKENS,
        ..Ask::of("What is a lighthouse?")
    };
    let [low, high] = match [asker.ask(&ask(Verbosity::Low)).await, asker.ask(&ask(Verbosity::High)).await] {
        [Ok(low), Ok(high)] => [low, high],
        [Err(error), _] | [_, Err(error)] => return unclear(name, &error),
    };
    if low.is_without(ModelParameter::Verbosity) {
        asker.note(name, ParameterValues::Any, ParameterEffect::NotTaken);
        return finding(name, CheckVerdict::NotSent, "the model does not take it");
    }
    let [fewer, more] = [&low, &high].map(answer_tokens);
    let detail = format!("low took {fewer} tokens, high {more}");
    if low.text() == high.text() {
        asker.note(name, ParameterValues::Any, ParameterEffect::WithoutEffect);
        finding(name, CheckVerdict::NoEffect, "low and high gave the same reply")
    } else if more > fewer + fewer / 4 {
        asker.note(name, only(&["low", "high"]), ParameterEffect::Works);
        finding(name, CheckVerdict::Works, &detail)
    } else {
        finding(name, CheckVerdict::Unclear, &detail)
    }
}

fn answer_tokens(reply: &Reply) -> u32 {
    reply.completion.usage.completion.saturating_sub(reply.completion.usage.reasoning)
}

/// Asks by the cheaper tier. Replies show no effect: the bill does.
pub async fn service_tier(asker: &mut Asker<'_>) -> CheckFinding {
    let name = ModelParameter::ServiceTier.name();
    let ask = Ask { tier: Some(ServiceTier::Flex), ..Ask::of("Are you there? Answer with yes.") };
    match asker.ask(&ask).await {
        Err(error @ CallError::Transient { .. }) => {
            finding(name, CheckVerdict::Unclear, &format!("flex had no room: {error}"))
        }
        Err(error) => unclear(name, &error),
        Ok(reply) if reply.is_without(ModelParameter::ServiceTier) => {
            asker.note(name, only(&[ServiceTier::Flex.name()]), ParameterEffect::NotTaken);
            finding(name, CheckVerdict::NotSent, "the model does not take flex")
        }
        Ok(_) => finding(name, CheckVerdict::Unclear, "flex is taken; what it does, the bill shows"),
    }
}

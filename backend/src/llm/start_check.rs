//! Fits runs to what is known of their models before they start: from the installation's file, from the newest check, and from
//! calls of earlier runs, in this order.

use std::collections::HashMap;

use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use simulation::known_parameters::{InactiveParameter, ModelKnowledge, ParameterEffect};
use simulation::parameters::Parameters;

use super::prompt::{Dialect, ModelParameter, Sampling};
use super::wire::ProviderApi;
use crate::config::ModelServers;
use crate::models::{model_checks, model_refusals};

/// Parts of calls that a run does without: they are never a reason not to start.
const DISPENSABLE: [&str; 2] = ["seed", "json_schema"];

/// Notes in the parameters of each run which of them its model does not act on: those are left out of a lenient run, and a part
/// that is no wish of the run is left out or sent without effect. Returns why a run cannot start if one that is not lenient has
/// such a parameter.
pub async fn fit_runs(
    conn: &mut AsyncPgConnection,
    servers: &ModelServers,
    runs: &mut [Parameters],
) -> QueryResult<Result<(), String>> {
    let mut known: HashMap<(String, String), ModelKnowledge> = HashMap::new();
    for run in runs {
        let model = (run.server().to_owned(), run.model.clone());
        if !known.contains_key(&model) {
            let knowledge = knowledge(conn, servers, run).await?;
            known.insert(model.clone(), knowledge);
        }
        if let Err(reason) = fit(run, &known[&model]) {
            return Ok(Err(reason));
        }
    }
    Ok(Ok(()))
}

/// Reads what is known of the model of a run.
async fn knowledge(
    conn: &mut AsyncPgConnection,
    servers: &ModelServers,
    run: &Parameters,
) -> QueryResult<ModelKnowledge> {
    let mut knowledge = ModelKnowledge::default();
    let of_file = servers.of_run(run.model_server.as_deref()).and_then(|server| server.known.get(&run.model));
    knowledge.add(of_file.into_iter().flatten().cloned(), "the file of model servers says");
    if let Some((at, known)) = model_checks::known(conn, run.server(), &run.model).await? {
        knowledge.add(known, &format!("the check of {} found", at.format("%Y-%m-%d")));
    }
    if let Some((at, known)) = model_refusals::known(conn, run.server(), &run.model).await? {
        knowledge.add(known, &format!("calls until {} showed", at.format("%Y-%m-%d")));
    }
    Ok(knowledge)
}

/// Fits a run to this knowledge.
fn fit(run: &mut Parameters, knowledge: &ModelKnowledge) -> Result<(), String> {
    let api = ProviderApi::from(run.wire);
    let sampling = Sampling::new(run, Dialect::default(), 0);
    let unsupported = api.unsupported(&sampling);
    let mut inactive = Vec::new();
    for parameter in ModelParameter::ALL {
        let Some(value) = sampling.value(parameter) else { continue };
        let of_api = unsupported.iter().find(|(unsupported, _)| *unsupported == parameter);
        let known = knowledge.find(parameter.name(), &value);
        let (effect, reason) = match (of_api, known) {
            (Some((_, why)), _) => (ParameterEffect::NotTaken, why.clone()),
            (None, Some((effect, how))) => (effect, format!("{how} that {}", effect.in_words())),
            (None, None) => continue,
        };
        match effect {
            ParameterEffect::Works => {}
            effect if parameter.is_dispensable() => {
                let sent = effect == ParameterEffect::WithoutEffect;
                inactive.push(InactiveParameter { name: parameter.name().to_owned(), sent, reason });
            }
            ParameterEffect::WithoutEffect | ParameterEffect::NotTaken if run.lenient => {
                inactive.push(InactiveParameter { name: parameter.name().to_owned(), sent: false, reason });
            }
            ParameterEffect::WithoutEffect => return Err(refusal(run, parameter, &value, "act on", &reason)),
            ParameterEffect::NotTaken => return Err(refusal(run, parameter, &value, "take", &reason)),
        }
    }
    let usual = api.omitted_params(Dialect::of(run.wire));
    for name in DISPENSABLE.into_iter().filter(|name| !usual.contains(name)) {
        let Some((effect, how)) = knowledge.find(name, "") else { continue };
        let sent = effect == ParameterEffect::WithoutEffect;
        if effect != ParameterEffect::Works {
            let reason = format!("{how} that {}", effect.in_words());
            inactive.push(InactiveParameter { name: name.to_owned(), sent, reason });
        }
    }
    run.inactive = inactive;
    Ok(())
}

/// Says to people that a run cannot start with a parameter, and what to do about it.
fn refusal(run: &Parameters, parameter: ModelParameter, value: &str, what: &str, reason: &str) -> String {
    let (model, name) = (&run.model, parameter.name());
    format!(
        "the model {model} does not {what} {name} {value}: {reason}. Leave it out, take another value, or start a lenient run, \
         which leaves out what the model does not act on and says so"
    )
}

#[cfg(test)]
mod tests {
    use simulation::answer_mode::AnswerMode;
    use simulation::known_parameters::{KnownParameter, ParameterValues};
    use simulation::model_options::Verbosity;
    use simulation::wire::Wire;

    use super::*;

    fn run(lenient: bool) -> Parameters {
        Parameters { temperature: Some(0.5), lenient, ..Parameters::new("m", 1, 20) }
    }

    fn knowing(name: &str, effect: ParameterEffect) -> ModelKnowledge {
        let mut knowledge = ModelKnowledge::default();
        knowledge.add([KnownParameter::new(name, ParameterValues::Any, effect)], "the check of 2026-11-28 found");
        knowledge
    }

    #[test]
    fn a_run_with_a_parameter_that_its_model_does_not_act_on_is_refused_with_the_reason() {
        let refused = |effect| fit(&mut run(false), &knowing("temperature", effect)).expect_err("a refusal");
        let advice = "Leave it out, take another value, or start a lenient run, which leaves out what the model does not act on \
                      and says so";
        assert_eq!(
            refused(ParameterEffect::WithoutEffect),
            format!(
                "the model m does not act on temperature 0.5: the check of 2026-11-28 found that it has no effect. {advice}"
            )
        );
        assert_eq!(
            refused(ParameterEffect::NotTaken),
            format!(
                "the model m does not take temperature 0.5: the check of 2026-11-28 found that it is not taken. {advice}"
            )
        );
        let mut works = run(false);
        assert_eq!(fit(&mut works, &knowing("temperature", ParameterEffect::Works)), Ok(()));
        assert_eq!(works, run(false));
    }

    #[test]
    fn a_lenient_run_leaves_out_what_is_without_effect_or_not_taken() {
        for effect in [ParameterEffect::WithoutEffect, ParameterEffect::NotTaken] {
            let mut lenient = run(true);
            assert_eq!(fit(&mut lenient, &knowing("temperature", effect)), Ok(()));
            let [left_out] = &lenient.inactive[..] else { panic!("{lenient:?}") };
            assert_eq!((left_out.name.as_str(), left_out.sent), ("temperature", false));
            assert_eq!(lenient.temperature, Some(0.5), "what was asked for stays on record");
        }
    }

    #[test]
    fn a_seed_without_effect_is_sent_and_one_that_is_not_taken_is_left_out_and_both_start() {
        for (effect, sent) in [(ParameterEffect::WithoutEffect, true), (ParameterEffect::NotTaken, false)] {
            let mut any = run(false);
            assert_eq!(fit(&mut any, &knowing("seed", effect)), Ok(()));
            let [seed] = &any.inactive[..] else { panic!("{any:?}") };
            assert_eq!((seed.name.as_str(), seed.sent), ("seed", sent));
        }
        // An API without seeds has none to leave out.
        let mut anthropic = Parameters { wire: Wire::Anthropic, ..run(false) };
        assert_eq!(fit(&mut anthropic, &knowing("seed", ParameterEffect::NotTaken)), Ok(()));
        assert_eq!(anthropic.inactive, []);
    }

    #[test]
    fn several_draws_start_where_a_call_has_one_reply_and_probabilities_of_tokens_do_not() {
        let mut draws = Parameters { draws: Some(5), ..run(false) };
        assert_eq!(fit(&mut draws, &knowing("n", ParameterEffect::NotTaken)), Ok(()));
        let [left_out] = &draws.inactive[..] else { panic!("{draws:?}") };
        assert_eq!((left_out.name.as_str(), left_out.sent), ("n", false));
        let mut tokens = Parameters { answer_mode: AnswerMode::Tokens, ..run(false) };
        let refused = fit(&mut tokens, &knowing("logprobs", ParameterEffect::WithoutEffect)).expect_err("a refusal");
        assert!(refused.starts_with("the model m does not act on logprobs true: "), "{refused}");
    }

    #[test]
    fn what_the_api_does_not_have_is_refused_or_left_out_whatever_else_is_known() {
        let run = |lenient| Parameters { wire: Wire::Gemini, verbosity: Some(Verbosity::Low), ..run(lenient) };
        let knowledge = knowing("verbosity", ParameterEffect::Works);
        let refused = fit(&mut run(false), &knowledge).expect_err("a refusal");
        assert!(refused.starts_with("the model m does not take verbosity low: Gemini has no verbosity. "), "{refused}");
        let mut lenient = run(true);
        assert_eq!(fit(&mut lenient, &knowledge), Ok(()));
        assert_eq!(lenient.inactive[0].reason, "Gemini has no verbosity");
    }
}

//! A check finds out the truth about servers that act on everything, and about those that only seem to.

use std::time::Duration;

use model_server::{Caching, Fault, Faults, Ignored, Limits, ModelServer};
use simulation::known_parameters::ParameterEffect;
use simulation::model_check::CheckVerdict;
use simulation::wire::Wire;
use twinlab::llm::{CheckedModel, check};

use crate::support::engine_fixture::llm_on;
use crate::support::{Outcome, twinlab};

/// A model whose cache takes every long prefix, on each wire.
const MODELS: [(Wire, &str); 3] =
    [(Wire::OpenAi, "gpt-4.1"), (Wire::Anthropic, "claude-opus-5"), (Wire::Gemini, "gemini-3-flash")];

fn faults() -> Faults {
    let limits =
        Limits { requests: Some(60_000), tokens: Some(60_000_000), burst: Duration::from_secs(1), headers: true };
    Faults { varies: true, caching: Caching::Provider, limits, ..Faults::default() }
}

async fn checked(wire: Wire, model: &str, faults: Faults) -> CheckedModel {
    let stub = ModelServer::start(faults);
    let found = check(&llm_on(wire, &stub), model, wire, None).await.expect("the server answers");
    assert_eq!(found.check.calls as u64, stub.counters().calls);
    found
}

fn verdict(found: &CheckedModel, name: &str) -> CheckVerdict {
    found.check.findings.iter().find(|finding| finding.name == name).expect("it is checked").verdict
}

#[actix_web::test]
async fn a_server_that_acts_on_everything_is_found_to_do_so_on_every_wire() {
    for (wire, model) in MODELS {
        let found = checked(wire, model, faults()).await;
        for finding in &found.check.findings {
            let expected = match (wire, finding.name.as_str()) {
                (Wire::Anthropic, "seed" | "service_tier")
                | (Wire::Anthropic | Wire::Gemini, "verbosity" | "logprobs" | "n") => CheckVerdict::NotSent,
                (Wire::OpenAi | Wire::Gemini, "service_tier") => CheckVerdict::Unclear,
                (Wire::Gemini, "limits") => CheckVerdict::NotThere,
                _ => CheckVerdict::Works,
            };
            assert_eq!(finding.verdict, expected, "{wire:?}: {finding:?}");
        }
        assert!(found.check.tokens > 0 && found.check.calls <= 26, "{found:?}");
        let is_effect = |effect| found.known.iter().filter(|known| known.effect == effect).count();
        assert_eq!(is_effect(ParameterEffect::WithoutEffect), 0, "{found:?}");
    }
}

#[actix_web::test]
async fn what_a_server_ignores_is_without_effect_and_what_it_refuses_is_not_sent() {
    for (wire, model) in MODELS {
        let ignoring = |ignored| Faults { ignores: vec![ignored], ..faults() };
        let seedless = verdict(&checked(wire, model, ignoring(Ignored::Seed)).await, "seed");
        let expected = if wire == Wire::Anthropic { CheckVerdict::NotSent } else { CheckVerdict::NoEffect };
        assert_eq!(seedless, expected, "{wire:?}");
        let hot = checked(wire, model, ignoring(Ignored::Temperature)).await;
        assert_eq!(verdict(&hot, "temperature"), CheckVerdict::NoEffect, "{wire:?}");
        let refusing = Faults { unknown: vec!["temperature"], ..faults() };
        assert_eq!(verdict(&checked(wire, model, refusing).await, "temperature"), CheckVerdict::NotSent, "{wire:?}");
        if wire == Wire::OpenAi {
            let ignoring = Faults { ignored: vec!["n", "logprobs"], ..faults() };
            let ignoring = checked(wire, model, ignoring).await;
            let found = ["n", "logprobs"].map(|name| verdict(&ignoring, name));
            assert_eq!(found, [CheckVerdict::NoEffect; 2]);
        }
        let prose = faults().with(Fault::InvalidContent, 1.0);
        assert_eq!(verdict(&checked(wire, model, prose).await, "schema"), CheckVerdict::NoEffect, "{wire:?}");
        let bare = Faults { caching: Caching::Off, ..Faults::default() };
        let bare = checked(wire, model, bare).await;
        for name in ["cache", "limits"] {
            assert_eq!(verdict(&bare, name), CheckVerdict::NotThere, "{wire:?} {name}");
        }
        // The stub's draws do not vary without it.
        let constant = [verdict(&bare, "seed"), verdict(&bare, "temperature")];
        let seed = if wire == Wire::Anthropic { CheckVerdict::NotSent } else { CheckVerdict::Unclear };
        assert_eq!(constant, [seed, CheckVerdict::Unclear], "{wire:?}");
    }
}

#[test]
fn the_command_prints_a_table_or_json() {
    let stub = ModelServer::start(faults());
    let run = |more: &[&str]| {
        let mut command = twinlab();
        command.args(["models", "check", "gpt-4.1", "--no-store"]).args(more).env("OPENAI_BASE_URL", stub.base_url());
        Outcome::of(&mut command)
    };
    let table = run(&[]);
    assert_eq!(table.code, Some(0), "{table:?}");
    assert!(table.stdout.contains("gpt-4.1 by OpenAI's chat completions"), "{table:?}");
    assert!(table.stdout.lines().any(|line| line.starts_with("seed") && line.contains("works")), "{table:?}");
    let json: serde_json::Value = serde_json::from_str(&run(&["--json"]).stdout).expect("JSON");
    assert!(json["findings"].as_array().is_some_and(|findings| findings.len() == 13), "{json}");
}

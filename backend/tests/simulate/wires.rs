//! `twinlab simulate` with a key on the wires of all providers.

use model_server::{Faults, ModelServer};
use simulation::wire::Wire;

use crate::staged::fees;
use crate::support::Simulate;
use crate::support::engine_fixture::EngineFixture;

const KEY: &str = "sk-marker-0123456789";

#[actix_web::test]
async fn the_same_answers_come_through_every_wire_and_the_key_is_nowhere() {
    let mut found = Vec::new();
    for wire in Wire::ALL {
        let stub = ModelServer::start(Faults { key: Some(KEY.to_owned()), ..Faults::demo() });
        let fixture = EngineFixture::new(10).await;
        let mut simulate = Simulate::new(&fixture, &stub, &fees(), "answers.csv");
        // At another temperature a seed changes minds, and not every wire has seeds.
        simulate.command.args(["--seed", "7", "--temperature", "0", "--llm-wire", wire.name()]);
        simulate.command.env("OPENAI_API_KEY", KEY).env("RUST_LOG", "trace");
        let outcome = simulate.outcome();
        assert_eq!(outcome.code, Some(0), "{wire:?}: {outcome:#?}");
        assert!(!format!("{outcome:?}").contains(KEY), "{wire:?}");
        let answers = "SELECT hashtext(string_agg(answer, ', ' ORDER BY persona_id, question_id))::bigint AS number
            FROM responses";
        found.push(fixture.number(answers).await);
        let named = format!(
            "SELECT count(*) AS number FROM simulations WHERE coalesce(parameters->>'wire', 'openai') = '{}'",
            wire.name()
        );
        assert_eq!(fixture.number(&named).await, 1, "{wire:?}");
    }
    assert!(found.iter().all(|answers| *answers == found[0]), "{found:?}");
}

#[actix_web::test]
async fn a_wrong_key_is_refused_before_anything_is_started_on_every_wire() {
    for wire in Wire::ALL {
        let stub = ModelServer::start(Faults { key: Some(KEY.to_owned()), ..Faults::default() });
        let fixture = EngineFixture::new(1).await;
        let mut simulate = Simulate::new(&fixture, &stub, &fees(), "answers.csv");
        simulate.command.args(["--llm-wire", wire.name()]).env("OPENAI_API_KEY", "wrong");
        let outcome = simulate.outcome();
        assert!(outcome.only_line().contains("refuses the key in OPENAI_API_KEY"), "{wire:?}: {outcome:#?}");
        assert_eq!(fixture.number("SELECT count(*) AS number FROM simulations").await, 0, "{wire:?}");
    }
}

//! Single requests with one fault each: the code, the number of calls and of attempts.

use model_server::{Fault, Faults, ModelServer};
use serde_json::Value;
use simulation::row::Simulation;
use simulation::status::Status;
use twinlab::models::simulations::start::PersonaChoice;

use crate::support::engine_fixture::{EngineFixture, Failed, survey};

/// Default number of attempts of a request.
const ATTEMPTS: u16 = 3;

/// Result of a run.
struct Came {
    fixture: EngineFixture,
    stub: ModelServer,
    run: Simulation,
    /// Number of attempts of each answer.
    answered: Vec<i16>,
    failures: Vec<Failed>,
}

impl Came {
    fn calls(&self) -> u64 {
        self.stub.counters().calls
    }

    fn body(&self, call: usize) -> Value {
        serde_json::from_slice(&self.stub.bodies()[call]).expect("a call's body is JSON")
    }

    /// The code and the attempts of each failure.
    fn codes(&self) -> Vec<(&str, i16)> {
        self.failures.iter().map(|failed| (&*failed.code, failed.attempts)).collect()
    }

    /// Checks every invariant, that every request is accounted for, and that no failure was paid.
    async fn check(&self) {
        assert_eq!(self.run.successful_requests + self.run.failed_requests, self.run.total_requests);
        let expected = if self.run.failed_requests == 0 { Status::Completed } else { Status::Failed };
        assert_eq!(self.run.status, expected);
        assert_eq!(self.run.calls as u64, self.calls(), "every call is counted");
        self.fixture.sound_and_paid(self.run.successful_requests).await;
    }
}

/// Asks one twin these many questions in one call; each call meets the next fault of the script, then none.
async fn asked(questions: usize, attempts: u16, script: &[Fault]) -> Came {
    let stub = ModelServer::start(Faults {
        script: script.iter().copied().map(Some).collect(),
        // The server is up for any request: the limiter's probes are answered.
        spares_prose: true,
        keep_bodies: true,
        ..Faults::default()
    });
    let fixture = EngineFixture::new(1).await;
    let engine = fixture.engine(&stub, |model| model.max_attempts = attempts).await;
    let id = fixture.start(&survey(questions), PersonaChoice::Ids(vec![1]), |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    let (answered, failures) = (fixture.attempts(id).await, fixture.failures(id).await);
    let came = Came { fixture, stub, run, answered, failures };
    came.check().await;
    came
}

/// Tests a fault that strikes once: the request is asked again and costs two attempts. If it always strikes, the
/// request fails with this code when its attempts are used up. A probe between the calls, or an unreadable reply
/// itself, shows that the server answers.
async fn costs_an_attempt(fault: Fault, code: &str) {
    let once = asked(1, ATTEMPTS, &[fault]).await;
    assert_eq!((once.calls(), &*once.answered), (2, &[2][..]), "{:?}", once.failures);
    let always = asked(1, ATTEMPTS, &[fault; 9]).await;
    let probes = if code == "garbled" { 0 } else { 1 };
    assert_eq!((always.calls(), always.codes()), (3 + probes, vec![(code, 3)]), "{:?}", always.failures);
}

/// Tests a fault by which no answer comes in time: the request is asked again and costs two attempts. Where it strikes all
/// calls, the run pauses.
async fn is_late(fault: Fault) {
    let once = asked(1, ATTEMPTS, &[fault]).await;
    assert_eq!((once.calls(), &*once.answered), (2, &[2][..]), "{:?}", once.failures);
}

/// Tests that the request fails at the first call.
async fn is_final(fault: Fault, code: &str) -> Came {
    let came = asked(1, ATTEMPTS, &[fault]).await;
    assert_eq!((came.calls(), came.codes()), (1, vec![(code, 1)]), "{:?}", came.failures);
    came
}

/// Tests that the call is repeated after the time that the server named, at no cost.
async fn is_waited_for(fault: Fault) {
    let came = asked(1, 1, &[fault, fault]).await;
    assert_eq!((came.calls(), &*came.answered), (3, &[1][..]), "{:?}", came.failures);
    assert_eq!(came.stub.counters().early_calls, 0);
}

#[actix_web::test]
async fn a_429_with_seconds_is_waited_for_and_costs_no_attempt() {
    is_waited_for(Fault::TooManyRequests).await;
}

#[actix_web::test]
async fn a_429_with_a_date_is_waited_for_and_costs_no_attempt() {
    is_waited_for(Fault::TooManyRequestsUntil).await;
}

#[actix_web::test]
async fn a_429_with_a_reset_time_is_waited_for_and_costs_no_attempt() {
    is_waited_for(Fault::TooManyRequestsReset).await;
}

#[actix_web::test]
async fn a_500_costs_an_attempt() {
    costs_an_attempt(Fault::ServerError, "server_error").await;
}

#[actix_web::test]
async fn a_bad_gateway_page_costs_an_attempt() {
    costs_an_attempt(Fault::HtmlBadGateway, "server_error").await;
}

#[actix_web::test]
async fn a_reset_before_the_answer_costs_an_attempt() {
    costs_an_attempt(Fault::ResetBefore, "connection").await;
}

#[actix_web::test]
async fn a_reset_in_the_middle_of_the_answer_costs_an_attempt() {
    costs_an_attempt(Fault::ResetMidway, "connection").await;
}

#[actix_web::test]
async fn a_server_that_never_answers_costs_an_attempt() {
    is_late(Fault::Hang).await;
}

#[actix_web::test]
async fn an_answer_of_one_byte_a_second_costs_an_attempt() {
    is_late(Fault::SlowBytes).await;
}

#[actix_web::test]
async fn a_success_that_is_a_web_page_costs_an_attempt() {
    costs_an_attempt(Fault::Html, "garbled").await;
}

#[actix_web::test]
async fn a_success_that_breaks_off_costs_an_attempt() {
    costs_an_attempt(Fault::InvalidBody, "garbled").await;
}

#[actix_web::test]
async fn a_reply_without_choices_costs_an_attempt() {
    costs_an_attempt(Fault::EmptyChoices, "garbled").await;
}

#[actix_web::test]
async fn a_reply_of_ten_mebibytes_costs_an_attempt() {
    costs_an_attempt(Fault::HugeBody, "garbled").await;
}

#[actix_web::test]
async fn a_400_fails_the_request_at_once() {
    is_final(Fault::BadRequest, "rejected").await;
}

#[actix_web::test]
async fn a_redirect_is_not_followed_and_fails_the_request_at_once() {
    is_final(Fault::Redirect, "rejected").await;
}

#[actix_web::test]
async fn a_refusal_fails_the_request_at_once_and_its_text_is_kept_apart() {
    let came = is_final(Fault::Refusal, "refused").await;
    assert_eq!(came.failures[0].detail.as_deref(), Some("I'm sorry, I can't assist with that."));
}

#[actix_web::test]
async fn what_the_content_filter_held_back_fails_the_request_at_once() {
    is_final(Fault::ContentFilter, "refused").await;
}

#[actix_web::test]
async fn a_truncated_reply_is_asked_for_once_more_with_more_room() {
    let room = |came: &Came, call| came.body(call)["max_completion_tokens"].as_u64().expect("a number");
    let once = asked(1, ATTEMPTS, &[Fault::Truncated]).await;
    assert_eq!((once.calls(), &*once.answered), (2, &[2][..]), "{:?}", once.failures);
    assert!(room(&once, 1) >= 2 * room(&once, 0));
    let always = asked(1, 9, &[Fault::Truncated; 9]).await;
    assert_eq!((always.calls(), always.codes()), (2, vec![("truncated", 2)]), "{:?}", always.failures);
}

#[actix_web::test]
async fn prose_instead_of_answers_is_asked_for_again_twice_with_the_reason() {
    let came = asked(1, 9, &[Fault::InvalidContent; 9]).await;
    assert_eq!((came.calls(), came.codes()), (3, vec![("not_json", 3)]));
    assert!(came.failures[0].detail.as_deref().is_some_and(|said| !said.is_empty()));
    assert!(!came.body(0).to_string().contains("not one JSON object"));
    assert!(came.body(1).to_string().contains("not one JSON object"));
}

#[actix_web::test]
async fn a_missing_answer_alone_is_asked_for_again() {
    let came = asked(3, 9, &[Fault::MissingAnswer]).await;
    assert_eq!(came.calls(), 2);
    assert_eq!(came.answered.iter().filter(|attempt| **attempt == 1).count(), 2, "{:?}", came.answered);
    assert_eq!(came.answered.iter().filter(|attempt| **attempt == 2).count(), 1, "{:?}", came.answered);
    let fields = &came.body(1)["response_format"]["json_schema"]["schema"]["properties"];
    assert_eq!(fields.as_object().map(|fields| fields.len()), Some(1), "{fields}");
}

#[actix_web::test]
async fn an_answer_that_stays_missing_fails_after_three_calls_and_the_others_are_kept() {
    let came = asked(3, 9, &[Fault::MissingAnswer; 9]).await;
    assert_eq!((came.calls(), came.codes()), (3, vec![("missing_answer", 3)]));
    assert_eq!(came.answered, [1, 1]);
}

#[actix_web::test]
async fn an_option_that_was_not_offered_is_asked_for_again_and_never_stored() {
    let came = asked(3, 9, &[Fault::OutOfRange; 9]).await;
    assert_eq!((came.calls(), came.codes()), (3, vec![("invalid_answer", 3)]));
    assert_eq!(came.answered, [1, 1]);
    let strange = "SELECT count(*) AS number FROM responses WHERE answer NOT IN ('Yes', 'No', 'Perhaps')";
    assert_eq!(came.fixture.number(strange).await, 0);
}

#[actix_web::test]
async fn an_answer_in_another_models_name_is_stored_with_that_name() {
    let came = asked(1, ATTEMPTS, &[Fault::OtherModel]).await;
    assert_eq!((came.calls(), &*came.answered), (1, &[1][..]), "{:?}", came.failures);
    let named = "SELECT count(*) AS number FROM responses WHERE model = 'another-model'";
    assert_eq!(came.fixture.number(named).await, 1);
}

#[actix_web::test]
async fn the_fewer_attempts_of_the_configuration_hold_for_bad_answers_too() {
    let came = asked(1, 2, &[Fault::InvalidContent; 9]).await;
    assert_eq!((came.calls(), came.codes()), (2, vec![("not_json", 2)]));
}

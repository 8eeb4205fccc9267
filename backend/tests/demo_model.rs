//! The demo model over HTTP, for the engine's client and others.

use std::time::Duration;

use model_server::{DEMO_MODEL, Fault, Faults, Limits, ModelServer};
use serde_json::{Value, json};
use simulation::parameters::Parameters;
use survey::question::{Question, QuestionPayload};
use twinlab::config::ModelConfig;
use twinlab::llm::prompt::max_tokens;
use twinlab::llm::{CallError, Completion, Llm, Prompt, PromptItem, ResponseFormat, SystemMessage, answer};
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::results::runs;

use crate::support::engine_fixture::{EngineFixture, survey};

const PROFILE: &str = "Age: 30-49\nPolitical views: Moderate\nExtraversion = 3.4 (62nd percentile)\n";

fn parameters() -> Parameters {
    Parameters { shuffle_options: true, ..Parameters::new(DEMO_MODEL, 1, 20) }
}

fn questions() -> Vec<Question> {
    let payloads = [
        json!({ "type": "SINGLE_CHOICE", "text": "Which drink?", "options": ["Tea", "Coffee"] }),
        json!({ "type": "MULTIPLE_CHOICE", "text": "Which fruits?", "options": ["Apple", "Pear", "Fig"] }),
        json!({ "type": "MATRIX", "text": "Rate", "scale_labels": ["Disagree", "Agree"], "sub_questions": ["a", "b"] }),
        json!({ "type": "SLIDER", "text": "How happy?", "min_value": 0, "max_value": 10 }),
        json!({ "type": "NUMBER", "text": "How many cars?", "min_value": 0 }),
        json!({ "type": "BOOLEAN", "text": "Do you smoke?" }),
        json!({ "type": "OPENENDED", "text": "Why?" }),
    ];
    let question = |(payload, order): (Value, i32)| {
        let payload: QuestionPayload = serde_json::from_value(payload).unwrap();
        payload.validate().unwrap().at(i64::from(order), order)
    };
    payloads.into_iter().zip(1..).map(question).collect()
}

struct Model {
    stub: ModelServer,
    llm: Llm,
}

impl Model {
    fn start(faults: Faults) -> Self {
        let stub = ModelServer::start(faults);
        let config = ModelConfig {
            wire: Default::default(),
            models: Vec::new(),
            prices: Default::default(),
            base_url: None,
            name: "default".into(),
            key_source: None,
            known: Default::default(),
            reasoning: Vec::new(),
            contexts: Default::default(),
            api_key: None,
            model: DEMO_MODEL.into(),
            rpm: None,
            tpm: None,
            max_concurrency: u32::MAX,
            questions_per_call: 20,
            timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(30),
            stream: true,
            max_attempts: 6,
        };
        Self { llm: Llm::new(&config, &stub.base_url()).unwrap(), stub }
    }

    async fn ask(&self, asked: &[PromptItem<'_>], format: ResponseFormat) -> Result<Completion, CallError> {
        let prompt = Prompt::new("", &parameters(), asked, format, max_tokens(asked));
        let opening = self.llm.open(&SystemMessage::new(PROFILE));
        self.llm.ask(self.llm.encode(&opening, &prompt)).await.result
    }

    /// The status and the body of the answer to a request.
    async fn post(&self, body: String) -> (u16, Value) {
        let url = format!("{}/chat/completions", self.stub.base_url());
        let response = reqwest::Client::new().post(url).body(body).send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }
}

#[tokio::test]
async fn every_question_is_answered_in_every_format_and_alike_each_time() {
    let model = Model::start(Faults::demo());
    let questions = questions();
    let asked: Vec<_> = questions.iter().map(|question| PromptItem::new(question, &parameters(), 7)).collect();
    let mut all = Vec::new();
    for format in [ResponseFormat::JsonSchema, ResponseFormat::JsonObject, ResponseFormat::Plain] {
        let completion = model.ask(&asked, format).await.unwrap();
        assert_eq!(completion.model, DEMO_MODEL);
        assert_eq!(completion.model, simulation::answers::DEMO_MODEL, "by it answers are known as the demo model's");
        assert!(completion.usage.prompt > 100 && completion.usage.completion > 20);
        all.push(answer::read(&asked, completion.content.as_deref().unwrap()));
    }
    assert!(all[0].iter().all(Result::is_ok), "{:?}", all[0]);
    assert!(all.iter().all(|answers| answers == &all[0]), "{all:?}");
}

#[tokio::test]
async fn a_call_over_the_limit_is_told_when_to_come_back() {
    let model = Model::start(Faults { limits: Limits { requests: Some(1), ..Limits::default() }, ..Faults::demo() });
    let questions = questions();
    let asked = [PromptItem::new(&questions[0], &parameters(), 7)];
    model.ask(&asked, ResponseFormat::JsonSchema).await.unwrap();
    let refused = model.ask(&asked, ResponseFormat::JsonSchema).await.unwrap_err();
    let CallError::RateLimited { retry_after, .. } = refused else { panic!("{refused:?}") };
    assert!(retry_after.is_some_and(|wait| wait <= Duration::from_secs(60)), "{retry_after:?}");
}

#[tokio::test]
async fn injected_errors_are_server_errors() {
    let model = Model::start(Faults::demo().with(Fault::ServerError, 1.0));
    let questions = questions();
    let refused = model.ask(&[PromptItem::new(&questions[0], &parameters(), 7)], ResponseFormat::JsonSchema).await;
    assert_eq!(refused.unwrap_err().code(), "server_error");
}

#[tokio::test]
async fn no_broken_reply_passes_as_complete() {
    let broken = [
        Fault::Html,
        Fault::EmptyChoices,
        Fault::InvalidContent,
        Fault::Truncated,
        Fault::MissingAnswer,
        Fault::OutOfRange,
    ];
    let model = Model::start(Faults { rates: broken.map(|fault| (fault, 1.0 / 6.0)).to_vec(), ..Faults::demo() });
    let questions = questions();
    let asked: Vec<_> = questions.iter().map(|question| PromptItem::new(question, &parameters(), 7)).collect();
    for _ in 0..40 {
        match model.ask(&asked, ResponseFormat::JsonSchema).await {
            Ok(completion) => {
                let answers = answer::read(&asked, completion.content.as_deref().unwrap_or_default());
                assert!(answers.iter().any(Result::is_err), "{answers:?}");
            }
            Err(error) => assert_eq!(error.code(), "garbled"),
        }
    }
}

#[tokio::test]
async fn bad_requests_are_refused_in_openai_s_shape() {
    let model = Model::start(Faults::demo());
    let (status, body) = model.post("{".into()).await;
    assert_eq!((status, &body["error"]["type"]), (400, &json!("invalid_request_error")));
    let no_message = json!({ "messages": "x" });
    let (status, body) = model.post(no_message.to_string()).await;
    assert_eq!((status, &body["error"]["type"]), (400, &json!("invalid_request_error")));
    let (status, body) = model.post(" ".repeat(9 << 20)).await;
    assert_eq!((status, &body["error"]["message"]), (413, &json!("The request body is too large.")));
}

#[actix_web::test]
async fn a_run_that_a_demo_model_answered_is_known_as_such_wherever_the_model_stands() {
    let stub = ModelServer::start(Faults::demo());
    let fixture = EngineFixture::new(3).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture
        .start(&survey(2), PersonaChoice::Random(3), |parameters| parameters.model = "gpt-4.1-mini".into())
        .await;
    assert!(!fixture.run(id).await.demo_model, "it is not known before an answer");
    let ended = fixture.ended(id).await;
    engine.shut_down().await;
    assert!(ended.demo_model);
    let conn = fixture.pool.get().await.expect("a connection");
    let run = runs::load(&conn, id).await.expect("the run");
    assert!(run.notice.starts_with("demo model: not from a language model"), "{}", run.notice);
}

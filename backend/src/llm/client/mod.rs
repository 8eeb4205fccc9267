//! The client of one model server: each call is exactly one request, and every outcome is classified.

mod capabilities;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use reqwest::StatusCode;
use simulation::parameters::Parameters;
use uuid::Uuid;

pub use self::capabilities::ModelRefusal;
use self::capabilities::ServerCapabilities;
use super::connection::{CallFailure, Connection, HttpRefusal, read_refusal};
use super::outcome::{CallError, CallOutcome, Completion, RateLimitHeaders, StopReason, root_cause};
use super::prompt::{
    Dialect, ModelParameter, Prompt, RequestPart, ResponseFormat, Sampling, Streaming, SystemMessage, reasoning_room,
};
use super::wire::{
    BatchError, BatchLine, EncodedPrompt, NewBatch, Opening, ProviderApi, RemoteBatch, SentPrompt, SentReply,
};
use super::without_key::line_without_key;
use crate::config::{ModelConfig, Secret};
use crate::error::{Error, Result};

/// A model server, its API and what is known of it. Clones share the connections and what is known.
#[derive(Clone)]
pub struct Llm {
    connection: Connection,
    api: ProviderApi,
    capabilities: Arc<ServerCapabilities>,
    /// Place of the key, for people.
    key_source: Arc<str>,
    /// Tokens that a prompt and its answers may have together, by model.
    contexts: Arc<BTreeMap<String, u32>>,
    /// The configuration says where the key is, so the server takes one.
    needs_key: bool,
}

impl Llm {
    /// `base_url` as the provider's own clients take it, e.g. `http://127.0.0.1:9000/v1`. Nothing is sent yet.
    pub fn new(config: &ModelConfig, base_url: &str) -> Result<Self> {
        let api = ProviderApi::from(config.wire);
        let base_url = base_url.trim_end_matches('/');
        let root = api.versions().iter().find_map(|version| base_url.strip_suffix(version)).unwrap_or(base_url);
        let connection = Connection::new(config, root, |key| api.headers(key))?;
        let capabilities = Arc::new(ServerCapabilities::new(config.wire));
        config.reasoning.iter().for_each(|model| capabilities.note_reasoning(model));
        let key_source = config.key_source.as_deref().unwrap_or("OPENAI_API_KEY").into();
        let contexts = Arc::new(config.contexts.clone());
        let needs_key = config.key_source.is_some();
        Ok(Self { connection, api, capabilities, key_source, contexts, needs_key })
    }

    /// A client of the same server that asks with another key. They share what is known of the server.
    pub fn with_key(&self, config: &ModelConfig, key: &Secret) -> Result<Self> {
        let config = ModelConfig { api_key: Some(key.expose().to_owned()), ..config.clone() };
        let connection = Connection::new(&config, self.connection.address().as_str(), |key| self.api.headers(key))?;
        Ok(Self { connection, key_source: "the group's page".into(), ..self.clone() })
    }

    /// The parts of a request that the server accepts, as far as its refusals have shown.
    pub fn dialect(&self) -> Dialect {
        self.capabilities.dialect()
    }

    /// The dialect of the prompts of a run: without the parameters that its model refused, if the run is lenient.
    pub fn dialect_of(&self, parameters: &Parameters) -> Dialect {
        let dialect = self.dialect();
        // A run that does not stream leaves nothing of it out.
        let streaming = if parameters.stream { dialect.streaming } else { Streaming::default() };
        let dialect = without_inactive(Dialect { streaming, ..dialect }, parameters);
        match parameters.lenient {
            true => {
                let unsupported = self.unsupported(parameters).into_iter().map(|(parameter, _)| parameter);
                let omitted = self.capabilities.refused(parameters).union(unsupported.collect());
                Dialect { omitted: dialect.omitted.union(omitted), ..dialect }
            }
            false => {
                let refused = self.capabilities.refused(parameters).names().filter(|name| name.is_dispensable());
                Dialect { omitted: dialect.omitted.union(refused.collect()), ..dialect }
            }
        }
    }

    /// Takes the refusals since the last call of this, for the starts of later runs.
    pub fn take_refusals(&self) -> Vec<ModelRefusal> {
        self.capabilities.take_refusals()
    }

    /// The parameters of a run that the server's API does not have, each with the reason. A lenient run leaves them out.
    pub fn unsupported(&self, parameters: &Parameters) -> Vec<(ModelParameter, String)> {
        self.api.unsupported(&Sampling::new(parameters, Dialect::default(), 0))
    }

    /// Room for the reasoning in the replies of a run with these parameters, in tokens.
    pub fn reasoning_room(&self, parameters: &Parameters) -> u32 {
        reasoning_room(parameters, self.capabilities.reasons(&parameters.model))
    }

    /// The parameters that prompts in this dialect are sent without.
    pub fn omitted_params(&self, dialect: Dialect) -> Vec<&'static str> {
        self.api.omitted_params(dialect)
    }

    /// Encodes the beginning of all prompts of one interview.
    pub fn open(&self, system_message: &SystemMessage) -> Opening {
        self.api.open(system_message)
    }

    /// Encodes a prompt after its opening.
    pub fn encode(&self, opening: &Opening, prompt: &Prompt) -> EncodedPrompt {
        self.api.encode(opening, prompt)
    }

    /// Asks for the list of models, to find out before anything is paid for whether the server can be reached and
    /// accepts the key, if there is one. A server without such a list can be reached all the same.
    pub async fn reach(&self) -> Result<()> {
        let address = self.connection.address();
        let unreachable =
            |reason: &str| Error::internal(format!("the model server at {address} cannot be reached: {reason}"));
        let request = self.connection.get(self.api.models_path());
        let response = request.send().await.map_err(|error| match error.is_timeout() && !error.is_connect() {
            true => unreachable("it did not answer in time"),
            false => unreachable(&root_cause(&error)),
        })?;
        let status = response.status();
        let is_denied = match status.as_u16() {
            // A group may have the key that the instance has not.
            _ if self.connection.key().is_none() && self.needs_key => false,
            401 | 403 => true,
            // Google has no status of its own for a wrong key.
            400 => matches!(self.api.call_error(&read_refusal(response).await), CallError::Denied { .. }),
            _ => false,
        };
        match is_denied {
            true => Err(Error::internal(format!(
                "the model server at {address} refuses the key in {}: {status}",
                self.key_source
            ))),
            false => Ok(()),
        }
    }

    /// Sends the prompt once, unless it has a parameter that the API does not have.
    pub async fn ask(&self, prompt: EncodedPrompt) -> CallOutcome {
        if let Some(error) = self.too_long(&prompt) {
            return CallOutcome { result: Err(error), rate_limits: RateLimitHeaders::default() };
        }
        let (body, sent) = prompt.into_parts();
        if let Some((parameter, message)) = self.api.unsupported(&sent.sampling).into_iter().next() {
            let result = Err(CallError::ParameterRefused { parameter, message });
            return CallOutcome { result, rate_limits: RateLimitHeaders::default() };
        }
        let SentReply { reply, rate_limits } = self.api.send(&self.connection, &sent.sampling, body).await;
        let completion = reply.and_then(|(body, latency)| Ok(self.api.decode(body.get(), &sent, Some(latency))?));
        CallOutcome { result: self.learn(completion, &sent), rate_limits }
    }

    /// Why the prompt is not sent: with its answers it would not fit into the model's context. Some servers cut such a prompt off
    /// without a word.
    fn too_long(&self, prompt: &EncodedPrompt) -> Option<CallError> {
        let model = &prompt.sent().sampling.model;
        let (context, tokens) = (*self.contexts.get(model)?, prompt.estimated_tokens());
        let message = format!(
            "a call of about {tokens} tokens does not fit into the {context} of {model} (`context` in the file of model servers): ask \
             fewer questions a call, or with a shorter text about the twins"
        );
        (tokens > context).then_some(CallError::Rejected { status: StatusCode::PAYLOAD_TOO_LARGE.as_u16(), message })
    }

    /// Reads the reply to this prompt from a line of a batch's results.
    pub fn read_line(&self, line: &str, sent: &SentPrompt) -> Result<Completion, CallError> {
        self.learn(self.api.decode_line(line, sent), sent)
    }

    /// Notes what the outcome of this prompt shows of the server and the model, and classifies a failure.
    fn learn(
        &self,
        completion: Result<Completion, CallFailure>,
        sent: &SentPrompt,
    ) -> std::result::Result<Completion, CallError> {
        let mut completion = completion.map_err(|failure| self.call_error(failure, sent))?;
        if completion.usage.reasoning > 0 {
            self.capabilities.note_reasoning(&sent.sampling.model);
        }
        // A reply that is not whole has no answer.
        if completion.tokens.is_empty() && completion.stop_reason == StopReason::Finished {
            completion.ignored = self.note_ignored(ModelParameter::Logprobs, sent);
        }
        Ok(completion)
    }

    /// Records that the server took this parameter without effect. `None`: the prompt did not have it.
    fn note_ignored(&self, parameter: ModelParameter, sent: &SentPrompt) -> Option<ModelParameter> {
        let value = sent.sampling.value(parameter)?;
        self.capabilities.note_refusal(&sent.sampling.model, parameter, value);
        Some(parameter)
    }

    /// Classifies the failure of a call. A part of the request that the server does not know is left out of later requests, and
    /// a parameter that the model does not take is left out of those of lenient runs.
    fn call_error(&self, failure: CallFailure, sent: &SentPrompt) -> CallError {
        let error = match failure {
            CallFailure::Failed(error) => error,
            CallFailure::Refused(refusal) => match self.refused_part(&refusal, sent) {
                Some(part) if self.capabilities.simplify(sent.dialect, part) => {
                    if part == RequestPart::Seed {
                        self.capabilities.note_refused_seed(&sent.sampling.model);
                    }
                    CallError::NotUnderstood
                }
                _ => self.parameter_error(&refusal, sent).unwrap_or_else(|| self.api.call_error(&refusal)),
            },
        };
        error.without_key(self.connection.key())
    }

    /// The part of this prompt that the server does not understand.
    fn refused_part(&self, refusal: &HttpRefusal, sent: &SentPrompt) -> Option<RequestPart> {
        let part = self.api.refused_part(refusal, sent.dialect)?;
        // A server that only streams also names the stream.
        (part != RequestPart::Stream || sent.sampling.streams()).then_some(part)
    }

    /// The error of a call with a parameter that the model does not take. `None`: the refusal is about something else.
    fn parameter_error(&self, refusal: &HttpRefusal, sent: &SentPrompt) -> Option<CallError> {
        let parameter = self.api.refused_parameter(refusal, &sent.sampling)?;
        let value = sent.sampling.value(parameter)?;
        self.capabilities.note_refusal(&sent.sampling.model, parameter, value);
        match (sent.sampling.lenient || parameter.is_dispensable(), self.api.call_error(refusal)) {
            (true, _) => Some(CallError::NotUnderstood),
            (false, CallError::Rejected { message, .. }) => {
                let message = format!("The server said: {message}");
                Some(CallError::ParameterRefused { parameter, message })
            }
            (false, error) => Some(error),
        }
    }

    /// Whether the requests of a batch are uploaded as a file. Otherwise they come with the submission.
    pub fn takes_files(&self) -> bool {
        self.api.takes_files()
    }

    /// Uploads the requests of a batch, and returns the file's id, or what stands for it.
    pub async fn upload_batch(&self, name: &str, lines: Bytes) -> Result<String, BatchError> {
        self.api.upload_batch(&self.connection, name, lines).await
    }

    /// Submits a batch whose file is uploaded.
    pub async fn create_batch(&self, batch: NewBatch<'_>) -> Result<RemoteBatch, BatchError> {
        self.api.create_batch(&self.connection, batch).await
    }

    /// The batch of this file or with this token, if the server has it.
    pub async fn find_batch(&self, file: &str, token: Uuid) -> Result<Option<RemoteBatch>, BatchError> {
        self.api.find_batch(&self.connection, file, token).await
    }

    pub async fn batch(&self, id: &str) -> Result<RemoteBatch, BatchError> {
        self.api.batch(&self.connection, id).await
    }

    pub async fn cancel_batch(&self, id: &str) -> Result<(), BatchError> {
        self.api.cancel_batch(&self.connection, id).await
    }

    pub async fn delete_file(&self, id: &str) -> Result<(), BatchError> {
        self.api.delete_file(&self.connection, id).await
    }

    /// Reads a file line by line, as it arrives. A line that is too long is left out. Errors of the reader end it.
    pub async fn read_file(
        &self,
        id: &str,
        mut each: impl AsyncFnMut(String) -> Result<(), String>,
    ) -> Result<(), BatchError> {
        let key = self.connection.key();
        let each = async |line: String| each(line_without_key(line, key)).await;
        self.api.read_file(&self.connection, id, each).await
    }

    /// Appends a prompt to a batch's file.
    pub fn write_line(&self, file: &mut Vec<u8>, custom_id: &str, body: String) -> serde_json::Result<()> {
        self.api.write_line(file, custom_id, body)
    }

    /// Reads the outcome of a call of a run with these parameters from a line of a batch's results; `None`: the line is not of
    /// this program.
    pub fn parse_line(&self, line: &str, parameters: &Parameters) -> Option<BatchLine> {
        let dialect = self.dialect_of(parameters);
        self.api.parse_line(line, dialect, &Sampling::new(parameters, dialect, 0))
    }
}

/// The dialect without the parts that a run was known at its start not to get across.
fn without_inactive(dialect: Dialect, parameters: &Parameters) -> Dialect {
    let omitted = ModelParameter::ALL.into_iter().filter(|parameter| parameters.leaves_out(parameter.name()));
    let format =
        if parameters.leaves_out("json_schema") { ResponseFormat::JsonObject } else { ResponseFormat::JsonSchema };
    Dialect {
        omitted: dialect.omitted.union(omitted.collect()),
        seed: dialect.seed && !parameters.leaves_out("seed"),
        format: dialect.format.max(format),
        ..dialect
    }
}

#[cfg(test)]
mod tests;

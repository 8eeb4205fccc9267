//! Wires: how a provider's API says what a prompt asks and what its reply means.
//!
//! Each provider is one file or folder here and one line in `wires!`. The file has plain functions: `open` and
//! `encode_rest` write a request, `send` makes the call, `decode`, `call_error` and `refused_part` read what came back, and
//! the functions for batches do the same for the provider's Batch API. Nothing outside the file knows the provider's JSON.

mod anthropic;
mod batch;
mod encoded;
mod files;
mod gemini;
mod openai;
mod pieces;
mod refusal;
mod retry_after;
mod text;

use std::time::Duration;

use bytes::Bytes;
use serde_json::value::RawValue;
use simulation::wire::Wire;
use uuid::Uuid;

pub use self::batch::{BatchEnd, BatchError, BatchLine, LineKind, NewBatch, RemoteBatch, custom_id};
pub use self::encoded::{EncodedPrompt, Opening, SentPrompt, SentReply};
use super::connection::{CallFailure, Connection, HttpRefusal};
use super::outcome::{CallError, Completion, StopReason};
use super::prompt::{Dialect, ModelParameter, Prompt, RequestPart, Sampling, SystemMessage};

/// The API of a wire, as this program uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderApi(Wire);

impl From<Wire> for ProviderApi {
    fn from(wire: Wire) -> Self {
        Self(wire)
    }
}

/// Makes the methods of the API, which call the functions of a provider's file.
macro_rules! wires {
    ($($wire:ident => $provider:ident,)+) => {
        impl ProviderApi {
            /// Encodes the beginning of all prompts of one interview.
            pub fn open(self, system_message: &SystemMessage) -> Opening {
                match self.0 { $(Wire::$wire => Opening::new($provider::open(system_message)),)+ }
            }

            /// Encodes a prompt after its opening.
            pub fn encode(self, opening: &Opening, prompt: &Prompt) -> EncodedPrompt {
                match self.0 { $(Wire::$wire => EncodedPrompt::new(opening, &$provider::encode_rest(prompt), prompt),)+ }
            }

            /// The texts of the system message and of the questions in a body.
            pub fn read_messages(self, body: &str) -> serde_json::Result<[String; 2]> {
                match self.0 { $(Wire::$wire => $provider::read_messages(body),)+ }
            }

            /// The parameters that prompts in this dialect are sent without.
            pub fn omitted_params(self, dialect: Dialect) -> Vec<&'static str> {
                match self.0 { $(Wire::$wire => $provider::omitted_params(dialect),)+ }
            }

            /// The parameters of a call that the API does not have, each with the reason.
            pub fn unsupported(self, sampling: &Sampling) -> Vec<(ModelParameter, String)> {
                match self.0 { $(Wire::$wire => $provider::unsupported(sampling),)+ }
            }

            /// Headers of every request with this key.
            pub fn headers(self, key: Option<&str>) -> Vec<(&'static str, String)> {
                match self.0 { $(Wire::$wire => $provider::headers(key),)+ }
            }

            /// Versions at the end of a base URL that the paths have already.
            pub fn versions(self) -> &'static [&'static str] {
                match self.0 { $(Wire::$wire => $provider::VERSIONS,)+ }
            }

            /// Path of the server's list of models.
            pub fn models_path(self) -> &'static str {
                match self.0 { $(Wire::$wire => $provider::MODELS_PATH,)+ }
            }

            /// Sends the body once.
            pub async fn send(self, connection: &Connection, sampling: &Sampling, body: Box<RawValue>) -> SentReply {
                match self.0 { $(Wire::$wire => $provider::send(connection, sampling, body).await,)+ }
            }

            /// Reads the body of a success.
            pub fn decode(self, body: &str, sent: &SentPrompt, took: Option<Duration>) -> Result<Completion, CallError> {
                match self.0 { $(Wire::$wire => $provider::decode(body, sent, took),)+ }
            }

            /// Decodes a stored `finish_reason`.
            pub fn stop_reason(self, finish_reason: Option<&str>) -> StopReason {
                match self.0 { $(Wire::$wire => $provider::stop_reason(finish_reason),)+ }
            }

            /// A refusal in the terms of the retry policy.
            pub fn call_error(self, refusal: &HttpRefusal) -> CallError {
                match self.0 { $(Wire::$wire => $provider::call_error(refusal),)+ }
            }

            /// The part of a request in this dialect that the server does not understand.
            pub fn refused_part(self, refusal: &HttpRefusal, sent: Dialect) -> Option<RequestPart> {
                match self.0 { $(Wire::$wire => $provider::refused_part(refusal, sent),)+ }
            }

            /// The parameter of a call that the model does not take.
            pub fn refused_parameter(self, refusal: &HttpRefusal, sent: &Sampling) -> Option<ModelParameter> {
                match self.0 { $(Wire::$wire => $provider::refused_parameter(refusal, sent),)+ }
            }

            /// Appends a body to a batch's file, byte for byte.
            pub fn write_line(self, file: &mut Vec<u8>, custom_id: &str, body: String) -> serde_json::Result<()> {
                match self.0 { $(Wire::$wire => $provider::batches::write_line(file, custom_id, body),)+ }
            }

            /// Reads the outcome of a call from a line of a batch's results; `None`: the line is not of this program.
            pub fn parse_line(self, line: &str, dialect: Dialect, sent: &Sampling) -> Option<BatchLine> {
                match self.0 { $(Wire::$wire => $provider::batches::parse_line(line, dialect, sent),)+ }
            }

            /// Reads the reply to this prompt from a line of a batch's results.
            pub fn decode_line(self, line: &str, sent: &SentPrompt) -> Result<Completion, CallFailure> {
                match self.0 { $(Wire::$wire => $provider::batches::decode_line(line, sent),)+ }
            }

            /// Whether the requests of a batch are uploaded as a file. Otherwise they come with the submission.
            pub fn takes_files(self) -> bool {
                match self.0 { $(Wire::$wire => $provider::batches::TAKES_FILES,)+ }
            }

            /// Uploads the requests of a batch, and returns the file's id, or what stands for it.
            pub async fn upload_batch(
                self,
                connection: &Connection,
                name: &str,
                lines: Bytes,
            ) -> Result<String, BatchError> {
                match self.0 { $(Wire::$wire => $provider::batches::upload(connection, name, lines).await,)+ }
            }

            /// Submits a batch whose file is uploaded.
            pub async fn create_batch(
                self,
                connection: &Connection,
                batch: NewBatch<'_>,
            ) -> Result<RemoteBatch, BatchError> {
                match self.0 { $(Wire::$wire => $provider::batches::create(connection, batch).await,)+ }
            }

            /// The batch of this file or with this token, if the server has it.
            pub async fn find_batch(
                self,
                connection: &Connection,
                file: &str,
                token: Uuid,
            ) -> Result<Option<RemoteBatch>, BatchError> {
                match self.0 { $(Wire::$wire => $provider::batches::find(connection, file, token).await,)+ }
            }

            pub async fn batch(self, connection: &Connection, id: &str) -> Result<RemoteBatch, BatchError> {
                match self.0 { $(Wire::$wire => $provider::batches::get(connection, id).await,)+ }
            }

            pub async fn cancel_batch(self, connection: &Connection, id: &str) -> Result<(), BatchError> {
                match self.0 { $(Wire::$wire => $provider::batches::cancel(connection, id).await,)+ }
            }

            pub async fn delete_file(self, connection: &Connection, id: &str) -> Result<(), BatchError> {
                match self.0 { $(Wire::$wire => $provider::batches::delete_file(connection, id).await,)+ }
            }

            /// Reads a file line by line, as it arrives. A line that is too long is left out. Errors of the reader end it.
            pub async fn read_file(
                self,
                connection: &Connection,
                id: &str,
                each: impl AsyncFnMut(String) -> Result<(), String>,
            ) -> Result<(), BatchError> {
                match self.0 { $(Wire::$wire => $provider::batches::read_file(connection, id, each).await,)+ }
            }
        }
    };
}

wires! {
    OpenAi => openai,
    Anthropic => anthropic,
    Gemini => gemini,
}

//! The behaviour of the server: its answers, its latency, and the faults that it injects.

use std::time::Duration;

use clap::ValueEnum;

use crate::answers::Answers;
use crate::cache::Caching;
use crate::hash::{mix, unit};
use crate::limits::Limits;
use crate::request::Request;
use crate::usage::UsageParts;

/// A way in which a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fault {
    /// 500 with an error in the provider's form.
    ServerError,
    /// 503, on Anthropic 529: too many people call.
    Overloaded,
    /// 400 that is not about the format.
    BadRequest,
    /// 404: the model does not exist.
    ModelMissing,
    /// Wrong key: 401, on Gemini 400.
    Unauthorized,
    /// The credit is used up: 429 `insufficient_quota` without Retry-After, on Anthropic 402.
    InsufficientQuota,
    /// 429 with Retry-After in seconds. Gemini names the wait in its body.
    TooManyRequests,
    /// 429 with Retry-After as an HTTP date.
    TooManyRequestsUntil,
    /// 429 with the time until a limit is full again and no Retry-After.
    TooManyRequestsReset,
    /// The connection is reset before the first byte of the answer.
    ResetBefore,
    /// The connection is reset in the middle of the answer.
    ResetMidway,
    /// No answer at all.
    Hang,
    /// Half of an answer, and then nothing more.
    SilentMidway,
    /// A good answer, one byte a second.
    SlowBytes,
    /// An event that is no JSON in the middle of a stream, and instead of an answer that is not streamed.
    GarbageEvent,
    /// An error of an overloaded server in the middle of a stream, and in a 200 instead of an answer that is not
    /// streamed.
    ErrorEvent,
    /// 200 with an HTML page.
    Html,
    /// 502 with an HTML page.
    HtmlBadGateway,
    /// 200 whose body breaks off, as JSON or as a stream.
    InvalidBody,
    /// A well-formed answer whose content is prose instead of JSON.
    InvalidContent,
    /// One of the answers is not one of those offered.
    OutOfRange,
    /// One of the answers is missing.
    MissingAnswer,
    /// The model declines: `message.refusal`, `stop_reason` refusal, `promptFeedback`.
    Refusal,
    /// The content is cut in half by the maximum of tokens.
    Truncated,
    /// A filter holds the content back.
    ContentFilter,
    /// 200 with no choices.
    EmptyChoices,
    /// A valid answer behind 10 MiB of spaces.
    HugeBody,
    /// 307 to another path of this server.
    Redirect,
    /// A good answer in the name of another model than requested.
    OtherModel,
}

impl Fault {
    /// The name on the command line and in the counters, e.g. `server-error`.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Whether the model has read the prompt, so that its prefix is cached and paid for.
    pub(crate) fn reads_prompt(self) -> bool {
        !matches!(
            self,
            Self::ServerError
                | Self::Overloaded
                | Self::BadRequest
                | Self::ModelMissing
                | Self::Unauthorized
                | Self::InsufficientQuota
                | Self::TooManyRequests
                | Self::TooManyRequestsUntil
                | Self::TooManyRequestsReset
                | Self::ResetBefore
                | Self::HtmlBadGateway
                | Self::Redirect
        )
    }
}

/// A way in which a batch does not finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchFault {
    /// The batch expires after this number of its lines is answered.
    Expires(usize),
    /// The results leave out this number of lines, the first ones.
    Loses(usize),
    /// The batch is refused as a whole.
    Fails,
}

/// The behaviour of the Batch API.
#[derive(Clone, Debug, Default)]
pub struct BatchFaults {
    /// Whether the API does not exist.
    pub missing: bool,
    /// The fault of each batch, in order of submission.
    pub script: Vec<Option<BatchFault>>,
    /// Time from the submission to the first answer.
    pub delay: Duration,
    /// Maximum number of tokens that wait in batches. A batch beyond it fails.
    pub token_limit: Option<usize>,
    /// Whether a batch beyond the limit is refused at its submission instead of failing later.
    pub refuses_at_once: bool,
    /// Number of lookups of a batch or a file, the first ones, that do not find it.
    pub misses: usize,
}

/// The most advanced format of replies that the server understands. It answers 400 to others. A tool that must be called
/// counts as [`Dialect::JsonObject`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Dialect {
    Plain,
    JsonObject,
    #[default]
    JsonSchema,
}

/// A parameter that the server takes and does not act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ignored {
    Seed,
    Temperature,
}

/// The behaviour of the server. By default it answers everything at once and well.
#[derive(Clone, Debug)]
pub struct Faults {
    pub answers: Answers,
    pub seed: u64,
    /// Whether answers vary as a model's do: by the seed of the request, or from call to call without one, and not at
    /// temperature 0.
    pub varies: bool,
    /// Parameters that such answers do not follow.
    pub ignores: Vec<Ignored>,
    /// Whether requests for a stream get one, instead of a whole reply.
    pub streams: bool,
    /// Time between two events of a stream.
    pub piece_interval: Duration,
    /// Time from the last byte of the call to the first of the answer, whatever the answer.
    pub latency: Duration,
    /// Maximum random addition to the latency.
    pub jitter: Duration,
    /// The fault of each call, in order of arrival; `None` is a good answer. After the script the rates apply.
    pub script: Vec<Option<Fault>>,
    /// Whether calls without a format get good answers and use up no entry of the script.
    pub spares_prose: bool,
    /// Share of the calls that each fault strikes, 0 to 1; together at most 1.
    pub rates: Vec<(Fault, f64)>,
    /// Number of calls with the same persona and questions, the first ones, that the rates apply to.
    pub attempts_struck: u32,
    pub limits: Limits,
    /// Retry-After of injected 429s, in whole seconds, rounded up.
    pub retry_after: Duration,
    pub dialect: Dialect,
    /// The prompt prefixes that are cached.
    pub caching: Caching,
    /// The only key that is taken. `None` if any is, or none.
    pub key: Option<String>,
    /// Whether errors repeat the key of the call, as those of some servers do.
    pub echoes_keys: bool,
    pub batches: BatchFaults,
    /// Parameters that the server does not know. It answers 400 to a call with one of them and names it.
    pub unknown: Vec<&'static str>,
    /// Parameters that the server takes and does not heed: `n` and `logprobs`.
    pub ignored: Vec<&'static str>,
    pub usage: UsageParts,
    /// Whether every call is recorded. A server that runs for weeks must not record them.
    pub keep_calls: bool,
    /// Whether every call's body is kept, for tests that read prompts.
    pub keep_bodies: bool,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            answers: Answers::default(),
            seed: 1,
            varies: false,
            ignores: Vec::new(),
            streams: true,
            piece_interval: Duration::ZERO,
            latency: Duration::ZERO,
            jitter: Duration::ZERO,
            script: Vec::new(),
            spares_prose: false,
            rates: Vec::new(),
            attempts_struck: u32::MAX,
            limits: Limits::default(),
            retry_after: Duration::from_secs(1),
            dialect: Dialect::default(),
            caching: Caching::default(),
            key: None,
            echoes_keys: false,
            batches: BatchFaults::default(),
            unknown: Vec::new(),
            ignored: Vec::new(),
            usage: UsageParts::default(),
            keep_calls: true,
            keep_bodies: false,
        }
    }
}

impl Faults {
    /// The demo model: plausible answers at once, and no record of the calls.
    pub fn demo() -> Self {
        Self { answers: Answers::Demo, seed: 0, keep_calls: false, ..Self::default() }
    }

    pub fn with(mut self, fault: Fault, rate: f64) -> Self {
        self.rates.push((fault, rate));
        self
    }

    pub fn latency_ms(mut self, milliseconds: u64) -> Self {
        self.latency = Duration::from_millis(milliseconds);
        self
    }

    /// Returns the seed of an answer to the call of this number.
    pub(crate) fn draw(&self, request: &Request<'_>, number: usize) -> u64 {
        let ignores = |parameter| self.ignores.contains(&parameter);
        if !self.varies || request.temperature == Some(0.0) && !ignores(Ignored::Temperature) {
            return self.seed;
        }
        match request.seed.filter(|_| !ignores(Ignored::Seed)) {
            Some(seed) => mix(&[self.seed, seed.cast_unsigned()]),
            None => mix(&[self.seed, 1, number as u64]),
        }
    }

    /// Returns the fault of an attempt (1 = the first) at these questions for this persona. It depends on nothing else,
    /// so a run meets the same faults in whatever order its calls arrive.
    pub(crate) fn choose(&self, persona: u64, questions: u64, attempt: u32) -> Option<Fault> {
        if self.rates.is_empty() || attempt > self.attempts_struck {
            return None;
        }
        let mut left = unit(mix(&[self.seed, persona, questions, u64::from(attempt)]));
        self.rates.iter().find_map(|&(fault, rate)| {
            left -= rate;
            (left < 0.0).then_some(fault)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::hash;

    #[test]
    fn faults_strike_at_their_rates_and_attempts_differ() {
        let faults = Faults::default().with(Fault::Hang, 0.1).with(Fault::Html, 0.3);
        let struck: Vec<_> = (0..10_000).map(|persona| faults.choose(persona, 5, 1)).collect();
        let count = |fault| struck.iter().filter(|&&chosen| chosen == fault).count();
        assert!((900..1_100).contains(&count(Some(Fault::Hang))));
        assert!((2_850..3_150).contains(&count(Some(Fault::Html))));
        let again: Vec<_> = (0..10_000).map(|persona| faults.choose(persona, 5, 2)).collect();
        assert_ne!(struck, again);
    }

    #[test]
    fn personas_that_differ_in_a_digit_meet_different_faults() {
        let faults = Faults::default().with(Fault::Html, 0.5);
        let struck = |n: &usize| faults.choose(hash(format!("Person {n}").as_bytes()), hash(b""), 1).is_some();
        let count = (0..1_000).filter(struck).count();
        assert!((440..560).contains(&count), "{count}");
    }

    #[test]
    fn attempts_beyond_those_struck_are_spared() {
        let faults = Faults { attempts_struck: 2, ..Faults::default() }.with(Fault::ServerError, 1.0);
        let struck: Vec<_> = (1..=3).map(|attempt| faults.choose(1, 1, attempt).is_some()).collect();
        assert_eq!(struck, [true, true, false]);
    }
}

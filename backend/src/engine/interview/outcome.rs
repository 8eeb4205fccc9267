//! Settles the requests of a call by its outcome.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use simulation::answers::Provenance;
use survey::answer::Answer;
use survey::distribution::Distribution;

use crate::engine::limiter::Cost;
use crate::llm::answer::{AnswerError, AnswerErrorCode};
use crate::llm::prompt::{PromptItem, expected_tokens, max_tokens};
use crate::llm::{CheckedAnswer, Completion, answer};
use crate::models::settlement::{NewAnswer, NewFailure};

/// How often a request is asked again because its answer failed the checks.
const MAX_REJECTIONS: u16 = 2;
/// How often it is asked again because its text was too long: a model that does not stop writing takes the longest calls.
const MAX_LONG_TEXTS: u16 = 1;

/// Upper limit of the characters of a token, for answers that are no texts.
const CHARS_PER_TOKEN: usize = 16;
/// Room for the name and the punctuation of an answer's field.
const FIELD_CHARS: usize = 64;

/// A request without an answer yet.
pub struct Pending<'a> {
    pub asked: PromptItem<'a>,
    pub attempts: u16,
    /// Answers that failed the checks.
    rejections: u16,
    /// Answers so far, where several are wanted.
    drawn: Vec<Answer>,
}

impl<'a> Pending<'a> {
    pub fn new(asked: PromptItem<'a>) -> Self {
        Self { asked, attempts: 0, rejections: 0, drawn: Vec::new() }
    }

    /// Makes room for another attempt where only the last one is left: the next one that counts will be the last again.
    fn with_an_attempt_left(self, max_attempts: u16) -> Self {
        Self { attempts: self.attempts.min(max_attempts.saturating_sub(2)), ..self }
    }

    /// The server is down: the calls that it failed before that was clear do not count either.
    pub fn without_failed_calls(self) -> Self {
        Self { attempts: self.rejections, ..self }
    }
}

/// How often a request was asked before, and what came of it, while its interview waits for a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestState {
    pub question_id: i64,
    attempts: u16,
    rejections: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rejection: Option<String>,
    /// Answers so far, where several are wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    drawn: Vec<Value>,
}

impl<'a> Pending<'a> {
    pub fn state(&self) -> RequestState {
        RequestState {
            question_id: self.asked.question.id,
            attempts: self.attempts,
            rejections: self.rejections,
            rejection: self.asked.rejection.clone(),
            drawn: self.drawn.iter().map(Answer::to_value).collect(),
        }
    }

    /// The request in that state.
    pub fn in_state(&self, state: &RequestState) -> Self {
        let decode = |answer: &Value| Answer::decode(self.asked.question, answer).ok();
        let drawn: Vec<Answer> = state.drawn.iter().filter_map(decode).collect();
        let draws = self.asked.draws.saturating_sub(counted(&drawn)).max(1);
        let asked = PromptItem { rejection: state.rejection.clone(), draws, ..self.asked.clone() };
        Self { asked, attempts: state.attempts, rejections: state.rejections, drawn }
    }
}

/// Requests that a call settled, and those that it left open.
#[derive(Default)]
pub struct CallSettlement<'a> {
    pub answers: Vec<NewAnswer>,
    pub failures: Vec<NewFailure>,
    /// Requests to be asked again.
    pub again: Vec<Pending<'a>>,
}

impl<'a> CallSettlement<'a> {
    /// The call settled nothing and cost its requests nothing.
    pub fn ask_again(again: Vec<Pending<'a>>) -> Self {
        Self { again, ..Self::default() }
    }

    /// Whether there is something to report.
    pub fn has_settled(&self) -> bool {
        !self.answers.is_empty() || !self.failures.is_empty()
    }
}

/// How long the reply to a call may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyRoom {
    pub tokens: u32,
    /// A reply was cut off before.
    pub enlarged: bool,
}

impl ReplyRoom {
    /// `reasoning`: tokens that are left to the model's reasoning.
    pub fn new(pending: &[Pending<'_>], reasoning: u32) -> Self {
        Self { tokens: max_tokens(&asked(pending)).saturating_add(reasoning), enlarged: false }
    }

    /// Makes as much room as the other has, for a model that has shown meanwhile that it reasons.
    pub fn include(&mut self, other: Self) {
        self.tokens = self.tokens.max(other.tokens);
    }

    /// Makes more room, once; with `reasoning` tokens at least that a model has shown to need. Returns whether there is
    /// more now.
    pub fn enlarge(&mut self, reasoning: u32) -> bool {
        let enlarges = !std::mem::replace(&mut self.enlarged, true);
        if enlarges {
            self.tokens = self.tokens.saturating_mul(4).max(self.tokens.saturating_add(reasoning));
        }
        enlarges
    }
}

/// The items that these requests ask.
pub fn asked<'a>(pending: &[Pending<'a>]) -> Vec<PromptItem<'a>> {
    pending.iter().map(|pending| pending.asked.clone()).collect()
}

/// Counts a call that failed because of the server, at this cost to its requests.
pub fn count_failed_call<'a>(
    pending: Vec<Pending<'a>>,
    cost: Cost,
    max_attempts: u16,
    code: &'static str,
    message: &str,
) -> CallSettlement<'a> {
    let pending = pending.into_iter();
    match cost {
        Cost::Nothing => CallSettlement::ask_again(pending.map(Pending::without_failed_calls).collect()),
        Cost::NotTheLastAttempt => {
            let pending = pending.map(|pending| pending.with_an_attempt_left(max_attempts)).collect();
            // Where there is one attempt, the first is the last.
            count_attempt(pending, max_attempts.max(2), code, message, None)
        }
        Cost::Attempt => count_attempt(pending.collect(), max_attempts, code, message, None),
    }
}

/// Counts an attempt for all requests; those with no attempt left fail.
pub fn count_attempt<'a>(
    pending: Vec<Pending<'a>>,
    max_attempts: u16,
    code: &'static str,
    message: &str,
    detail: Option<&str>,
) -> CallSettlement<'a> {
    let mut outcome = CallSettlement::default();
    for mut pending in pending {
        pending.attempts += 1;
        if pending.attempts >= max_attempts {
            outcome.failures.push(failure(&pending, code, message, detail));
        } else {
            outcome.again.push(pending);
        }
    }
    outcome
}

/// Sorts the answers of a completion into those that passed the checks, those to ask again and those that failed.
pub fn sort_answers<'a>(
    pending: Vec<Pending<'a>>,
    hash: [u8; 32],
    completion: Completion,
    max_attempts: u16,
) -> CallSettlement<'a> {
    if completion.is_refused() {
        let reply = completion.refusal.as_deref().or(completion.content.as_deref());
        return count_attempt(pending, 0, "refused", "the model refused to answer", reply);
    }
    if completion.is_truncated() {
        let reply = completion.content.as_deref();
        if runs_on(&pending, &completion) {
            return reject_long_texts(pending, max_attempts, reply);
        }
        return count_attempt(pending, 0, "truncated", "the reply was cut off", reply);
    }
    let content = completion.content.as_deref().unwrap_or_default();
    let asked = asked(&pending);
    let checked = answer::read_with_tokens(&asked, content, &completion.tokens);
    let mut further: Vec<_> = completion.further.iter().map(|content| answer::read(&asked, content)).collect();
    let mut outcome = CallSettlement::default();
    let shares = Shares::new(&completion, pending.len());
    for (index, (mut pending, checked)) in pending.into_iter().zip(checked).enumerate() {
        let checked = match take_draws(&mut pending, checked, further.iter_mut().map(|read| read.get_mut(index))) {
            Drawn::Enough(checked) => checked,
            Drawn::MoreWanted => {
                outcome.again.push(pending);
                continue;
            }
        };
        pending.attempts += 1;
        match checked {
            Ok(answer) => outcome.answers.push(new_answer(&pending, answer, &completion, hash, shares.of(index))),
            Err(rejection) => {
                pending.rejections += 1;
                let is_too_long = rejection.code == AnswerErrorCode::TooLong;
                let most = if is_too_long { MAX_LONG_TEXTS } else { MAX_REJECTIONS };
                if pending.rejections > most || pending.attempts >= max_attempts {
                    outcome.failures.push(failure(&pending, rejection.code.name(), &rejection.message, Some(content)));
                } else {
                    pending.asked.rejection = Some(rejection.message);
                    outcome.again.push(pending);
                }
            }
        }
    }
    outcome
}

/// Answers of a call to a request that may want several.
enum Drawn {
    /// The one answer that is kept, or why none of the call's answers is valid.
    Enough(Result<CheckedAnswer, AnswerError>),
    /// There are valid answers, and more are wanted.
    MoreWanted,
}

/// Takes as many valid answers of a call as are wanted. Where several are, the kept one is drawn from them by the run's seed,
/// and its distribution are their shares.
fn take_draws<'a>(
    pending: &mut Pending<'_>,
    first: Result<CheckedAnswer, AnswerError>,
    further: impl Iterator<Item = Option<&'a mut Result<CheckedAnswer, AnswerError>>>,
) -> Drawn {
    if pending.asked.draws <= 1 && pending.drawn.is_empty() {
        return Drawn::Enough(first);
    }
    let further = further.flatten().filter_map(|read| read.as_ref().ok()).map(|checked| checked.answer.clone());
    let valid = first.as_ref().ok().map(|checked| checked.answer.clone()).into_iter().chain(further);
    let valid: Vec<Answer> = valid.take(pending.asked.draws.into()).collect();
    if valid.is_empty() {
        return Drawn::Enough(first);
    }
    let left = pending.asked.draws.saturating_sub(counted(&valid));
    pending.drawn.extend(valid);
    if left > 0 {
        pending.asked.draws = left;
        pending.asked.rejection = None;
        return Drawn::MoreWanted;
    }
    let question = pending.asked.question;
    let drawn = std::mem::take(&mut pending.drawn);
    let distribution = Distribution::of_answers(question, &drawn);
    let place = pending.asked.draw.place(question, drawn.len());
    Drawn::Enough(match drawn.into_iter().nth(place) {
        Some(answer) => Ok(CheckedAnswer { text: answer.text(question), answer, distribution }),
        None => first,
    })
}

fn counted(drawn: &[Answer]) -> u16 {
    u16::try_from(drawn.len()).unwrap_or(u16::MAX)
}

/// Whether a reply that was cut off is longer than all its answers may be, so that more room would not complete it. Replies
/// that begin with reasoning are not judged.
pub fn runs_on(pending: &[Pending<'_>], completion: &Completion) -> bool {
    let bound = |Pending { asked, .. }: &Pending<'_>| match asked.max_text_length.filter(|_| asked.question.is_text()) {
        // Quotes and line breaks take two characters in JSON.
        Some(most) => 2 * most as usize,
        None => CHARS_PER_TOKEN * expected_tokens(asked) as usize,
    };
    let has_bound = pending.iter().any(|pending| pending.asked.max_text_length.is_some());
    let content = completion.content.as_deref().unwrap_or_default();
    let longest: usize = pending.iter().map(|pending| bound(pending) + FIELD_CHARS).sum();
    has_bound && begins_with_answers(completion) && content.chars().count() > longest
}

const CUT_OFF: &str = "the text did not end before the reply was cut off";

/// Asks again after a reply that was cut off, with more room. Texts with a length limit are asked again with the reason: a model
/// repeats the same text in answer to the same prompt.
pub fn ask_with_more_room<'a>(
    mut pending: Vec<Pending<'a>>,
    completion: &Completion,
    max_attempts: u16,
) -> CallSettlement<'a> {
    if begins_with_answers(completion) {
        let texts = pending.iter_mut().map(|pending| &mut pending.asked);
        for text in texts.filter(|asked| asked.question.is_text() && asked.max_text_length.is_some()) {
            text.rejection = Some(CUT_OFF.to_owned());
        }
    }
    count_attempt(pending, max_attempts, "truncated", "the reply was cut off", None)
}

/// Whether the reply begins with the answers, and not with reasoning.
fn begins_with_answers(completion: &Completion) -> bool {
    completion.content.as_deref().unwrap_or_default().trim_start().starts_with('{')
}

/// Asks for shorter texts, once.
fn reject_long_texts<'a>(pending: Vec<Pending<'a>>, max_attempts: u16, reply: Option<&str>) -> CallSettlement<'a> {
    let mut outcome = CallSettlement::default();
    for mut pending in pending {
        pending.attempts += 1;
        pending.rejections += 1;
        if pending.rejections > MAX_LONG_TEXTS || pending.attempts >= max_attempts {
            outcome.failures.push(failure(&pending, AnswerErrorCode::TooLong.name(), CUT_OFF, reply));
        } else {
            let is_text = pending.asked.question.is_text();
            pending.asked.rejection = is_text.then(|| CUT_OFF.to_owned());
            outcome.again.push(pending);
        }
    }
    outcome
}

fn new_answer(
    pending: &Pending<'_>,
    answer: CheckedAnswer,
    completion: &Completion,
    prompt_hash: [u8; 32],
    [prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cache_write_tokens]: [i32; 5],
) -> NewAnswer {
    NewAnswer {
        question_id: pending.asked.question.id,
        answer: answer.text,
        answer_value: answer.answer.to_value(),
        // A distribution is texts and numbers, which JSON can always hold.
        distribution: answer.distribution.and_then(|distribution| serde_json::to_value(distribution).ok()),
        provenance: Provenance {
            option_order: pending.asked.order.as_deref().map(<[i16]>::to_vec),
            attempt: pending.attempts as i16,
            model: completion.model.clone(),
            fingerprint: completion.fingerprint.clone(),
            prompt_hash: prompt_hash.to_vec(),
            latency_ms: completion.latency.map(|latency| i32::try_from(latency.as_millis()).unwrap_or(i32::MAX)),
            prompt_tokens,
            cached_tokens,
            completion_tokens,
            reasoning_tokens,
            cache_write_tokens,
        },
    }
}

/// Length limit of the model's text that is kept with a failure, in characters.
const MAX_DETAIL: usize = 4_000;

fn failure(pending: &Pending<'_>, code: &'static str, message: &str, detail: Option<&str>) -> NewFailure {
    // PostgreSQL's text cannot hold a NUL.
    let storable = |text: &str| text.chars().filter(|c| *c != '\0').take(MAX_DETAIL).collect::<String>();
    NewFailure {
        question_id: pending.asked.question.id,
        code,
        message: storable(message),
        detail: detail.map(storable),
        attempts: pending.attempts as i16,
    }
}

/// A call's tokens divided among its requests; the shares add up to the call's tokens.
struct Shares {
    tokens: [u32; 5],
    requests: u32,
}

impl Shares {
    fn new(completion: &Completion, requests: usize) -> Self {
        let usage = &completion.usage;
        let tokens = [usage.prompt, usage.cached, usage.completion, usage.reasoning, usage.cache_write];
        Self { tokens, requests: requests.max(1) as u32 }
    }

    fn of(&self, index: usize) -> [i32; 5] {
        self.tokens.map(|tokens| {
            let extra = u32::from((index as u32) < tokens % self.requests);
            i32::try_from(tokens / self.requests + extra).unwrap_or(i32::MAX)
        })
    }
}

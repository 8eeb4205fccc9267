//! What a call came to, request by request.

use crate::llm::prompt::Asked;
use crate::llm::{Answer, Completion, answer};
use crate::models::settlement::{NewAnswer, NewFailure};

/// How often an answer that failed its checks is asked for again.
const MOST_COMPLAINTS: u16 = 2;

/// A question on its way to an answer.
pub struct Pending<'a> {
    pub asked: Asked<'a>,
    pub attempts: u16,
    complaints: u16,
}

impl<'a> Pending<'a> {
    pub fn new(asked: Asked<'a>) -> Self {
        Self { asked, attempts: 0, complaints: 0 }
    }
}

/// What a call came to.
#[derive(Default)]
pub struct Outcome<'a> {
    pub answers: Vec<NewAnswer>,
    pub failures: Vec<NewFailure>,
    /// To be asked again.
    pub again: Vec<Pending<'a>>,
}

pub fn asked<'a>(pending: &[Pending<'a>]) -> Vec<Asked<'a>> {
    pending.iter().map(|pending| pending.asked.clone()).collect()
}

/// Another attempt for all, or, where that was the last one, the failure of all.
pub fn one_more_attempt<'a>(
    pending: Vec<Pending<'a>>,
    most: u16,
    code: &'static str,
    message: &str,
    detail: Option<&str>,
) -> Outcome<'a> {
    let mut outcome = Outcome::default();
    for mut pending in pending {
        pending.attempts += 1;
        if pending.attempts >= most {
            outcome.failures.push(failure(&pending, code, message, detail));
        } else {
            outcome.again.push(pending);
        }
    }
    outcome
}

/// Takes the valid answers out of a completion; what failed its checks is asked again, a few times.
pub fn judge<'a>(pending: Vec<Pending<'a>>, hash: [u8; 32], completion: Completion, most: u16) -> Outcome<'a> {
    if completion.is_refused() {
        let said = completion.refusal.as_deref().or(completion.content.as_deref());
        return one_more_attempt(pending, 0, "refused", "the model refused to answer", said);
    }
    if completion.is_truncated() {
        let said = completion.content.as_deref();
        return one_more_attempt(pending, 0, "truncated", "the reply was cut off", said);
    }
    let content = completion.content.as_deref().unwrap_or_default();
    let asked = asked(&pending);
    let checked = answer::read(&asked, content);
    let mut outcome = Outcome::default();
    let shares = Shares::new(&completion, pending.len());
    for (index, (mut pending, checked)) in pending.into_iter().zip(checked).enumerate() {
        pending.attempts += 1;
        match checked {
            Ok(answer) => outcome.answers.push(new_answer(&pending, answer, &completion, hash, shares.of(index))),
            Err(complaint) => {
                pending.complaints += 1;
                if pending.complaints > MOST_COMPLAINTS || pending.attempts >= most {
                    outcome.failures.push(failure(&pending, complaint.code.name(), &complaint.message, Some(content)));
                } else {
                    pending.asked.complaint = Some(complaint.message);
                    outcome.again.push(pending);
                }
            }
        }
    }
    outcome
}

fn new_answer(
    pending: &Pending<'_>,
    answer: Answer,
    completion: &Completion,
    prompt_hash: [u8; 32],
    [prompt_tokens, cached_tokens, completion_tokens]: [i32; 3],
) -> NewAnswer {
    NewAnswer {
        question_id: pending.asked.question.id,
        answer: answer.text,
        answer_value: answer.value,
        option_order: pending.asked.order.clone(),
        attempt: pending.attempts as i16,
        model: completion.model.clone(),
        fingerprint: completion.fingerprint.clone(),
        prompt_hash,
        latency_ms: i32::try_from(completion.latency.as_millis()).unwrap_or(i32::MAX),
        prompt_tokens,
        cached_tokens,
        completion_tokens,
    }
}

/// PostgreSQL's text cannot hold a NUL, and a page of error text helps nobody.
const LONGEST_DETAIL: usize = 4_000;

fn failure(pending: &Pending<'_>, code: &'static str, message: &str, detail: Option<&str>) -> NewFailure {
    let storable = |text: &str| text.chars().filter(|c| *c != '\0').take(LONGEST_DETAIL).collect::<String>();
    NewFailure {
        question_id: pending.asked.question.id,
        code,
        message: storable(message),
        detail: detail.map(storable),
        attempts: pending.attempts as i16,
    }
}

/// A call's tokens shared over the requests that it asked, so that the shares add up to the call.
struct Shares {
    tokens: [u32; 3],
    requests: u32,
}

impl Shares {
    fn new(completion: &Completion, requests: usize) -> Self {
        let usage = &completion.usage;
        Self { tokens: [usage.prompt, usage.cached, usage.completion], requests: requests.max(1) as u32 }
    }

    fn of(&self, index: usize) -> [i32; 3] {
        self.tokens.map(|tokens| {
            let extra = u32::from((index as u32) < tokens % self.requests);
            i32::try_from(tokens / self.requests + extra).unwrap_or(i32::MAX)
        })
    }
}

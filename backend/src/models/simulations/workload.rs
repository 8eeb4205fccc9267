//! The work of a run before it is started: questions, calls and tokens.

use simulation::money::{Price, Tokens};
use simulation::parameters::Parameters;
use survey::walk::CallScope;

/// Bytes of a token, roughly.
pub const TOKEN_BYTES: i64 = 4;
/// Tokens of a question with its options, roughly.
const ASKED_TOKENS: i64 = 60;
/// Tokens of an answer, roughly.
const ANSWER_TOKENS: i64 = 30;
/// Tokens of a question with its options and of its answer, roughly.
pub const QUESTION_TOKENS: i64 = ASKED_TOKENS + ANSWER_TOKENS;

/// Work of a run before it is started, if every answer passes at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Workload {
    /// Personas that the run asks.
    pub personas: i64,
    /// Personas that are asked at least one question.
    interviews: i64,
    /// Questions that its personas can be asked: its answers, of one credit each.
    pub answers: i64,
    /// Calls to the model.
    pub calls: i64,
    /// Average tokens of a persona's profile, which is in each of its calls.
    profile_tokens: i64,
}

impl Workload {
    /// Adds up the work. `requests`: number of questions of each persona. `profile_bytes`: average size of its text.
    pub fn new(requests: &[i64], profile_bytes: i64, parameters: &Parameters) -> Self {
        let questions_per_call = match parameters.call_scope {
            CallScope::Question => 1,
            CallScope::Chunk | CallScope::Block => i64::from(parameters.questions_per_call.max(1)),
        };
        Self {
            personas: requests.len() as i64,
            interviews: requests.iter().filter(|requests| **requests > 0).count() as i64,
            answers: requests.iter().sum(),
            calls: requests.iter().map(|requests| (requests + questions_per_call - 1) / questions_per_call).sum(),
            profile_tokens: profile_bytes / TOKEN_BYTES,
        }
    }

    /// Tokens of prompts and answers.
    pub fn tokens(&self) -> i64 {
        self.calls * self.profile_tokens + self.answers * QUESTION_TOKENS
    }

    /// The lowest and the highest cost in micro-units. The lowest assumes that the server has cached the profiles of a
    /// persona's later calls and that answers are short; the highest that it caches nothing and that a tenth of the
    /// calls is repeated.
    pub fn cost(&self, price: &Price) -> (i64, i64) {
        let prompt = self.calls * self.profile_tokens + self.answers * ASKED_TOKENS;
        let cached = (self.calls - self.interviews).max(0) * self.profile_tokens;
        let completion = self.answers * ANSWER_TOKENS;
        let low = price.cost(Tokens { prompt, cached, completion: completion / 2, ..Tokens::default() });
        let high = price.cost(Tokens { prompt, completion, ..Tokens::default() });
        (low, high.saturating_add(high / 10))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_twin_by_twin_and_single_questions_take_a_call_each() {
        let mut few = Parameters::new("m", 1, 4);
        let requests = [5, 4, 0, 1];
        let work = Workload::new(&requests, 400, &few);
        assert_eq!((work.personas, work.answers, work.calls), (4, 10, 2 + 1 + 1));
        assert_eq!(work.tokens(), 4 * 100 + 10 * QUESTION_TOKENS);
        few.call_scope = CallScope::Question;
        assert_eq!(Workload::new(&requests, 400, &few).calls, 10);
    }
}

//! The work of a run before it is started: questions, calls and tokens.

use simulation::model_options::{PromptCache, ReasoningEffort};
use simulation::money::{Price, Tokens};
use simulation::parameters::{Memory, Parameters};
use simulation::prompt_cache::{
    SharedTexts, caches_in_steps, cheapest_cache, marks_the_end, pays_less_for_cached_texts, shortest_prefix,
};
use survey::question::Question;
use survey::walk::CallScope;

/// Bytes of a token, roughly.
pub const TOKEN_BYTES: i64 = 4;
/// Tokens of a question with its options and of its answer, roughly.
pub const QUESTION_TOKENS: i64 = 90;
/// Calls of a hundred twins from which it pays to keep their texts in a cache: a write costs a quarter more than other
/// tokens, a read a tenth of them.
const CALLS_WORTH_A_CACHE: i64 = 128;
/// Step in which some providers cache prefixes, in tokens.
const STEP: i64 = 128;

/// Sizes of the prompts and replies of a run, without the profiles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PromptSizes {
    /// Bytes of each prompt up to the end of the profile.
    pub opening: f64,
    /// Bytes of each prompt after the profile, without questions.
    pub rest: f64,
    /// Average bytes of a question with its options and its part of the schema.
    pub question: f64,
    /// The part of it that is schema.
    pub schema: f64,
    /// Average tokens of the replies to a question: of all of them, if several are drawn.
    pub answer_tokens: f64,
}

impl PromptSizes {
    /// Sizes of a survey whose prompts are not known yet.
    pub const ROUGH: Self = Self { opening: 900.0, rest: 400.0, question: 240.0, schema: 90.0, answer_tokens: 30.0 };
}

/// Measures the prompts of a run of these questions.
pub type MeasurePrompts = fn(&[Question], &Parameters) -> PromptSizes;

/// Sets how the run uses the cache of prompts. `requests`: number of questions of each persona.
pub fn choose_prompt_cache(parameters: &mut Parameters, requests: &[i64], shared: SharedTexts) {
    let work = Workload::new(requests, 0, PromptSizes::default(), parameters).shared(shared);
    let reads_answers = parameters.memory == Some(Memory::Transcript);
    parameters.prompt_cache = cheapest_cache(parameters, reads_answers || work.is_worth_a_cache());
}

/// Work of a run before it is started, if every answer passes at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Workload {
    /// Personas that the run asks.
    pub personas: i64,
    /// Personas that are asked at least one question.
    interviews: i64,
    /// Questions that its personas can be asked: its answers, of one credit each.
    pub answers: i64,
    /// Calls to the model.
    pub calls: i64,
    /// How often each question is asked, where one call has one reply.
    rounds: i64,
    /// Average size of a persona's profile, which is in each of its calls.
    profile_bytes: i64,
    sizes: PromptSizes,
    /// Whether other runs of its study leave the profiles in the model server's cache.
    shared: SharedTexts,
}

impl Workload {
    /// Adds up the work. `requests`: number of questions of each persona. `profile_bytes`: average size of its text.
    pub fn new(requests: &[i64], profile_bytes: i64, sizes: PromptSizes, parameters: &Parameters) -> Self {
        let questions_per_call = match parameters.call_scope {
            CallScope::Question => 1,
            CallScope::Chunk | CallScope::Block => i64::from(parameters.questions_per_call.max(1)),
        };
        let rounds = match parameters.wire.has_several_replies() {
            true => 1,
            false => i64::from(parameters.draws.unwrap_or(1)),
        };
        Self {
            personas: requests.len() as i64,
            interviews: requests.iter().filter(|requests| **requests > 0).count() as i64,
            answers: requests.iter().sum(),
            calls: rounds
                * requests.iter().map(|requests| (requests + questions_per_call - 1) / questions_per_call).sum::<i64>(),
            rounds,
            profile_bytes,
            sizes,
            shared: SharedTexts::default(),
        }
    }

    /// The work of a run among those of its study.
    pub fn shared(self, shared: SharedTexts) -> Self {
        Self { shared, ..self }
    }

    /// Whether twins have so many calls that a cache of their texts pays.
    pub fn is_worth_a_cache(&self) -> bool {
        self.calls * self.shared.runs * 100 > self.interviews * CALLS_WORTH_A_CACHE
    }

    /// Calls before which another call has sent the same profile.
    fn later_calls(&self, parameters: &Parameters) -> i64 {
        let follows = self.shared.earlier > 0 && pays_less_for_cached_texts(parameters);
        if follows { self.calls } else { (self.calls - self.interviews).max(0) }
    }

    /// Tokens of prompts and answers.
    pub fn tokens(&self) -> i64 {
        self.prompt_tokens() + self.answer_tokens()
    }

    /// Tokens of a prompt up to the end of the profile.
    fn prefix(&self) -> i64 {
        tokens(self.sizes.opening + self.profile_bytes as f64)
    }

    fn prompt_tokens(&self) -> i64 {
        let PromptSizes { opening, rest, question, .. } = self.sizes;
        tokens(
            self.calls as f64 * (opening + self.profile_bytes as f64 + rest)
                + (self.answers * self.rounds) as f64 * question,
        )
    }

    fn answer_tokens(&self) -> i64 {
        (self.answers as f64 * self.sizes.answer_tokens).round() as i64
    }

    /// Tokens of reasoning. `measured`: those in a call of earlier runs.
    pub fn reasoning_tokens(&self, parameters: &Parameters, measured: Option<f64>) -> i64 {
        let effort = parameters.reasoning_effort.filter(|_| !parameters.leaves_out("reasoning_effort"));
        let of_call = measured.unwrap_or_else(|| effort.map_or(0.0, usual_reasoning));
        (self.calls as f64 * of_call).round() as i64
    }

    /// The tokens of the run's calls by their price, if the model server caches by its provider's rules. `reasoning`: tokens
    /// of reasoning in a call of earlier runs.
    fn expected_tokens(&self, parameters: &Parameters, reasoning: Option<f64>) -> Tokens {
        let prompt = self.prompt_tokens();
        let (cached, cache_write) = self.cached(parameters);
        let reasoning = self.reasoning_tokens(parameters, reasoning);
        let completion = self.answer_tokens() + reasoning;
        Tokens { prompt, cached, cache_write, completion, reasoning }
    }

    /// Tokens that are read from the cache and written to it. The schema of the answers differs between the calls of a twin,
    /// so where it comes before the profile nothing is found again.
    fn cached(&self, parameters: &Parameters) -> (i64, i64) {
        let Parameters { wire, model, prompt_cache, .. } = parameters;
        let prefix = self.prefix();
        let later = self.later_calls(parameters);
        let is_long = prefix >= shortest_prefix(*wire, model);
        match prompt_cache {
            Some(PromptCache::Twin) if is_long => (later * prefix, (self.calls - later) * prefix),
            None if is_long && caches_in_steps(*wire) => {
                let schema = tokens(self.answers as f64 * self.sizes.schema);
                let whole = (self.prompt_tokens() - schema) / self.calls.max(1);
                let found = if self.shared.is_repeat { whole } else { prefix };
                (later * (found / STEP * STEP), 0)
            }
            // The end of each prompt is a mark by itself.
            None if marks_the_end(*wire, model) => (0, self.prompt_tokens()),
            Some(PromptCache::Twin | PromptCache::Off) | None => (0, 0),
        }
    }

    /// The lowest, the expected and the highest cost in micro-units. The lowest assumes that the server has cached the
    /// profiles of a persona's later calls and that answers are short; the highest that it caches nothing and that a tenth of
    /// the calls is repeated. `reasoning`: tokens of reasoning in a call of earlier runs.
    pub fn cost(&self, price: &Price, parameters: &Parameters, reasoning: Option<f64>) -> [i64; 3] {
        let likely = self.expected_tokens(parameters, reasoning);
        let expected = price.cost(likely);
        let later = self.later_calls(parameters) * self.prefix();
        let short = (likely.completion - likely.reasoning) / 2 + likely.reasoning;
        let best = Tokens { cached: likely.cached.max(later), completion: short, ..likely };
        let nothing_found = Tokens { cached: 0, ..likely };
        let high = price.cost(nothing_found);
        [price.cost(best).min(expected), expected, high.saturating_add(high / 10).max(expected)]
    }
}

fn tokens(bytes: f64) -> i64 {
    (bytes / TOKEN_BYTES as f64) as i64
}

/// Tokens that a model reasons with in a call at this effort, roughly.
fn usual_reasoning(effort: ReasoningEffort) -> f64 {
    match effort {
        ReasoningEffort::None => 0.0,
        ReasoningEffort::Minimal => 32.0,
        ReasoningEffort::Low => 128.0,
        ReasoningEffort::Medium => 512.0,
        ReasoningEffort::High => 2_048.0,
        ReasoningEffort::Xhigh => 4_096.0,
        ReasoningEffort::Max => 8_192.0,
    }
}

#[cfg(test)]
mod tests {
    use simulation::wire::Wire;

    use super::*;

    const SIZES: PromptSizes =
        PromptSizes { opening: 0.0, rest: 0.0, question: 240.0, schema: 0.0, answer_tokens: 30.0 };

    #[test]
    fn several_draws_pay_the_prompt_once_where_a_call_has_several_replies() {
        let once = Parameters::new("m", 1, 4);
        let five = Parameters { draws: Some(5), ..once.clone() };
        let elsewhere = Parameters { wire: Wire::Anthropic, ..five.clone() };
        // The replies of all draws, as prompts are measured.
        let sizes = PromptSizes { answer_tokens: 150.0, ..SIZES };
        let found = |parameters: &Parameters, sizes| {
            let work = Workload::new(&[8], 400, sizes, parameters);
            let tokens = work.expected_tokens(parameters, None);
            (work.calls, tokens.prompt, tokens.completion)
        };
        assert_eq!(found(&once, SIZES), (2, 2 * 100 + 8 * 60, 240));
        assert_eq!(found(&five, sizes), (2, 2 * 100 + 8 * 60, 1_200));
        assert_eq!(found(&elsewhere, sizes), (10, 5 * (2 * 100 + 8 * 60), 1_200));
    }

    #[test]
    fn calls_are_counted_twin_by_twin_and_single_questions_take_a_call_each() {
        let mut few = Parameters::new("m", 1, 4);
        let requests = [5, 4, 0, 1];
        let work = Workload::new(&requests, 400, SIZES, &few);
        assert_eq!((work.personas, work.answers, work.calls), (4, 10, 2 + 1 + 1));
        assert_eq!(work.tokens(), 4 * 100 + 10 * 90);
        assert!(work.is_worth_a_cache());
        few.call_scope = CallScope::Question;
        assert_eq!(Workload::new(&requests, 400, SIZES, &few).calls, 10);
        let twenty = Parameters::new("m", 1, 20);
        assert!(!Workload::new(&requests, 400, SIZES, &twenty).is_worth_a_cache());
    }

    /// Price of a million tokens of each kind.
    const PRICE: fn() -> Price = || Price {
        currency: "USD".to_owned(),
        prompt: 1_000_000,
        cached: 100_000,
        completion: 0,
        cache_write: Some(1_250_000),
        reasoning: None,
        as_of: None,
    };

    /// The expected cost of the profiles, in times what one profile costs in an uncached prompt.
    fn profiles(model: &str, calls: i64, prompt_cache: Option<PromptCache>) -> f64 {
        let parameters = Parameters { prompt_cache, ..Parameters::new(model, 1, 1) };
        let work = Workload::new(&[calls; 10], 40_000, PromptSizes::default(), &parameters);
        let [_, expected, _] = work.cost(&PRICE(), &parameters, None);
        expected as f64 / (10.0 * 10_000.0)
    }

    #[test]
    fn three_calls_of_a_twin_cost_at_most_one_and_a_half_of_its_text_and_one_call_never_more_than_it() {
        let (twin, off) = (Some(PromptCache::Twin), Some(PromptCache::Off));
        assert_eq!(profiles("gpt-6-luna", 3, None), 3.75);
        assert_eq!(profiles("gpt-6-luna", 3, twin), 1.45);
        assert_eq!(profiles("gpt-6-luna", 1, None), 1.25);
        assert_eq!(profiles("gpt-6-luna", 1, off), 1.0);
        assert_eq!(profiles("gpt-4.1-mini", 3, None), 3.0, "the schema before the text differs");
    }

    #[test]
    fn later_runs_of_a_study_find_the_text_that_the_first_has_left() {
        let cells = [1, 2, 3].map(|_| Parameters::new("gpt-6-luna", 1, 20));
        let expected = |place: usize| {
            let mut parameters = cells[place].clone();
            let shared = SharedTexts::of(&cells, place);
            choose_prompt_cache(&mut parameters, &[5; 10], shared);
            assert_eq!(parameters.prompt_cache, Some(PromptCache::Twin));
            let work = Workload::new(&[5; 10], 40_000, PromptSizes::default(), &parameters).shared(shared);
            work.cost(&PRICE(), &parameters, None)[1] as f64 / (10.0 * 10_000.0)
        };
        assert_eq!([expected(0), expected(1), expected(2)], [1.25, 0.1, 0.1]);
    }

    #[test]
    fn reasoning_costs_what_earlier_runs_took_or_what_the_effort_usually_takes() {
        let price = Price { prompt: 0, cache_write: None, completion: 1_000_000, ..PRICE() };
        let parameters = Parameters { reasoning_effort: Some(ReasoningEffort::Medium), ..Parameters::new("m", 1, 5) };
        let work = Workload::new(&[10; 10], 0, SIZES, &parameters);
        let expected = |reasoning| work.cost(&price, &parameters, reasoning)[1];
        assert_eq!(expected(None), 100 * 30 + 20 * 512);
        assert_eq!(expected(Some(700.0)), 100 * 30 + 20 * 700);
    }
}

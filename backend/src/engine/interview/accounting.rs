//! Usage of an interview's calls since its last report, and what is stored of them apart from answers and failures.

use crate::llm::Completion;
use crate::llm::prompt::Recipe;
use crate::models::call_replies::{ModelReply, NewCallReply};
use crate::models::settlement::{AskedPrompt, CallUsage};

#[derive(Default)]
pub struct Accounting {
    pub usage: CallUsage,
    /// Parameters that the answered calls were sent without.
    pub left_out: Vec<&'static str>,
    /// How to build the prompts of unusual calls again.
    pub prompts: Vec<AskedPrompt>,
    /// The replies, word for word, in a run that keeps them.
    pub replies: Vec<NewCallReply>,
}

impl Accounting {
    pub fn count_call(&mut self) {
        self.usage.calls += 1;
    }

    pub fn count_tokens(&mut self, completion: &Completion) {
        self.usage += CallUsage {
            calls: 0,
            prompt_tokens: completion.usage.prompt.into(),
            cached_tokens: completion.usage.cached.into(),
            completion_tokens: completion.usage.completion.into(),
            reasoning_tokens: completion.usage.reasoning.into(),
            cache_write_tokens: completion.usage.cache_write.into(),
        };
    }

    /// Keeps the reply to the prompt with this hash, to be stored with the next report.
    pub fn keep_reply(&mut self, prompt_hash: [u8; 32], completion: &Completion) {
        let Completion { content, refusal, finish_reason, model, fingerprint, usage, latency, .. } = completion.clone();
        let reply = ModelReply {
            content,
            refusal,
            finish_reason,
            model,
            fingerprint,
            latency_ms: latency.map(|latency| i32::try_from(latency.as_millis()).unwrap_or(i32::MAX)),
            prompt_tokens: usage.prompt,
            cached_tokens: usage.cached,
            completion_tokens: usage.completion,
            reasoning_tokens: usage.reasoning,
            cache_write_tokens: usage.cache_write,
        };
        self.replies.push(NewCallReply::now(prompt_hash, reply));
    }

    /// Keeps how a prompt is built again, unless that is the `usual` way for its first answer.
    pub fn keep_recipe(&mut self, prompt_hash: [u8; 32], recipe: &Recipe, usual: Option<&Recipe>) {
        if usual != Some(recipe) {
            // A recipe is ids, numbers and texts, which JSON can always hold.
            self.prompts.extend(serde_json::to_value(recipe).map(|recipe| AskedPrompt { hash: prompt_hash, recipe }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use survey::samples::one_of_each;

    use super::*;
    use crate::llm::prompt::{Dialect, PromptItem};
    use crate::llm::{StopReason, TokenUsage, samples};

    fn completion() -> Completion {
        Completion {
            content: Some("{}".to_owned()),
            refusal: None,
            stop_reason: StopReason::Finished,
            finish_reason: Some("stop".to_owned()),
            model: "m".to_owned(),
            fingerprint: None,
            further: Vec::new(),
            tokens: Vec::new(),
            ignored: None,
            usage: TokenUsage { prompt: 90, cached: 64, cache_write: 20, completion: 5, reasoning: 3 },
            latency: Some(Duration::from_millis(250)),
        }
    }

    #[test]
    fn calls_and_tokens_add_up_until_they_are_taken() {
        let mut accounting = Accounting::default();
        for _ in 0..2 {
            accounting.count_call();
            accounting.count_tokens(&completion());
        }
        // A call without a completion has no tokens.
        accounting.count_call();
        let usage = std::mem::take(&mut accounting).usage;
        assert_eq!((usage.calls, usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens), (3, 180, 128, 10));
        assert_eq!((usage.reasoning_tokens, usage.cache_write_tokens), (6, 40));
        assert_eq!(accounting.usage.calls, 0);
    }

    #[test]
    fn a_reply_is_kept_with_its_tokens_and_latency() {
        let mut accounting = Accounting::default();
        accounting.keep_reply([7; 32], &completion());
        let [NewCallReply { prompt_hash, reply, .. }] = &accounting.replies[..] else { panic!("one reply") };
        assert_eq!((prompt_hash, reply.latency_ms), (&[7; 32], Some(250)));
        assert_eq!((reply.prompt_tokens, reply.cached_tokens, reply.completion_tokens), (90, 64, 5));
        assert_eq!((reply.reasoning_tokens, reply.cache_write_tokens), (3, 20));
    }

    #[test]
    fn only_an_unusual_prompt_keeps_its_recipe() {
        let (questions, parameters) = (one_of_each(), samples::parameters());
        let items = [PromptItem::new(&questions[0], &parameters, 1)];
        let recipe = |max_tokens| Recipe::of(&items, Dialect::default(), max_tokens);
        let mut accounting = Accounting::default();
        accounting.keep_recipe([1; 32], &recipe(100), Some(&recipe(100)));
        assert!(accounting.prompts.is_empty());
        accounting.keep_recipe([1; 32], &recipe(400), Some(&recipe(100)));
        accounting.keep_recipe([2; 32], &recipe(100), None);
        assert_eq!(accounting.prompts.iter().map(|prompt| prompt.hash[0]).collect::<Vec<_>>(), [1, 2]);
    }
}

//! Tokens that a server counts apart: those of reasoning and those that its cache read or wrote.

use serde_json::{Value, json};

/// The tokens that the server reports with every good reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageParts {
    /// Tokens that the model spends on reasoning before each reply. They count toward the limit of the reply.
    pub reasoning: u32,
    /// Prompt tokens that came from the cache, at most those of the prompt.
    pub cached: u32,
    /// Prompt tokens that were written to the cache, at most the rest of the prompt.
    pub cache_write: u32,
}

impl UsageParts {
    /// Tokens that the limit of a reply leaves for its text.
    pub fn room(self, max_tokens: u32) -> u32 {
        max_tokens.saturating_sub(self.reasoning)
    }

    /// The object `usage` of a reply whose completion, with the reasoning, has so many tokens.
    pub fn report(self, prompt_tokens: u32, completion_tokens: u32) -> Value {
        let cached = self.cached.min(prompt_tokens);
        let mut in_prompt = json!({ "cached_tokens": cached });
        if self.cache_write > 0 {
            in_prompt["cache_write_tokens"] = self.cache_write.min(prompt_tokens - cached).into();
        }
        let mut usage = json!({
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens.saturating_add(completion_tokens),
            "prompt_tokens_details": in_prompt,
        });
        if self.reasoning > 0 {
            usage["completion_tokens_details"] = json!({ "reasoning_tokens": self.reasoning.min(completion_tokens) });
        }
        usage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_never_more_than_their_whole() {
        let parts = UsageParts { reasoning: 50, cached: 80, cache_write: 80 };
        let usage = parts.report(100, 20);
        assert_eq!(usage["prompt_tokens_details"], json!({ "cached_tokens": 80, "cache_write_tokens": 20 }));
        assert_eq!(usage["completion_tokens_details"], json!({ "reasoning_tokens": 20 }));
        assert_eq!((parts.room(60), parts.room(40)), (10, 0));
    }
}

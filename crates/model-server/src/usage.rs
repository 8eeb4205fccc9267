//! Tokens that a server counts apart: those of reasoning and those that its cache read or wrote.

use crate::completion::CacheUse;

/// The tokens that the server reports with every good reply, beside those that follow from the request and the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageParts {
    /// Tokens that the model spends on reasoning before each choice. They count toward the limit of the reply.
    pub reasoning: u32,
    /// Prompt tokens that came from the cache, at most those of the prompt.
    pub cached: u32,
    /// Prompt tokens that were written to the cache, at most the rest of the prompt.
    pub cache_write: u32,
}

impl UsageParts {
    /// Adds these tokens to those of the cache.
    pub fn with(self, cache: CacheUse, prompt_tokens: u32) -> CacheUse {
        let read = cache.read.saturating_add(self.cached).min(prompt_tokens);
        let left = prompt_tokens - read;
        let written_long = cache.written_long.min(left);
        let written_short = cache.written_short.saturating_add(self.cache_write).min(left - written_long);
        CacheUse { read, written_short, written_long }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_never_more_than_their_whole() {
        let parts = UsageParts { reasoning: 50, cached: 80, cache_write: 80 };
        let expected = CacheUse { read: 80, written_short: 20, written_long: 0 };
        assert_eq!(parts.with(CacheUse::default(), 100), expected);
    }
}

//! Sums of runs' tokens, as queries select them.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use simulation::money::Tokens;

/// The columns of [`SummedTokens`].
pub const SUMMED_TOKENS: &str = "sum(prompt_tokens)::bigint AS prompt, sum(cached_tokens)::bigint AS cached,
    sum(cache_write_tokens)::bigint AS cache_write, sum(completion_tokens)::bigint AS completion,
    sum(reasoning_tokens)::bigint AS reasoning";

/// Tokens of a group of runs.
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct SummedTokens {
    #[diesel(sql_type = BigInt)]
    pub prompt: i64,
    #[diesel(sql_type = BigInt)]
    pub cached: i64,
    #[diesel(sql_type = BigInt)]
    pub cache_write: i64,
    #[diesel(sql_type = BigInt)]
    pub completion: i64,
    #[diesel(sql_type = BigInt)]
    pub reasoning: i64,
}

impl From<SummedTokens> for Tokens {
    fn from(SummedTokens { prompt, cached, cache_write, completion, reasoning }: SummedTokens) -> Self {
        Self { prompt, cached, cache_write, completion, reasoning }
    }
}

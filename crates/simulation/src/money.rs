//! Costs and prices of models' tokens. Whole numbers only, so that sums are exact.
//!
//! Amounts are in millionths of the currency's unit (micro-units). Prices are in micro-units per million tokens, so
//! tokens times price is in millionths of a micro-unit. That product is exact, and is rounded up once, after summation
//! over all tokens.

use std::fmt;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Micro-units in the currency's unit.
const UNIT: i64 = 1_000_000;
/// Upper limit of amounts and prices in the currency's unit: far below what a 64-bit float holds to six decimals.
const MAX_UNITS: f64 = 1_000_000.0;

/// Converts an amount in the currency's unit to micro-units. `None`: it is not a number from 0 to a million with at
/// most six decimals.
pub fn micro_units(amount: f64) -> Option<i64> {
    if !(0.0..=MAX_UNITS).contains(&amount) {
        return None;
    }
    let scaled = amount * UNIT as f64;
    let whole = scaled.round();
    // A seventh decimal is a tenth of a micro-unit or more; the float's own error stays below a thousandth.
    ((scaled - whole).abs() < 0.01).then_some(whole as i64)
}

/// Tokens of calls, as the model server counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Prompt tokens, including cached ones.
    pub prompt: i64,
    pub cached: i64,
    /// The part of `prompt` that the server wrote to its cache; none of it is in `cached`.
    pub cache_write: i64,
    pub completion: i64,
    /// The part of `completion` that the model spent on reasoning.
    pub reasoning: i64,
}

impl Tokens {
    /// Share of the prompt tokens that the server had cached. `None`: no prompt was sent.
    pub fn cached_share(&self) -> Option<f64> {
        (self.prompt > 0).then(|| self.cached.clamp(0, self.prompt) as f64 / self.prompt as f64)
    }

    /// The counts for people. Cache writes and reasoning are named where there are any.
    pub fn in_words(&self) -> String {
        let Self { prompt, cached, cache_write, completion, reasoning } = *self;
        let written = if cache_write > 0 { format!(", {cache_write} written to the cache") } else { String::new() };
        let reasoning = if reasoning > 0 { format!(" ({reasoning} of them reasoning)") } else { String::new() };
        format!("{prompt} prompt ({cached} of them cached{written}), {completion} completion{reasoning}")
    }
}

/// Prices of a model's tokens: micro-units of the currency per million tokens.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Price {
    #[schema(example = "USD")]
    pub currency: String,
    /// Price of prompt tokens that are not cached.
    #[schema(example = 400_000)]
    pub prompt: i64,
    /// Price of prompt tokens that the server had cached.
    #[schema(example = 100_000)]
    pub cached: i64,
    #[schema(example = 1_600_000)]
    pub completion: i64,
    /// Price of prompt tokens that the server writes to its cache. Without one they cost as other prompt tokens.
    #[serde(rename = "cacheWrite", default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, example = 500_000)]
    pub cache_write: Option<i64>,
    /// Price of completion tokens that are reasoning. Without one they cost as other completion tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, example = 1_600_000)]
    pub reasoning: Option<i64>,
    /// Day on which the provider's prices were read. `None`: the installation sets the price without one.
    #[serde(rename = "asOf", default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, example = "2026-11-28")]
    pub as_of: Option<NaiveDate>,
}

impl Price {
    /// Cost in micro-units, rounded up.
    pub fn cost(&self, tokens: Tokens) -> i64 {
        let prompt = tokens.prompt.max(0);
        let cached = tokens.cached.clamp(0, prompt);
        let written = tokens.cache_write.clamp(0, prompt - cached);
        let completion = tokens.completion.max(0);
        let reasoning = tokens.reasoning.clamp(0, completion);
        let exact = [
            (prompt - cached - written, self.prompt),
            (cached, self.cached),
            (written, self.cache_write.unwrap_or(self.prompt)),
            (completion - reasoning, self.completion),
            (reasoning, self.reasoning.unwrap_or(self.completion)),
        ];
        let exact: i128 = exact.into_iter().map(|(tokens, price)| i128::from(tokens) * i128::from(price)).sum();
        i64::try_from((exact + i128::from(UNIT) - 1) / i128::from(UNIT)).unwrap_or(i64::MAX)
    }

    /// Money that the server's cache has saved, in micro-units: the prompts at their full price less what they cost. Negative:
    /// writes to the cache have cost more than its reads have saved.
    pub fn saved_by_cache(&self, tokens: Tokens) -> i64 {
        let uncached = Tokens { cached: 0, cache_write: 0, ..tokens };
        self.cost(uncached).saturating_sub(self.cost(tokens))
    }

    pub fn money(&self, micro_units: i64) -> Money {
        Money { amount: decimal(micro_units), currency: self.currency.clone() }
    }
}

/// An amount of money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Money {
    /// Amount in the currency's unit, with six decimals. Negative where a saving is a loss.
    #[schema(example = "1.374200")]
    pub amount: String,
    #[schema(example = "USD")]
    pub currency: String,
}

impl fmt::Display for Money {
    /// Omits trailing zeros, but keeps two decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { amount, currency } = self;
        let (units, decimals) = amount.split_once('.').unwrap_or((amount, ""));
        write!(f, "{currency} {units}.{:0<2}", decimals.trim_end_matches('0'))
    }
}

fn decimal(micro_units: i64) -> String {
    let sign = if micro_units < 0 { "-" } else { "" };
    let (units, decimals) =
        (micro_units.unsigned_abs() / UNIT.unsigned_abs(), micro_units.unsigned_abs() % UNIT.unsigned_abs());
    format!("{sign}{units}.{decimals:06}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: fn() -> Price = || Price {
        currency: "USD".to_owned(),
        prompt: 400_000,
        cached: 100_000,
        completion: 1_600_000,
        cache_write: None,
        reasoning: None,
        as_of: None,
    };

    #[test]
    fn a_cost_is_exact_and_rounded_up_once() {
        let tokens = |prompt, cached, completion| Tokens { prompt, cached, completion, ..Tokens::default() };
        assert_eq!(PRICE().cost(tokens(1_000_000, 0, 0)), 400_000);
        assert_eq!(PRICE().cost(tokens(1_000_000, 1_000_000, 1_000_000)), 1_700_000);
        // 0.4, 0.1 and 1.6 micro-units are 2.1.
        assert_eq!(PRICE().cost(tokens(2, 1, 1)), 3);
        assert_eq!(PRICE().cost(Tokens::default()), 0);
        assert_eq!(PRICE().cost(tokens(i64::MAX, 0, i64::MAX)), i64::MAX);
    }

    #[test]
    fn more_cached_tokens_than_prompt_tokens_cost_no_less_than_nothing() {
        assert_eq!(PRICE().cost(Tokens { prompt: 10, cached: 20, ..Tokens::default() }), 1);
    }

    #[test]
    fn cache_writes_and_reasoning_have_prices_of_their_own_or_those_of_their_kind() {
        let million = Tokens {
            prompt: 1_000_000,
            cached: 200_000,
            cache_write: 500_000,
            completion: 1_000_000,
            reasoning: 750_000,
        };
        let usual = 300_000 * 4 / 10 + 200_000 / 10 + 500_000 * 4 / 10 + 1_600_000;
        assert_eq!(PRICE().cost(million), usual);
        let own = Price { cache_write: Some(500_000), reasoning: Some(2_000_000), ..PRICE() };
        assert_eq!(own.cost(million), usual + 500_000 / 10 + 750_000 * 4 / 10);
        let more = Tokens { cache_write: 9_000_000, reasoning: 9_000_000, ..million };
        assert_eq!(own.cost(more), 200_000 / 10 + 800_000 / 2 + 2_000_000, "never more than all tokens of the kind");
    }

    #[test]
    fn a_cache_saves_what_its_reads_are_cheaper_less_what_its_writes_are_dearer() {
        let price = Price { cache_write: Some(500_000), ..PRICE() };
        let of = |cached, cache_write| Tokens { prompt: 3_000_000, cached, cache_write, ..Tokens::default() };
        assert_eq!(price.saved_by_cache(of(2_000_000, 1_000_000)), 2 * 300_000 - 100_000);
        assert_eq!(price.money(price.saved_by_cache(of(0, 3_000_000))).to_string(), "USD -0.30");
        assert_eq!(of(2_000_000, 0).cached_share(), Some(2.0 / 3.0));
        assert_eq!(Tokens::default().cached_share(), None);
    }

    #[test]
    fn amounts_have_six_decimals_at_most() {
        assert_eq!(micro_units(0.1), Some(100_000));
        assert_eq!(micro_units(999_999.999_999), Some(999_999_999_999));
        assert_eq!(micro_units(0.000_001), Some(1));
        for bad in [0.000_000_1, 1.234_567_8, -0.5, 1_000_001.0, f64::NAN, f64::INFINITY] {
            assert_eq!(micro_units(bad), None, "{bad}");
        }
    }

    #[test]
    fn money_reads_as_people_write_it() {
        let words = |micro_units| PRICE().money(micro_units).to_string();
        assert_eq!(words(2_000_000), "USD 2.00");
        assert_eq!(words(1_374_200), "USD 1.3742");
        assert_eq!(PRICE().money(5).amount, "0.000005");
    }
}

//! The format of prices in files: of `LLM_PRICES`, of the shipped list, and of the models of a server.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use simulation::money::{Price, micro_units};

const MAX_CURRENCY_CHARS: usize = 10;
const UNIT: f64 = 1e6;

/// A file of prices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceFile {
    #[serde(deserialize_with = "currency")]
    pub currency: String,
    pub models: BTreeMap<String, ModelPrices>,
}

/// The prices of a model's tokens per million, and those of its cheaper and faster tiers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPrices {
    prompt: Amount,
    /// Without one, tokens that the server had cached cost as others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cached: Option<Amount>,
    /// Tokens written to a cache for the shortest time that the server offers: 5 minutes at Anthropic, 30 at OpenAI. Without
    /// one they cost as others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cache_write: Option<Amount>,
    /// Tokens written to a cache for an hour. No run asks for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cache_write_1h: Option<Amount>,
    completion: Amount,
    /// Without one, tokens of reasoning cost as others of the completion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reasoning: Option<Amount>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "tier")]
    pub batch: Option<Box<Self>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "tier")]
    pub flex: Option<Box<Self>>,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "tier")]
    pub priority: Option<Box<Self>>,
    /// Pages that state the prices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// The day on which they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<NaiveDate>,
    /// A condition of the prices, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl PriceFile {
    /// Parses a file. Errors name the wrong key.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut json = serde_json::Deserializer::from_str(text);
        serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let path = error.path().to_string();
            match path.as_str() {
                "." | "?" => error.inner().to_string(),
                _ => format!("{path}: {}", error.inner()),
            }
        })
    }
}

impl ModelPrices {
    /// The price of calls at the usual tier.
    pub fn price(&self, currency: &str, as_of: Option<NaiveDate>) -> Price {
        let Self { prompt, cached, cache_write, completion, reasoning, .. } = self;
        Price {
            currency: currency.to_owned(),
            prompt: prompt.0,
            cached: cached.as_ref().unwrap_or(prompt).0,
            completion: completion.0,
            cache_write: cache_write.map(|amount| amount.0),
            reasoning: reasoning.map(|amount| amount.0),
            as_of,
        }
    }

    /// Price of tokens that are written to a cache for an hour, in micro-units per million.
    pub fn cache_write_1h(&self) -> Option<i64> {
        Some(self.cache_write_1h?.0)
    }
}

/// A price in micro-units per million tokens. Files have it in the currency's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Amount(i64);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let amount = f64::deserialize(deserializer)?;
        micro_units(amount).map(Self).ok_or_else(|| {
            de::Error::custom(format!("{amount} is not a price: a number from 0 to 1000000 with at most six decimals"))
        })
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / UNIT)
    }
}

fn currency<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let currency = String::deserialize(deserializer)?.trim().to_owned();
    if currency.is_empty() || currency.chars().count() > MAX_CURRENCY_CHARS || currency.contains(char::is_control) {
        return Err(de::Error::custom("not a currency: a name such as USD"));
    }
    Ok(currency)
}

fn tier<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<ModelPrices>>, D::Error> {
    let tier = Box::<ModelPrices>::deserialize(deserializer)?;
    match tier.batch.is_some() || tier.flex.is_some() || tier.priority.is_some() {
        true => Err(de::Error::custom("a tier has no tiers of its own")),
        false => Ok(Some(tier)),
    }
}

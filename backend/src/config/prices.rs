//! Prices of models' tokens, read from the file that `LLM_PRICES` names.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};
use simulation::money::{Price, micro_units};

const MAX_CURRENCY_CHARS: usize = 10;
/// The keys of a model's prices.
const PRICES: [&str; 5] = ["prompt", "cached", "cache_write", "completion", "reasoning"];

/// Prices by model. Empty without a file: then no costs are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prices(BTreeMap<String, ModelPrices>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct ModelPrices {
    usual: Price,
    batch: Option<Price>,
}

impl Prices {
    pub fn find(&self, model: &str) -> Option<&Price> {
        Some(&self.0.get(model)?.usual)
    }

    /// Price of a model in batches. `None`: the file has none.
    pub fn of_batch(&self, model: &str) -> Option<&Price> {
        self.0.get(model)?.batch.as_ref()
    }

    /// Price of a run of this model. A run in batches without a batch price has the usual one, which is no lower.
    pub fn of_run(&self, model: &str, batch: bool) -> Option<Price> {
        self.of_batch(model).filter(|_| batch).or_else(|| self.find(model)).cloned()
    }

    /// Reads the file. Errors name the wrong key.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|reason| format!("{}: {reason}", path.display()))?;
        Self::parse(&text).map_err(|reason| format!("{}: {reason}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: Value = serde_json::from_str(text).map_err(|reason| format!("is not JSON: {reason}"))?;
        let file = object("the file", &file, &["currency", "models"])?;
        let currency = file.get("currency").and_then(Value::as_str).map(str::trim).unwrap_or_default();
        if currency.is_empty() || currency.chars().count() > MAX_CURRENCY_CHARS || currency.contains(char::is_control) {
            return Err("currency is missing: a name such as USD".to_owned());
        }
        let models = file.get("models").ok_or("models is missing")?;
        let models = models.as_object().ok_or("models is not an object")?;
        let of_model = |(name, prices): (&String, &Value)| {
            let at = format!("models.{name}");
            let fields = object(&at, prices, &[PRICES.as_slice(), &["batch"]].concat())?;
            let of_batch = |batch: &Value| {
                let at = format!("{at}.batch");
                price(&at, currency, object(&at, batch, &PRICES)?)
            };
            let batch = fields.get("batch").map(of_batch).transpose()?;
            Ok((name.clone(), ModelPrices { usual: price(&at, currency, fields)?, batch }))
        };
        Ok(Self(models.iter().map(of_model).collect::<Result<_, String>>()?))
    }
}

fn object<'a>(at: &str, value: &'a Value, known: &[&str]) -> Result<&'a Map<String, Value>, String> {
    let fields = value.as_object().ok_or_else(|| format!("{at} is not an object"))?;
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("{at} has an unknown key {key:?}; it takes {}", known.join(", "))),
        None => Ok(fields),
    }
}

fn price(at: &str, currency: &str, fields: &Map<String, Value>) -> Result<Price, String> {
    let amount =
        |key: &str| match fields.get(key) {
            None => Ok(None),
            Some(value) => value.as_f64().and_then(micro_units).map(Some).ok_or_else(|| {
                format!("{at}.{key} is not a price: a number from 0 to 1000000 with at most six decimals")
            }),
        };
    let needed = |key: &str| amount(key)?.ok_or_else(|| format!("{at}.{key} is missing"));
    let prompt = needed("prompt")?;
    Ok(Price {
        currency: currency.to_owned(),
        prompt,
        cached: amount("cached")?.unwrap_or(prompt),
        completion: needed("completion")?,
        cache_write: amount("cache_write")?,
        reasoning: amount("reasoning")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_prices_is_read_exactly_and_cached_tokens_cost_as_others_by_default() {
        let prices = Prices::parse(
            r#"{"currency": "USD", "models": {
                "gpt-4.1-mini": {"prompt": 0.4, "cached": 0.1, "completion": 1.6,
                    "batch": {"prompt": 0.2, "completion": 0.8}},
                "reasoner": {"prompt": 1.25, "cache_write": 1.5625, "completion": 10, "reasoning": 8},
                "plain": {"prompt": 0.000001, "completion": 15}}}"#,
        )
        .expect("a file of prices");
        let price = |prompt, cached, completion| Price {
            currency: "USD".to_owned(),
            prompt,
            cached,
            completion,
            cache_write: None,
            reasoning: None,
        };
        let reasoner = price(1_250_000, 1_250_000, 10_000_000);
        let reasoner = Price { cache_write: Some(1_562_500), reasoning: Some(8_000_000), ..reasoner };
        assert_eq!(prices.find("reasoner"), Some(&reasoner));
        assert_eq!(prices.find("gpt-4.1-mini"), Some(&price(400_000, 100_000, 1_600_000)));
        assert_eq!(prices.find("plain"), Some(&price(1, 1, 15_000_000)));
        assert_eq!(prices.find("other"), None);
        let batch = price(200_000, 200_000, 800_000);
        assert_eq!(prices.of_batch("gpt-4.1-mini"), Some(&batch));
        assert_eq!(prices.of_run("gpt-4.1-mini", true), Some(batch));
        assert_eq!(prices.of_run("gpt-4.1-mini", false), prices.find("gpt-4.1-mini").cloned());
        assert_eq!(prices.of_run("plain", true), prices.find("plain").cloned(), "nothing is said of batches");
        assert_eq!(prices.of_run("other", true), None);
    }
}

//! Prices of models' tokens: those that `LLM_PRICES` sets, and for the providers' own servers the dated list that ships with
//! the program.

mod file;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use chrono::NaiveDate;
use simulation::model_options::ServiceTier;
use simulation::money::Price;

pub use self::file::{ModelPrices, PriceFile};

/// The prices that providers publish, with their sources and the date on which they were read.
const LIST: &str = include_str!("list.json");
/// Days after which a price that was read is likely to have changed.
const STALE_AFTER_DAYS: i64 = 90;
/// The servers whose prices are those of the list.
const PROVIDERS: [&str; 3] = ["api.openai.com", "api.anthropic.com", "generativelanguage.googleapis.com"];

static LISTED: LazyLock<PriceFile> =
    LazyLock::new(|| PriceFile::parse(LIST).unwrap_or_else(|reason| unreachable!("the list of prices {reason}")));

/// Prices of a server's models.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prices(BTreeMap<String, PricedModel>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct PricedModel {
    usual: Price,
    batch: Option<Price>,
    flex: Option<Price>,
    priority: Option<Price>,
}

/// The list that ships with the program.
pub fn listed() -> &'static PriceFile {
    &LISTED
}

/// Whether a price that was read on this day may have changed since.
pub fn is_stale(read: NaiveDate, today: NaiveDate) -> bool {
    (today - read).num_days() > STALE_AFTER_DAYS
}

impl Prices {
    /// The prices of a server's models: `own` ones, and for the rest those of the list if the server is a provider's.
    pub fn new(own: Option<&PriceFile>, base_url: Option<&str>) -> Self {
        let is_provider = base_url.and_then(host).is_some_and(|host| PROVIDERS.contains(&host));
        let list = is_provider.then(listed);
        let models = list.into_iter().chain(own).flat_map(|file| {
            let priced =
                |(name, prices): (&String, &ModelPrices)| (name.clone(), PricedModel::new(prices, &file.currency));
            file.models.iter().map(priced)
        });
        Self(models.collect())
    }

    /// These prices, and for models that have others the others.
    pub fn with(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    pub fn find(&self, model: &str) -> Option<&Price> {
        Some(&self.model(model)?.usual)
    }

    /// Price of a model in batches. `None`: the file has none.
    pub fn of_batch(&self, model: &str) -> Option<&Price> {
        self.model(model)?.batch.as_ref()
    }

    /// Price of a run of this model. Batches and the flex tier without a price of their own have the usual one, which is no
    /// lower. `None`: the price is not known.
    pub fn of_run(&self, model: &str, batch: bool, tier: Option<ServiceTier>) -> Option<Price> {
        let PricedModel { usual, batch: in_batch, flex, priority } = self.model(model)?;
        let price = match tier {
            _ if batch => in_batch.as_ref().unwrap_or(usual),
            Some(ServiceTier::Flex) => flex.as_ref().unwrap_or(usual),
            Some(ServiceTier::Priority) => priority.as_ref()?,
            None | Some(ServiceTier::Auto | ServiceTier::Default) => usual,
        };
        Some(price.clone())
    }

    /// The prices of this model, or those of the model whose dated version it is.
    fn model(&self, name: &str) -> Option<&PricedModel> {
        self.0.get(name).or_else(|| self.0.get(undated(name)?))
    }

    /// Reads a file. Errors name the wrong key.
    pub fn read(path: &Path) -> Result<PriceFile, String> {
        let text = std::fs::read_to_string(path).map_err(|reason| format!("{}: {reason}", path.display()))?;
        PriceFile::parse(&text).map_err(|reason| format!("{}: {reason}", path.display()))
    }
}

impl PricedModel {
    fn new(prices: &ModelPrices, currency: &str) -> Self {
        let tier = |tier: &Option<Box<ModelPrices>>| Some(tier.as_ref()?.price(currency, prices.read));
        Self {
            usual: prices.price(currency, prices.read),
            batch: tier(&prices.batch),
            flex: tier(&prices.flex),
            priority: tier(&prices.priority),
        }
    }
}

fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    rest.split(['/', ':', '?']).next()
}

/// The name of a model without the date of its version, for example of `gpt-4.1-mini-2025-04-14`.
fn undated(name: &str) -> Option<&str> {
    ["-20251001", "-2025-10-01"].iter().find_map(|form| {
        let (model, date) = name.split_at_checked(name.len().checked_sub(form.len())?)?;
        let is_like = |(sign, form): (u8, u8)| sign == form || sign.is_ascii_digit() && form.is_ascii_digit();
        (!model.is_empty() && date.bytes().zip(form.bytes()).all(is_like)).then_some(model)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(prompt: i64, cached: i64, completion: i64) -> Price {
        Price {
            currency: "USD".to_owned(),
            prompt,
            cached,
            completion,
            cache_write: None,
            reasoning: None,
            as_of: None,
        }
    }

    #[test]
    fn a_file_of_prices_is_read_exactly_and_cached_tokens_cost_as_others_by_default() {
        let file = PriceFile::parse(
            r#"{"currency": "USD", "models": {
                "gpt-4.1-mini": {"prompt": 0.4, "cached": 0.1, "completion": 1.6,
                    "batch": {"prompt": 0.2, "completion": 0.8}, "priority": {"prompt": 0.7, "completion": 2.8}},
                "reasoner": {"prompt": 1.25, "cache_write": 1.5625, "completion": 10, "reasoning": 8,
                    "flex": {"prompt": 0.625, "completion": 5}, "read": "2026-11-01"},
                "plain": {"prompt": 0.000001, "completion": 15}}}"#,
        )
        .expect("a file of prices");
        let prices = Prices::new(Some(&file), None);
        let read = NaiveDate::from_ymd_opt(2026, 11, 1);
        let reasoner = Price {
            cache_write: Some(1_562_500),
            reasoning: Some(8_000_000),
            as_of: read,
            ..price(1_250_000, 1_250_000, 10_000_000)
        };
        assert_eq!(prices.find("reasoner"), Some(&reasoner));
        assert_eq!(prices.find("gpt-4.1-mini"), Some(&price(400_000, 100_000, 1_600_000)));
        assert_eq!(prices.find("gpt-4.1-mini-2025-04-14"), prices.find("gpt-4.1-mini"));
        assert_eq!(prices.find("plain"), Some(&price(1, 1, 15_000_000)));
        assert_eq!(prices.find("other"), None);
        let batch = price(200_000, 200_000, 800_000);
        assert_eq!(prices.of_batch("gpt-4.1-mini"), Some(&batch));
        let of = |model: &str, tier| prices.of_run(model, false, tier);
        assert_eq!(prices.of_run("gpt-4.1-mini", true, Some(ServiceTier::Priority)), Some(batch));
        assert_eq!(of("gpt-4.1-mini", None), prices.find("gpt-4.1-mini").cloned());
        assert_eq!(of("gpt-4.1-mini", Some(ServiceTier::Priority)), Some(price(700_000, 700_000, 2_800_000)));
        assert_eq!(of("gpt-4.1-mini", Some(ServiceTier::Flex)), of("gpt-4.1-mini", Some(ServiceTier::Auto)));
        let flex = of("reasoner", Some(ServiceTier::Flex)).expect("a price");
        assert_eq!((flex.prompt, flex.as_of), (625_000, read));
        assert_eq!(of("reasoner", Some(ServiceTier::Priority)), None, "it is dearer, and nobody says by how much");
        assert_eq!(prices.of_run("plain", true, None), prices.find("plain").cloned(), "nothing is said of batches");
        assert_eq!(prices.of_run("other", true, None), None);
    }

    #[test]
    fn the_list_is_for_the_providers_own_servers_and_own_prices_come_first() {
        let own = r#"{"currency": "EUR", "models": {"gpt-6-luna": {"prompt": 7, "completion": 8}}}"#;
        let own = PriceFile::parse(own).expect("a file of prices");
        let prices = Prices::new(Some(&own), Some("https://api.openai.com/v1"));
        assert_eq!(prices.find("gpt-6-luna").map(|price| price.currency.as_str()), Some("EUR"));
        assert_eq!(prices.find("gpt-4.1-mini").map(|price| price.prompt), Some(400_000));
        assert_eq!(Prices::new(None, Some("https://api.openai.com.example.org/v1")), Prices::default());
        assert_eq!(Prices::new(None, Some("http://localhost:8000/v1")), Prices::default());
        assert_eq!(Prices::new(None, None), Prices::default());
        let claude = Prices::new(None, Some("https://api.anthropic.com"));
        assert_eq!(claude.find("claude-haiku-4-5-20251001"), claude.find("claude-haiku-4-5"));
        assert!(claude.find("claude-haiku-4-5").is_some());
    }

    #[test]
    fn every_listed_price_has_a_date_and_two_sources_and_each_tier_costs_what_its_name_says() {
        for (name, prices) in &listed().models {
            assert!(prices.read.is_some() && prices.sources.len() >= 2, "{name}");
            assert!(prices.sources.iter().all(|source| source.starts_with("https://")), "{name}");
            for cheaper in [&prices.batch, &prices.flex].into_iter().flatten() {
                assert!(cheaper.price("USD", None).prompt < prices.price("USD", None).prompt, "{name}");
            }
            let price = prices.price("USD", None);
            assert!(price.cached < price.prompt, "{name}");
            assert!(price.cache_write.is_none_or(|write| write > price.prompt), "{name}");
        }
    }

    #[test]
    fn a_price_is_stale_after_ninety_days() {
        let day = |text: &str| text.parse::<NaiveDate>().expect("a date");
        assert!(!is_stale(day("2026-01-01"), day("2026-04-01")));
        assert!(is_stale(day("2026-01-01"), day("2026-04-02")));
    }

    #[test]
    fn only_a_date_at_its_end_is_no_part_of_a_models_name() {
        assert_eq!(undated("gpt-4.1-mini-2025-04-14"), Some("gpt-4.1-mini"));
        assert_eq!(undated("claude-haiku-4-5-20251001"), Some("claude-haiku-4-5"));
        assert_eq!(undated("gpt-4.1-mini"), None);
        assert_eq!(undated("-20251001"), None);
    }
}

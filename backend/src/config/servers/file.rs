//! The file of model servers, in TOML.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use simulation::wire::Wire;
use toml::{Table, Value};

use super::capabilities::{self, Capability};
use crate::config::model::{ModelConfig, http_url, model_name};
use crate::config::prices::{ModelPrices, PriceFile, Prices};
use crate::config::wires;

/// Length limit of a server's name in bytes.
const MAX_NAME_BYTES: usize = 40;
/// Calls at once over all workers of a server that states no number.
const MAX_CONCURRENCY: u32 = 256;

/// The settings of servers that do not state them.
#[derive(Clone, Debug, Default)]
pub struct FileDefaults {
    pub questions_per_call: u16,
    pub timeout: Duration,
    /// `None`: as long as `timeout`.
    pub idle_timeout: Option<Duration>,
    pub stream: bool,
    pub max_attempts: u16,
    /// The prices of models that state none.
    pub prices: Option<PriceFile>,
}

/// A `[[server]]` of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    #[serde(default)]
    wire: Wire,
    base_url: Option<String>,
    api_key_env: Option<String>,
    api_key_file: Option<PathBuf>,
    models: Vec<ModelEntry>,
    #[serde(default = "usd")]
    currency: String,
    rpm: Option<u32>,
    tpm: Option<u32>,
    max_concurrency: Option<u32>,
    /// Seconds until a call is abandoned.
    timeout: Option<u32>,
    /// Seconds between two pieces of a streamed reply.
    idle_timeout: Option<u32>,
    stream: Option<bool>,
    questions_per_call: Option<u16>,
}

/// A model of a server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelEntry {
    name: String,
    /// Whether it reasons before it answers.
    #[serde(default)]
    reasoning: bool,
    /// Prices in the keys of `LLM_PRICES`.
    prices: Option<ModelPrices>,
    /// Effects of parameters of a run, by name.
    #[serde(default)]
    capabilities: BTreeMap<String, Capability>,
    /// Tokens that a prompt and its answers may have together.
    context: Option<u32>,
}

fn usd() -> String {
    "USD".to_owned()
}

/// Reads the servers. Errors name the server and the key.
pub fn parse(text: &str, defaults: &FileDefaults) -> Result<Vec<ModelConfig>, String> {
    let file: Table =
        text.parse().map_err(|reason: toml::de::Error| format!("is not TOML: {}", one_line(reason.message())))?;
    if let Some(key) = file.keys().find(|key| *key != "server") {
        return Err(format!("has an unknown key {key:?}; it takes [[server]] tables"));
    }
    let entries = match file.get("server") {
        Some(Value::Array(entries)) if !entries.is_empty() => entries,
        _ => return Err("has no [[server]] table".to_owned()),
    };
    let mut names = BTreeSet::new();
    let mut servers = Vec::with_capacity(entries.len());
    for (place, entry) in entries.iter().enumerate() {
        let name = entry.get("name").and_then(Value::as_str);
        let at = name.map_or_else(|| format!("server {}", place + 1), |name| format!("server {name:?}"));
        let server = server(entry, defaults).map_err(|reason| format!("{at}: {reason}"))?;
        if !names.insert(server.name.clone()) {
            return Err(format!("{at}: name is taken by another server"));
        }
        servers.push(server);
    }
    Ok(servers)
}

fn server(entry: &Value, defaults: &FileDefaults) -> Result<ModelConfig, String> {
    if ["api_key", "key"].iter().any(|key| entry.get(key).is_some()) {
        let advice = "name the variable that holds it (api_key_env) or its file (api_key_file)";
        return Err(format!("api_key: a key does not belong in this file: {advice}"));
    }
    let entry: Entry = serde_path_to_error::deserialize(entry.clone()).map_err(|reason| {
        let (path, error) = (reason.path().to_string(), one_line(reason.inner().message()));
        if path == "." { error } else { format!("{path}: {error}") }
    })?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if entry.name.is_empty() || entry.name.len() > MAX_NAME_BYTES || !entry.name.chars().all(is_plain) {
        return Err(format!("name takes 1 to {MAX_NAME_BYTES} letters, digits, dots, hyphens and underscores"));
    }
    let base_url = entry.base_url.as_deref().unwrap_or(wires::address(entry.wire));
    let base_url = http_url(base_url).map_err(|reason| format!("base_url {reason}"))?;
    let (key_source, api_key) = key(&entry)?;
    let mut models = Vec::with_capacity(entry.models.len());
    let mut known = BTreeMap::new();
    for (place, model) in entry.models.iter().enumerate() {
        let name = model_name(&model.name).map_err(|reason| format!("models[{place}].name {reason}"))?;
        if models.contains(&name) {
            return Err(format!("models[{place}].name: {name:?} is listed twice"));
        }
        let capabilities = capabilities::known(&model.capabilities);
        known.insert(name.clone(), capabilities.map_err(|reason| format!("models[{place}].{reason}"))?);
        models.push(name);
    }
    let Some(model) = models.first().cloned() else { return Err("models lists none".to_owned()) };
    for (key, value) in [("rpm", entry.rpm), ("tpm", entry.tpm), ("max_concurrency", entry.max_concurrency)] {
        at_least_one(key, value)?;
    }
    at_least_one("timeout", entry.timeout)?;
    at_least_one("idle_timeout", entry.idle_timeout)?;
    let seconds = |seconds: u32| Duration::from_secs(seconds.into());
    let timeout = entry.timeout.map_or(defaults.timeout, seconds);
    for (place, model) in entry.models.iter().enumerate() {
        at_least_one(&format!("models[{place}].context"), model.context)?;
    }
    let context = |model: &ModelEntry| Some((model.name.trim().to_owned(), model.context?));
    at_least_one("questions_per_call", entry.questions_per_call.map(u32::from))?;
    Ok(ModelConfig {
        wire: entry.wire,
        key_source,
        api_key,
        model,
        models,
        known,
        contexts: entry.models.iter().filter_map(context).collect(),
        reasoning: entry.models.iter().filter(|model| model.reasoning).map(|model| model.name.clone()).collect(),
        prices: prices(&entry, defaults, &base_url),
        base_url: Some(base_url),
        rpm: entry.rpm,
        tpm: entry.tpm,
        max_concurrency: entry.max_concurrency.unwrap_or(MAX_CONCURRENCY),
        questions_per_call: entry.questions_per_call.unwrap_or(defaults.questions_per_call),
        timeout,
        idle_timeout: entry.idle_timeout.map(seconds).or(defaults.idle_timeout).unwrap_or(timeout),
        stream: entry.stream.unwrap_or(defaults.stream),
        max_attempts: defaults.max_attempts,
        name: entry.name,
    })
}

fn at_least_one(key: &str, value: Option<u32>) -> Result<(), String> {
    if value == Some(0) { Err(format!("{key} must be at least 1")) } else { Ok(()) }
}

/// Returns the place of the server's key, and the key. The key is missing if the place has none, because the process may not
/// need it.
fn key(entry: &Entry) -> Result<(Option<String>, Option<String>), String> {
    let (source, key) = match (&entry.api_key_env, &entry.api_key_file) {
        (Some(_), Some(_)) => return Err("api_key_env and api_key_file: one is enough".to_owned()),
        (None, None) => return Ok((None, None)),
        (Some(variable), None) => (format!("the variable {variable}"), std::env::var(variable).ok()),
        (None, Some(file)) => {
            let key = std::fs::read_to_string(file);
            let key = key.map_err(|reason| format!("api_key_file {}: {reason}", file.display()))?;
            (format!("the file {}", file.display()), Some(key))
        }
    };
    let key = key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
    if key.as_ref().is_some_and(|key| !key.chars().all(|c| c.is_ascii_graphic())) {
        return Err(format!("{source} holds a blank, a line break or another character that no key has"));
    }
    Ok((Some(source), key))
}

/// The prices of the server's models: those of the entry, and for other models the default ones.
fn prices(entry: &Entry, defaults: &FileDefaults, base_url: &str) -> Prices {
    let own = entry.models.iter().filter_map(|model| Some((model.name.clone(), model.prices.clone()?)));
    let own = PriceFile { currency: entry.currency.clone(), models: own.collect::<BTreeMap<_, _>>() };
    Prices::new(defaults.prices.as_ref(), Some(base_url)).with(Prices::new(Some(&own), None))
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<ModelConfig>, String> {
        let prices = r#"{"currency": "EUR", "models": {"b": {"prompt": 3, "completion": 4}}}"#;
        let prices = Some(PriceFile::parse(prices).expect("prices"));
        let defaults = FileDefaults {
            questions_per_call: 20,
            timeout: Duration::from_secs(120),
            idle_timeout: None,
            stream: true,
            max_attempts: 6,
            prices,
        };
        parse(text, &defaults)
    }

    #[test]
    fn a_server_has_what_the_file_says_and_the_defaults_for_the_rest() {
        let servers = read(
            r#"
            [[server]]
            name = "openai"
            rpm = 5000
            max_concurrency = 16
            timeout = 600
            questions_per_call = 5
            stream = false
            idle_timeout = 30
            [[server.models]]
            name = "a"
            reasoning = true
            context = 128000
            prices = { prompt = 1.25, cached = 0.125, completion = 10 }
            [[server.models]]
            name = "b"
            [[server]]
            name = "gpu.1"
            base_url = "http://gpu1.example:8000/v1/"
            models = [{ name = "llama" }]
            "#,
        )
        .expect("a file");
        let [openai, gpu] = servers.as_slice() else { panic!("{servers:?}") };
        assert_eq!(openai.base_url.as_deref(), Some("https://api.openai.com/v1"));
        assert_eq!((openai.rpm, openai.tpm, openai.max_concurrency), (Some(5_000), None, 16));
        assert_eq!((openai.timeout, openai.questions_per_call), (Duration::from_secs(600), 5));
        assert_eq!((openai.stream, openai.idle_timeout), (false, Duration::from_secs(30)));
        assert_eq!((gpu.stream, gpu.idle_timeout), (true, Duration::from_secs(120)));
        assert_eq!(openai.contexts, BTreeMap::from([("a".to_owned(), 128_000)]));
        assert_eq!((openai.models.join(" "), openai.reasoning.join(" ")), ("a b".to_owned(), "a".to_owned()));
        assert_eq!(
            openai.prices.find("a").map(|price| (price.currency.as_str(), price.cached)),
            Some(("USD", 125_000))
        );
        assert_eq!(
            openai.prices.find("b").map(|price| (price.currency.as_str(), price.prompt)),
            Some(("EUR", 3_000_000))
        );
        assert_eq!(gpu.base_url.as_deref(), Some("http://gpu1.example:8000/v1"));
        assert_eq!((gpu.timeout, gpu.questions_per_call, gpu.max_concurrency), (Duration::from_secs(120), 20, 256));
        assert_eq!((gpu.api_key.as_ref(), gpu.missing_key()), (None, None));
    }

    #[test]
    fn what_cannot_work_is_refused_with_the_server_and_the_key() {
        let server = |rest: &str| format!("[[server]]\nname = \"x\"\nmodels = [{{ name = \"m\" }}]\n{rest}");
        let advice = "a key does not belong in this file: name the variable that holds it (api_key_env) or its file \
                      (api_key_file)";
        for (text, expected) in [
            ("".to_owned(), "has no [[server]] table".to_owned()),
            ("servers = []".to_owned(), "has an unknown key \"servers\"; it takes [[server]] tables".to_owned()),
            (server("api_key = \"sk-1\""), format!("server \"x\": api_key: {advice}")),
            (server("rpm = 0"), "server \"x\": rpm must be at least 1".to_owned()),
            (server("idle_timeout = 0"), "server \"x\": idle_timeout must be at least 1".to_owned()),
            (
                "[[server]]\nname = \"x\"\nmodels = [{ name = \"m\", context = 0 }]".to_owned(),
                "server \"x\": models[0].context must be at least 1".to_owned(),
            ),
            (
                server("base_url = \"gpu:8000\""),
                "server \"x\": base_url must start with http:// or https://".to_owned(),
            ),
            (
                server("api_key_env = \"A\"\napi_key_file = \"b\""),
                "server \"x\": api_key_env and api_key_file: one is enough".to_owned(),
            ),
            (
                server("[[server]]\nname = \"x\"\nmodels = [{ name = \"m\" }]"),
                "server \"x\": name is taken by another server".to_owned(),
            ),
            (
                "[[server]]\nname = \"x/y\"\nmodels = [{ name = \"m\" }]".to_owned(),
                "server \"x/y\": name takes 1 to 40 letters, digits, dots, hyphens and underscores".to_owned(),
            ),
            ("[[server]]\nname = \"x\"\nmodels = []".to_owned(), "server \"x\": models lists none".to_owned()),
            (
                "[[server]]\nname = \"x\"\nmodels = [{ name = \"m\" }, { name = \"m\" }]".to_owned(),
                "server \"x\": models[1].name: \"m\" is listed twice".to_owned(),
            ),
            (
                "[[server]]\nname = \"x\"\nmodels = [{ name = \"m\", prices = { prompt = 1 } }]".to_owned(),
                "server \"x\": models[0].prices: missing field `completion`".to_owned(),
            ),
        ] {
            assert_eq!(read(&text).expect_err(&text), expected);
        }
        for (text, key) in [
            (server("timeuot = 5"), "unknown field `timeuot`"),
            (server("rpm = \"many\""), "server \"x\": rpm: "),
            (
                "[[server]]\nname = \"x\"\nmodels = [{ name = \"m\", reasons = true }]".to_owned(),
                "unknown field `reasons`",
            ),
            ("[[server]]\nmodels = []".to_owned(), "server 1: missing field `name`"),
            ("[[server]\n".to_owned(), "is not TOML: "),
        ] {
            let reason = read(&text).expect_err(&text);
            assert!(reason.contains(key) && !reason.contains('\n'), "{reason}");
        }
    }

    #[test]
    fn a_key_comes_from_its_file_and_one_that_is_missing_is_said_where_it_is_looked_for() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let file = folder.path().join("key");
        std::fs::write(&file, " sk-marker\n").expect("a file");
        let text = |path: &std::path::Path| {
            format!("[[server]]\nname = \"x\"\nmodels = [{{ name = \"m\" }}]\napi_key_file = \"{}\"", path.display())
        };
        let servers = read(&text(&file)).expect("a file");
        assert_eq!(servers[0].api_key.as_deref(), Some("sk-marker"));
        assert!(!format!("{servers:?}").contains("sk-marker"));
        assert!(read(&text(&folder.path().join("none"))).is_err());
        let unset = "[[server]]\nname = \"x\"\nmodels = [{ name = \"m\" }]\napi_key_env = \"TWINLAB_NO_SUCH_KEY\"";
        let missing = read(unset).expect("a file")[0].missing_key();
        assert_eq!(missing.as_deref(), Some("the variable TWINLAB_NO_SUCH_KEY has no key for the model server x"));
    }
}

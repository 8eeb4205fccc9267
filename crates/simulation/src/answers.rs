//! Stored answers and their provenance, failures, and the personas that were asked.

use chrono::{DateTime, Utc};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use survey::hex::hex;
use survey::walk::Reason;
use utoipa::ToSchema;

use crate::json::{JsonText, is_default};

/// The id under which the demo model answers.
pub const DEMO_MODEL: &str = "twinlab-demo";

/// A persona's stored answer to a question of a run.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "diesel", derive(diesel::Queryable))]
pub struct Answer {
    pub id: i64,
    pub persona_id: i32,
    pub question_id: i64,
    pub answer: String,
    /// The typed answer: a string, array, number or boolean, or an object by matrix row.
    pub answer_value: JsonText,
    pub created_at: DateTime<Utc>,
    /// The distribution that it was drawn from, in a run that asked for one.
    pub distribution: Option<JsonText>,
}

/// The provenance of an answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "diesel", derive(diesel::Queryable))]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// 1-based positions of the options in the order shown.
    pub option_order: Option<Vec<i16>>,
    pub attempt: i16,
    pub model: String,
    pub fingerprint: Option<String>,
    /// SHA-256 of the request's body; in JSON as hex.
    #[serde(serialize_with = "as_hex", deserialize_with = "from_hex")]
    pub prompt_hash: Vec<u8>,
    /// `None`: the answer came with a batch.
    pub latency_ms: Option<i32>,
    pub prompt_tokens: i32,
    pub cached_tokens: i32,
    pub completion_tokens: i32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub reasoning_tokens: i32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub cache_write_tokens: i32,
}

fn as_hex<S: Serializer>(bytes: &[u8], out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(&hex(bytes))
}

fn from_hex<'de, D: Deserializer<'de>>(text: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(text)?;
    let byte = |at: usize| text.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
    let bytes: Option<Vec<u8>> = (0..text.len()).step_by(2).map(byte).collect();
    bytes.ok_or_else(|| D::Error::custom(format!("{text} is no hash")))
}

/// A request that failed, with the reason.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "diesel", derive(diesel::Queryable))]
#[serde(rename_all = "camelCase")]
pub struct RequestFailure {
    pub persona_id: i32,
    pub question_id: i64,
    pub code: String,
    pub message: String,
    /// The model's text.
    pub detail: Option<String>,
    pub attempts: i16,
    /// Whether a retry pass asks it again: it then counts as open, not as failed.
    pub retrying: bool,
    pub created_at: DateTime<Utc>,
}

/// A persona of a run, as it is in the run's set.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "diesel", derive(diesel::Queryable))]
#[schema(as = SimulationPersona)]
pub struct AskedPersona {
    #[serde(rename = "personaId")]
    #[schema(example = 17)]
    pub id: i32,
    /// The person's id in the dataset.
    #[serde(rename = "personaPid")]
    #[schema(example = "1204")]
    pub pid: String,
    #[serde(rename = "personaName")]
    #[schema(example = "Twin 17")]
    pub name: String,
    /// Demographics by label.
    #[schema(value_type = std::collections::BTreeMap<String, String>, example = json!({"Gender": "Female", "Age": "30-49"}))]
    pub attributes: JsonText,
}

/// A model, as the server named it in answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "diesel", derive(diesel::QueryableByName))]
pub struct ServedBy {
    #[schema(example = "gpt-4.1-mini-2025-04-14")]
    #[cfg_attr(feature = "diesel", diesel(sql_type = diesel::sql_types::Text))]
    pub model: String,
    #[cfg_attr(feature = "diesel", diesel(sql_type = diesel::sql_types::Nullable<diesel::sql_types::Text>))]
    #[schema(example = "fp_6f2eabb9a5")]
    pub fingerprint: Option<String>,
}

/// The outcome of one request.
#[derive(Clone, Debug)]
pub enum RequestOutcome {
    /// The answer, with its provenance if the pages read it.
    Answered(Answer, Option<Provenance>),
    Failed(RequestFailure),
    /// Not asked yet, under way, or being retried.
    Open,
    /// The design did not show the question to this twin.
    Skipped(Reason),
    /// The question is in another arm than the twin's, so there is no request.
    NotAssigned,
}

//! The model's raw replies to each call, for runs with `keep_replies`.

use std::io::Read;

use chrono::{DateTime, Utc};
use diesel::deserialize::QueryableByName;
use diesel::prelude::*;
use diesel::result::Error;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Bytea, Integer, Timestamptz};
use diesel_async::AsyncPgConnection;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use simulation::json::is_default;
use uuid::Uuid;

/// Upper limit of an unpacked reply. Only a damaged one is longer; the rest of it is not read.
const MAX_REPLY_BYTES: u64 = 64 * 1024 * 1024;

/// The model's reply, word for word, with what the server reported about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelReply {
    pub content: Option<String>,
    /// The model's own refusal, if the server separates it from the content.
    pub refusal: Option<String>,
    pub finish_reason: Option<String>,
    pub model: String,
    pub fingerprint: Option<String>,
    /// `None`: the reply came with a batch.
    pub latency_ms: Option<i32>,
    pub prompt_tokens: u32,
    pub cached_tokens: u32,
    pub completion_tokens: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub reasoning_tokens: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub cache_write_tokens: u32,
}

/// A reply to be stored.
#[derive(Clone, Debug)]
pub struct NewCallReply {
    pub received_at: DateTime<Utc>,
    /// Id drawn on arrival, so that a reply that is settled twice is stored once.
    pub call_id: Uuid,
    pub prompt_hash: [u8; 32],
    pub reply: ModelReply,
}

impl NewCallReply {
    pub fn now(prompt_hash: [u8; 32], reply: ModelReply) -> Self {
        Self { received_at: Utc::now(), call_id: Uuid::new_v4(), prompt_hash, reply }
    }
}

const INSERT: &str = "
    INSERT INTO call_replies (simulation_id, persona_id, received_at, call_id, prompt_hash, reply, reply_hash)
    SELECT $1, persona_id, received_at, call_id, prompt_hash, reply, sha256(reply)
    FROM unnest($2, $3, $4, $5, $6) AS new (persona_id, received_at, call_id, prompt_hash, reply)
    ON CONFLICT DO NOTHING";

/// Stores the replies to these personas that are not stored yet.
pub fn insert(conn: &mut PgConnection, simulation_id: i64, replies: &[(i32, &NewCallReply)]) -> QueryResult<()> {
    if replies.is_empty() {
        return Ok(());
    }
    let packed = replies.iter().map(|(_, new)| packed(&new.reply)).collect::<QueryResult<Vec<_>>>()?;
    let columns = replies.iter().map(|(_, new)| new);
    sql_query(INSERT)
        .bind::<BigInt, _>(simulation_id)
        .bind::<Array<Integer>, _>(replies.iter().map(|(persona, _)| *persona).collect::<Vec<_>>())
        .bind::<Array<Timestamptz>, _>(columns.clone().map(|new| new.received_at).collect::<Vec<_>>())
        .bind::<Array<diesel::sql_types::Uuid>, _>(columns.clone().map(|new| new.call_id).collect::<Vec<_>>())
        .bind::<Array<Bytea>, _>(columns.map(|new| new.prompt_hash.as_slice()).collect::<Vec<_>>())
        .bind::<Array<Bytea>, _>(packed)
        .execute(conn)
        .map(drop)
}

/// A stored reply, compressed.
#[derive(Clone, Debug, QueryableByName)]
pub struct CallReply {
    #[diesel(sql_type = Integer)]
    pub persona_id: i32,
    #[diesel(sql_type = Timestamptz)]
    pub received_at: DateTime<Utc>,
    #[diesel(sql_type = diesel::sql_types::Uuid)]
    pub call_id: Uuid,
    #[diesel(sql_type = Bytea)]
    pub prompt_hash: Vec<u8>,
    #[diesel(sql_type = Bytea)]
    reply: Vec<u8>,
}

impl CallReply {
    pub fn reply(&self) -> QueryResult<ModelReply> {
        let unpacked = DeflateDecoder::new(self.reply.as_slice()).take(MAX_REPLY_BYTES);
        serde_json::from_reader(unpacked).map_err(|error| Error::DeserializationError(error.into()))
    }
}

/// Returns the next `limit` replies of a run after this one, or the first ones, by persona and time.
pub async fn page(
    conn: &mut AsyncPgConnection,
    simulation_id: i64,
    after: Option<&CallReply>,
    limit: i64,
) -> QueryResult<Vec<CallReply>> {
    let start = (0, DateTime::UNIX_EPOCH, Uuid::nil());
    let (persona, at, call) = after.map_or(start, |after| (after.persona_id, after.received_at, after.call_id));
    let query = sql_query(
        "SELECT persona_id, received_at, call_id, prompt_hash, reply FROM call_replies
         WHERE simulation_id = $1 AND (persona_id, received_at, call_id) > ($2, $3, $4)
         ORDER BY persona_id, received_at, call_id LIMIT $5",
    )
    .bind::<BigInt, _>(simulation_id)
    .bind::<Integer, _>(persona)
    .bind::<Timestamptz, _>(at)
    .bind::<diesel::sql_types::Uuid, _>(call)
    .bind::<BigInt, _>(limit);
    diesel_async::RunQueryDsl::load(query, conn).await
}

fn packed(reply: &ModelReply) -> QueryResult<Vec<u8>> {
    let pack = || {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        serde_json::to_writer(&mut encoder, reply)?;
        encoder.finish()
    };
    pack().map_err(|error: std::io::Error| Error::SerializationError(error.into()))
}

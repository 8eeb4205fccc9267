//! Loads the personas' texts for a supervisor, in batches: permits are granted in groups, and one query for each text
//! would keep the granted calls waiting.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::db::{self, AsyncPool};
use crate::engine::messages::RunContext;
use crate::error::Result;
use crate::models::personas;

/// Texts in one query: few enough that the first calls start while the next texts are read.
const MAX_BATCH: usize = 32;
/// One query runs in the database while the result of the other is read here.
const MAX_QUERIES: usize = 2;
/// Interval between two tries while the database is away.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// An interview that waits for its persona's text.
pub struct TextRequest {
    pub persona_id: i32,
    pub reply: oneshot::Sender<Result<String, String>>,
}

#[derive(Default)]
pub struct RunTexts {
    waiting: VecDeque<TextRequest>,
    queries: usize,
}

impl RunTexts {
    pub fn request(&mut self, request: TextRequest) {
        self.waiting.push_back(request);
    }

    /// Requests that the next query loads; `None` if nothing is waiting or enough queries are under way. The caller
    /// reports the end of the query by [`Self::query_ended`].
    pub fn next_batch(&mut self) -> Option<Vec<TextRequest>> {
        if self.waiting.is_empty() || self.queries == MAX_QUERIES {
            return None;
        }
        self.queries += 1;
        Some(self.waiting.drain(..self.waiting.len().min(MAX_BATCH)).collect())
    }

    pub fn query_ended(&mut self) {
        self.queries -= 1;
    }
}

/// Loads a batch and replies to each request. Waits while the database is away: that is no failure of these interviews.
pub async fn load(pool: AsyncPool, run: Arc<RunContext>, batch: Vec<TextRequest>) {
    let ids: Vec<i32> = batch.iter().map(|request| request.persona_id).collect();
    let mut texts = loop {
        match db::in_time(query(&pool, &run, &ids)).await {
            Ok(texts) => break texts,
            Err(error) => tracing::warn!(%error, "the personas' texts could not be read, trying again"),
        }
        tokio::time::sleep(RETRY_DELAY).await;
    };
    for TextRequest { persona_id, reply } in batch {
        let text = texts.remove(&persona_id).ok_or_else(|| format!("persona {persona_id} has no text"));
        // The interview may have been interrupted meanwhile.
        let _ = reply.send(text);
    }
}

async fn query(pool: &AsyncPool, run: &RunContext, ids: &[i32]) -> Result<HashMap<i32, String>> {
    let mut conn = db::checkout(pool).await?;
    let texts = personas::texts(&mut conn, run.persona_set_id, run.parameters.persona_variant, ids).await?;
    Ok(texts.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(texts: &mut RunTexts, personas: impl IntoIterator<Item = i32>) {
        for persona_id in personas {
            texts.request(TextRequest { persona_id, reply: oneshot::channel().0 });
        }
    }

    fn next_batch(texts: &mut RunTexts) -> Option<Vec<i32>> {
        Some(texts.next_batch()?.iter().map(|request| request.persona_id).collect())
    }

    #[test]
    fn texts_are_loaded_in_batches_in_the_order_of_the_requests_by_two_queries_at_once() {
        let mut texts = RunTexts::default();
        assert_eq!(next_batch(&mut texts), None);
        request(&mut texts, 1..=100);
        assert_eq!(next_batch(&mut texts), Some((1..=32).collect()));
        assert_eq!(next_batch(&mut texts), Some((33..=64).collect()));
        assert_eq!(next_batch(&mut texts), None, "two queries are under way");
        texts.query_ended();
        assert_eq!(next_batch(&mut texts), Some((65..=96).collect()));
        request(&mut texts, [7]);
        texts.query_ended();
        assert_eq!(next_batch(&mut texts), Some(vec![97, 98, 99, 100, 7]));
    }
}

//! The twins' texts, for the prompts of their interviews: read in crowds, a few queries at a time.

use std::collections::HashMap;

use actix::prelude::*;
use tokio::sync::oneshot;

use super::{RETRY, Supervisor};
use crate::actors::interview::Run;
use crate::db::{self, AsyncPool};
use crate::models::personas;

/// The text of a twin, for the prompts of its interview.
#[derive(Message)]
#[rtype(result = "Result<String, String>")]
pub struct LoadText(pub i32);

/// Our own reminder that texts are wanted.
#[derive(Message)]
#[rtype(result = "()")]
struct LoadTexts;

/// Texts loaded in one query: few enough that the first calls are out while the next texts are read.
const TEXTS_AT_ONCE: usize = 32;
/// Such queries under way at once: the database reads for one while we read what another brought.
const QUERIES_AT_ONCE: usize = 2;

pub(super) type TextReply = oneshot::Sender<Result<String, String>>;

impl Supervisor {
    /// Reads the texts that are wanted by now, a few queries at a time: what comes meanwhile waits for the next.
    fn load_texts(&mut self, ctx: &mut Context<Self>) {
        while self.loading < QUERIES_AT_ONCE && !self.texts_wanted.is_empty() {
            self.load_some(ctx);
        }
    }

    fn load_some(&mut self, ctx: &mut Context<Self>) {
        self.loading += 1;
        let rest = self.texts_wanted.split_off(self.texts_wanted.len().min(TEXTS_AT_ONCE));
        let wanted = std::mem::replace(&mut self.texts_wanted, rest);
        let (pool, run) = (self.pool.clone(), self.run.clone());
        let load = async move {
            let ids: Vec<i32> = wanted.iter().map(|(id, _)| *id).collect();
            // A database that is away for a moment is no fault of these interviews.
            let mut texts = loop {
                match texts(&pool, &run, &ids).await {
                    Ok(texts) => break texts,
                    Err(reason) => tracing::warn!(reason, "the twins' texts could not be read, trying again"),
                }
                tokio::time::sleep(RETRY).await;
            };
            for (id, reply) in wanted {
                let _ = reply.send(texts.remove(&id).ok_or_else(|| format!("twin {id} has no text")));
            }
        };
        ctx.spawn(load.into_actor(self).map(|(), supervisor, ctx| {
            supervisor.loading -= 1;
            supervisor.load_texts(ctx);
        }));
    }
}

async fn texts(pool: &AsyncPool, run: &Run, ids: &[i32]) -> Result<HashMap<i32, String>, String> {
    let mut conn = db::checkout(pool).await.map_err(|error| error.to_string())?;
    let texts = personas::texts(&mut conn, run.persona_set_id, run.parameters.persona_variant, ids).await;
    Ok(texts.map_err(|error| error.to_string())?.into_iter().collect())
}

impl Handler<LoadText> for Supervisor {
    type Result = ResponseFuture<Result<String, String>>;

    fn handle(&mut self, LoadText(persona_id): LoadText, ctx: &mut Self::Context) -> Self::Result {
        let (reply, text) = oneshot::channel();
        self.texts_wanted.push((persona_id, reply));
        // Permits come in crowds: the wishes behind this one go with it.
        if self.texts_wanted.len() == 1 {
            ctx.notify(LoadTexts);
        }
        Box::pin(async move { text.await.unwrap_or_else(|_| Err("the text was not loaded".into())) })
    }
}

impl Handler<LoadTexts> for Supervisor {
    type Result = ();

    fn handle(&mut self, _: LoadTexts, ctx: &mut Self::Context) {
        self.load_texts(ctx);
    }
}

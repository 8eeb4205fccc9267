//! The twins' texts, for the prompts of their interviews: read in crowds, a few queries at a time, and those that come
//! next before they are asked for, so that nobody has the right to call and no text.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use actix::prelude::*;
use tokio::sync::oneshot;

use super::{RETRY, Supervisor};
use crate::db::{self, AsyncPool};
use crate::engine::interview::Run;
use crate::models::personas;

/// The text of a twin, for the prompts of its interview.
#[derive(Message)]
#[rtype(result = "Result<String, String>")]
pub struct LoadText(pub i32);

/// Our own reminder that texts are wanted.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct LoadTexts;

/// Texts loaded in one query: few enough that the first calls are out while the next texts are read.
const TEXTS_AT_ONCE: usize = 32;
/// Such queries under way at once: the database reads for one while we read what another brought.
const QUERIES_AT_ONCE: usize = 2;
/// Texts in memory, or being read, that nobody has asked for yet.
const MOST_AHEAD: usize = 32;

type Reply = oneshot::Sender<Result<String, String>>;

/// Which texts are wanted, by twin.
#[derive(Default)]
pub(super) struct Texts {
    /// Will be asked for, in this order.
    coming: VecDeque<i32>,
    /// To be read next.
    wanted: VecDeque<i32>,
    /// To whom those go that are wanted or being read; `None`: nobody has asked yet.
    asked: HashMap<i32, Option<Reply>>,
    /// Read, and not asked for yet.
    ahead: HashMap<i32, String>,
    /// Queries under way.
    loading: usize,
}

impl Texts {
    pub fn expect(&mut self, twins: impl Iterator<Item = i32>) {
        self.coming.extend(twins);
    }

    /// The interview is over: nobody will ask for this text, if it was not asked for already.
    pub fn forget(&mut self, twin: i32) {
        self.comes_no_more(twin);
        self.ahead.remove(&twin);
    }

    fn comes_no_more(&mut self, twin: i32) {
        // They ask in the order in which they came: it is one of the first.
        if let Some(place) = self.coming.iter().position(|coming| *coming == twin) {
            self.coming.remove(place);
        }
    }

    fn ask(&mut self, twin: i32, reply: Reply) {
        self.comes_no_more(twin);
        if let Some(text) = self.ahead.remove(&twin) {
            let _ = reply.send(Ok(text));
        } else if self.asked.insert(twin, Some(reply)).is_none() {
            self.wanted.push_back(twin);
        }
    }

    /// What to read in the next query: what was asked for, then what comes next.
    fn next(&mut self) -> Vec<i32> {
        let mut twins: Vec<i32> = self.wanted.drain(..self.wanted.len().min(TEXTS_AT_ONCE)).collect();
        let reading_ahead = self.asked.values().filter(|reply| reply.is_none()).count();
        let mut room = MOST_AHEAD.saturating_sub(self.ahead.len() + reading_ahead);
        while room > 0
            && twins.len() < TEXTS_AT_ONCE
            && let Some(twin) = self.coming.pop_front()
        {
            // One that is delivered again may be known already.
            if !self.asked.contains_key(&twin) && !self.ahead.contains_key(&twin) {
                self.asked.insert(twin, None);
                twins.push(twin);
                room -= 1;
            }
        }
        twins
    }

    /// `still_wanted`: of a twin whose text was read ahead.
    fn read(&mut self, twin: i32, text: Option<String>, still_wanted: bool) {
        match (self.asked.remove(&twin).flatten(), text) {
            (Some(reply), text) => {
                let _ = reply.send(text.ok_or_else(|| format!("twin {twin} has no text")));
            }
            (None, Some(text)) if still_wanted => {
                self.ahead.insert(twin, text);
            }
            // Who asks for one that is not there is told so then.
            (None, _) => {}
        }
    }
}

impl Supervisor {
    /// Reads the texts that are wanted by now, a few queries at a time: what comes meanwhile waits for the next.
    fn load_texts(&mut self, ctx: &mut Context<Self>) {
        while self.texts.loading < QUERIES_AT_ONCE {
            let twins = self.texts.next();
            if twins.is_empty() {
                return;
            }
            self.texts.loading += 1;
            let load = load(self.pool.clone(), self.run.clone(), twins);
            ctx.spawn(load.into_actor(self).map(|(twins, mut texts), supervisor, ctx| {
                supervisor.texts.loading -= 1;
                for twin in twins {
                    let held = supervisor.held.contains_key(&twin);
                    supervisor.texts.read(twin, texts.remove(&twin), held);
                }
                supervisor.load_texts(ctx);
            }));
        }
    }
}

async fn load(pool: AsyncPool, run: Arc<Run>, twins: Vec<i32>) -> (Vec<i32>, HashMap<i32, String>) {
    // A database that is away for a moment is no fault of these interviews.
    loop {
        match texts(&pool, &run, &twins).await {
            Ok(texts) => return (twins, texts),
            Err(reason) => tracing::warn!(reason, "the twins' texts could not be read, trying again"),
        }
        tokio::time::sleep(RETRY).await;
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
        self.texts.ask(persona_id, reply);
        // Permits come in crowds: the wishes behind this one go with it.
        ctx.notify(LoadTexts);
        Box::pin(async move { text.await.unwrap_or_else(|_| Err("the text was not loaded".into())) })
    }
}

impl Handler<LoadTexts> for Supervisor {
    type Result = ();

    fn handle(&mut self, _: LoadTexts, ctx: &mut Self::Context) {
        self.load_texts(ctx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(texts: &mut Texts, twin: i32) -> oneshot::Receiver<Result<String, String>> {
        let (reply, text) = oneshot::channel();
        texts.ask(twin, reply);
        text
    }

    #[test]
    fn what_is_asked_for_is_read_first_and_some_of_what_comes_with_it() {
        let mut texts = Texts::default();
        texts.expect(1..=100);
        let mut asked = asking(&mut texts, 50);
        let read = texts.next();
        assert_eq!(read[..3], [50, 1, 2]);
        assert_eq!(read.len(), TEXTS_AT_ONCE);
        assert_eq!(texts.next().len(), MOST_AHEAD + 1 - TEXTS_AT_ONCE, "no more are read ahead");
        assert_eq!(texts.next(), Vec::<i32>::new());

        // Asked for while it is read, and after it was.
        let mut during = asking(&mut texts, 1);
        for twin in read {
            texts.read(twin, Some(format!("I am {twin}")), true);
        }
        let mut after = asking(&mut texts, 2);
        for (text, twin) in [(&mut asked, 50), (&mut during, 1), (&mut after, 2)] {
            assert_eq!(text.try_recv().unwrap(), Ok(format!("I am {twin}")));
        }
        assert_eq!(texts.next(), [33, 34], "as many as were taken");
    }

    #[test]
    fn what_is_over_is_neither_read_nor_kept() {
        let mut texts = Texts::default();
        texts.expect(1..=3);
        texts.forget(1);
        assert_eq!(texts.next(), [2, 3]);
        texts.read(2, Some("I am 2".into()), false);
        texts.read(3, Some("I am 3".into()), true);
        texts.forget(3);
        assert!(texts.ahead.is_empty());
        // It is delivered again.
        texts.expect(2..=2);
        assert_eq!(texts.next(), [2]);
    }

    #[test]
    fn who_asks_for_a_text_that_is_not_there_is_told() {
        let mut texts = Texts::default();
        texts.expect(7..=7);
        assert_eq!(texts.next(), [7]);
        texts.read(7, None, true);
        let mut text = asking(&mut texts, 7);
        assert_eq!(texts.next(), [7]);
        texts.read(7, None, true);
        assert_eq!(text.try_recv().unwrap(), Err("twin 7 has no text".into()));
    }
}

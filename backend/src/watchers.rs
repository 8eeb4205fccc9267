//! Which runs people may watch, asked of the database for many of them at once.
//!
//! Hundreds ask every second, and each must be looked up anew. Question by question, every one wakes a thread here and a
//! process of PostgreSQL, which costs more than to answer it. So whoever asks while others are being looked up, or within
//! [`PAUSE`] after, is looked up together with all who came meanwhile.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

use crate::auth::rules::{self, Watcher};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(30);
/// Questions of one look; one more waits for the next.
const AT_ONCE: usize = 100;

/// Puts everyone's questions to the database. Nobody is told anything older than their own.
pub struct Watchers {
    questions: mpsc::Sender<Question>,
}

struct Question {
    watcher: Watcher,
    /// The run's row id; `None`: their token does not hold any longer, or they do not see it.
    answer: oneshot::Sender<Result<Option<i64>>>,
}

impl Watchers {
    /// Looks on the runtime of the caller, for as long as this lives.
    pub fn new(pool: AsyncPool) -> Self {
        let (questions, asked) = mpsc::channel(AT_ONCE);
        tokio::spawn(answer(pool, asked));
        Self { questions }
    }

    /// The run's row id, if the token still holds and its owner sees the run.
    pub async fn run(&self, watcher: Watcher) -> Result<Option<i64>> {
        let (answer, told) = oneshot::channel();
        // Without anyone to take the question there is no answer either.
        let _ = self.questions.send(Question { watcher, answer }).await;
        told.await.map_err(|_| Error::internal("nobody looks up watchers any longer"))?
    }
}

async fn answer(pool: AsyncPool, mut asked: mpsc::Receiver<Question>) {
    let mut questions = Vec::with_capacity(AT_ONCE);
    while asked.recv_many(&mut questions, AT_ONCE).await > 0 {
        let runs = look(&pool, &questions).await;
        for (question, run) in questions.drain(..).zip(runs) {
            // Who has gone away meanwhile is told nothing.
            let _ = question.answer.send(run);
        }
        sleep(PAUSE).await;
    }
}

/// What each is to be told. Where the database does not answer they are all told that.
async fn look(pool: &AsyncPool, questions: &[Question]) -> Vec<Result<Option<i64>>> {
    let watchers: Vec<Watcher> = questions.iter().map(|question| question.watcher).collect();
    match find(pool, &watchers).await {
        Ok(runs) => runs.into_iter().map(Ok).collect(),
        Err(reason) => watchers.iter().map(|_| Err(reason.clone())).collect(),
    }
}

async fn find(pool: &AsyncPool, watchers: &[Watcher]) -> Result<Vec<Option<i64>>> {
    Ok(rules::watched_runs(&mut *db::checkout(pool).await?, watchers).await?)
}

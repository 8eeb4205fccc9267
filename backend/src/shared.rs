//! Equal questions that many ask at the same time are put to the database once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Mutex as AsyncMutex;
use tokio::time::Instant;

/// Answers of one kind, by the question. Nobody is told anything older than their own question, so that whoever has
/// just changed something finds it changed.
pub struct Shared<T> {
    asked: Mutex<HashMap<String, Arc<Latest<T>>>>,
}

/// Held while the question is put: who comes meanwhile waits, and one of them puts it again for all the others.
type Latest<T> = AsyncMutex<Option<Answer<T>>>;

struct Answer<T> {
    /// When the question was put.
    put: Instant,
    told: T,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self { asked: Mutex::default() }
    }
}

impl<T: Clone> Shared<T> {
    /// What `look` finds, or what the look of somebody else with the same question found that began after this call.
    /// Callers hold no connection meanwhile: the one who looks needs one.
    pub async fn ask<E>(&self, question: String, look: impl AsyncFnOnce() -> Result<T, E>) -> Result<T, E> {
        let came = Instant::now();
        let latest = self.latest(question);
        let mut latest = latest.lock().await;
        if let Some(answer) = latest.as_ref().filter(|answer| answer.put >= came) {
            return Ok(answer.told.clone());
        }
        let put = Instant::now();
        let told = look().await?;
        *latest = Some(Answer { put, told: told.clone() });
        Ok(told)
    }

    fn latest(&self, question: String) -> Arc<Latest<T>> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(latest) = asked.get(&question) {
            return latest.clone();
        }
        // What nobody waits for any longer is of no use to whoever comes next.
        asked.retain(|_, latest| Arc::strong_count(latest) > 1);
        asked.entry(question).or_default().clone()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::join_all;
    use futures_util::poll;
    use tokio::sync::Semaphore;

    use super::*;

    #[tokio::test]
    async fn who_asks_during_a_look_is_told_by_one_look_that_began_afterwards() {
        let (shared, looks, permits) = (Shared::default(), AtomicUsize::new(0), Semaphore::new(0));
        let ask = || {
            shared.ask("how many".to_owned(), async || {
                let look = looks.fetch_add(1, Ordering::Relaxed) + 1;
                let permit = permits.acquire().await.expect("it stays open");
                permit.forget();
                Ok::<_, Infallible>(look)
            })
        };
        let mut first = Box::pin(ask());
        assert!(poll!(&mut first).is_pending());
        let mut others: Vec<_> = (0..20).map(|_| Box::pin(ask())).collect();
        for other in &mut others {
            assert!(poll!(other).is_pending());
        }
        permits.add_permits(2);
        assert_eq!(first.await, Ok(1), "who came before is told what they asked for");
        assert_eq!(join_all(others).await, vec![Ok(2); 20]);
    }

    #[tokio::test]
    async fn later_and_other_questions_are_put_again_and_a_failed_look_tells_nobody() {
        let shared = Shared::default();
        let ask = |question: &str, told: Result<i32, &'static str>| shared.ask(question.to_owned(), async move || told);
        assert_eq!(ask("a", Ok(1)).await, Ok(1));
        assert_eq!(ask("a", Ok(2)).await, Ok(2));
        assert_eq!(ask("b", Ok(3)).await, Ok(3));
        assert_eq!(ask("a", Err("no")).await, Err("no"));
        assert_eq!(ask("a", Ok(4)).await, Ok(4));
    }
}

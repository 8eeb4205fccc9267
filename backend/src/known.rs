//! Answers kept as long as what they depend on is as it was then.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Answers that are kept: about as many as people ask for between two changes.
const MOST: usize = 500;

/// Answers by question, each with the state that it is for.
pub struct Known<State, T>(Mutex<HashMap<String, (State, T)>>);

impl<State, T> Default for Known<State, T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<State: PartialEq, T: Clone> Known<State, T> {
    pub fn get(&self, question: &str, now: &State) -> Option<T> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(question).filter(|(then, _)| then == now).map(|(_, answer)| answer.clone())
    }

    /// `then` is from before the answer was looked for: what has changed meanwhile is looked for again.
    pub fn put(&self, question: String, then: State, answer: T) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(question, (then, answer));
    }
}

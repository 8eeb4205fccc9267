//! What it takes to build a prompt again, byte for byte.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Dialect, Prompt, PromptItem, SystemMessage, calls, max_tokens};
use crate::models::questions::Question;
use crate::models::simulations::Parameters;

/// What one call asked beyond what the run and the persona say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recipe {
    /// The ids of the questions.
    questions: Vec<i64>,
    /// Why the answers before were rejected, by question id.
    rejections: BTreeMap<i64, String>,
    max_tokens: u32,
    dialect: Dialect,
}

impl Recipe {
    pub fn of(items: &[PromptItem<'_>], dialect: Dialect, max_tokens: u32) -> Self {
        let rejection = |item: &PromptItem<'_>| Some((item.question.id, item.rejection.clone()?));
        Self {
            questions: items.iter().map(|item| item.question.id).collect(),
            rejections: items.iter().filter_map(rejection).collect(),
            max_tokens,
            dialect,
        }
    }

    /// Of the first call that asks this question, while all questions are open and the server accepts every part of a
    /// request: of nearly all calls. `None`: the question is not among these.
    pub fn standard(questions: &[Question], question_id: i64, parameters: &Parameters) -> Option<Self> {
        let all: Vec<i64> = questions.iter().map(|question| question.id).collect();
        let calls = calls(questions, &all, parameters.questions_per_call);
        let call = calls.into_iter().find(|call| call.iter().any(|question| question.id == question_id))?;
        // The order of options changes neither ids nor lengths, so any persona does.
        let items: Vec<_> = call.into_iter().map(|question| PromptItem::new(question, parameters, 1)).collect();
        Some(Self::of(&items, Dialect::default(), max_tokens(&items)))
    }

    /// The prompt that the persona with this text got.
    pub fn build(&self, text: &str, persona_id: i32, questions: &[Question], parameters: &Parameters) -> Prompt {
        let of_id = |id: &i64| questions.iter().find(|question| question.id == *id);
        let item = |question| {
            let item = PromptItem::new(question, parameters, persona_id).after_texts_of(questions);
            PromptItem { rejection: self.rejections.get(&question.id).cloned(), ..item }
        };
        let items: Vec<_> = self.questions.iter().filter_map(of_id).map(item).collect();
        Prompt::build(&SystemMessage::new(text), parameters, &items, self.dialect, self.max_tokens)
    }
}

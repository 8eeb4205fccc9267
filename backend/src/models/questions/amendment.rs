//! A payload that changes a question: what it does not speak of is as it was.

use serde_json::{Value, json};

use super::validation::{
    MAX_DESCRIPTION, MAX_VALUE, MIN_DESCRIPTION, MIN_VALUE, OPTIONS, PLACEHOLDER, REQUIRED, SCALE_LABELS,
    SUB_QUESTIONS, TEXT, TYPE,
};
use super::{Question, QuestionPayload};

impl QuestionPayload {
    /// The whole question that the payload makes of `before`. A field that is there speaks, in any spelling and even if
    /// it is `null`.
    pub(super) fn amending(mut self, before: &Question) -> Self {
        let fields: [(&[&'static str], Value); 11] = [
            (TEXT, json!(before.text)),
            (TYPE, json!(before.question_type.name())),
            (REQUIRED, json!(before.required)),
            (OPTIONS, json!(before.options)),
            (SCALE_LABELS, json!(before.scale_labels)),
            (SUB_QUESTIONS, json!(before.sub_questions)),
            (MIN_VALUE, json!(before.min_value)),
            (MAX_VALUE, json!(before.max_value)),
            (MIN_DESCRIPTION, json!(before.min_description)),
            (MAX_DESCRIPTION, json!(before.max_description)),
            (PLACEHOLDER, json!(before.placeholder)),
        ];
        for (spellings, value) in fields {
            if let Some(first) = spellings.first()
                && !spellings.iter().any(|name| self.0.contains_key(*name))
            {
                self.0.insert((*first).to_owned(), value);
            }
        }
        self
    }
}

//! A payload that changes a question: what it does not speak of is as it was.

use std::borrow::Cow;

use serde_json::{Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::validation::{
    MAX_DESCRIPTION, MAX_VALUE, MIN_DESCRIPTION, MIN_VALUE, OPTIONS, PLACEHOLDER, REQUIRED, SCALE_LABELS,
    SUB_QUESTIONS, TEXT, TYPE,
};
use super::{NewQuestion, Question, QuestionPayload};

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

/// Such a payload in the API's document: a [`NewQuestion`] that may leave out any of its fields.
pub struct Amendment;

impl PartialSchema for Amendment {
    fn schema() -> RefOr<Schema> {
        let mut schema = NewQuestion::schema();
        if let RefOr::T(Schema::Object(object)) = &mut schema {
            object.description = Some("What is to be different about a question: what is left out stays.".to_owned());
            object.required.clear();
            for property in object.properties.values_mut() {
                if let RefOr::T(Schema::Object(property)) = property {
                    property.default = None;
                }
            }
        }
        schema
    }
}

impl ToSchema for Amendment {
    fn name() -> Cow<'static, str> {
        "QuestionToChange".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        NewQuestion::schemas(schemas);
    }
}

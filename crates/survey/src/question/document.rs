//! What callers send, for the API's document.

use std::borrow::Cow;

use utoipa::openapi::schema::{AdditionalProperties, Object, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use serde_json::Value;

use super::QuestionType;
use crate::logic::QuestionLogic;

/// What a survey's design reads of a question. Fields with two words are also understood with an underscore.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is used")]
struct Logic {
    /// What files call the options or labels; 1, 2, 3 and so on without it.
    #[schema(example = json!([1, 2]))]
    codes: Option<Vec<i64>>,
    /// Of the options or labels: `"none"`, `"all"`, `"flip"` or `{"subset": 3}`.
    shuffle: Option<Value>,
    /// Options, labels or rows that keep their place, as written.
    pin: Option<Vec<String>>,
    /// Options of a multiple choice, as written, that cannot be chosen beside others.
    #[schema(example = json!(["None of these"]))]
    exclusive: Option<Vec<String>>,
    /// Of the rows, as `shuffle`.
    row_shuffle: Option<Value>,
    /// The condition under which the question is asked.
    #[schema(value_type = Option<std::collections::HashMap<String, Value>>, example = json!({"answer": "fair", "le": 3}))]
    show_if: Option<Value>,
    /// Conditions under which options or rows are shown, by their texts as written.
    #[schema(value_type = Option<std::collections::HashMap<String, Value>>)]
    option_if: Option<Value>,
    /// Makes it an attention check: the answers that pass.
    #[schema(value_type = Option<std::collections::HashMap<String, Value>>, example = json!({"expect": ["Blue"]}))]
    check: Option<Value>,
    /// `nominal`, `ordinal` or `interval`.
    #[schema(example = "ordinal")]
    scale: Option<String>,
    /// The item is reverse-keyed.
    reverse: Option<bool>,
    /// Rows of a matrix that are reverse-keyed, as written. Only diagnostics read it.
    reverse_rows: Option<Vec<String>>,
    /// It looks good to agree. Only diagnostics read it.
    desirable: Option<bool>,
    /// Its text was public before, so that a model may know what people answered. Only diagnostics read it.
    published: Option<bool>,
}

impl PartialSchema for QuestionLogic {
    fn schema() -> RefOr<Schema> {
        Logic::schema()
    }
}

impl ToSchema for QuestionLogic {
    fn name() -> Cow<'static, str> {
        "QuestionLogic".into()
    }
}

/// A question without a place in a survey, as it is sent and as it stands in a survey's file. What its type does not use
/// is empty. Every spelling of a field that the product knows is understood, e.g. `questionType` for `type`; options may
/// also be objects with a `text` or `title`.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its schema is used: a payload is read field by field, for messages that name them")]
#[schema(as = QuestionToSend)]
struct Words {
    /// Not blank.
    #[schema(example = "How do you usually get to work?", min_length = 1, max_length = 10_000, pattern = r"\S")]
    text: String,
    /// What files for statistics programs call it, once in the survey whatever the case; made from the text where it is
    /// missing or blank. Words that these programs or the files keep for themselves are refused.
    #[schema(example = "commute", pattern = r"^\s*([A-Za-z][A-Za-z0-9_.]{0,62})?\s*$")]
    name: Option<String>,
    #[schema(rename = "type")]
    question_type: QuestionType,
    #[schema(example = true, default = true)]
    required: Option<bool>,
    /// Questions that are answered with options: at least two, none blank, none twice.
    #[schema(example = json!(["By bicycle", "On foot"]), max_items = 200)]
    options: Option<Vec<String>>,
    /// Matrix questions: at least two, none blank, none twice.
    #[schema(max_items = 200)]
    scale_labels: Option<Vec<String>>,
    /// Matrix questions: the rows.
    #[schema(max_items = 200)]
    sub_questions: Option<Vec<String>>,
    #[schema(schema_with = number)]
    min_value: Option<f64>,
    #[schema(schema_with = number)]
    max_value: Option<f64>,
    /// Ranges need both.
    min_description: Option<String>,
    max_description: Option<String>,
    placeholder: Option<String>,
    #[schema(schema_with = total)]
    total: Option<f64>,
}

/// Numbers may be sent as text.
fn number() -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Number, Type::String, Type::Null]))
        .description(Some("A number, as such or as a text. Sliders and ranges need both, the one below the other."))
        .pattern(Some(r"^\s*([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)?\s*$"))
        .build()
}

fn total() -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Number, Type::String, Type::Null]))
        .description(Some(
            "Of constant sums: what the numbers add up to, as a number or a text. Above 0; 100 where it is missing.",
        ))
        .pattern(Some(r"^\s*(\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)?\s*$"))
        .build()
}

/// [`Words`] with the fields of [`Logic`].
pub struct QuestionToSend;

impl PartialSchema for QuestionToSend {
    fn schema() -> RefOr<Schema> {
        let mut schema = Words::schema();
        if let (RefOr::T(Schema::Object(words)), RefOr::T(Schema::Object(logic))) = (&mut schema, Logic::schema()) {
            words.properties.extend(logic.properties);
        }
        schema
    }
}

impl ToSchema for QuestionToSend {
    fn name() -> Cow<'static, str> {
        "QuestionToSend".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Words::schemas(schemas);
    }
}

/// A change to a question: a [`QuestionToSend`] that may leave out any of its fields.
pub struct QuestionToChange;

impl PartialSchema for QuestionToChange {
    fn schema() -> RefOr<Schema> {
        let mut schema = QuestionToSend::schema();
        if let RefOr::T(Schema::Object(object)) = &mut schema {
            object.description = Some("What is to be different about a question: what is left out stays.".to_owned());
            object.required.clear();
            for property in object.properties.values_mut() {
                if let RefOr::T(Schema::Object(property)) = property {
                    property.default = None;
                }
            }
            let expected = ObjectBuilder::new()
                .schema_type(SchemaType::from_iter([Type::Object, Type::Null]))
                .additional_properties(Some(AdditionalProperties::FreeForm(true)))
                .description(Some(
                    "These fields as the caller last saw them, or some of them: 409 with the question as it is now where one \
                     is different, unless the change asks for nothing new.",
                ))
                .examples([serde_json::json!({"text": "How do you get to work?"})]);
            object.properties.insert("expected".to_owned(), expected.into());
        }
        schema
    }
}

impl ToSchema for QuestionToChange {
    fn name() -> Cow<'static, str> {
        "QuestionToChange".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        QuestionToSend::schemas(schemas);
    }
}

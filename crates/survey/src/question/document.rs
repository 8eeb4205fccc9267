//! The schemas of the questions that callers send, for the API's document.

use std::borrow::Cow;

use utoipa::openapi::schema::{AdditionalProperties, Object, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::QuestionType;
use crate::logic::QuestionLogic;

/// A question as callers send it and as survey files hold it, without a position. Fields that its type does not use are
/// empty. All known spellings of a field are accepted, e.g. `questionType` for `type`; options may also be objects with
/// a `text` or `title`.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its schema is used: a payload is read field by field, for messages that name them")]
#[schema(as = QuestionToSend)]
struct Words {
    /// The question's text. Must not be blank.
    #[schema(example = "How do you usually get to work?", min_length = 1, max_length = 10_000, pattern = r"\S")]
    text: String,
    /// Name of the variable in files for statistics programs, unique in the survey regardless of case. Made from the
    /// text if missing or blank. Words that these programs or the files reserve are refused.
    #[schema(example = "commute", pattern = r"^\s*([A-Za-z][A-Za-z0-9_.]{0,62})?\s*$")]
    name: Option<String>,
    #[schema(rename = "type")]
    question_type: QuestionType,
    #[schema(example = true, default = true)]
    required: Option<bool>,
    /// Options of a choice: at least two, none blank, no duplicates.
    #[schema(example = json!(["By bicycle", "On foot"]), max_items = 200)]
    options: Option<Vec<String>>,
    /// Labels of a matrix: at least two, none blank, no duplicates.
    #[schema(max_items = 200)]
    scale_labels: Option<Vec<String>>,
    /// Rows of a matrix.
    #[schema(max_items = 200)]
    sub_questions: Option<Vec<String>>,
    #[schema(schema_with = number)]
    min_value: Option<f64>,
    #[schema(schema_with = number)]
    max_value: Option<f64>,
    /// Description of the minimum. Ranges need both descriptions.
    min_description: Option<String>,
    max_description: Option<String>,
    placeholder: Option<String>,
    #[schema(schema_with = total)]
    total: Option<f64>,
}

/// Schema of a number that may be sent as text.
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

/// A question to send: [`Words`] with the fields of [`QuestionLogic`].
pub struct QuestionToSend;

impl PartialSchema for QuestionToSend {
    fn schema() -> RefOr<Schema> {
        let mut schema = Words::schema();
        if let (RefOr::T(Schema::Object(words)), RefOr::T(Schema::Object(logic))) =
            (&mut schema, QuestionLogic::schema())
        {
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

/// A change to a question: a [`QuestionToSend`] in which every field may be left out.
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

//! What callers send, for the API's document.

use std::borrow::Cow;

use utoipa::openapi::schema::{AllOfBuilder, Object, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::QuestionType;

/// A question without a place in a survey, as it is sent and as it stands in a survey's file. What its type does not use
/// is empty. Every spelling of a field that the product knows is understood, e.g. `questionType` for `type`; options may
/// also be objects with a `text` or `title`.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its schema is used: a payload is read field by field, for messages that name them")]
pub struct QuestionToSend {
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
    /// Choice questions: at least two, none blank, none twice.
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
}

/// Numbers may be sent as text.
fn number() -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Number, Type::String, Type::Null]))
        .description(Some("A number, as such or as a text. Sliders and ranges need both, the one below the other."))
        .pattern(Some(r"^\s*([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)?\s*$"))
        .build()
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
            let expected = AllOfBuilder::new().item(Ref::from_schema_name(Self::name())).description(Some(
                "The question as the caller last saw it, or some of its fields: 409 with the question as it is now where one of \
                 them is different, unless the change asks for nothing new.",
            ));
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

//! The options of a comparison as a query, a form and a change send them, and their part of the OpenAPI document.

use actix_multipart::Multipart;
use actix_web::web::Bytes;
use evidence::options::ComparisonOptions;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{Object, ObjectBuilder, Schema, Type};
use utoipa::openapi::{RefOr, Required};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::http::error::{ApiError, Result};
use crate::http::multipart;

/// Bytes that a file may have.
const MAX_BYTES: usize = 50 * 1024 * 1024;

/// A file of people's answers with what is chosen for it.
pub struct PeopleForm {
    pub file: Bytes,
    pub options: ComparisonOptions,
    /// The field `name`, where it is taken.
    pub name: Option<Bytes>,
}

impl PeopleForm {
    /// Reads a form with the options of the query.
    pub async fn read(options: ComparisonOptions, form: Multipart) -> Result<Self> {
        let (file, fields) = multipart::file_and(form, MAX_BYTES, ComparisonOptions::OBJECTS).await?;
        Self::new(file, options, fields, None)
    }

    /// Reads a form that may have the field `name`.
    pub async fn read_named(options: ComparisonOptions, form: Multipart) -> Result<Self> {
        let [matching, recodes, margins, cell_shares, outcomes, arms, scales, formulas] = ComparisonOptions::OBJECTS;
        let names = [matching, recodes, margins, cell_shares, outcomes, arms, scales, formulas, "name"];
        let (file, [matching, recodes, margins, cell_shares, outcomes, arms, scales, formulas, name]) =
            multipart::file_and(form, MAX_BYTES, names).await?;
        Self::new(file, options, [matching, recodes, margins, cell_shares, outcomes, arms, scales, formulas], name)
    }

    fn new(
        file: Bytes,
        mut options: ComparisonOptions,
        fields: [Option<Bytes>; 8],
        name: Option<Bytes>,
    ) -> Result<Self> {
        let mut sent = Map::new();
        for (field, bytes) in ComparisonOptions::OBJECTS.iter().zip(fields) {
            let Some(bytes) = bytes else { continue };
            let value: Value = serde_json::from_slice(&bytes)
                .map_err(|error| ApiError::invalid(format!("{field}: is no JSON: {error}")))?;
            sent.insert((*field).to_owned(), value);
        }
        options.change(sent).map_err(ApiError::Invalid)?;
        Ok(Self { file, options, name })
    }
}

/// The schemas of the options, by name.
fn options() -> Map<String, Value> {
    let schema = serde_json::to_value(ComparisonOptions::schema()).unwrap_or_default();
    let mut options = schema["properties"].as_object().cloned().unwrap_or_default();
    // What is sent may be shorter than what is stored.
    if let Some(matching) = options.get_mut("matching") {
        matching["additionalProperties"] = json!({
            "type": ["string", "array", "null"], "items": { "type": "string" },
            "description": "A column, or a list with one for each option; null: none.",
        });
    }
    if let Some(recodes) = options.get_mut("recodes") {
        recodes["additionalProperties"]["additionalProperties"] = json!({
            "type": ["string", "number", "null"], "description": "An option's label or code, or a number; null: missing.",
        });
    }
    for option in options.values_mut().filter_map(Value::as_object_mut) {
        option.remove("default");
    }
    options
}

/// Lets each of these be null, too.
fn nullable(properties: &mut Map<String, Value>) {
    for option in properties.values_mut() {
        if option["type"].is_string() {
            option["type"] = json!([option["type"], "null"]);
        }
    }
}

fn schema(description: &str, required: &[&str], properties: Map<String, Value>) -> RefOr<Schema> {
    let schema = json!({
        "type": "object", "description": description, "required": required, "properties": properties,
    });
    serde_json::from_value(schema).unwrap_or_else(|_| RefOr::T(Schema::Object(Object::new())))
}

fn upload(more: Value) -> RefOr<Schema> {
    let mut properties = options();
    properties.retain(|name, _| ComparisonOptions::OBJECTS.contains(&name.as_str()));
    nullable(&mut properties);
    properties.insert(
        "file".to_owned(),
        json!({
            "type": "string", "format": "binary",
            "description": "People's answers, one row a person, up to 50 MiB: CSV with one row of names or Qualtrics' three header \
                            rows, an SPSS file (`.sav`) or a Stata file (`.dta`).",
        }),
    );
    properties.extend(more.as_object().cloned().unwrap_or_default());
    schema("A file of people's answers. Objects are sent as JSON.", &["file"], properties)
}

/// The form of a file that is compared.
pub struct PeopleUpload;

impl PartialSchema for PeopleUpload {
    fn schema() -> RefOr<Schema> {
        upload(json!({}))
    }
}

impl ToSchema for PeopleUpload {}

/// The form of a file that is kept.
pub struct SampleUpload;

impl PartialSchema for SampleUpload {
    fn schema() -> RefOr<Schema> {
        upload(json!({ "name": {
            "type": ["string", "null"], "maxLength": 120, "example": "Panel, May 2026",
            "description": "What the sample is called; without it \"People\".",
        }}))
    }
}

impl ToSchema for SampleUpload {}

/// A change of a kept sample. What is left out stays; null or an empty text, list or object removes.
#[derive(Debug, Deserialize)]
pub struct SampleToChange {
    pub name: Option<String>,
    #[serde(flatten)]
    pub options: Map<String, Value>,
}

impl PartialSchema for SampleToChange {
    fn schema() -> RefOr<Schema> {
        let mut properties = options();
        properties
            .insert("name".to_owned(), json!({ "type": "string", "maxLength": 120, "example": "Panel, May 2026" }));
        nullable(&mut properties);
        schema("What is left out stays; null or an empty text, list or object removes.", &[], properties)
    }
}

impl ToSchema for SampleToChange {}

/// The options that a query has.
pub struct OptionsInQuery;

impl IntoParams for OptionsInQuery {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let in_query = options().into_iter().filter(|(name, _)| !ComparisonOptions::OBJECTS.contains(&name.as_str()));
        let parameter = |(name, option): (String, Value)| {
            let is_list = option["type"] == "array";
            let about = option["description"].as_str().unwrap_or_default();
            let about = if is_list { format!("{about} Separated by commas.") } else { about.to_owned() };
            let example = match option["example"].as_array() {
                Some(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",").into(),
                None => option["example"].clone(),
            };
            ParameterBuilder::new()
                .name(name)
                .parameter_in(ParameterIn::Query)
                .required(Required::False)
                .description(Some(about))
                .schema(Some(ObjectBuilder::new().schema_type(Type::String).build()))
                .example(Some(example))
                .build()
        };
        in_query.map(parameter).collect()
    }
}

//! Completes a call's entry in the document by its address: parameters, headers, media types, errors and the token.

use serde_json::{Value, json};
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Required, Response, ResponseBuilder};

use super::topics;
use crate::http::download::media_type;

/// Name of the security scheme of tokens.
pub(super) const BEARER: &str = "session";

/// Adds what follows from the call's address and what all calls have in common. A call with `security(())` is open to
/// everyone. A handler's own entries stay as they are.
pub(super) fn complete(operation: &mut Operation, path: &str) {
    let open = operation.security.is_some();
    // An empty list, not a list of nothing, for which generated clients ask a token.
    operation.security =
        Some(if open { Vec::new() } else { vec![SecurityRequirement::new(BEARER, Vec::<String>::new())] });
    if operation.description.is_none() {
        operation.description.clone_from(&operation.summary);
    }
    operation.tags.iter_mut().flatten().for_each(topics::name);
    add_path_parameters(operation, path);
    operation.parameters.iter_mut().flatten().for_each(without_null);
    add_errors(operation, path, open);
    let paged = is_paged(operation);
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        if status == "200" {
            if paged && is_array(response) {
                add_page_headers(response);
            }
            add_file(response, path);
            if carries_notice(path) {
                add_header(response, "X-Notice", Type::String, "Notice to be shown with the answers");
            }
        }
        if status.starts_with(['4', '5']) && response.content.is_empty() {
            *response = error(&response.description);
        }
    }
}

/// Adds the parameters of the address that the handler does not describe itself.
fn add_path_parameters(operation: &mut Operation, path: &str) {
    let described = operation.parameters.take().unwrap_or_default();
    let is_described = |name: &str| has_parameter(&described, name);
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let missing = names.filter(|name| !is_described(name)).map(path_parameter);
    let all: Vec<RefOr<Parameter>> = missing.map(RefOr::T).chain(described.iter().cloned()).collect();
    operation.parameters = Some(all).filter(|all| !all.is_empty());
}

/// A parameter of an address by its name: most are the `bigint` id of a row.
fn path_parameter(name: &str) -> Parameter {
    let (kind, format, example) = match name {
        "simulationId" => (Type::String, Some(KnownFormat::Uuid), json!("7a6b5c4d-0000-4000-8000-000000000007")),
        "studyId" => (Type::String, Some(KnownFormat::Uuid), json!("5f4e3d2c-0000-4000-8000-000000000005")),
        "sampleId" => (Type::String, Some(KnownFormat::Uuid), json!("8c7d6e5f-0000-4000-8000-000000000008")),
        "planId" => (Type::String, Some(KnownFormat::Uuid), Value::Null),
        "photo" => (Type::String, None, json!("0b5c8c5e-5f0a-4a5e-9d3c-2f1b6a7c8d9e")),
        "token" => (Type::String, None, Value::Null),
        "name" | "server" => (Type::String, None, json!("openai")),
        "personaId" => (Type::Integer, Some(KnownFormat::Int32), Value::Null),
        "setId" => (Type::Integer, Some(KnownFormat::Int32), json!(3)),
        "surveyId" => (Type::Integer, Some(KnownFormat::Int64), json!(12)),
        "questionId" => (Type::Integer, Some(KnownFormat::Int64), json!(31)),
        _ => (Type::Integer, Some(KnownFormat::Int64), Value::Null),
    };
    let schema = ObjectBuilder::new().schema_type(kind).format(format.map(SchemaFormat::KnownFormat)).build();
    let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Path).required(Required::True);
    parameter.schema(Some(schema)).example(Some(example).filter(|example| !example.is_null())).build()
}

/// Adds the errors that calls of this kind can answer with.
fn add_errors(operation: &mut Operation, path: &str, open: bool) {
    let takes_body = operation.request_body.is_some();
    let takes_input = takes_body || operation.parameters.as_ref().is_some_and(|parameters| !parameters.is_empty());
    let errors = [
        ("400", takes_input, "Malformed or against a rule; the message names the field"),
        ("401", !open, "The token is missing or not valid"),
        ("403", !open, "The caller sees it, but may not change it"),
        ("404", path.contains('{'), "It does not exist, or the caller does not see it"),
        ("409", shows_results(path), "The results are hidden until the plan of the study is frozen"),
        ("413", takes_body, "The body is too large"),
        ("415", takes_body, "The body is of another media type"),
        ("500", true, "Error of the server; the message holds an id to report"),
        ("503", true, "The database is away or busy, or the call took too long; Retry-After says when to try again"),
    ];
    for (status, possible, description) in errors {
        if possible {
            operation.responses.responses.entry(status.to_owned()).or_insert_with(|| RefOr::T(error(description)));
        }
    }
}

/// Gives the success of a download the media type of its name, and the header that names the file.
fn add_file(response: &mut Response, path: &str) {
    if let Some(media_type) = media_type(path) {
        response.content = std::mem::take(&mut response.content)
            .into_values()
            .map(|content| (media_type.to_owned(), content))
            .collect();
    }
    for (media_type, content) in &mut response.content {
        if let RefOr::T(content) = content
            && is_binary(media_type)
        {
            content.schema = Some(ObjectBuilder::new().schema_type(Type::String).format(Some(BINARY)).into());
        }
    }
    if media_type(path).is_some() || response.content.contains_key("application/zip") {
        add_header(response, "Content-Disposition", Type::String, "The name of the file");
    }
}

/// Adds a header that the handler does not describe itself.
fn add_header(response: &mut Response, name: &str, kind: Type, about: &str) {
    let schema = ObjectBuilder::new().schema_type(kind).build();
    let header = || RefOr::T(HeaderBuilder::new().schema(Some(schema)).description(Some(about)).build());
    response.headers.entry(name.to_owned()).or_insert_with(header);
}

/// Whether the responses carry the notice about twins' answers.
fn carries_notice(path: &str) -> bool {
    path.starts_with("/surveys/{surveyId}/simulation/{simulationId}/")
        || path.starts_with("/shared/{token}/")
        || path == "/studies/{studyId}/bundle"
}

/// Whether a blind plan hides what the call shows.
fn shows_results(path: &str) -> bool {
    path.starts_with("/surveys/{surveyId}/simulation/{simulationId}/")
        || path.starts_with("/shared/{token}/")
        || path.starts_with("/studies/{studyId}/comparison")
        || matches!(path.strip_prefix("/studies/{studyId}/"), Some("validation" | "calibration" | "people" | "bundle"))
}

const BINARY: SchemaFormat = SchemaFormat::KnownFormat(KnownFormat::Binary);

/// Whether the call takes `limit` and `offset`.
fn is_paged(operation: &Operation) -> bool {
    let parameters = operation.parameters.as_deref().unwrap_or_default();
    has_parameter(parameters, "limit") && has_parameter(parameters, "offset")
}

fn has_parameter(parameters: &[RefOr<Parameter>], name: &str) -> bool {
    parameters.iter().any(|parameter| matches!(parameter, RefOr::T(parameter) if parameter.name == name))
}

fn is_array(response: &Response) -> bool {
    let json = response.content.get("application/json");
    json.is_some_and(|json| matches!(json, RefOr::T(json) if matches!(json.schema, Some(RefOr::T(Schema::Array(_))))))
}

/// Adds the headers of [`Page`](crate::http::page::Page).
fn add_page_headers(response: &mut Response) {
    add_header(response, "X-Total-Count", Type::Integer, "Rows of the whole list");
    let links = "Links to the other pages of the list, by RFC 8288; left out if there are none";
    add_header(response, "Link", Type::String, links);
}

/// Whether a body of this type is bytes, not text.
fn is_binary(media_type: &str) -> bool {
    media_type.starts_with("image/")
        || media_type.starts_with("application/vnd.")
        || matches!(media_type, "application/x-spss-sav" | "application/x-stata-dta")
        || matches!(media_type, "application/octet-stream" | "application/zip")
}

/// A parameter cannot be null, only left out: `?status=null` means the text "null".
fn without_null(parameter: &mut RefOr<Parameter>) {
    if let RefOr::T(parameter) = parameter
        && let Some(RefOr::T(Schema::Object(shape))) = &mut parameter.schema
        && let SchemaType::Array(types) = &mut shape.schema_type
    {
        types.retain(|kind| *kind != Type::Null);
        if let [only] = types.as_slice() {
            shape.schema_type = SchemaType::Type(only.clone());
        }
    }
}

fn error(description: &str) -> Response {
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name("Error"))).build();
    ResponseBuilder::new().description(description).content("application/json", body).build()
}

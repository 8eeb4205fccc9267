//! The OpenAPI document, made from the code, and a page that shows it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use actix_web::http::header::ContentType;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Responder, ResponseError};
use utoipa::OpenApi;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{Operation, Parameter, PathItem};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::tag::{Tag, TagBuilder};
use utoipa::openapi::{Components, ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

use super::error::ErrorBody;
use super::routes::ROUTES;

const BEARER: &str = "session";
const DOCS: &str = include_str!("docs/page.html");
const DOCS_SCRIPT: &str = include_str!("docs/page.js");
const DOCS_STYLE: &str = include_str!("docs/page.css");

/// The head of the document.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Digital Twin Lab",
        description = "Surveys answered by digital twins. Send a personal access token of POST /api/auth/tokens, or the \
                       token of POST /api/auth/verify-login, as a bearer token. Lists answer with an array; the full \
                       count is in X-Total-Count, the other pages are in Link. Errors carry a code beside the message.",
        contact(name = "Digital Twin Lab")
    ),
    servers((url = "/", description = "The server that gave this document")),
    components(schemas(ErrorBody))
)]
struct Frame;

/// What the groups of calls are about, in the order in which a newcomer needs them.
const TAGS: [(&str, &str); 17] = [
    ("Sign-in and account", "Codes by mail, the token, the profile, settings and data of one's own"),
    ("Surveys", "Surveys of one's own and of others in the same groups"),
    ("Questions", "The questions of a survey"),
    ("Simulations", "Runs of a survey over digital twins: start, control, facts"),
    ("Simulations of a survey", "The same for the latest run of a survey"),
    (
        "Studies",
        "Runs of a survey that belong together: other arms, texts, models, repeats or orders for the same twins",
    ),
    ("Human samples", "People's answers that are kept for a survey, to set every run beside"),
    ("Plans", "What a researcher commits to before looking at answers, and what was done otherwise"),
    ("Validation", "Twins against what the people behind them answered twice, and no twin is told"),
    ("Answers", "What the twins of a run answered: lists, files, figures"),
    ("Planner", "How many people, and how many twins, a question takes"),
    ("Shared results", "What a read-only link shows, without an account"),
    ("Personas", "The digital twins that runs ask"),
    ("Groups", "Groups, their members and budgets"),
    ("Transactions", "The ledger of credits"),
    ("Access requests", "Requests to become an administrator"),
    ("Queue", "What waits, and who works on it"),
];

/// The document of the whole API.
pub fn document() -> utoipa::openapi::OpenApi {
    let mut whole = Frame::openapi();
    for routes in ROUTES {
        let mut part = (routes.document)();
        let paths = std::mem::take(&mut part.paths.paths);
        part.paths.paths = paths
            .into_iter()
            .map(|(path, mut item)| {
                operations(&mut item).for_each(|operation| complete(operation, &path));
                (format!("/api{path}"), item)
            })
            .collect();
        whole.merge(part);
    }
    let session = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT, or a personal access token that starts with twl_")
        .build();
    whole.components.get_or_insert_with(Components::new).add_security_scheme(BEARER, SecurityScheme::Http(session));
    whole.tags = Some(tags(&mut whole));
    whole
}

/// The tags that calls have: first the known ones, with what they are about.
fn tags(whole: &mut utoipa::openapi::OpenApi) -> Vec<Tag> {
    let calls = whole.paths.paths.values_mut().flat_map(operations);
    let used: BTreeSet<String> = calls.flat_map(|call| call.tags.iter().flatten().cloned()).collect();
    let known = TAGS.into_iter().filter(|(name, _)| used.contains(*name));
    let known = known.map(|(name, about)| TagBuilder::new().name(name).description(Some(about)).build());
    let others = used.iter().filter(|name| TAGS.iter().all(|(known, _)| known != name));
    known.chain(others.map(Tag::new)).collect()
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    [get, put, post, delete, patch].into_iter().flatten()
}

/// Adds what calls have in common: the token, and the errors that each kind can answer with. A call that says
/// `security(())` is open to everyone.
fn complete(operation: &mut Operation, path: &str) {
    let open = operation.security.is_some();
    // An empty list, not a list of nothing, for which generated clients ask a token.
    operation.security =
        Some(if open { Vec::new() } else { vec![SecurityRequirement::new(BEARER, Vec::<String>::new())] });
    if operation.description.is_none() {
        operation.description.clone_from(&operation.summary);
    }
    operation.parameters.iter_mut().flatten().for_each(without_null);
    let takes_body = operation.request_body.is_some();
    let takes_input = takes_body || operation.parameters.as_ref().is_some_and(|parameters| !parameters.is_empty());
    let errors = [
        ("400", takes_input, "Malformed or against a rule; the message names the field"),
        ("401", !open, "No token, or none that holds"),
        ("403", !open, "Seen, but not the caller's to change"),
        ("404", path.contains('{'), "Does not exist, or is not the caller's to see"),
        ("409", shows_results(path), "The results are hidden until the plan of the study is frozen"),
        ("413", takes_body, "The body is too large"),
        ("415", takes_body, "The body is of another media type"),
        ("500", true, "An error of the server; the message holds an id to report"),
        ("503", true, "The database is away or busy, or this took too long; Retry-After says when to try again"),
    ];
    for (status, possible, description) in errors {
        if possible {
            operation.responses.responses.entry(status.to_owned()).or_insert_with(|| RefOr::T(error(description)));
        }
    }
    let paged = is_paged(operation);
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response {
            if paged && status == "200" && is_array(response) {
                document_pages(response);
            }
            for (kind, content) in &mut response.content {
                if let RefOr::T(content) = content
                    && is_binary(kind)
                {
                    let bytes = ObjectBuilder::new().schema_type(Type::String).format(Some(BINARY));
                    content.schema = Some(bytes.into());
                }
            }
        }
        if let RefOr::T(response) = response
            && status.starts_with(['4', '5'])
            && response.content.is_empty()
        {
            *response = error(&response.description);
        }
    }
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
    let has = |name: &str| {
        let mut parameters = operation.parameters.iter().flatten();
        parameters.any(|parameter| matches!(parameter, RefOr::T(parameter) if parameter.name == name))
    };
    has("limit") && has("offset")
}

fn is_array(response: &Response) -> bool {
    let json = response.content.get("application/json");
    json.is_some_and(|json| matches!(json, RefOr::T(json) if matches!(json.schema, Some(RefOr::T(Schema::Array(_))))))
}

/// The headers of [`Page`](super::page::Page), where the call does not describe them itself.
fn document_pages(response: &mut Response) {
    let header = |kind, about: &str| {
        let schema = ObjectBuilder::new().schema_type(kind).build();
        RefOr::T(HeaderBuilder::new().schema(Some(schema)).description(Some(about)).build())
    };
    let total = || header(Type::Integer, "Rows of the whole list");
    let links = || header(Type::String, "The other pages of the list, by RFC 8288; missing where there are none");
    response.headers.entry("X-Total-Count".to_owned()).or_insert_with(total);
    response.headers.entry("Link".to_owned()).or_insert_with(links);
}

/// Bytes are no list of numbers.
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

pub fn configure(routes: &mut ServiceConfig) {
    routes
        .route("/openapi.json", web::get().to(show_document))
        .route("/docs", web::get().to(|| page("text/html; charset=utf-8", DOCS)))
        .route("/docs/page.js", web::get().to(|| page("text/javascript; charset=utf-8", DOCS_SCRIPT)))
        .route("/docs/page.css", web::get().to(|| page("text/css; charset=utf-8", DOCS_STYLE)));
}

async fn show_document() -> impl Responder {
    static DOCUMENT: LazyLock<serde_json::Result<String>> = LazyLock::new(|| document().to_json());
    match &*DOCUMENT {
        Ok(text) => HttpResponse::Ok().content_type(ContentType::json()).body(text.as_str()),
        Err(reason) => super::ApiError::internal(reason).error_response(),
    }
}

async fn page(kind: &'static str, text: &'static str) -> impl Responder {
    HttpResponse::Ok().content_type(kind).body(text)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::Value;

    use super::*;

    #[test]
    fn no_two_shapes_share_a_name() {
        let mut known: HashMap<String, Value> = HashMap::new();
        for routes in ROUTES {
            let part = serde_json::to_value((routes.document)()).expect("it is JSON");
            let shapes = part["components"]["schemas"].as_object().cloned().unwrap_or_default();
            for (name, shape) in shapes {
                let first = known.entry(name.clone()).or_insert_with(|| shape.clone());
                assert_eq!(*first, shape, "two shapes are called {name}: one of them needs #[schema(as = ..)]");
            }
        }
    }

    /// `inline` beside a default or a description makes a schema that is a string and an object at once.
    #[test]
    fn no_shape_contradicts_itself() {
        fn contradictions(value: &Value, path: &str, found: &mut Vec<String>) {
            match value {
                Value::Object(fields) => {
                    let all = fields.get("allOf").and_then(Value::as_array).into_iter().flatten();
                    if all.filter(|part| part["type"] == "object" && part["properties"].is_null()).count() > 0 {
                        found.push(path.to_owned());
                    }
                    fields.iter().for_each(|(name, field)| contradictions(field, &format!("{path}/{name}"), found));
                }
                Value::Array(items) => items.iter().for_each(|item| contradictions(item, path, found)),
                _ => {}
            }
        }
        let mut found = Vec::new();
        contradictions(&serde_json::to_value(document()).expect("it is JSON"), "", &mut found);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

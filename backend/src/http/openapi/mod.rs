//! The OpenAPI document, made from the code, and a page that shows it.

mod operation;
mod topics;

use std::sync::LazyLock;

use actix_web::http::header::ContentType;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Responder, ResponseError};
use utoipa::OpenApi;
use utoipa::openapi::Components;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};

use self::operation::BEARER;
use super::download::FileCall;
use super::error::ErrorBody;
use super::routes::{Line, ROUTES};

const DOCS: &str = include_str!("../docs/page.html");
const DOCS_SCRIPT: &str = include_str!("../docs/page.js");
const DOCS_STYLE: &str = include_str!("../docs/page.css");

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

/// The document of the whole API.
pub fn document() -> utoipa::openapi::OpenApi {
    let mut whole = Frame::openapi();
    for line in ROUTES.iter().flat_map(|routes| routes.lines) {
        let mut part = (line.document)();
        let items = std::mem::take(&mut part.paths.paths).into_values();
        let item = items.reduce(|mut all, item| {
            all.merge_operations(item);
            all
        });
        part.paths.paths = item.into_iter().flat_map(|item| calls(line, item)).collect();
        whole.merge(part);
    }
    let session = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT, or a personal access token that starts with twl_")
        .build();
    whole.components.get_or_insert_with(Components::new).add_security_scheme(BEARER, SecurityScheme::Http(session));
    whole.tags = Some(topics::tags(&whole));
    whole
}

/// The calls of a line of the table by their addresses: one address, or one for each of the line's files.
fn calls(line: &Line, item: PathItem) -> Vec<(String, PathItem)> {
    let complete = |path: &str, mut item: PathItem| {
        operations(&mut item).for_each(|operation| operation::complete(operation, path));
        (format!("/api{path}"), item)
    };
    if line.files.is_empty() {
        return vec![complete(line.path, item)];
    }
    let of_file = |file: &FileCall| {
        let mut item = item.clone();
        operations(&mut item).for_each(|operation| file.describe(operation));
        complete(&line.path.replace("{file}", file.name), item)
    };
    line.files.iter().copied().flatten().map(of_file).collect()
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    [get, put, post, delete, patch].into_iter().flatten()
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
        for line in ROUTES.iter().flat_map(|routes| routes.lines) {
            let part = serde_json::to_value((line.document)()).expect("it is JSON");
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

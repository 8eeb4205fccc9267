//! The HTTP interface: the table of routes, the middlewares, and a folder or file for each resource.
//!
//! A handler describes its call by `#[utoipa::path]`: query, bodies and errors of its own. The table in `routes.rs` makes
//! the routes under `/api` and the OpenAPI document from the same line; `openapi` adds what follows from the address. A
//! handler that takes a [`Caller`](crate::auth::rules::Caller) needs a valid token.

use actix_cors::Cors;
use actix_web::body::MessageBody;
use actix_web::dev::{HttpServiceFactory, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::middleware::{Compress, Condition, from_fn};
use actix_web::web::{self, Data};
use actix_web::{App as Web, Error};

use crate::app::App;

mod authenticate;
mod deadline;
mod download;
mod error;
mod extract;
mod idempotency;
mod int_or_string;
mod multipart;
mod names;
mod openapi;
mod page;
mod pages;
mod probes;
mod rate_limit;
mod refusals;
mod request_id;
mod routes;
mod security_headers;

pub mod access_requests;
pub mod answers;
pub mod auth;
pub mod groups;
pub mod human_samples;
pub mod model_servers;
pub mod personas;
pub mod planner;
pub mod plans;
pub mod shared;
pub mod simulations;
pub mod studies;
pub mod surveys;
pub mod transactions;
pub mod validation;

pub use error::{ApiError, ErrorBody};
pub use openapi::document;
pub use probes::configure as probes;

/// The whole product, as the server runs it: pages, probes and the API.
pub fn web(
    app: Data<App>,
) -> Web<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody>,
        Error = Error,
        InitError = (),
    >,
> {
    Web::new()
        .wrap(from_fn(security_headers::add))
        .wrap(from_fn(request_id::add))
        .configure(extract::configure)
        .configure(probes::configure)
        .service(api(&app.config.cors_origins))
        .configure(pages::configure)
        .app_data(app)
}

fn api(cors_origins: &[String]) -> impl HttpServiceFactory + use<> {
    let api = web::scope("/api").configure(openapi::configure);
    let api = routes::ROUTES.iter().fold(api, |api, routes| api.service((routes.scope)()));
    api.default_service(web::to(routes::unknown_call))
        .wrap(from_fn(authenticate::authenticate))
        .wrap(from_fn(deadline::keep))
        .wrap(Compress::default())
        .wrap(Condition::new(!cors_origins.is_empty(), cors(cors_origins)))
}

/// Pages of the named origins may call the API. Tokens travel in a header, so credentials are not allowed.
fn cors(origins: &[String]) -> Cors {
    let cors = Cors::default()
        .allowed_methods(["GET", "POST", "PUT", "PATCH", "DELETE"])
        .allowed_headers(["authorization", "content-type", "idempotency-key"])
        .expose_headers([
            "x-total-count",
            "x-notice",
            "x-request-id",
            "content-disposition",
            "retry-after",
            "link",
            "ratelimit-limit",
            "ratelimit-remaining",
            "ratelimit-reset",
        ])
        .max_age(600);
    origins.iter().fold(cors, |cors, origin| cors.allowed_origin(origin))
}

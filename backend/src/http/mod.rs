//! What callers see: the table of routes, a file per resource.
//!
//! A resource file declares its handlers with actix's `#[get("/groups")]` under utoipa's `#[utoipa::path]`, and lists
//! them once, with `resource!`; [`RESOURCES`] names the resource. From these two come the routes under `/api` and the
//! OpenAPI document.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::guard::{GuardContext, fn_guard};
use actix_web::middleware::from_fn;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{App as Web, Error};

use crate::app::App;

mod calls;
mod compression;
mod cors;
mod error;
mod extract;
mod idempotency;
mod no_such_call;
mod openapi;
mod page;
mod pages;
mod probes;
mod refusals;
mod request_id;
mod security;
mod whole;

pub use error::{ApiError, ErrorBody};
pub use idempotency::IdempotencyKey;
pub use openapi::document;
pub use page::Written;

/// One file of routes.
pub struct Resource {
    /// The heading of its calls in the document.
    tag: &'static str,
    configure: fn(&mut ServiceConfig),
    document: fn() -> utoipa::openapi::OpenApi,
}

/// Lists the handlers of a resource file, under the heading of the document: `resource!("Groups": list, create);`
macro_rules! resource {
    ($tag:literal: $($handler:ident),+ $(,)?) => {
        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($handler),+))]
        struct Document;

        pub const RESOURCE: $crate::http::Resource = $crate::http::Resource {
            tag: $tag,
            configure: |routes| {
                $(routes.service($handler);)+
            },
            document: <Document as utoipa::OpenApi>::openapi,
        };
    };
}
pub mod access_requests;
pub mod answers;
pub mod auth;
pub mod groups;
pub mod personas;
pub mod simulations;
pub mod surveys;
pub mod transactions;

/// Every resource, in the order of the document.
const RESOURCES: &[Resource] = &[
    auth::sign_in::RESOURCE,
    auth::profile::RESOURCE,
    auth::photo::RESOURCE,
    auth::settings::RESOURCE,
    auth::account::RESOURCE,
    access_requests::RESOURCE,
    surveys::list::RESOURCE,
    surveys::survey::RESOURCE,
    surveys::files::RESOURCE,
    surveys::questions::RESOURCE,
    surveys::runs::RESOURCE,
    simulations::list::RESOURCE,
    simulations::start::RESOURCE,
    simulations::control::RESOURCE,
    simulations::progress::RESOURCE,
    simulations::of_survey::RESOURCE,
    simulations::events::RESOURCE,
    simulations::queue::RESOURCE,
    answers::lists::RESOURCE,
    answers::export::RESOURCE,
    answers::summary::RESOURCE,
    groups::budgets::RESOURCE,
    groups::members::RESOURCE,
    groups::money::RESOURCE,
    groups::RESOURCE,
    transactions::lists::RESOURCE,
    transactions::sums::RESOURCE,
    transactions::grants::RESOURCE,
    transactions::RESOURCE,
    personas::lists::RESOURCE,
    personas::import::RESOURCE,
    personas::edits::RESOURCE,
];

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
        .wrap(from_fn(cors::admit))
        .wrap(from_fn(security::harden))
        .wrap(from_fn(request_id::identify))
        .configure(extract::configure)
        .app_data(app)
        .configure(table)
}

/// The number of the resource that takes the call, looked up once for the guards of all.
fn taker(call: &GuardContext<'_>) -> Option<usize> {
    #[derive(Clone, Copy)]
    struct Taker(Option<usize>);

    let known = call.req_data().get::<Taker>().copied();
    let Taker(number) = known.unwrap_or_else(|| {
        let taker = Taker(calls::taker(call.head()));
        call.req_data_mut().insert(taker);
        taker
    });
    number
}

fn table(routes: &mut ServiceConfig) {
    routes.configure(probes::configure);
    for (number, resource) in RESOURCES.iter().enumerate() {
        let takes = fn_guard(move |call| taker(call) == Some(number));
        let calls = web::scope("/api").guard(takes).wrap(from_fn(compression::compress));
        routes.service(calls.configure(resource.configure));
    }
    let others = web::scope("/api").wrap(from_fn(compression::compress)).configure(openapi::configure);
    let others = others.default_service(web::to(no_such_call::answer));
    routes.service(others).configure(pages::configure);
}

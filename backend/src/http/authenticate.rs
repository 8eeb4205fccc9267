//! Finds the caller by the token, before any body is read.

use std::future::{Ready, ready};

use actix_web::body::MessageBody;
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, FromRequest, HttpMessage, HttpRequest};

use super::error::{ApiError, Result};
use crate::app::App;
use crate::auth::access_token;
use crate::auth::rules::{Caller, Scope};
use crate::db;

/// Puts the caller, or why there is none, into the request's extensions. Calls that are open to everyone ignore it.
pub async fn authenticate(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let caller = find_caller(&request).await;
    request.extensions_mut().insert(caller);
    next.call(request).await
}

async fn find_caller(request: &ServiceRequest) -> Result<Caller> {
    let app = request.app_data::<Data<App>>().ok_or_else(|| ApiError::internal("the app is missing"))?;
    let bearer = bearer(request.headers()).ok_or(ApiError::SignedOut)?;
    if access_token::is_one(bearer) {
        let mut conn = db::checkout(&app.pool).await?;
        let caller = Caller::of_token(&mut conn, bearer).await?.ok_or(ApiError::SignedOut)?;
        caller.must_have_scope(scope_of(request.method(), request.path()))?;
        return Ok(caller);
    }
    let claims = app.sessions.check(bearer).ok_or(ApiError::SignedOut)?;
    let mut conn = db::checkout(&app.pool).await?;
    Caller::of_session(&mut conn, &claims).await?.ok_or(ApiError::SignedOut)
}

/// Paths below which the scope `run` suffices for changes: a validation is a run, and a plan only computes.
const RUNS: [&str; 7] = [
    "/api/surveys",
    "/api/simulations",
    "/api/studies",
    "/api/human-samples",
    "/api/personas/sets",
    "/api/plan",
    "/api/plans",
];

/// The scope that a call takes. Every token may end itself.
fn scope_of(method: &Method, path: &str) -> Scope {
    let is_under = |part: &str| path.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if *method == Method::GET || *method == Method::HEAD || path == "/api/auth/logout" {
        Scope::Read
    } else if RUNS.into_iter().any(is_under) {
        Scope::Run
    } else {
        Scope::Manage
    }
}

/// The token that a request carries.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The first argument of a handler: the first error of an extractor is the response, and 401 comes before 400.
impl FromRequest for Caller {
    type Error = ApiError;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(request.extensions_mut().remove::<Result<Self>>().unwrap_or(Err(ApiError::SignedOut)))
    }
}

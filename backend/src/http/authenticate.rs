//! Finds the caller by the token, before any body is read.

use std::future::{Ready, ready};

use actix_web::body::MessageBody;
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::header::AUTHORIZATION;
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, FromRequest, HttpMessage, HttpRequest};

use super::error::{ApiError, Result};
use crate::app::App;
use crate::auth::rules::Caller;
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
    let claims = bearer(request).and_then(|token| app.sessions.check(token)).ok_or(ApiError::SignedOut)?;
    let user_id = claims.user_id().ok_or(ApiError::SignedOut)?;
    let mut conn = db::checkout(&app.pool).await?;
    Caller::find(&mut conn, user_id, claims.ver).await?.ok_or(ApiError::SignedOut)
}

fn bearer(request: &ServiceRequest) -> Option<&str> {
    let (scheme, token) = request.headers().get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// To be a handler's first argument: the first error of an extractor is the response, and 401 comes before 400.
impl FromRequest for Caller {
    type Error = ApiError;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(request.extensions_mut().remove::<Result<Self>>().unwrap_or(Err(ApiError::SignedOut)))
    }
}

//! Pages of other origins: browsers let none of them call the API unless `CORS_ORIGINS` names it.
//!
//! Tokens travel in a header, never in a cookie, so credentials are not allowed.

use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HeaderValue, ORIGIN, VARY,
};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpResponse};

use crate::app::App;

const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE");
const SENT: HeaderValue = HeaderValue::from_static("authorization, content-type, idempotency-key");
const READ: HeaderValue =
    HeaderValue::from_static("x-total-count, x-notice, x-request-id, content-disposition, retry-after");
const TEN_MINUTES: HeaderValue = HeaderValue::from_static("600");

/// Answers a named origin's preflight, and tells browsers which of them may read the answer.
pub async fn admit<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, Error> {
    let configured = request.app_data::<Data<App>>().is_some_and(|app| !app.config.cors_origins.is_empty());
    if !configured || !request.path().starts_with("/api/") {
        return Ok(next.call(request).await?.map_into_left_body());
    }
    let origin = named_origin(&request);
    let asks = request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    let mut answer = match &origin {
        Some(_) if asks => {
            let mut allowed = HttpResponse::NoContent();
            allowed.insert_header((ACCESS_CONTROL_ALLOW_METHODS, METHODS));
            allowed.insert_header((ACCESS_CONTROL_ALLOW_HEADERS, SENT));
            allowed.insert_header((ACCESS_CONTROL_MAX_AGE, TEN_MINUTES));
            request.into_response(allowed.finish()).map_into_right_body()
        }
        _ => next.call(request).await?.map_into_left_body(),
    };
    // Also without an origin: a cache must not give one origin's answer to another.
    answer.headers_mut().append(VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        answer.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        answer.headers_mut().insert(ACCESS_CONTROL_EXPOSE_HEADERS, READ);
    }
    Ok(answer)
}

/// The request's origin, if the configuration names it.
fn named_origin(request: &ServiceRequest) -> Option<HeaderValue> {
    let origin = request.headers().get(ORIGIN)?;
    let app = request.app_data::<Data<App>>()?;
    app.config.cors_origins.iter().any(|named| named.as_bytes() == origin.as_bytes()).then(|| origin.clone())
}

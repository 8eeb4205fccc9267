//! What calls get that no route takes: 405 where the path has other methods, 404 elsewhere.

use actix_web::{HttpRequest, HttpResponse, ResponseError};

use super::calls::methods;
use super::error::ApiError;

pub async fn answer(request: HttpRequest) -> HttpResponse {
    match methods(request.path()) {
        methods if methods.is_empty() => ApiError::not_found("Call").error_response(),
        methods => ApiError::WrongMethod(methods.join(", ")).error_response(),
    }
}

/// For a call whose path a route took by mistake, as `DELETE /surveys/my` is none of the survey `my`: the path has no
/// such method. `None`: it has.
pub fn wrong_method(request: &HttpRequest) -> Option<ApiError> {
    let methods = methods(request.path());
    (!methods.contains(&request.method().as_str())).then(|| ApiError::WrongMethod(methods.join(", ")))
}

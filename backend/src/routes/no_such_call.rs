//! What calls get that no route takes: 405 where the path has other methods, 404 elsewhere.

use std::sync::LazyLock;

use actix_web::http::header::{ALLOW, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, ResponseError};

use super::error::ApiError;
use super::openapi;

/// The paths of the document in their segments, with the methods of each.
static PATHS: LazyLock<Vec<(Vec<String>, Vec<&'static str>)>> = LazyLock::new(|| {
    let mut document = openapi::document();
    let paths = document.paths.paths.iter_mut();
    paths.map(|(path, item)| (segments(path), openapi::operations(item).map(|(method, _)| method).collect())).collect()
});

fn segments(path: &str) -> Vec<String> {
    path.split('/').map(str::to_owned).collect()
}

pub async fn answer(request: HttpRequest) -> HttpResponse {
    let allowed = methods(request.path());
    if allowed.is_empty() {
        return ApiError::not_found("Call").error_response();
    }
    let allowed = allowed.join(", ").to_uppercase();
    let mut answer = ApiError::WrongMethod(format!("The call takes {allowed}")).error_response();
    if let Ok(value) = HeaderValue::from_str(&allowed) {
        answer.headers_mut().insert(ALLOW, value);
    }
    answer
}

/// In lower case; none for a path that is not in the document.
fn methods(path: &str) -> Vec<&'static str> {
    let asked = segments(path);
    let fits = |pattern: &[String]| {
        pattern.len() == asked.len()
            && pattern.iter().zip(&asked).all(|(pattern, part)| pattern.starts_with('{') || pattern == part)
    };
    let mut methods: Vec<_> =
        PATHS.iter().filter(|(pattern, _)| fits(pattern)).flat_map(|(_, methods)| methods.iter().copied()).collect();
    methods.sort_unstable();
    methods.dedup();
    methods
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_methods_of_a_path_are_those_of_the_document() {
        assert_eq!(methods("/api/auth/profile"), ["get", "put"]);
        assert_eq!(methods("/api/auth/photo/17"), ["get"]);
        assert_eq!(methods("/api/auth"), Vec::<&str>::new());
    }
}

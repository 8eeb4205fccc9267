//! What calls get that no route takes: 405 where the path has other methods, 404 elsewhere.

use std::sync::LazyLock;

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
    match methods(request.path()) {
        methods if methods.is_empty() => ApiError::not_found("Call").error_response(),
        methods => ApiError::WrongMethod(spelled(&methods)).error_response(),
    }
}

/// For a call whose path a route took by mistake, as `DELETE /surveys/my` is none of the survey `my`: the path has no
/// such method. `None`: it has.
pub fn wrong_method(request: &HttpRequest) -> Option<ApiError> {
    let methods = methods(request.path());
    let asked = request.method().as_str().to_ascii_lowercase();
    (!methods.contains(&asked.as_str())).then(|| ApiError::WrongMethod(spelled(&methods)))
}

fn spelled(methods: &[&str]) -> String {
    methods.join(", ").to_uppercase()
}

/// In lower case; none for a path that is not in the document. Of the patterns that the path fits, those count that
/// leave the least open.
fn methods(path: &str) -> Vec<&'static str> {
    let asked = segments(path);
    let fits = |pattern: &[String]| {
        pattern.len() == asked.len()
            && pattern.iter().zip(&asked).all(|(pattern, part)| pattern.starts_with('{') || pattern == part)
    };
    let open = |pattern: &[String]| pattern.iter().filter(|part| part.starts_with('{')).count();
    let fitting = || PATHS.iter().filter(|(pattern, _)| fits(pattern));
    let least = fitting().map(|(pattern, _)| open(pattern)).min();
    let mut methods: Vec<_> = fitting()
        .filter(|(pattern, _)| Some(open(pattern)) == least)
        .flat_map(|(_, methods)| methods.iter().copied())
        .collect();
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
        assert_eq!(methods("/api/surveys/my"), ["get"]);
        assert_eq!(methods("/api/surveys/17"), ["delete", "get", "patch"]);
    }
}

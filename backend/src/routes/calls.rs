//! The calls of the API, as its document has them: which resource takes one, and which methods a path has.

use std::sync::LazyLock;

use actix_web::dev::{RequestHead, Url};

use super::{RESOURCES, openapi};

/// A call of the document.
struct Call {
    /// In upper case.
    method: &'static str,
    /// The path in its segments, those in braces open.
    segments: Vec<String>,
}

/// The calls of each resource, in the order of [`RESOURCES`].
static CALLS: LazyLock<Vec<Vec<Call>>> = LazyLock::new(|| {
    let of_path = |(path, mut item): (String, _)| {
        let segments: Vec<String> = format!("/api{path}").split('/').map(str::to_owned).collect();
        let methods: Vec<_> = openapi::operations(&mut item).map(|(method, _)| method).collect();
        methods.into_iter().map(move |method| Call { method, segments: segments.clone() })
    };
    let of_resource =
        |resource: &super::Resource| (resource.document)().paths.paths.into_iter().flat_map(of_path).collect();
    RESOURCES.iter().map(of_resource).collect()
});

impl Call {
    fn fits(&self, path: &str) -> bool {
        let mut asked = path.split('/');
        let fit = self.segments.iter().all(|segment| {
            asked.next().is_some_and(|part| if is_open(segment) { !part.is_empty() } else { segment == part })
        });
        fit && asked.next().is_none()
    }

    /// Segments that may be anything.
    fn open(&self) -> usize {
        self.segments.iter().filter(|segment| is_open(segment)).count()
    }
}

fn is_open(segment: &str) -> bool {
    segment.starts_with('{')
}

/// Whether the resource of this number takes the call. Asked before actix tries the patterns of its handlers one by one,
/// since each of these is a regular expression.
pub fn takes(resource: usize, call: &RequestHead) -> bool {
    let method = call.method.as_str();
    let fit = |path: &str| CALLS[resource].iter().any(|call| call.fits(path) && call.method == method);
    match call.uri.path() {
        // As actix reads it: `%6Dy` is `my`.
        path if path.contains('%') => fit(Url::new(call.uri.clone()).path()),
        path => fit(path),
    }
}

/// The methods of a path, in upper case; none for a path that is not in the document. Of the patterns that the path fits,
/// those count that leave the least open.
pub fn methods(path: &str) -> Vec<&'static str> {
    let fitting: Vec<&Call> = CALLS.iter().flatten().filter(|call| call.fits(path)).collect();
    let least = fitting.iter().map(|call| call.open()).min();
    let mut methods: Vec<_> =
        fitting.iter().filter(|call| Some(call.open()) == least).map(|call| call.method).collect();
    methods.sort_unstable();
    methods.dedup();
    methods
}

#[cfg(test)]
mod tests {
    use actix_web::http::Method;

    use super::*;

    #[test]
    fn the_methods_of_a_path_are_those_of_the_document() {
        assert_eq!(methods("/api/auth/profile"), ["GET", "PUT"]);
        assert_eq!(methods("/api/auth/photo/17"), ["GET"]);
        assert_eq!(methods("/api/auth"), Vec::<&str>::new());
        assert_eq!(methods("/api/surveys/my"), ["GET"]);
        assert_eq!(methods("/api/surveys/17"), ["DELETE", "GET", "PATCH"]);
        assert_eq!(methods("/api/surveys/"), Vec::<&str>::new());
    }

    #[test]
    fn every_call_has_a_resource_and_an_escaped_path_the_same_as_a_plain_one() {
        let taker = |method: Method, path: &str| {
            let mut head = RequestHead::default();
            (head.method, head.uri) = (method, path.parse().expect("a path"));
            (0..RESOURCES.len()).find(|&resource| takes(resource, &head))
        };
        let list = taker(Method::GET, "/api/surveys/my");
        assert!(list.is_some());
        assert_eq!(taker(Method::GET, "/api/surveys/%6Dy"), list);
        assert_eq!(taker(Method::POST, "/api/surveys/my"), None);
        assert_eq!(taker(Method::GET, "/api/surveys/my/"), None);
        assert_ne!(taker(Method::GET, "/api/surveys/17"), list);
    }
}

//! The calls of the API, as its document has them: which resource takes one, and which methods a path has.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use actix_web::dev::{RequestHead, Url};

use super::{RESOURCES, openapi};

/// A call of the document.
struct Call {
    /// In upper case.
    method: &'static str,
    /// The path in its segments, those in braces open.
    segments: Vec<String>,
    /// The number of its resource in [`RESOURCES`].
    resource: usize,
}

/// The calls by the number of their segments, in the order of [`RESOURCES`].
static CALLS: LazyLock<BTreeMap<usize, Vec<Call>>> = LazyLock::new(|| {
    let mut calls: BTreeMap<usize, Vec<Call>> = BTreeMap::new();
    for (resource, document) in RESOURCES.iter().map(|resource| (resource.document)()).enumerate() {
        for (path, mut item) in document.paths.paths {
            let segments: Vec<String> = format!("/api{path}").split('/').map(str::to_owned).collect();
            for (method, _) in openapi::operations(&mut item) {
                let call = Call { method, segments: segments.clone(), resource };
                calls.entry(segments.len()).or_default().push(call);
            }
        }
    }
    calls
});

/// The calls that a path fits.
fn fitting<'a>(path: &'a str) -> impl Iterator<Item = &'static Call> + 'a {
    CALLS.get(&path.split('/').count()).into_iter().flatten().filter(move |call| call.fits(path))
}

impl Call {
    /// A path of as many segments.
    fn fits(&self, path: &str) -> bool {
        // From the end, since all begin alike.
        let mut parts = self.segments.iter().rev().zip(path.rsplit('/'));
        parts.all(|(segment, part)| if is_open(segment) { !part.is_empty() } else { segment == part })
    }

    /// Segments that may be anything.
    fn open(&self) -> usize {
        self.segments.iter().filter(|segment| is_open(segment)).count()
    }
}

fn is_open(segment: &str) -> bool {
    segment.starts_with('{')
}

/// The number of the resource that takes the call. Asked before actix tries the patterns of handlers one by one, since each
/// of these is a regular expression.
pub fn taker(call: &RequestHead) -> Option<usize> {
    let method = call.method.as_str();
    let find = |path: &str| fitting(path).find(|call| call.method == method).map(|call| call.resource);
    match call.uri.path() {
        // As actix reads it: `%6Dy` is `my`.
        path if path.contains('%') => find(Url::new(call.uri.clone()).path()),
        path => find(path),
    }
}

/// The methods of a path, in upper case; none for a path that is not in the document. Of the patterns that the path fits,
/// those count that leave the least open.
pub fn methods(path: &str) -> Vec<&'static str> {
    let fitting: Vec<&Call> = fitting(path).collect();
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
        let taker_of = |method: Method, path: &str| {
            let mut head = RequestHead::default();
            (head.method, head.uri) = (method, path.parse().expect("a path"));
            taker(&head)
        };
        let list = taker_of(Method::GET, "/api/surveys/my");
        assert!(list.is_some());
        assert_eq!(taker_of(Method::GET, "/api/surveys/%6Dy"), list);
        assert_eq!(taker_of(Method::POST, "/api/surveys/my"), None);
        assert_eq!(taker_of(Method::GET, "/api/surveys/my/"), None);
        assert_ne!(taker_of(Method::GET, "/api/surveys/17"), list);
    }
}

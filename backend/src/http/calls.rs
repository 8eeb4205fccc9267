//! The calls of the API, as its document has them: which resource takes one, and which methods a path has.

use std::collections::HashMap;
use std::sync::LazyLock;

use actix_web::dev::{RequestHead, Url};

use super::{RESOURCES, openapi};

/// A call of the document.
struct Call {
    /// In upper case.
    method: &'static str,
    /// The path in its segments, those in braces open.
    segments: Vec<&'static str>,
    /// The number of its resource in [`RESOURCES`].
    resource: usize,
}

/// The last segment of a path whose last segment may be anything.
const ANYTHING: &str = "";

/// The calls by the number of their segments and the last of these, in the order of [`RESOURCES`].
static CALLS: LazyLock<HashMap<(usize, &str), Vec<Call>>> = LazyLock::new(|| {
    let mut calls: HashMap<_, Vec<Call>> = HashMap::new();
    for (resource, document) in RESOURCES.iter().map(|resource| (resource.document)()).enumerate() {
        for (path, mut item) in document.paths.paths {
            // Leaked once, into what lives as long as the process.
            let segments: Vec<&'static str> = format!("/api{path}").leak().split('/').collect();
            let last = segments.last().copied().filter(|last| !is_open(last)).unwrap_or(ANYTHING);
            for (method, _) in openapi::operations(&mut item) {
                let call = Call { method, segments: segments.clone(), resource };
                calls.entry((segments.len(), last)).or_default().push(call);
            }
        }
    }
    calls
});

/// The calls that a path fits, before the others those that name its last segment.
fn fitting<'a>(path: &'a str) -> impl Iterator<Item = &'a Call> {
    let calls: &'a HashMap<(usize, &'a str), Vec<Call>> = &CALLS;
    let segments = path.split('/').count();
    let last = path.rsplit('/').next().unwrap_or_default();
    let known = [last, ANYTHING].into_iter().filter_map(move |last| calls.get(&(segments, last)));
    known.flatten().filter(move |call| call.fits(path))
}

impl Call {
    /// A path of as many segments.
    fn fits(&self, path: &str) -> bool {
        // From the end, since all begin alike.
        let mut parts = self.segments.iter().rev().zip(path.rsplit('/'));
        parts.all(|(segment, part)| if is_open(segment) { !part.is_empty() } else { *segment == part })
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

//! The pages: the built front end, carried in the binary.
//!
//! Files under `assets/` have a hash of their content in their name and are cached for ever. Every other path is a page of
//! the app and gets `index.html`, whose script knows the pages.

mod built;

use actix_web::http::Method;
use actix_web::http::header::{
    ACCEPT, ACCEPT_ENCODING, ALLOW, AcceptEncoding, CACHE_CONTROL, ContentEncoding, ETAG, Header, HeaderMap,
    IF_NONE_MATCH, VARY,
};
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};

use crate::app::App;

/// Shown by a binary that was built before the pages.
const NO_PAGES: &str = include_str!("no_pages.html");
/// The placeholder in `index.html` for the contact address.
const CONTACT: &str = "contact@example.org";

const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";
const REVALIDATE: &str = "no-cache";

pub fn configure(routes: &mut ServiceConfig) {
    routes.default_service(web::to(show));
}

async fn show(app: Data<App>, request: HttpRequest) -> HttpResponse {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return HttpResponse::MethodNotAllowed().insert_header((ALLOW, "GET, HEAD")).finish();
    }
    let path = request.path().trim_start_matches('/');
    // A browser with old pages must get a 404 for an asset that is gone, not a page.
    let is_asset = path.starts_with("assets/");
    match file(path, &request) {
        Some(answer) => answer,
        None if is_asset || !takes_pages(request.headers()) => HttpResponse::NotFound().finish(),
        None => index(app.config.contact_email.as_str()),
    }
}

/// The page that starts the app. Not cached, because it names the assets of this build.
fn index(contact: &str) -> HttpResponse {
    let page = built::index().unwrap_or_else(|| NO_PAGES.to_owned());
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, REVALIDATE))
        .content_type("text/html; charset=utf-8")
        .body(page.replace(CONTACT, &as_attribute(contact)))
}

/// An e-mail address may hold what ends an attribute.
fn as_attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

/// A file of the build in the best encoding that the caller accepts; 304 where they have it already.
fn file(path: &str, request: &HttpRequest) -> Option<HttpResponse> {
    let file = built::file(path, AcceptEncoding::parse(request).ok().as_ref())?;
    let known = request.headers().get(IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == file.tag.as_bytes());
    let mut answer = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    answer
        .insert_header((CACHE_CONTROL, if path.starts_with("assets/") { CACHE_FOREVER } else { REVALIDATE }))
        .insert_header((ETAG, file.tag))
        .insert_header((VARY, ACCEPT_ENCODING.as_str()));
    if known {
        return Some(answer.finish());
    }
    if file.encoding != ContentEncoding::Identity {
        answer.insert_header(file.encoding);
    }
    Some(answer.content_type(file.media_type).body(file.content))
}

/// Whether the caller accepts pages: a script that wants JSON from a wrong path must get a 404.
fn takes_pages(asked: &HeaderMap) -> bool {
    let Some(accepted) = asked.get(ACCEPT).and_then(|value| value.to_str().ok()) else { return true };
    ["text/html", "text/*", "*/*"].iter().any(|kind| accepted.contains(kind))
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[actix_web::test]
    async fn an_address_that_is_markup_stays_inside_its_attribute() {
        let answer = index("\"><script>@example.org");
        assert_eq!(answer.headers().get(CACHE_CONTROL).expect("it is said"), REVALIDATE);
        let body = to_bytes(answer.into_body()).await.expect("it is whole");
        assert!(!String::from_utf8_lossy(&body).contains("\"><script>@"));
    }

    #[test]
    fn a_page_is_for_those_who_take_one() {
        let asking = |kinds| HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(kinds))]);
        assert!(takes_pages(&asking("text/html,application/xhtml+xml,*/*;q=0.8")));
        assert!(takes_pages(&HeaderMap::new()));
        assert!(!takes_pages(&asking("application/json")));
    }
}

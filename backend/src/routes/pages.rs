//! The pages: the built front end, carried in the binary.
//!
//! `npm run build` writes each text file three times: plain, `.gz` and `.br`. What stands under `assets/` has a hash of
//! its content in its name and is kept for good; every other address is a page of the app and gets `index.html`, which
//! says itself which pages there are.

use actix_web::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, ETAG, HeaderMap, IF_NONE_MATCH, VARY,
};
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::app::App;

#[derive(RustEmbed)]
#[folder = "../frontend/dist"]
#[allow_missing = true]
struct Built;

/// Shown until the pages are built.
const NO_PAGES: &str = include_str!("no_pages.html");
const INDEX: &str = "index.html";
/// Stands in `index.html` for the address that people may write to.
const CONTACT: &str = "contact@example.org";

const KEEP: &str = "public, max-age=31536000, immutable";
const ASK_AGAIN: &str = "no-cache";

pub fn configure(routes: &mut ServiceConfig) {
    routes.default_service(web::get().to(show));
}

async fn show(app: Data<App>, request: HttpRequest) -> HttpResponse {
    let path = request.path().trim_start_matches('/');
    // A missing asset is an answer to a script, not a page: a browser with old pages must see that it is gone.
    let is_asset = path.starts_with("assets/");
    match Built::get(path).filter(|_| path != INDEX) {
        Some(_) => file(path, request.headers()),
        None if is_asset => HttpResponse::NotFound().finish(),
        None => index(app.config.contact_email.as_str()),
    }
}

/// The page that starts the app. Never kept: it names the assets of this build.
fn index(contact: &str) -> HttpResponse {
    let built = Built::get(INDEX);
    let text = built.as_ref().map_or(NO_PAGES.into(), |page| String::from_utf8_lossy(&page.data));
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, ASK_AGAIN))
        .content_type("text/html; charset=utf-8")
        .body(text.replace(CONTACT, contact))
}

/// A file as the caller's `Accept-Encoding` likes it best; 304 where it is known already.
fn file(path: &str, asked: &HeaderMap) -> HttpResponse {
    let Some((encoding, file)) = best(path, asked) else {
        return HttpResponse::NotFound().finish();
    };
    let tag = format!("\"{}\"", hex(&file.metadata.sha256_hash()));
    let known = asked.get(IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == tag.as_bytes());
    let mut answer = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    answer
        .insert_header((CACHE_CONTROL, if path.starts_with("assets/") { KEEP } else { ASK_AGAIN }))
        .insert_header((ETAG, tag))
        .insert_header((VARY, ACCEPT_ENCODING.as_str()));
    if known {
        return answer.finish();
    }
    if let Some(encoding) = encoding {
        answer.insert_header((CONTENT_ENCODING, encoding));
    }
    answer.content_type(media_type(path)).body(file.data.into_owned())
}

fn best(path: &str, asked: &HeaderMap) -> Option<(Option<&'static str>, EmbeddedFile)> {
    [("br", "br"), ("gzip", "gz")]
        .into_iter()
        .filter(|(encoding, _)| takes(asked, encoding))
        .find_map(|(encoding, ending)| Some((Some(encoding), Built::get(&format!("{path}.{ending}"))?)))
        .or_else(|| Some((None, Built::get(path)?)))
}

/// Whether an `Accept-Encoding` names it and does not rule it out with `q=0`.
fn takes(asked: &HeaderMap, encoding: &str) -> bool {
    let named = asked.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    named.split(',').any(|choice| {
        let (name, quality) = choice.split_once(';').unwrap_or((choice, ""));
        let zero = quality.trim().strip_prefix("q=").is_some_and(|q| q.trim().parse() == Ok(0.0_f32));
        name.trim().eq_ignore_ascii_case(encoding) && !zero
    })
}

/// What a build holds; anything else is bytes.
fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        "woff2" => "font/woff2",
        "png" => "image/png",
        _ => "application/octet-stream",
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn accepting(encodings: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(encodings));
        headers
    }

    #[test]
    fn an_encoding_is_taken_where_it_is_named_and_not_ruled_out() {
        assert!(takes(&accepting("gzip, deflate, br"), "br"));
        assert!(takes(&accepting("BR;q=0.5"), "br"));
        assert!(!takes(&accepting("gzip, br;q=0"), "br"));
        assert!(!takes(&accepting("brotli"), "br"));
        assert!(!takes(&HeaderMap::new(), "gzip"));
    }

    #[test]
    fn the_first_page_tells_the_contact_address_and_is_not_kept() {
        let page = index("lab@university.example");
        assert_eq!(page.headers().get(CACHE_CONTROL), Some(&HeaderValue::from_static(ASK_AGAIN)));
    }
}

//! The files that `npm run build` wrote: each text file three times, plain, `.gz` and `.br`.

use std::borrow::Cow;

use actix_web::http::header::HeaderMap;
use twinlab_pages::Pages;

use crate::http::compression::takes;

const INDEX: &str = "index.html";

/// One file, encoded as its receiver takes it.
pub struct File {
    pub content: Cow<'static, [u8]>,
    /// The entity tag, in its quotes.
    pub tag: String,
    pub encoding: Option<&'static str>,
    pub media_type: &'static str,
}

/// The page that starts the app. `None`: the pages were not built.
pub fn index() -> Option<String> {
    Pages::get(INDEX).map(|page| String::from_utf8_lossy(&page.data).into_owned())
}

/// A file at its path, e.g. `assets/app-C4OJYk92.js`, for a caller who asked with these headers. The index is none: it
/// is a page.
pub fn file(path: &str, asked: &HeaderMap) -> Option<File> {
    if path == INDEX {
        return None;
    }
    let compressed = [("br", "br"), ("gzip", "gz")]
        .into_iter()
        .filter(|(encoding, _)| takes(asked, encoding))
        .find_map(|(encoding, ending)| Some((Some(encoding), Pages::get(&format!("{path}.{ending}"))?)));
    let (encoding, found) = compressed.or_else(|| Some((None, Pages::get(path)?)))?;
    Some(File {
        tag: format!("\"{}\"", hex(&found.metadata.sha256_hash())),
        content: found.data,
        encoding,
        media_type: media_type(path),
    })
}

/// Of what a build holds; anything else is bytes.
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

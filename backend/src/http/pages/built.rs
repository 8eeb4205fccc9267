//! The files that `npm run build` wrote: each text file three times, plain, `.gz` and `.br`.

use std::borrow::Cow;

use actix_web::http::header::{AcceptEncoding, ContentEncoding, Encoding, Preference, Quality};
use rust_embed::RustEmbed;
use survey::hex::hex;

const INDEX: &str = "index.html";

/// A release carries the files; a build for development reads them from the folder.
#[derive(RustEmbed)]
#[folder = "../frontend/dist"]
struct Built;

/// One file, encoded as its receiver takes it.
pub struct PageFile {
    pub content: Cow<'static, [u8]>,
    /// The entity tag, in its quotes.
    pub tag: String,
    pub encoding: ContentEncoding,
    pub media_type: &'static str,
}

/// The page that starts the app. `None`: the pages were not built.
pub fn index() -> Option<String> {
    Built::get(INDEX).map(|page| String::from_utf8_lossy(&page.data).into_owned())
}

/// A file at its path, e.g. `assets/app-C4OJYk92.js`, in the best encoding that is accepted. The index is none: it is a
/// page.
pub fn file(path: &str, accepted: Option<&AcceptEncoding>) -> Option<PageFile> {
    if path == INDEX {
        return None;
    }
    let (encoding, found) = [(ContentEncoding::Brotli, ".br"), (ContentEncoding::Gzip, ".gz")]
        .into_iter()
        .filter(|(encoding, _)| takes(accepted, *encoding))
        .find_map(|(encoding, ending)| Some((encoding, Built::get(&format!("{path}{ending}"))?)))
        .or_else(|| Some((ContentEncoding::Identity, Built::get(path)?)))?;
    Some(PageFile {
        tag: format!("\"{}\"", hex(&found.metadata.sha256_hash())),
        content: found.data,
        encoding,
        media_type: media_type(path),
    })
}

fn takes(accepted: Option<&AcceptEncoding>, encoding: ContentEncoding) -> bool {
    let wanted = Preference::Specific(Encoding::Known(encoding));
    accepted.is_some_and(|accepted| accepted.iter().any(|one| one.item == wanted && one.quality > Quality::ZERO))
}

/// Media types of the files of a build; any other file is bytes.
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

#[cfg(test)]
mod tests {
    use actix_web::http::header::{ACCEPT_ENCODING, Header};
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn an_encoding_is_taken_where_it_is_named_and_not_ruled_out() {
        let takes_brotli = |accepted: &str| {
            let request = TestRequest::default().insert_header((ACCEPT_ENCODING, accepted)).to_request();
            takes(AcceptEncoding::parse(&request).ok().as_ref(), ContentEncoding::Brotli)
        };
        assert!(takes_brotli("gzip, deflate, br"));
        assert!(takes_brotli("BR;q=0.5"));
        assert!(!takes_brotli("gzip, br;q=0"));
        assert!(!takes_brotli("brotli"));
        assert!(!takes_brotli(""));
    }
}

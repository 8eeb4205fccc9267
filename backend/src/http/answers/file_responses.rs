//! Responses that are files.

use actix_web::body::SizedStream;
use actix_web::http::header::ContentEncoding;
use actix_web::{HttpResponse, HttpResponseBuilder};
use futures_util::StreamExt;
use simulation::encode::Encode;
use simulation::run::Run;

use super::about;
use crate::app::App;
use crate::auth::rules::Caller;
use crate::error::ErrorKind;
use crate::http::download::attach;
use crate::http::error::{ApiError, Result};
use crate::http::extract::admit;
use crate::http::request_id::logged;
use crate::results::files::downloads::BuiltFile;
use crate::results::pages::Pages;
use crate::results::stream;
use crate::work::Work;

/// The head of a response that is a file of this name about the run.
pub(in crate::http) fn file(run: &Run, name: &str) -> HttpResponseBuilder {
    let mut answer = about(&run.notice);
    // Keeps the download uncompressed.
    attach(&mut answer, name).insert_header(ContentEncoding::Identity);
    answer
}

/// A file that is written page by page.
pub(super) fn streamed(
    app: &App,
    mut answer: HttpResponseBuilder,
    run: Run,
    pages: Pages,
    encode: impl Encode + 'static,
) -> HttpResponse {
    let download = app.downloads.begin();
    let bytes = stream::stream_pages(app.pool.clone(), run, pages, encode).map(move |chunk| {
        // Moves into the stream, so that the download counts as open until the stream is dropped.
        let _open = &download;
        chunk
    });
    answer.streaming(logged(bytes))
}

/// A file that is built before its first byte is sent.
pub(in crate::http) async fn built(
    app: &App,
    caller: &Caller,
    mut answer: HttpResponseBuilder,
    build: impl Future<Output = crate::error::Result<(BuiltFile, u64)>>,
) -> Result<HttpResponse> {
    let permit = admit(app, caller.id, Work::Download)?.start().await;
    let (file, size) = permit.scope(build).await.map_err(|error| match error.kind {
        // The format does not hold so much.
        ErrorKind::BadInput => ApiError::Invalid(error.to_string()),
        _ => error.into(),
    })?;
    Ok(answer.body(SizedStream::new(size, logged(file.stream()))))
}

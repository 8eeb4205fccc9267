//! Streams a run over HTTP, with one page in memory at a time.

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use simulation::encode::Encode;
use simulation::run::Run;

use super::pages::Pages;
use crate::db::AsyncPool;
use crate::error::Result;

/// Streams the whole run in `encode`'s format.
pub fn stream_run(pool: AsyncPool, run: Run, encode: impl Encode) -> impl Stream<Item = Result<Bytes>> {
    let pages = Pages::new(&run);
    stream_pages(pool, run, pages, encode)
}

/// Streams these pages of the run in `encode`'s format. Takes a connection from the pool for each page only, so a slow
/// reader holds none. The stream ends at an error, or at a page that the database does not return in time. There is no
/// limit for the whole, which takes as long as its reader.
pub fn stream_pages(
    pool: AsyncPool,
    run: Run,
    pages: Pages,
    mut encode: impl Encode,
) -> impl Stream<Item = Result<Bytes>> {
    let head = Bytes::from(encode.head());
    let state = Some((pool, run, pages, encode));
    let rows = stream::try_unfold(state, async |state| {
        let Some((pool, run, mut pages, mut encode)) = state else { return Ok(None) };
        let page = if encode.is_full() { None } else { pages.next_from(&pool).await? };
        let mut bytes = Vec::new();
        let Some(page) = page else {
            encode.tail(&mut bytes)?;
            return Ok(Some((Bytes::from(bytes), None)));
        };
        encode.page(&run, &page, &mut bytes)?;
        Ok(Some((Bytes::from(bytes), Some((pool, run, pages, encode)))))
    });
    stream::once(async { Ok(head) }).chain(rows).filter(|chunk| {
        // An empty chunk would end a chunked HTTP body.
        let holds = !matches!(chunk, Ok(bytes) if bytes.is_empty());
        async move { holds }
    })
}

//! The text formats as a stream of bytes, for answers over HTTP: a page in memory at a time.

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};

use super::rows::{Interview, Pages};
use super::run::Run;
use crate::db::{self, AsyncPool};
use crate::error::Result;

/// A format that is a head and then rows.
pub trait Encode: Send + Sync {
    fn head(&self) -> Vec<u8>;
    /// Appends the page's rows to `out`.
    fn page(&self, run: &Run, page: &[Interview], out: &mut Vec<u8>) -> Result<()>;
}

/// The run in `encode`'s format. A connection is taken from the pool for each page only: a slow reader holds none.
/// An error ends the stream.
pub fn of(pool: AsyncPool, run: Run, encode: impl Encode) -> impl Stream<Item = Result<Bytes>> {
    let head = Bytes::from(encode.head());
    let pages = Pages::of(&run);
    let rows = stream::try_unfold((pool, run, pages, encode), async |(pool, run, mut pages, encode)| {
        let page = pages.next(&*db::checkout(&pool).await?).await?;
        let Some(page) = page else { return Ok(None) };
        let mut bytes = Vec::new();
        encode.page(&run, &page, &mut bytes)?;
        Ok(Some((Bytes::from(bytes), (pool, run, pages, encode))))
    });
    stream::once(async { Ok(head) }).chain(rows).filter(|chunk| {
        // An empty chunk would end a chunked HTTP body.
        let holds = !matches!(chunk, Ok(bytes) if bytes.is_empty());
        async move { holds }
    })
}

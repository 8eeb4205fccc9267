//! JSON of some size travels compressed: a list of answers shrinks to a tenth, which a phone's line feels.
//!
//! Pages come compressed from the build; files that are saved, and events, go out as they are.

use std::error::Error as StdError;
use std::future::poll_fn;
use std::io::Write;
use std::mem;

use actix_web::Error;
use actix_web::body::{BodySize, BodyStream, BoxBody, EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, VARY};
use actix_web::middleware::Next;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream::{self, Stream};

/// Shorter answers, such as those that are polled, gain nothing.
const LEAST_BYTES: u64 = 1024;

/// Compresses an answer that gains from it, where its receiver takes that.
pub async fn compress<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, Error> {
    let takes_gzip = takes(request.headers(), "gzip");
    let mut answer = next.call(request).await?;
    if !gains(answer.headers(), answer.response().body().size()) {
        return Ok(answer.map_into_left_body());
    }
    answer.headers_mut().append(VARY, HeaderValue::from_static("accept-encoding"));
    if !takes_gzip {
        return Ok(answer.map_into_left_body());
    }
    answer.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Ok(answer.map_body(|_, body| EitherBody::right(BoxBody::new(BodyStream::new(gzip(body))))))
}

/// Whether the caller's `Accept-Encoding` names it and does not rule it out with `q=0`.
pub fn takes(asked: &HeaderMap, encoding: &str) -> bool {
    let accepted = asked.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.split(',').any(|choice| {
        let (name, quality) = choice.split_once(';').unwrap_or((choice, ""));
        let zero = quality.trim().strip_prefix("q=").is_some_and(|q| q.trim().parse() == Ok(0.0_f32));
        name.trim().eq_ignore_ascii_case(encoding) && !zero
    })
}

fn gains(headers: &HeaderMap, size: BodySize) -> bool {
    let is_json = headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    is_json
        && match size {
            BodySize::Sized(bytes) => bytes >= LEAST_BYTES,
            BodySize::Stream => true,
            BodySize::None => false,
        }
}

/// The body's chunks, compressed as they come. A body that breaks off breaks this off too.
fn gzip<B: MessageBody>(body: B) -> impl Stream<Item = Result<Bytes, Box<dyn StdError>>> {
    // The fastest level: on the way to a phone the others save little more, and every answer pays for them here.
    let begun = (Box::pin(body), GzEncoder::new(Vec::new(), Compression::fast()));
    stream::try_unfold(Some(begun), async |going_on| {
        let Some((mut body, mut encoder)) = going_on else { return Ok(None) };
        while let Some(chunk) = poll_fn(|context| body.as_mut().poll_next(context)).await {
            encoder.write_all(&chunk.map_err(Into::into)?)?;
            let packed = mem::take(encoder.get_mut());
            if !packed.is_empty() {
                return Ok(Some((Bytes::from(packed), Some((body, encoder)))));
            }
        }
        Ok(Some((Bytes::from(encoder.finish()?), None)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoding_is_taken_where_it_is_named_and_not_ruled_out() {
        let takes = |accepted, encoding| {
            takes(&HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(accepted))]), encoding)
        };
        assert!(takes("gzip, deflate, br", "br"));
        assert!(takes("BR;q=0.5", "br"));
        assert!(!takes("gzip, br;q=0", "br"));
        assert!(!takes("brotli", "br"));
        assert!(!takes("", "gzip"));
    }
}

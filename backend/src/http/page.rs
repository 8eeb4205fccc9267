//! Pages of lists: `?limit=` (1 to 500) and `?offset=`, the full count in `X-Total-Count`, the other pages in `Link`.

use std::borrow::Cow;
use std::future::{Ready, ready};

use actix_web::body::BoxBody;
use actix_web::dev::Payload;
use actix_web::http::header::{HeaderName, HeaderValue, LINK};
use actix_web::{FromRequest, HttpRequest, HttpResponse, Responder};
use serde::{Deserialize, Serialize};

use super::error::{ApiError, Result};
use super::extract::Query;
use crate::results::list::Window;

/// Rows of a page where no limit is given, and the most that one may have.
const MAX_LIMIT: i64 = 500;
/// Longest query, in bytes, that links to other pages repeat. Four links are a header that proxies still take (4 KiB).
const MAX_LINKED_QUERY_BYTES: usize = 1_000;
pub const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// A page of a list, and how many rows the whole list has.
#[derive(Debug)]
pub struct Page<Row> {
    pub rows: Vec<Row>,
    pub total: i64,
}

impl<Row: Serialize> Responder for Page<Row> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        let mut answer = HttpResponse::Ok();
        answer.insert_header((TOTAL_COUNT, HeaderValue::from(self.total)));
        let rows = i64::try_from(self.rows.len()).unwrap_or(i64::MAX);
        if let Some(links) = links(request, rows, self.total) {
            answer.insert_header((LINK, links));
        }
        answer.json(self.rows)
    }
}

/// The header `Link` of a page with so many rows; `None` where the list is on this page alone.
fn links(request: &HttpRequest, rows: i64, total: i64) -> Option<String> {
    links_of(request.path(), request.query_string(), rows, total)
}

/// The answer, with links to the other pages where the caller asked for one page of a list that can also be had whole.
pub fn linked(mut answer: HttpResponse, request: &HttpRequest, window: WindowQuery) -> HttpResponse {
    let total = answer.headers().get(TOTAL_COUNT).and_then(|total| total.to_str().ok()?.parse::<i64>().ok());
    let (Some(total), Some(limit)) = (total, window.limit) else { return answer };
    let rows = (total - window.offset).clamp(0, limit);
    if let Some(links) = links(request, rows, total).and_then(|links| HeaderValue::try_from(links).ok()) {
        answer.headers_mut().insert(LINK, links);
    }
    answer
}

/// The header `Link` by RFC 8288, relative to the server. `None` for a list of one page and for a query too long to be
/// repeated.
fn links_of(path: &str, query: &str, rows: i64, total: i64) -> Option<String> {
    let Query(PageQuery { limit, offset }) = Query::parse(query).ok()?;
    if rows >= total || query.len() > MAX_LINKED_QUERY_BYTES {
        return None;
    }
    let others: Vec<(Cow<'_, str>, Cow<'_, str>)> =
        form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name != "limit" && name != "offset").collect();
    let link = |relation: &str, offset: i64| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&others);
        query.append_pair("limit", &limit.to_string()).append_pair("offset", &offset.to_string());
        format!("<{path}?{}>; rel=\"{relation}\"", query.finish())
    };
    let mut links = vec![link("first", 0)];
    if offset > 0 {
        links.push(link("prev", (offset - limit).max(0)));
    }
    if offset + rows < total {
        links.push(link("next", offset + limit));
    }
    links.push(link("last", (total - 1) / limit * limit));
    Some(links.join(", "))
}

/// The part of a list that is asked for.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// The most rows to answer with.
    #[param(minimum = 1, maximum = 500, default = 500)]
    #[serde(default = "max_limit")]
    pub limit: i64,
    /// Rows to leave out at the beginning.
    #[param(minimum = 0, default = 0)]
    #[serde(default)]
    pub offset: i64,
}

fn max_limit() -> i64 {
    MAX_LIMIT
}

impl FromRequest for PageQuery {
    type Error = ApiError;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        ready(Query::<Self>::from_request(request, payload).into_inner().and_then(|Query(page)| {
            check(page.limit, page.offset)?;
            Ok(page)
        }))
    }
}

fn check(limit: i64, offset: i64) -> Result<()> {
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(ApiError::Invalid(format!("limit must be between 1 and {MAX_LIMIT}")));
    }
    if offset < 0 {
        return Err(ApiError::invalid("offset must be at least 0"));
    }
    Ok(())
}

/// The part that is asked for of a list that can also be read as a whole.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WindowQuery {
    /// The most rows to answer with; without it all of them.
    #[param(minimum = 1, maximum = 500)]
    pub limit: Option<i64>,
    /// Rows to leave out at the beginning.
    #[param(minimum = 0, default = 0)]
    #[serde(default)]
    pub offset: i64,
}

impl FromRequest for WindowQuery {
    type Error = ApiError;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        ready(Query::<Self>::from_request(request, payload).into_inner().and_then(|Query(window)| {
            check(window.limit.unwrap_or(MAX_LIMIT), window.offset)?;
            Ok(window)
        }))
    }
}

impl From<WindowQuery> for Window {
    fn from(WindowQuery { limit, offset }: WindowQuery) -> Self {
        Self { offset: offset.unsigned_abs(), limit: limit.map(i64::unsigned_abs) }
    }
}

impl From<PageQuery> for Window {
    fn from(PageQuery { limit, offset }: PageQuery) -> Self {
        WindowQuery { limit: Some(limit), offset }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_links_to_the_others_and_keeps_the_filters() {
        let middle = links_of("/api/groups", "offset=4&q=a%26b&limit=2", 2, 9).expect("there are other pages");
        assert_eq!(
            middle,
            "</api/groups?q=a%26b&limit=2&offset=0>; rel=\"first\", </api/groups?q=a%26b&limit=2&offset=2>; rel=\"prev\", \
             </api/groups?q=a%26b&limit=2&offset=6>; rel=\"next\", </api/groups?q=a%26b&limit=2&offset=8>; rel=\"last\""
        );
        let last = links_of("/api/groups", "limit=2&offset=8", 1, 9).expect("there are other pages");
        assert!(!last.contains("next") && last.contains("offset=6>; rel=\"prev\""), "{last}");
        assert_eq!(links_of("/api/groups", "", 9, 9), None);
    }
}

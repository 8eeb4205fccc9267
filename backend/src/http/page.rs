//! Pages of lists: `?limit=` (1 to 500) and `?offset=`, the full count in `X-Total-Count`.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::error::{ApiError, Result};
use super::extract::Query;
use crate::results::list;

/// Rows of a page where nothing is asked for, and the most that may be.
const MOST: i64 = 500;
pub const TOTAL: HeaderName = HeaderName::from_static("x-total-count");

/// Which part of a list is asked for.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Page {
    /// The most rows to answer with.
    #[param(minimum = 1, maximum = 500, default = 500)]
    #[serde(default = "most")]
    pub limit: i64,
    /// Rows to leave out at the beginning.
    #[param(minimum = 0, default = 0)]
    #[serde(default)]
    pub offset: i64,
}

fn most() -> i64 {
    MOST
}

impl FromRequest for Page {
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
    if !(1..=MOST).contains(&limit) {
        return Err(ApiError::Invalid(format!("limit must be between 1 and {MOST}")));
    }
    if offset < 0 {
        return Err(ApiError::invalid("offset must be at least 0"));
    }
    Ok(())
}

/// Which part of a list that can also be had whole is asked for.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Window {
    /// The most rows to answer with; without it all of them.
    #[param(minimum = 1, maximum = 500)]
    pub limit: Option<i64>,
    /// Rows to leave out at the beginning.
    #[param(minimum = 0, default = 0)]
    #[serde(default)]
    pub offset: i64,
}

impl FromRequest for Window {
    type Error = ApiError;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        ready(Query::<Self>::from_request(request, payload).into_inner().and_then(|Query(window)| {
            check(window.limit.unwrap_or(MOST), window.offset)?;
            Ok(window)
        }))
    }
}

impl From<Window> for list::Window {
    fn from(Window { limit, offset }: Window) -> Self {
        Self { offset: offset.unsigned_abs(), limit: limit.map(i64::unsigned_abs) }
    }
}

impl From<Page> for Window {
    fn from(Page { limit, offset }: Page) -> Self {
        Self { limit: Some(limit), offset }
    }
}

/// A page of a list, and how many rows the whole list has.
#[derive(Clone, Debug)]
pub struct Counted<Rows> {
    pub rows: Rows,
    pub total: i64,
}

impl<Rows: Serialize> Counted<Rows> {
    pub fn answer(self) -> HttpResponse {
        HttpResponse::Ok().insert_header((TOTAL, HeaderValue::from(self.total))).json(self.rows)
    }

    /// For all who ask for it at the same time.
    pub fn write(&self) -> Result<Written> {
        Ok(Written { rows: written(&self.rows)?, total: self.total })
    }
}

/// As JSON, for all who ask for it at the same time.
pub fn written(answer: &impl Serialize) -> Result<Bytes> {
    Ok(serde_json::to_vec(answer).map_err(ApiError::internal)?.into())
}

/// The answer that is [`written`].
pub fn sent(json: Bytes) -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(json)
}

/// A page of a list, ready to be sent, and how many rows the whole list has.
#[derive(Clone, Debug)]
pub struct Written {
    rows: Bytes,
    total: i64,
}

impl Written {
    pub fn answer(self) -> HttpResponse {
        let mut answer = HttpResponse::Ok();
        answer.insert_header((TOTAL, HeaderValue::from(self.total))).content_type("application/json").body(self.rows)
    }
}

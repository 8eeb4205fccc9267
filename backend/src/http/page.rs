//! Pages of lists: `?limit=` (1 to 500) and `?offset=`, the full count in `X-Total-Count`.

use std::future::{Ready, ready};

use actix_web::body::BoxBody;
use actix_web::dev::Payload;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{FromRequest, HttpRequest, HttpResponse, Responder};
use serde::{Deserialize, Serialize};

use super::error::{ApiError, Result};
use super::extract::Query;
use crate::results::list::Window;

/// Rows of a page where no limit is given, and the most that one may have.
const MAX_LIMIT: i64 = 500;
pub const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// A page of a list, and how many rows the whole list has.
#[derive(Debug)]
pub struct Page<Row> {
    pub rows: Vec<Row>,
    pub total: i64,
}

impl<Row: Serialize> Responder for Page<Row> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        HttpResponse::Ok().insert_header((TOTAL_COUNT, HeaderValue::from(self.total))).json(self.rows)
    }
}

/// Which part of a list is asked for.
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

/// Which part of a list is asked for that can also be had whole.
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

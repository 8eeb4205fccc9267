//! What handlers take in: bodies and queries whose 400s name the field, the caller, the page, the client's address.

use std::future::{Future, Ready, ready};
use std::net::IpAddr;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::AUTHORIZATION;
use actix_web::web::{self, Bytes, Data, PathConfig, PayloadConfig};
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::yield_now;
use uuid::Uuid;

use super::error::{ApiError, Result};
use super::no_such_call;
use crate::app::App;
use crate::auth::rules::Caller;
use crate::auth::token::Claims;
use crate::db;

/// Bytes that a JSON body may have.
const BODY_LIMIT: usize = 1024 * 1024;
/// 2⁵³: up to it a double holds every whole number exactly.
const WHOLE: f64 = 9_007_199_254_740_992.0;

type Extracting<T> = Pin<Box<dyn Future<Output = Result<T>>>>;

/// A JSON body, read whole and checked field by field.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for Json<T> {
    type Error = ApiError;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let body = read_body(request, payload);
        Box::pin(async move { parse_json(&body.await?).map(Self) })
    }
}

/// Whoever is not let in is told so, whatever their body is.
fn read_body(request: &HttpRequest, payload: &mut Payload) -> impl Future<Output = Result<Bytes>> + use<> {
    let is_json = is_json(request);
    let body = Bytes::from_request(request, payload);
    let request = request.clone();
    async move {
        caller_is_known(&request).await;
        if !is_json {
            return Err(ApiError::WrongMediaType("Content-Type must be application/json".to_owned()));
        }
        body.await.map_err(|reason| match reason.as_response_error().status_code().as_u16() {
            413 => ApiError::TooLarge(format!("The body is larger than {} MiB", BODY_LIMIT / 1024 / 1024)),
            _ => ApiError::invalid("The body could not be read"),
        })
    }
}

fn is_json(request: &HttpRequest) -> bool {
    request.content_type().eq_ignore_ascii_case("application/json")
}

/// A refusal names the field, as in `options[1].title: invalid type: …`. Whole numbers may be written as `84.0`, which
/// JSON holds for the same as `84`.
fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    let mut body: Value = serde_json::from_slice(body).map_err(|reason| ApiError::invalid(reason.to_string()))?;
    shorten_numbers(&mut body);
    serde_path_to_error::deserialize(ByName(body)).map_err(|error| {
        let path = error.path().to_string();
        let reason = error.into_inner().to_string();
        ApiError::Invalid(if path == "." { reason } else { format!("{path}: {reason}") })
    })
}

fn shorten_numbers(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(shorten_numbers),
        Value::Object(fields) => fields.values_mut().for_each(shorten_numbers),
        Value::Number(number) if number.is_f64() => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= WHOLE);
            if let Some(whole) = whole {
                *number = (whole as i64).into();
            }
        }
        _ => {}
    }
}

/// A JSON body that may be left out, or `null`.
#[derive(Debug)]
pub struct OptionalJson<T>(pub Option<T>);

impl<T: DeserializeOwned + 'static> FromRequest for OptionalJson<T> {
    type Error = ApiError;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if request.content_type().is_empty() {
            return Box::pin(ready(Ok(Self(None))));
        }
        let body = read_body(request, payload);
        Box::pin(async move {
            match body.await?.trim_ascii() {
                b"null" => Ok(Self(None)),
                body => parse_json(body).map(|body| Self(Some(body))),
            }
        })
    }
}

/// Takes a struct from an object only: serde would also take its fields from an array, in the order of the code.
struct ByName<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ByName<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> std::result::Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> std::result::Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> std::result::Result<V::Value, D::Error> {
        self.0.deserialize_newtype_struct(name, visitor)
    }

    // Through `deserialize_any` a variant by its name would be no variant.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> std::result::Result<V::Value, D::Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map identifier ignored_any
    }
}

/// The query of the address. Without `#[serde(flatten)]` in it: numbers behind one are no numbers.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequest for Query<T> {
    type Error = ApiError;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(parse_query(request.query_string()).map(Self))
    }
}

fn parse_query<T: DeserializeOwned>(query: &str) -> Result<T> {
    let pairs = serde_urlencoded::Deserializer::new(form_pairs(query));
    serde_path_to_error::deserialize(pairs).map_err(|error| {
        let path = error.path().to_string();
        ApiError::Invalid(if path == "." {
            error.into_inner().to_string()
        } else {
            format!("{path}: {}", error.inner())
        })
    })
}

fn form_pairs(query: &str) -> form_urlencoded::Parse<'_> {
    form_urlencoded::parse(query.as_bytes())
}

/// The caller: a handler with this argument needs a token that holds.
///
/// The first argument that refuses ends the others. A question to the database that is given up is answered all the same,
/// and meanwhile its connection serves the next: whoever sends one refused call after the other would queue up more of them
/// than the pool allows. So all that needs no waiting comes before the question, and bodies come after it.
impl FromRequest for Caller {
    type Error = ApiError;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let (app, claims) = (app(request), claims(request));
        let (looking_up, looked_up) = oneshot::channel();
        request.extensions_mut().insert(LookedUp(looked_up));
        Box::pin(async move {
            let _until_the_end = looking_up;
            let (app, claims) = (app?, claims?);
            yield_now().await;
            let mut conn = db::checkout(&app.pool).await?;
            Self::of(&mut conn, &claims).await?.ok_or(ApiError::SignedOut)
        })
    }
}

/// Closed once the caller was looked up.
struct LookedUp(oneshot::Receiver<()>);

/// At once where the handler does not ask who calls.
async fn caller_is_known(request: &HttpRequest) {
    let looked_up = request.extensions_mut().remove::<LookedUp>();
    if let Some(LookedUp(looked_up)) = looked_up {
        let _ = looked_up.await;
    }
}

/// What a token of ours says that is not too old. The handler must ask the database whether it still holds.
impl FromRequest for Claims {
    type Error = ApiError;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(claims(request))
    }
}

fn app(request: &HttpRequest) -> Result<Data<App>> {
    request.app_data::<Data<App>>().cloned().ok_or_else(|| ApiError::internal("the app is missing"))
}

fn claims(request: &HttpRequest) -> Result<Claims> {
    let sessions = &app(request)?.sessions;
    bearer(request).and_then(|token| sessions.check(token)).ok_or(ApiError::SignedOut)
}

fn bearer(request: &HttpRequest) -> Option<&str> {
    let (scheme, token) = request.headers().get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Where the request came from. Behind a proxy on the same machine or network that is the last address the proxy
/// wrote; a stranger's own `X-Forwarded-For` is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl FromRequest for ClientAddress {
    type Error = ApiError;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let peer = request.peer_addr().map(|peer| peer.ip().to_canonical());
        let forwarded = || {
            let header = request.headers().get_all("x-forwarded-for").last()?;
            header.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
        };
        let address = peer.and_then(|peer| if is_near(peer) { forwarded().or(Some(peer)) } else { Some(peer) });
        ready(address.map(Self).ok_or_else(|| ApiError::internal("the connection has no address")))
    }
}

fn is_near(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback() || address.is_private(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local(),
    }
}

/// The limits of bodies and the errors of path parameters, for all routes.
pub fn configure(routes: &mut web::ServiceConfig) {
    routes.app_data(PayloadConfig::new(BODY_LIMIT)).app_data(PathConfig::default().error_handler(|_, request| {
        if let Some(refusal) = no_such_call::wrong_method(request) {
            return refusal.into();
        }
        let is_id = |value: &str| value.parse::<i64>().is_ok() || value.parse::<Uuid>().is_ok();
        let wrong = request.match_info().iter().find(|(_, value)| !is_id(value));
        let name = wrong.map_or("A part", |(name, _)| name);
        ApiError::Invalid(format!("{name} of the path is not valid")).into()
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        group_id: i64,
        options: Vec<u8>,
    }

    fn told<T: std::fmt::Debug>(result: Result<T>) -> String {
        result.expect_err("it is refused").to_string()
    }

    #[test]
    fn a_refused_body_names_the_field() {
        assert_eq!(parse_json::<Body>(br#"{"groupId": 1, "options": [2]}"#).expect("it is fine").group_id, 1);
        assert!(told(parse_json::<Body>(br#"{"groupId": "x", "options": []}"#)).starts_with("groupId: invalid type"));
        assert!(told(parse_json::<Body>(br#"{"groupId": 1, "options": [2, true]}"#)).starts_with("options[1]: "));
        assert!(told(parse_json::<Body>(br#"{"options": []}"#)).contains("missing field `groupId`"));
        assert!(told(parse_json::<Body>(b"[1, [2]]")).starts_with("invalid type: sequence"));
        let whole = parse_json::<Body>(br#"{"groupId": 84.0, "options": [2e0]}"#).expect("they are whole numbers");
        assert_eq!(whole, Body { group_id: 84, options: vec![2] });
        assert!(told(parse_json::<Body>(br#"{"groupId": 84.5, "options": []}"#)).starts_with("groupId: invalid type"));
        assert!(told(parse_json::<Body>(br#"{"groupId": 1, "options": []} x"#)).contains("trailing"));
    }

    #[test]
    fn a_refused_query_names_the_parameter() {
        #[derive(Debug, serde::Deserialize)]
        struct Filter {
            #[serde(rename = "limit")]
            _limit: Option<u16>,
        }
        assert!(parse_query::<Filter>("other=1").is_ok());
        assert_eq!(told(parse_query::<Filter>("limit=many")), "limit: invalid digit found in string");
    }
}

//! Extractors of handlers: bodies and queries, whose errors name the field, and the client's address.

use std::fmt::Display;
use std::future::{Future, Ready, ready};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Once;

use actix_web::dev::Payload;
use actix_web::http::header::HeaderMap;
use actix_web::web::{self, Bytes, Data, PathConfig, PayloadConfig};
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use futures_util::future::LocalBoxFuture;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

use super::error::{ApiError, Result};
use crate::app::App;
use crate::config::Network;
use crate::work::{Admission, Work};

const FORWARDED_FOR: &str = "x-forwarded-for";
/// Bytes that a JSON body may have.
const MAX_BODY_BYTES: usize = 1024 * 1024;

/// Seconds after which other work may be tried.
const WORK_RETRY_S: u64 = 5;

/// Work of the caller, which may wait for its turn until this is dropped. An upload asks for it before it reads the body.
pub fn admit(app: &App, user_id: i64, work: Work) -> Result<Admission> {
    let limit = work.max_admitted();
    let what = if work.is_upload() { "uploads" } else { "calls of this kind" };
    app.work.admit(user_id, work).ok_or_else(|| ApiError::TooMany {
        message: format!("You have {limit} {what} under way: wait until one has ended"),
        limit,
        retry_after_s: WORK_RETRY_S,
    })
}

/// A body that is a JSON object.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for Json<T> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let body = read_body(request, payload);
        Box::pin(async move { parse_object(&body.await?).map(Self) })
    }
}

/// A body that is a JSON array.
#[derive(Debug)]
pub struct JsonArray<T>(pub Vec<T>);

impl<T: DeserializeOwned + 'static> FromRequest for JsonArray<T> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let body = read_body(request, payload);
        Box::pin(async move { parse(parse_value(&body.await?)?).map(Self) })
    }
}

/// A body that is a JSON object, is `null`, or is left out.
#[derive(Debug)]
pub struct OptionalJson<T>(pub Option<T>);

impl<T: DeserializeOwned + 'static> FromRequest for OptionalJson<T> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if request.content_type().is_empty() {
            return Box::pin(ready(Ok(Self(None))));
        }
        let body = read_body(request, payload);
        Box::pin(async move {
            match body.await?.trim_ascii() {
                b"null" => Ok(Self(None)),
                body => parse_object(body).map(|body| Self(Some(body))),
            }
        })
    }
}

fn read_body(request: &HttpRequest, payload: &mut Payload) -> impl Future<Output = Result<Bytes>> + use<> {
    let is_json = request.content_type().eq_ignore_ascii_case("application/json");
    let body = Bytes::from_request(request, payload);
    async move {
        if !is_json {
            return Err(ApiError::WrongMediaType("Content-Type must be application/json".to_owned()));
        }
        body.await.map_err(|reason| match reason.as_response_error().status_code().as_u16() {
            413 => ApiError::TooLarge(format!("The body is larger than {} MiB", MAX_BODY_BYTES / 1024 / 1024)),
            _ => ApiError::invalid("The body could not be read"),
        })
    }
}

fn parse_object<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    let value = parse_value(body)?;
    // serde would take a struct's fields from an array, too.
    if value.is_array() {
        return Err(ApiError::invalid("The body must be an object"));
    }
    parse(value)
}

fn parse_value(body: &[u8]) -> Result<Value> {
    serde_json::from_slice(body).map_err(|reason| ApiError::invalid(reason.to_string()))
}

fn parse<T: DeserializeOwned>(body: Value) -> Result<T> {
    serde_path_to_error::deserialize(body).map_err(|error| invalid(&error))
}

/// Names the field, as in `options[1].title: invalid type: …`.
fn invalid(error: &serde_path_to_error::Error<impl Display>) -> ApiError {
    let (path, reason) = (error.path().to_string(), error.inner());
    ApiError::Invalid(if path == "." { reason.to_string() } else { format!("{path}: {reason}") })
}

/// The query string. `T` must not use `#[serde(flatten)]`, behind which numbers are strings.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned> FromRequest for Query<T> {
    type Error = ApiError;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(parse_query(request.query_string()).map(Self))
    }
}

impl<T: DeserializeOwned> Query<T> {
    pub fn parse(query: &str) -> Result<Self> {
        parse_query(query).map(Self)
    }
}

fn parse_query<T: DeserializeOwned>(query: &str) -> Result<T> {
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    serde_path_to_error::deserialize(pairs).map_err(|error| invalid(&error))
}

/// Address that the request came from, for limits by address. Only the network of an IPv6 address counts: the owner of one
/// address has all addresses of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl FromRequest for ClientAddress {
    type Error = ApiError;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let proxies = request.app_data::<Data<App>>().map_or(&[][..], |app| &app.config.trusted_proxies);
        if proxies.is_empty() && request.headers().contains_key(FORWARDED_FOR) {
            static WARN: Once = Once::new();
            WARN.call_once(|| {
                tracing::warn!(
                    "X-Forwarded-For is ignored: name the proxy in TRUSTED_PROXIES, or limits hold for all together"
                );
            });
        }
        let address = request.peer_addr().map(|peer| client_address(peer.ip(), request.headers(), proxies));
        ready(address.map(Self).ok_or_else(|| ApiError::internal("the connection has no address")))
    }
}

/// The last address of `X-Forwarded-For` that no trusted proxy has. A proxy appends the address that called it.
fn client_address(peer: IpAddr, headers: &HeaderMap, proxies: &[Network]) -> IpAddr {
    let is_trusted = |address: IpAddr| proxies.iter().any(|network| network.contains(address));
    let lists = headers.get_all(FORWARDED_FOR).filter_map(|value| value.to_str().ok());
    let forwarded: Vec<&str> = lists.flat_map(|list| list.split(',')).collect();
    let mut address = peer.to_canonical();
    for text in forwarded.iter().rev().map(|text| text.trim()) {
        if !is_trusted(address) {
            break;
        }
        let named = text.parse().or_else(|_| text.parse().map(|socket: SocketAddr| socket.ip()));
        let Ok(named) = named else { break };
        address = IpAddr::to_canonical(&named);
    }
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
    }
}

/// Whether the call comes from this machine, and from no proxy on it.
pub fn is_local(request: &HttpRequest) -> bool {
    request.peer_addr().is_some_and(|peer| peer.ip().to_canonical().is_loopback())
        && !request.headers().contains_key(FORWARDED_FOR)
        && !request.headers().contains_key("forwarded")
}

/// The limit of bodies and the errors of path parameters, for all routes.
pub fn configure(routes: &mut web::ServiceConfig) {
    routes.app_data(PayloadConfig::new(MAX_BODY_BYTES)).app_data(PathConfig::default().error_handler(|_, request| {
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

    fn error<T: std::fmt::Debug>(result: Result<T>) -> String {
        result.expect_err("it is refused").to_string()
    }

    #[test]
    fn a_refused_body_names_the_field() {
        let right = parse_object::<Body>(br#"{"groupId": 1, "options": [2]}"#).expect("it is right");
        assert_eq!(right, Body { group_id: 1, options: vec![2] });
        let refused = |body: &str| error(parse_object::<Body>(body.as_bytes()));
        assert!(refused(r#"{"groupId": "x", "options": []}"#).starts_with("groupId: invalid type"));
        assert!(refused(r#"{"groupId": 84.5, "options": []}"#).starts_with("groupId: invalid type"));
        assert!(refused(r#"{"groupId": 1, "options": [2, true]}"#).starts_with("options[1]: "));
        assert!(refused(r#"{"options": []}"#).contains("missing field `groupId`"));
        assert!(refused(r#"{"groupId": 1, "options": []} x"#).contains("trailing"));
        assert_eq!(refused("[1, [2]]"), "The body must be an object");
    }

    #[test]
    fn only_trusted_proxies_name_the_client() {
        use actix_web::http::header::{HeaderName, HeaderValue};

        let client = |peer: &str, forwarded: &[&'static str], proxies: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in forwarded {
                headers.append(HeaderName::from_static(FORWARDED_FOR), HeaderValue::from_static(value));
            }
            let proxies: Vec<Network> = proxies.iter().map(|text| text.parse().expect("a network")).collect();
            client_address(peer.parse().expect("an address"), &headers, &proxies).to_string()
        };
        assert_eq!(client("10.0.0.7", &["203.0.113.9"], &[]), "10.0.0.7");
        assert_eq!(client("127.0.0.1", &["203.0.113.9"], &["10.0.0.0/8"]), "127.0.0.1");
        assert_eq!(client("10.0.0.7", &["203.0.113.9"], &["10.0.0.0/8"]), "203.0.113.9");
        // What the client wrote itself stands before what the proxy saw.
        assert_eq!(client("10.0.0.7", &["1.1.1.1, 203.0.113.9"], &["10.0.0.7"]), "203.0.113.9");
        assert_eq!(client("10.0.0.7", &["1.1.1.1", "203.0.113.9:4711"], &["10.0.0.7"]), "203.0.113.9");
        // A chain of proxies.
        assert_eq!(client("10.0.0.7", &["1.1.1.1, 203.0.113.9, 10.0.0.8"], &["10.0.0.0/8"]), "203.0.113.9");
        assert_eq!(client("10.0.0.7", &["nonsense"], &["10.0.0.7"]), "10.0.0.7");
        assert_eq!(client("::ffff:10.0.0.7", &["2001:db8:1:2:3:4:5:6"], &["10.0.0.0/8"]), "2001:db8:1:2::");
    }

    #[test]
    fn a_refused_query_names_the_parameter() {
        #[derive(Debug, serde::Deserialize)]
        struct Filter {
            #[serde(rename = "limit")]
            _limit: Option<u16>,
        }
        assert!(parse_query::<Filter>("other=1").is_ok());
        assert_eq!(error(parse_query::<Filter>("limit=many")), "limit: invalid digit found in string");
    }
}

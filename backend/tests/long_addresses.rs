//! The longest address that the server accepts, for every call that reads.

use std::collections::BTreeSet;

use actix_web::http::header::AUTHORIZATION;
use reqwest::Method;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use twinlab::http;

use crate::access_matrix::{World, address, matrix};
use crate::support::{Client, TestApp, sample};

/// Length limit of path and query in bytes; the crate `http` refuses one more.
const MAX_ADDRESS_BYTES: usize = 65_534;
/// Index of the super administrator, who may read everything.
const ROOT: usize = 5;

/// The app with a run whose twins have an attribute, and its callers.
async fn open() -> (TestApp, Vec<Client>) {
    let (app, callers) = World::plant().await.open().await;
    sample::run(&mut *app.connection().await, r#"UPDATE personas SET attributes = '{"Gender": "Female"}'"#).await;
    (app, callers)
}

/// The status of the answer to `GET`. It uses no HTTP client, whose own limit is a little lower than the server's.
async fn status(app: &TestApp, caller: &Client, address: &str) -> u16 {
    let request = caller.request(Method::GET, "/").build().expect("a request");
    let token = request.headers()[AUTHORIZATION.as_str()].to_str().expect("a token").to_owned();
    let host = app.url.strip_prefix("http://").expect("a URL");
    let mut connection = TcpStream::connect(host).await.expect("the server listens");
    let head = format!("GET {address} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: {token}\r\n\r\n");
    connection.write_all(head.as_bytes()).await.expect("it is taken");
    let mut line = vec![0; "HTTP/1.1 200".len()];
    connection.read_exact(&mut line).await.expect("an answer");
    let line = String::from_utf8(line).expect("a status line");
    line.rsplit(' ').next().and_then(|status| status.parse().ok()).expect("a status")
}

/// The address with `piece` repeated up to the server's limit.
fn filled(address: &str, piece: &str) -> String {
    let room = MAX_ADDRESS_BYTES - address.len();
    let mut filled = format!("{address}{}", piece.repeat(room / piece.len()));
    filled.push_str(&"x".repeat(MAX_ADDRESS_BYTES - filled.len()));
    filled
}

/// The names of the call's query parameters.
fn parameters(document: &Value, path: &str) -> BTreeSet<String> {
    let parameters = document["paths"][path]["get"]["parameters"].as_array().into_iter().flatten();
    let of_query = parameters.filter(|parameter| parameter["in"] == "query");
    of_query.map(|parameter| parameter["name"].as_str().expect("a name").to_owned()).collect()
}

#[actix_web::test]
async fn no_address_however_long_is_an_error_of_the_servers() {
    let document = serde_json::to_value(http::document()).expect("it is JSON");
    let (app, callers) = open().await;
    let root = &callers[ROOT];
    let mut surprises = Vec::new();
    let mut sent = 0;
    for line in matrix().into_iter().filter(|line| line.method == Method::GET) {
        let route = line.path.split('?').next().unwrap_or_default();
        let start = address(line.path);
        let start = format!("{start}{}", if start.contains('?') { "&" } else { "?" });
        let mut pieces = Vec::new();
        for name in parameters(&document, route) {
            // Thousands of repetitions, and one value of 60 KB.
            pieces.extend([
                (start.clone(), format!("{name}=1&")),
                (format!("{start}{name}="), "%F0%9F%98%80".to_owned()),
            ]);
        }
        // Names that the document does not have: attributes in lists of twins.
        pieces
            .extend([(start.clone(), "Gender&".to_owned()), (start.clone(), "attributes[Gender]=Female&".to_owned())]);
        for (start, piece) in pieces {
            sent += 1;
            let answered = status(&app, root, &filled(&start, &piece)).await;
            if answered >= 500 {
                surprises.push(format!("{start}{piece}…: {answered}"));
            }
        }
    }
    assert!(sent > 300, "only {sent} addresses were sent");
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
    assert_eq!(status(&app, root, &filled("/api/groups?", "x&")).await, 200, "the longest address is taken");
    assert_eq!(status(&app, root, &format!("{}x", filled("/api/groups?", "x&"))).await, 400, "and no longer one");
    app.stop().await;
}

#[actix_web::test]
async fn an_attribute_that_is_given_too_often_is_refused_by_its_name() {
    let (app, callers) = open().await;
    let root = &callers[ROOT];
    for path in ["", "/search", "/count", "/random/2"] {
        let asked = async |pairs: Vec<String>| root.get(&format!("/api/personas{path}?{}", pairs.join("&"))).await;
        asked(vec!["Gender=Female".to_owned(); 100]).await.ok();
        let refused = asked(vec!["Gender=Female".to_owned(); 101]).await.refused(400);
        assert_eq!(refused, "Gender may be given at most 100 times", "{path}");
        let refused = asked((0..101).map(|label| format!("attributes[{label}]=x")).collect()).await.refused(400);
        assert_eq!(refused, "at most 100 attributes may be given", "{path}");
    }
    app.stop().await;
}

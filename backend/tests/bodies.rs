//! Bodies of other kinds than the document's are refused, and the refusal names the field.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use twinlab::http;

use crate::access_matrix::{Line, World, address, matrix};
use crate::support::{Database, TestApp, sample};

/// Index of the caller with an old token version, which only the database can detect.
const OLD_TOKEN: usize = 9;

/// A value of each kind, by JSON Schema's name of the kind.
fn samples() -> [(&'static str, Value); 7] {
    [
        ("null", Value::Null),
        ("boolean", json!(true)),
        ("integer", json!(7)),
        ("number", json!(0.5)),
        ("string", json!("x")),
        ("array", json!([])),
        ("object", json!({})),
    ]
}

fn fields_of(schema: &Value) -> impl Iterator<Item = &String> {
    schema.as_object().into_iter().flat_map(Map::keys)
}

struct Document(Value);

impl Document {
    /// The schemas that `schema` refers to; several if it is one of several.
    fn resolve<'a>(&'a self, schema: &'a Value) -> Vec<&'a Value> {
        if let Some(name) = schema["$ref"].as_str() {
            return self.resolve(self.0.pointer(&name[1..]).unwrap_or_else(|| panic!("{name} is missing")));
        }
        match schema["oneOf"].as_array() {
            Some(schemas) => schemas.iter().flat_map(|schema| self.resolve(schema)).collect(),
            None => vec![schema],
        }
    }

    /// Copies of `right` with a value of a wrong kind in one place, for each place and kind, with the name of the
    /// field; the body itself has none.
    fn spoilt(&self, schema: &Value, field: &str, right: &Value) -> Vec<(String, Value)> {
        let schemas = self.resolve(schema);
        // Any value is valid if the schema has nothing but a description.
        if schemas.iter().any(|schema| fields_of(schema).all(|rule| rule == "description")) {
            return Vec::new();
        }
        let kinds: Vec<&str> = schemas
            .iter()
            .flat_map(|schema| match &schema["type"] {
                Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
                kind => Vec::from_iter(kind.as_str()),
            })
            .collect();
        assert!(!kinds.is_empty(), "{field}: {schema} has no type");
        let is_right = |kind: &str| kinds.contains(&kind) || (kind == "integer" && kinds.contains(&"number"));
        let wrong = samples().into_iter().filter(|(kind, _)| !is_right(kind));
        let mut spoilt: Vec<_> = wrong.map(|(_, value)| (field.to_owned(), value)).collect();
        for schema in schemas {
            for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                let mut fields: Map<String, Value> = right.as_object().cloned().unwrap_or_default();
                let before = fields.get(name).cloned().unwrap_or_default();
                spoilt.extend(self.spoilt(schema, name, &before).into_iter().map(|(field, value)| {
                    fields.insert(name.clone(), value);
                    (field, fields.clone().into())
                }));
            }
            if schema["items"].is_object() {
                let items = self.spoilt(&schema["items"], field, &right[0]);
                spoilt.extend(items.into_iter().map(|(field, item)| (field, json!([item]))));
            }
        }
        spoilt
    }
}

#[tokio::test]
async fn a_body_of_another_kind_than_the_documents_is_refused_by_the_name_of_the_field() {
    let document = Document(serde_json::to_value(http::document()).expect("it is JSON"));
    let (app, callers) = World::plant().await.open().await;
    // The planted survey has run, so it cannot be changed; the draft can.
    let draft = "
        INSERT INTO surveys (user_id, group_id, title) SELECT user_id, group_id, 'Draft' FROM surveys;
        INSERT INTO questions (survey_id, position, text, name, question_type)
            SELECT max(id), 1, 'Why?', 'Why', 'TEXT_ENTRY' FROM surveys;";
    sample::run(&mut *app.connection().await, draft).await;
    let mut surprises = Vec::new();
    let mut sent = 0;
    for Line { method, path, body, expected } in matrix() {
        let Some(body) = body else { continue };
        let route = path.split('?').next().unwrap_or_default();
        let call = &document.0["paths"][route][method.as_str().to_lowercase()];
        let schema = &call["requestBody"]["content"]["application/json"]["schema"];
        // The author of the survey if nobody may call it: that is because it has run, and the draft has not.
        let caller = &callers[expected.iter().position(|status| *status < 300).unwrap_or(3)];
        let address = match path.contains("/questions") {
            true => address(&path.replace("{surveyId}", "2").replace("{questionId}", "10")),
            false => address(path),
        };
        // Open to everybody: the code in the body is wrong.
        let is_open = path == "/api/auth/verify-login";
        if expected[OLD_TOKEN] == 401 && !is_open {
            let refused = callers[OLD_TOKEN].send(method.clone(), &address, Some(Value::Null)).await;
            if refused.status != 401 {
                surprises.push(format!("{method} {path} by an old token: {} {}", refused.status, refused.body));
            }
        }
        for (field, spoilt) in document.spoilt(schema, "", &body) {
            sent += 1;
            let answer = caller.send(method.clone(), &address, Some(spoilt.clone())).await;
            let message = answer.body["message"].as_str().unwrap_or_default().to_lowercase();
            // "Title and group are required", "question 3: ..": the names that people use.
            let name = field.trim_end_matches("Id").trim_end_matches('s').to_lowercase();
            if answer.status != 400 || !message.contains(&name) {
                surprises.push(format!("{method} {path} {spoilt}: {} {}", answer.status, answer.body));
            }
        }
    }
    app.stop().await;
    assert!(sent > 500, "only {sent} bodies were sent");
    assert!(surprises.is_empty(), "{}", surprises.join("\n"));
}

/// The whole answer to a call whose body ends after these pieces.
async fn answer_to(app: &TestApp, pieces: &[&str]) -> String {
    let address = app.url.strip_prefix("http://").expect("a URL");
    let mut connection = TcpStream::connect(address).await.expect("it listens");
    let head = "POST /api/auth/request-login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
    for piece in [&[head, "content-length: 999\r\n\r\n"], pieces].concat() {
        connection.write_all(piece.as_bytes()).await.expect("it is taken");
    }
    let mut answer = vec![0; 4096];
    let length = connection.read(&mut answer).await.expect("an answer");
    String::from_utf8_lossy(&answer[..length]).into_owned()
}

#[actix_web::test]
async fn a_body_that_does_not_come_is_given_up() {
    let database = Database::new();
    let url = database.url().to_owned();
    let app = TestApp::start_with(database, &url, &[], |app| app.body_timeout = Duration::from_millis(100)).await;
    for pieces in [&[][..], &["{"]] {
        let answer = answer_to(&app, pieces).await;
        assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains(r#""code":"body_timeout""#), "{answer}");
    }
    app.stop().await;
}

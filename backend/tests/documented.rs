//! Answers against the OpenAPI document: media type, headers, and no field that the document does not have.

use serde_json::Value;

use crate::support::Answer;

/// The ways in which a successful answer of the call differs from the document.
pub fn differences(document: &Value, method: &str, path: &str, answer: &Answer) -> Vec<String> {
    let path = path.split('?').next().unwrap_or_default();
    let responses = &document["paths"][path][method.to_lowercase()]["responses"];
    let response = &responses[answer.status.to_string()];
    let mut found = Vec::new();
    for name in response["headers"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()) {
        // A list of one page has no links.
        if name != "Link" && !answer.headers.contains_key(name) {
            found.push(format!("no header {name}"));
        }
    }
    for (media_type, content) in response["content"].as_object().into_iter().flatten() {
        let sent = answer.headers.get("content-type").and_then(|sent| sent.to_str().ok()).unwrap_or_default();
        if !sent.starts_with(media_type.as_str()) {
            found.push(format!("{sent} instead of {media_type}"));
        }
        if media_type == "application/json" {
            unknown_fields(document, &content["schema"], &answer.body, "", &mut found);
        }
    }
    found
}

/// Names the fields of the value that no shape of the schema has.
fn unknown_fields(document: &Value, schema: &Value, value: &Value, place: &str, found: &mut Vec<String>) {
    let mut shapes = Vec::new();
    collect_shapes(document, schema, &mut shapes);
    match value {
        Value::Object(fields) => {
            let is_free = |shape: &&Value| shape["properties"].is_null() && shape["additionalProperties"].is_null();
            if shapes.iter().any(|shape| is_free(shape) && shape["type"] != "null") {
                return;
            }
            for (name, value) in fields {
                let field = shapes.iter().map(|shape| &shape["properties"][name]).find(|field| !field.is_null());
                let other = shapes.iter().map(|shape| &shape["additionalProperties"]).find(|other| !other.is_null());
                match field.or(other) {
                    Some(schema) => unknown_fields(document, schema, value, &format!("{place}.{name}"), found),
                    None => found.push(format!("the field {place}.{name} is not in the document")),
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = shapes.iter().map(|shape| &shape["items"]).find(|items| !items.is_null()) else {
                return;
            };
            items.iter().for_each(|item| unknown_fields(document, schema, item, &format!("{place}[]"), found));
        }
        _ => {}
    }
}

/// The schemas that a schema refers to or is composed of.
fn collect_shapes<'d>(document: &'d Value, schema: &'d Value, shapes: &mut Vec<&'d Value>) {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/components/schemas/")) {
        return collect_shapes(document, &document["components"]["schemas"][name], shapes);
    }
    let parts: Vec<&Value> =
        ["allOf", "oneOf", "anyOf"].iter().filter_map(|kind| schema[*kind].as_array()).flatten().collect();
    if parts.is_empty() {
        shapes.push(schema);
    }
    parts.into_iter().for_each(|part| collect_shapes(document, part, shapes));
}

#[test]
fn a_field_that_the_document_does_not_have_is_found() {
    let document = serde_json::json!({ "components": { "schemas": { "Token": { "allOf": [
        { "type": "object", "properties": { "id": { "type": "integer" } } },
        { "type": "object", "properties": { "scopes": { "items": { "type": "object", "properties": { "name": {} } } } } },
    ] } } } });
    let schema = serde_json::json!({ "$ref": "#/components/schemas/Token" });
    let unknown = |value: Value| {
        let mut found = Vec::new();
        unknown_fields(&document, &schema, &value, "", &mut found);
        found.len()
    };
    assert_eq!(unknown(serde_json::json!({ "id": 3, "scopes": [{ "name": "read" }] })), 0);
    assert_eq!(unknown(serde_json::json!({ "id": 3, "userId": 7, "scopes": [{ "hash": "00" }] })), 2);
}

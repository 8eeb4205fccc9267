//! Programs written for version 1.0.0 of the API still work: their requests are accepted, and the fields that they read
//! exist.
//!
//! `fixtures/openapi-1.0.0.json.gz` is that version's OpenAPI document without its descriptions, summaries, examples, titles
//! and tags, as `scripts/release-fixtures` writes it.

use std::collections::BTreeSet;

use flate2::read::GzDecoder;
use serde_json::{Map, Value, json};

const OLD: &[u8] = include_bytes!("fixtures/openapi-1.0.0.json.gz");

/// Intended breaking changes, each with its reason.
const INTENDED: [&str; 0] = [];

#[test]
fn nothing_that_programs_for_version_1_0_0_need_has_changed() {
    let old = old_document();
    let new = serde_json::to_value(twinlab::http::document()).expect("it is JSON");
    let found = BTreeSet::from_iter(breaking_changes(&old, &new));
    let intended = BTreeSet::from(INTENDED.map(str::to_owned));
    let unintended: Vec<_> = found.difference(&intended).collect();
    let mended: Vec<_> = intended.difference(&found).collect();
    assert!(unintended.is_empty() && mended.is_empty(), "breaking: {unintended:#?}\nno longer breaking: {mended:#?}");
}

#[test]
fn each_kind_of_breaking_change_is_found() {
    let old = old_document();
    assert_eq!(breaking_changes(&old, &old), [""; 0]);
    let changed = |path: &str, value: Option<Value>| {
        let mut new = old.clone();
        let (parent, name) = path.rsplit_once('/').expect("a path has a parent");
        let parent = new.pointer_mut(parent).unwrap_or_else(|| panic!("the document has {path}"));
        match (value, parent) {
            (Some(value), parent) => parent[name] = value,
            (None, Value::Object(fields)) => drop(fields.remove(name).expect("it is there")),
            (None, _) => panic!("{path} is no field"),
        }
        breaking_changes(&old, &new)
    };
    let profile = "/components/schemas/Profile";
    let removed = changed(&format!("{profile}/properties/email"), None);
    assert!(removed.contains(&"GET /api/auth/profile 200.email: gone".to_owned()), "{removed:?}");
    let widened = changed(&format!("{profile}/properties/email/type"), Some(json!(["string", "null"])));
    assert!(widened.contains(&"GET /api/auth/profile 200.email: may be null".to_owned()), "{widened:?}");
    let optional = changed(&format!("{profile}/required"), Some(json!([])));
    assert!(optional.contains(&"GET /api/auth/profile 200.email: no longer always there".to_owned()), "{optional:?}");
    let path = "/paths/~1api~1auth~1request-login";
    assert_eq!(changed(&format!("{path}/post"), None), ["POST /api/auth/request-login: gone"]);
    let parameter = json!([{"name": "by", "in": "query", "required": true, "schema": {"type": "string"}}]);
    let required = changed(&format!("{path}/post/parameters"), Some(parameter));
    assert_eq!(required, ["POST /api/auth/request-login query by: new and required"]);
    let narrowed = changed("/components/schemas/LoginRequest/properties/email/maxLength", Some(3.into()));
    assert_eq!(narrowed, ["POST /api/auth/request-login body.email: maxLength is now 3"]);
}

fn old_document() -> Value {
    serde_json::from_reader(GzDecoder::new(OLD)).expect("the fixture is compressed JSON")
}

fn breaking_changes(old: &Value, new: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (path, methods) in fields(&old["paths"]) {
        for (method, before) in fields(methods) {
            let place = format!("{} {path}", method.to_uppercase());
            match new["paths"][path].get(method) {
                Some(after) => Comparison { old, new, found: &mut found }.operation(before, after, &place),
                None => found.push(format!("{place}: gone")),
            }
        }
    }
    found
}

/// The side that makes the values of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sender {
    /// The caller sends them: the new schema must accept all that the old one accepted.
    Caller,
    /// The program answers with them: the old schema must accept all that the new one describes.
    Program,
}

struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    found: &'a mut Vec<String>,
}

impl Comparison<'_> {
    fn operation(&mut self, before: &Value, after: &Value, place: &str) {
        let parameter = |of: &Value, like: &Value| {
            let same = |other: &&Value| other["name"] == like["name"] && other["in"] == like["in"];
            items(&of["parameters"]).find(same).cloned()
        };
        let named = |parameter: &Value| format!("{place} {} {}", text(&parameter["in"]), text(&parameter["name"]));
        for was in items(&before["parameters"]) {
            match parameter(after, was) {
                None => self.found.push(format!("{}: gone", named(was))),
                Some(is) if is["required"] == true && was["required"] != true => {
                    self.found.push(format!("{}: now required", named(was)));
                }
                Some(is) => self.schema(&was["schema"], &is["schema"], Sender::Caller, &named(was)),
            }
        }
        for is in items(&after["parameters"]).filter(|is| is["required"] == true) {
            if parameter(before, is).is_none() {
                self.found.push(format!("{}: new and required", named(is)));
            }
        }
        let (was, is) = (&before["requestBody"], &after["requestBody"]);
        if is["required"] == true && was["required"] != true {
            self.found.push(format!("{place} body: now required"));
        }
        self.contents(was, is, Sender::Caller, &format!("{place} body"));
        for (status, was) in fields(&before["responses"]) {
            match after["responses"].get(status) {
                Some(is) => self.contents(was, is, Sender::Program, &format!("{place} {status}")),
                None if status.starts_with('2') => self.found.push(format!("{place} {status}: gone")),
                // An error that no longer happens.
                None => {}
            }
        }
    }

    fn contents(&mut self, before: &Value, after: &Value, sender: Sender, place: &str) {
        for (media, was) in fields(&before["content"]) {
            match after["content"].get(media) {
                Some(is) => self.schema(&was["schema"], &is["schema"], sender, place),
                None => self.found.push(format!("{place} {media}: gone")),
            }
        }
    }

    fn schema(&mut self, before: &Value, after: &Value, sender: Sender, place: &str) {
        let (old, new) = (self.old, self.new);
        self.found.extend(match sender {
            Sender::Caller => misfits((old, before), (new, after), sender, place),
            Sender::Program => misfits((new, after), (old, before), sender, place),
        });
    }
}

/// The reasons why some value of one schema is not one of the other. Each schema comes with its document.
fn misfits(values: (&Value, &Value), rules: (&Value, &Value), sender: Sender, place: &str) -> Vec<String> {
    let (given, taken) = (resolved(values), resolved(rules));
    let alternatives =
        |schema: &Value| items(&schema["oneOf"]).chain(items(&schema["anyOf"])).cloned().collect::<Vec<_>>();
    let each = alternatives(&given);
    if !each.is_empty() {
        return each.iter().flat_map(|one| misfits((values.0, one), (rules.0, &taken), sender, place)).collect();
    }
    let any = alternatives(&taken);
    if !any.is_empty() {
        let tried = any.iter().map(|one| misfits((values.0, &given), (rules.0, one), sender, place));
        return tried.min_by_key(Vec::len).unwrap_or_default();
    }
    let mut found = Vec::new();
    let mut misfit = |what: String| found.push(format!("{place}: {what}"));
    let rule = |name: &str, kept: &dyn Fn(&Value) -> bool| {
        (!taken[name].is_null() && !kept(&given[name])).then(|| {
            let now = if sender == Sender::Caller { &taken[name] } else { &given[name] };
            if now.is_null() { format!("{name} is no longer limited") } else { format!("{name} is now {now}") }
        })
    };
    let types = |schema: &Value| match &schema["type"] {
        Value::Array(types) => types.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    let known = types(&taken);
    if !known.is_empty() {
        for kind in types(&given).iter().filter(|kind| !known.contains(kind)) {
            if !(*kind == "integer" && known.contains(&"number".into())) {
                misfit(match sender {
                    Sender::Caller => format!("may no longer be {}", text(kind)),
                    Sender::Program => format!("may be {}", text(kind)),
                });
            }
        }
        if types(&given).is_empty() {
            misfit("of any type".to_owned());
        }
    }
    let narrower = [
        rule("enum", &|of| of.is_array() && items(of).all(|value| items(&taken["enum"]).any(|known| known == value))),
        rule("pattern", &|of| *of == taken["pattern"]),
        rule("format", &|of| *of == taken["format"] || (of == "int32" && taken["format"] == "int64")),
        rule("minimum", &|of| of.as_f64() >= taken["minimum"].as_f64()),
        rule("minLength", &|of| of.as_f64() >= taken["minLength"].as_f64()),
        rule("minItems", &|of| of.as_f64() >= taken["minItems"].as_f64()),
        rule("maximum", &|of| of.is_number() && of.as_f64() <= taken["maximum"].as_f64()),
        rule("maxLength", &|of| of.is_number() && of.as_f64() <= taken["maxLength"].as_f64()),
        rule("maxItems", &|of| of.is_number() && of.as_f64() <= taken["maxItems"].as_f64()),
        rule("additionalProperties", &|of| taken["additionalProperties"] != false || *of == false),
    ];
    narrower.into_iter().flatten().for_each(&mut misfit);
    let requires = |schema: &Value, name: &str| items(&schema["required"]).any(|required| required == name);
    let (was, is) = if sender == Sender::Caller { (&given, &taken) } else { (&taken, &given) };
    for name in items(&taken["required"]).map(text).filter(|name| !requires(&given, name)) {
        match sender {
            Sender::Caller => found.push(format!("{place}.{name}: now required")),
            Sender::Program if is["properties"].get(name).is_some() => {
                found.push(format!("{place}.{name}: no longer always there"));
            }
            // It is reported below.
            Sender::Program => {}
        }
    }
    for name in fields(&was["properties"]).map(|(name, _)| name) {
        if is["properties"].get(name).is_none() {
            found.push(format!("{place}.{name}: gone"));
        }
    }
    let parts = fields(&given["properties"])
        .filter_map(|(name, part)| Some((format!("{place}.{name}"), part, taken["properties"].get(name)?)));
    let parts = parts.chain([
        (format!("{place}[]"), &given["items"], &taken["items"]),
        (format!("{place}.*"), &given["additionalProperties"], &taken["additionalProperties"]),
    ]);
    for (place, given, taken) in parts.filter(|(_, given, taken)| given.is_object() && taken.is_object()) {
        found.extend(misfits((values.0, given), (rules.0, taken), sender, &place));
    }
    found
}

/// Resolves a schema: follows references, and merges parts.
fn resolved((document, schema): (&Value, &Value)) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#'));
        return resolved((document, target.unwrap_or_else(|| panic!("the document has {reference}"))));
    }
    let mut whole = schema.clone();
    for part in items(&schema["allOf"]) {
        for (name, value) in fields(&resolved((document, part))) {
            match (whole.get_mut(name), value) {
                (None, value) => whole[name] = value.clone(),
                (Some(Value::Object(fields)), Value::Object(more)) => fields.extend(more.clone()),
                (Some(Value::Array(items)), Value::Array(more)) => items.extend(more.clone()),
                _ => {}
            }
        }
    }
    whole
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

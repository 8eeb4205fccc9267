//! The part of JSON Schema that Anthropic's structured outputs take.

use serde_json::Value;

const OF_NUMBERS: [&str; 5] = ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"];
const OF_STRINGS: [&str; 2] = ["maxLength", "minLength"];
const OF_ARRAYS: [&str; 4] = ["contains", "maxItems", "prefixItems", "uniqueItems"];

/// Returns why the schema is refused, or `None` if it is taken.
pub fn unsupported(schema: &Value) -> Option<String> {
    match schema {
        Value::Array(schemas) => schemas.iter().find_map(unsupported),
        Value::Object(keywords) => {
            let own = of_type(schema);
            let nested = ["$defs", "properties"].iter().filter_map(|key| schema[key].as_object());
            let named = || nested.flat_map(|schemas| schemas.values()).find_map(unsupported);
            let direct = ["anyOf", "allOf", "items"].iter().filter_map(|key| keywords.get(*key));
            own.or_else(named).or_else(|| direct.into_iter().find_map(unsupported))
        }
        _ => None,
    }
}

fn of_type(schema: &Value) -> Option<String> {
    if schema.get("oneOf").is_some() {
        return Some("'oneOf' is not supported".to_owned());
    }
    let is = |kind: &str| match &schema["type"] {
        Value::String(only) => only == kind,
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        _ => kind == "object" && schema.get("properties").is_some(),
    };
    let refused = |kind: &str, keywords: &[&str]| {
        let found: Vec<&str> = keywords.iter().copied().filter(|keyword| schema.get(*keyword).is_some()).collect();
        let names = found.join(", ");
        (is(kind) && !found.is_empty()).then(|| format!("For '{kind}' type, properties {names} are not supported"))
    };
    if is("object") && schema["additionalProperties"] != Value::Bool(false) {
        return Some("For 'object' type, 'additionalProperties' must be explicitly set to false".to_owned());
    }
    if is("array") && schema["minItems"].as_u64().is_some_and(|least| least > 1) {
        return Some("For 'array' type, 'minItems' values other than 0 or 1 are not supported".to_owned());
    }
    ["number", "integer"]
        .iter()
        .find_map(|kind| refused(kind, &OF_NUMBERS))
        .or_else(|| refused("string", &OF_STRINGS))
        .or_else(|| refused("array", &OF_ARRAYS))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limits_that_anthropic_does_not_keep_are_refused_wherever_they_are() {
        let object =
            |field: Value| json!({"type": "object", "properties": {"q": field}, "additionalProperties": false});
        let taken = [
            json!({"type": "integer"}),
            json!({"type": "string", "enum": ["a", "b"]}),
            json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
            json!({"anyOf": [{"type": "number"}, {"type": "null"}]}),
        ];
        assert!(taken.iter().all(|field| unsupported(&object(field.clone())).is_none()));
        let refused = [
            json!({"type": "integer", "minimum": 1}),
            json!({"type": "string", "maxLength": 9}),
            json!({"type": "array", "items": {"type": "string"}, "minItems": 2}),
            json!({"type": "array", "items": {"type": ["number", "null"], "maximum": 3}}),
            json!({"type": "object", "properties": {}}),
            json!({"oneOf": [{"type": "string"}]}),
        ];
        assert!(refused.iter().all(|field| unsupported(&object(field.clone())).is_some()));
    }
}

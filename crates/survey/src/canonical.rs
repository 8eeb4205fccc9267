//! The canonical form of JSON (RFC 8785): equal values have equal bytes.

use serde_json::{Number, Value};

/// Writes the value with keys sorted by their UTF-16 code units, without white space, and with numbers as ECMAScript
/// prints them.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value);
    text
}

fn write(text: &mut String, value: &Value) {
    match value {
        Value::Number(number) => text.push_str(&number_text(number)),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(text, item);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            text.push('{');
            for (index, (key, field)) in fields.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(text, &Value::from(key.as_str()));
                text.push(':');
                write(text, field);
            }
            text.push('}');
        }
        // serde_json escapes exactly the characters that the RFC requires.
        Value::Null | Value::Bool(_) | Value::String(_) => text.push_str(&value.to_string()),
    }
}

/// Writes a number as a double, as the RFC requires.
fn number_text(number: &Number) -> String {
    let Some(number) = number.as_f64() else { return number.to_string() };
    if number == 0.0 {
        return "0".into();
    }
    // Rust prints the shortest digits that read back as the number, as `d.ddde±x`.
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    let unsigned = match exponent + 1 {
        point if (count..=21).contains(&point) => format!("{digits}{}", zeros(point - count)),
        point if (1..count).contains(&point) => {
            let (whole, rest) = digits.split_at(usize::try_from(point).unwrap_or_default());
            format!("{whole}.{rest}")
        }
        point if (-5..=0).contains(&point) => format!("0.{}{digits}", zeros(-point)),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            format!("{first}{point}{rest}e{sign}{}", exponent.abs())
        }
    };
    if number < 0.0 { format!("-{unsigned}") } else { unsigned }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_sorted_and_numbers_are_printed_as_the_rfc_shows() {
        let value = json!({ "numbers": [333_333_333.333_333_3, 1E30, 4.50, 2e-3, 1e-27, 1e21, 1e20, -0.0, 7, -1.5e-7],
            "string": "\u{20ac}$\u{f}\nA'B\"\\\"/", "literals": [null, true, false] });
        assert_eq!(
            canonical(&value),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27,1e+21,\
             100000000000000000000,0,7,-1.5e-7],\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\"/\"}"
        );
    }

    #[test]
    fn keys_are_sorted_by_utf_16() {
        let value = json!({ "\u{20ac}": "Euro", "\r": "Return", "\u{fb33}": "Hebrew", "1": "One", "\u{1f600}": "Emoji",
            "\u{80}": "Control", "\u{f6}": "o" });
        let order: Vec<&str> = ["Return", "One", "Control", "o", "Euro", "Emoji", "Hebrew"].into();
        let text = canonical(&value);
        let places: Vec<usize> = order.iter().map(|name| text.find(name).expect("a name")).collect();
        assert!(places.is_sorted(), "{text}");
    }
}

//! Numbers as people write them: `7` and `7.5`, but not `7.0`.

use serde_json::Value;

/// 2^53: whole numbers below it are the same as `i64` and as `f64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Writes a number. Adding zero turns the negative zero into the plain one.
pub fn text(value: f64) -> String {
    (value + 0.0).to_string()
}

/// Returns the number as JSON, or `null` if it is not finite.
pub fn json(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < EXACT { Value::from(value as i64) } else { Value::from(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_plainly() {
        let written: Vec<_> = [7.0, 7.5, -0.0, 0.1, -3.0, 1e21].map(|n| (text(n), json(n).to_string())).into();
        let expected = [("7", "7"), ("7.5", "7.5"), ("0", "0"), ("0.1", "0.1"), ("-3", "-3")];
        for ((text, json), (expected_text, expected_json)) in written.iter().zip(expected) {
            assert_eq!((text.as_str(), json.as_str()), (expected_text, expected_json));
        }
        assert_eq!(written[5].0, "1000000000000000000000");
        assert_eq!(json(f64::NAN), Value::Null);
    }
}

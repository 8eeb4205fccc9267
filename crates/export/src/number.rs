//! Rounding of computed figures, so that every machine writes the same bytes.

use serde::Serialize;
use serde_json::Value;

/// Rounds to 10 significant digits. Machines differ in the digits after them.
pub fn rounded(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(f64::NAN)
}

/// Rounds a figure for JSON; null where there is none.
pub fn figure(value: Option<f64>) -> Value {
    value.map_or(Value::Null, |value| rounded(value).into())
}

/// Returns the value as JSON in which every figure is rounded.
pub fn figures(of: &impl Serialize) -> serde_json::Result<Value> {
    fn round(value: &mut Value) {
        match value {
            Value::Number(number) if number.is_f64() => *value = figure(number.as_f64()),
            Value::Array(items) => items.iter_mut().for_each(round),
            Value::Object(fields) => fields.values_mut().for_each(round),
            _ => {}
        }
    }
    let mut value = serde_json::to_value(of)?;
    round(&mut value);
    Ok(value)
}

/// Formats as `.21`, `−.05` or `1.03`, with this number of decimals.
pub fn short(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    let digits = text.strip_prefix("0.").map_or_else(|| text.clone(), |rest| format!(".{rest}"));
    // A number that is rounded to 0 has no sign.
    let is_below = value < 0.0 && text.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    if is_below { format!("−{digits}") } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_has_ten_significant_digits_however_large_it_is() {
        assert_eq!(rounded(1.0 / 3.0).to_string(), "0.3333333333");
        assert_eq!(rounded(2e10 / 3.0).to_string(), "6666666667");
        assert_eq!(rounded(-1e-30 / 3.0), -3.333333333e-31);
        assert_eq!(rounded(1.0 / 3.0 + 1e-13), rounded(1.0 / 3.0));
        assert_eq!(
            (figure(Some(0.25)).to_string(), figure(Some(f64::NAN)), figure(None)),
            ("0.25".to_owned(), Value::Null, Value::Null)
        );
    }

    #[test]
    fn figures_are_short() {
        assert_eq!(
            [0.214, -0.05, 1.034, 0.0, -0.001, -1.2].map(|value| short(value, 2)),
            [".21", "−.05", "1.03", ".00", ".00", "−1.20"]
        );
    }
}

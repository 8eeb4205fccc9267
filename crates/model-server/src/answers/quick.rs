//! Valid answers that take little time.

use serde_json::Value;

use super::{is_letter, of_weights};
use crate::hash::{hash, mix, unit};
use crate::schema::{QUANTILES, Schema, bounds, shares};

/// The reply to a call without a schema.
pub const PROSE: &str = "Well, that is hard to say; it depends on the day.";

/// Returns an instance of the schema that follows from the seed.
pub fn answer(schema: &Schema, seed: u64) -> Value {
    match schema {
        Schema::Object(fields) => fields
            .iter()
            .map(|field| (field.name.clone(), answer(&field.schema, mix(&[seed, hash(field.name.as_bytes())]))))
            .collect(),
        Schema::Array { items, min, max } => {
            let distinct = if let Schema::Choice(choices) = items.as_ref() { choices.len() } else { 3 };
            let length = pick(seed, *min, max.unwrap_or(distinct));
            let start = mix(&[seed, 1]);
            let item = |n: u64| match items.as_ref() {
                // Consecutive choices are different ones.
                Schema::Choice(choices) if !choices.is_empty() => {
                    choices[(start.wrapping_add(n) % choices.len() as u64) as usize].clone()
                }
                items => answer(items, mix(&[start, n])),
            };
            (0..length as u64).map(item).collect()
        }
        Schema::Sum { fields, total } => {
            let weights: Vec<f64> = (0..fields.len() as u64).map(|n| unit(mix(&[seed, n]))).collect();
            fields.iter().cloned().zip(shares(*total, &weights).into_iter().map(Value::from)).collect()
        }
        Schema::Percentages(fields) => {
            let weights: Vec<f64> = (0..fields.len() as u64).map(|n| unit(mix(&[seed, n]))).collect();
            fields.iter().cloned().zip(shares(100.0, &weights).into_iter().map(Value::from)).collect()
        }
        Schema::Quantiles { min, max } => {
            let (min, max) = bounds(*min, *max);
            let mut numbers: Vec<f64> =
                (0..QUANTILES.len() as u64).map(|n| min + unit(mix(&[seed, n])) * (max - min)).collect();
            numbers.sort_by(f64::total_cmp);
            QUANTILES.map(str::to_owned).into_iter().zip(numbers.into_iter().map(Value::from)).collect()
        }
        Schema::BestAndWorst(choices) => {
            let best = pick(seed, 0, choices.len() - 1);
            let worst = (best + pick(mix(&[seed, 3]), 1, choices.len() - 1)) % choices.len();
            [("best", best), ("worst", worst)]
                .map(|(end, place)| (end.to_owned(), choices[place].clone()))
                .into_iter()
                .collect()
        }
        Schema::Choice(choices) if choices.is_empty() => Value::Null,
        Schema::Choice(choices) => choices[pick(seed, 0, choices.len() - 1)].clone(),
        Schema::Number { min, max, whole: true } => {
            let (min, max) = bounds(*min, *max);
            let value = min.ceil() + (unit(seed) * (max.floor() - min.ceil() + 1.0)).floor();
            Value::from(value as i64)
        }
        Schema::Number { min, max, whole: false } => {
            let (min, max) = bounds(*min, *max);
            let value = min + unit(seed) * (max - min);
            let rounded = (value * 10.0).round() / 10.0;
            Value::from(if (min..=max).contains(&rounded) { rounded } else { value })
        }
        Schema::Boolean => (seed & 1 == 0).into(),
        Schema::Text => "The stub has no opinion of its own.".into(),
        Schema::Null => Value::Null,
    }
}

/// Adds the probabilities of the letters of each answer that is one letter.
pub fn odds(schema: &Schema, seed: u64, odds: &mut Vec<Vec<(String, f64)>>) {
    match schema {
        Schema::Object(fields) => {
            fields.iter().for_each(|field| self::odds(&field.schema, mix(&[seed, hash(field.name.as_bytes())]), odds));
        }
        Schema::Choice(choices) if choices.iter().all(is_letter) => {
            let weights: Vec<f64> = (0..choices.len() as u64).map(|n| 0.05 + unit(mix(&[seed, n]))).collect();
            odds.push(of_weights(choices, &weights));
        }
        _ => {}
    }
}

/// Picks a number of `min..=max`.
fn pick(seed: u64, min: usize, max: usize) -> usize {
    min + (mix(&[seed, 2]) % (max.saturating_sub(min) as u64 + 1)) as usize
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn survey() -> Schema {
        Schema::parse(&json!({"type": "object",
            "properties": {
                "q1": {"type": "string", "enum": ["Yes", "No \"never\""]},
                "q2": {"type": "array", "items": {"enum": ["a", "b", "c", "d"]}, "minItems": 1, "maxItems": 3},
                "q3": {"type": "object", "properties": {"1": {"$ref": "#/$defs/scale"}, "2": {"$ref": "#/$defs/scale"}}},
                "q4": {"type": "integer", "minimum": -3, "maximum": 4},
                "q5": {"type": ["number", "null"], "minimum": 0.05, "maximum": 0.07},
                "q6": {"type": "string"},
                "q7": {"type": "object", "description": "Numbers that add up to exactly 10.",
                    "properties": {"q7_1": {"type": "number", "minimum": 0}, "q7_2": {"type": "number", "minimum": 0}}},
                "q8": {"type": "object", "properties": {"best": {"$ref": "#/$defs/scale"}, "worst": {"$ref": "#/$defs/scale"}}}},
            "$defs": {"scale": {"enum": ["Agree", "Disagree"]}}}))
    }

    fn breaches(answer: &Value) -> usize {
        let list = answer["q2"].as_array().cloned().unwrap_or_default();
        let distinct = list.iter().enumerate().all(|(n, option)| !list[..n].contains(option));
        let scale_of = |value: &Value| ["Agree", "Disagree"].contains(&value.as_str().unwrap_or(""));
        let scale = |row: &str| scale_of(&answer["q3"][row]);
        [
            ["Yes", "No \"never\""].contains(&answer["q1"].as_str().unwrap_or("")),
            (1..=3).contains(&list.len())
                && distinct
                && list.iter().all(|option| ["a", "b", "c", "d"].contains(&option.as_str().unwrap_or(""))),
            scale("1") && scale("2"),
            answer["q4"].as_i64().is_some_and(|value| (-3..=4).contains(&value)),
            answer["q5"].as_f64().is_some_and(|value| (0.05..=0.07).contains(&value)),
            answer["q6"].as_str().is_some_and(|text| !text.trim().is_empty()),
            ["q7_1", "q7_2"].iter().filter_map(|part| answer["q7"][part].as_f64()).sum::<f64>() == 10.0,
            scale_of(&answer["q8"]["best"])
                && scale_of(&answer["q8"]["worst"])
                && answer["q8"]["best"] != answer["q8"]["worst"],
        ]
        .iter()
        .filter(|holds| !**holds)
        .count()
    }

    #[test]
    fn instances_are_valid_whatever_the_seed_and_the_same_for_the_same_seed() {
        let answers: Vec<_> = (0..500).map(|seed| answer(&survey(), mix(&[seed]))).collect();
        assert!(answers.iter().all(|answer| breaches(answer) == 0));
        assert_eq!(answers[7], answer(&survey(), mix(&[7])));
        for value in -3..=4 {
            assert!(answers.iter().any(|answer| answer["q4"] == value), "{value} is never answered");
        }
        for length in 1..=3 {
            assert!(answers.iter().any(|answer| answer["q2"].as_array().map(Vec::len) == Some(length)));
        }
    }

    #[test]
    fn an_invalid_answer_breaks_exactly_one_question_of_any_type() {
        let Schema::Object(fields) = survey() else { panic!("no object") };
        for n in 0..fields.len() {
            let mut fields = fields.clone();
            fields.swap(0, n);
            let schema = Schema::Object(fields);
            let invalid = schema.invalidate(answer(&schema, 1));
            assert_eq!(breaches(&invalid), 1, "{invalid}");
        }
    }
}

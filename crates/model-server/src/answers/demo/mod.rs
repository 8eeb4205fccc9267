//! The demo model, which is not a language model. A persona's text becomes a point in a small space of traits and a
//! question's words a direction in it. Every answer follows from the projection of the point on the direction.

mod direction;
mod prose;
mod sentences;
mod twin;

use serde_json::Value;

use super::{is_letter, of_weights};
use crate::request::Request;
use crate::schema::{Field, QUANTILES, Schema, bounds, shares};
use prose::Wanted;
use twin::Twin;

/// 2^53: whole numbers below it are the same as `i64` and as `f64`.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Distance of the seeds of several replies to one call.
const MOODS_APART: i64 = 7_919;
/// How much more probable the choices are that fit a twin better.
const SHARPNESS: f64 = 4.0;

/// Returns a reply without a schema.
pub fn sentence(request: &Request<'_>, seed: u64, place: u64) -> String {
    let question = request.questions();
    let interview = Interview { twin: twin(request, seed, place), questions: &question, own: &question };
    let answer = match prose::wanted(&question) {
        Some(Wanted::One(options)) => interview.choose(&options, &question),
        Some(Wanted::Several(options)) => interview.choose_several(&options, &question, 1, options.len()),
        Some(Wanted::Number { min, max }) => number(interview.place((min, max), &question, true)),
        None => return sentences::answer(&interview.twin, &question),
    };
    answer.as_str().map_or_else(|| answer.to_string(), str::to_owned)
}

/// Returns a reply that is valid under the schema.
pub fn answer(schema: &Schema, request: &Request<'_>, seed: u64, place: u64) -> Value {
    let questions = request.questions();
    let interview = Interview { twin: twin(request, seed, place), questions: &questions, own: &questions };
    interview.answer(schema, "")
}

/// Adds the probabilities of the letters of each answer that is one letter.
pub fn odds(schema: &Schema, request: &Request<'_>, seed: u64, odds: &mut Vec<Vec<(String, f64)>>) {
    let questions = request.questions();
    let interview = Interview { twin: twin(request, seed, 0), questions: &questions, own: &questions };
    interview.odds(schema, "", odds);
}

/// The twin in the mood of the reply at this place among several.
fn twin(request: &Request<'_>, seed: u64, place: u64) -> Twin {
    let mood = match place {
        0 => request.seed,
        place => Some(request.seed.unwrap_or_default().wrapping_add(MOODS_APART.wrapping_mul(place as i64))),
    };
    Twin::read(&request.profile(), seed).asked_with(mood)
}

#[derive(Clone)]
struct Interview<'a> {
    twin: Twin,
    questions: &'a str,
    /// The lines of the question that is answered, which say what its letters stand for.
    own: &'a str,
}

impl Interview<'_> {
    /// Returns an instance of the schema. `text` is the wording of the question.
    fn answer(&self, schema: &Schema, text: &str) -> Value {
        match schema {
            Schema::Object(fields) => {
                let answer = |field: &Field| {
                    let (part, text) = self.part(field, text);
                    (field.name.clone(), part.answer(&field.schema, &text))
                };
                fields.iter().map(answer).collect()
            }
            Schema::Array { items, min, max } => match items.as_ref() {
                Schema::Choice(choices) => self.choose_several(choices, text, *min, max.unwrap_or(usize::MAX)),
                items => (0..*min).map(|n| self.answer(items, &format!("{text} {n}"))).collect(),
            },
            Schema::Choice(choices) => self.choose(choices, text),
            Schema::Number { min, max, whole } => number(self.place(bounds(*min, *max), text, *whole)),
            Schema::Sum { fields, total } => {
                let texts = fields.iter().map(|name| line_of(self.questions, name).unwrap_or(name));
                // Squaring gives preferred options clearly more.
                let weights: Vec<f64> = texts.map(|option| self.liking(&option.into(), text).powi(2)).collect();
                fields.iter().cloned().zip(shares(*total, &weights).into_iter().map(number)).collect()
            }
            Schema::Percentages(fields) => {
                let options = fields.iter().map(|name| line_of(self.questions, name).unwrap_or(name).into());
                let weights = self.weights(&options.collect::<Vec<Value>>(), text);
                fields.iter().cloned().zip(shares(100.0, &weights).into_iter().map(number)).collect()
            }
            Schema::Quantiles { min, max } => {
                let (min, max) = bounds(*min, *max);
                let width = (max - min) * (0.08 + 0.12 * self.twin.luck(text));
                let middle = self.twin.leaning(text) * (max - min) + min;
                let at = |deviation: f64| {
                    let exact = middle + width * deviation;
                    let rounded = if max - min >= 10.0 { exact.round() } else { (exact * 100.0).round() / 100.0 };
                    number(rounded.clamp(min, max))
                };
                // The quantiles of a bell curve in standard deviations.
                let quantiles = [-1.645, -0.674, 0.0, 0.674, 1.645].map(at);
                QUANTILES.map(str::to_owned).into_iter().zip(quantiles).collect()
            }
            Schema::BestAndWorst(choices) => {
                let mut liked: Vec<_> = choices.iter().map(|choice| (self.liking(choice, text), choice)).collect();
                liked.sort_by(|a, b| b.0.total_cmp(&a.0));
                let ends = [("best", liked.first()), ("worst", liked.last())];
                let end = |(name, end): (&str, Option<&(f64, &Value)>)| {
                    (name.to_owned(), end.map_or(Value::Null, |(_, choice)| (*choice).clone()))
                };
                ends.into_iter().map(end).collect()
            }
            Schema::Boolean => (self.twin.leaning(text) > 0.5).into(),
            Schema::Text => sentences::answer(&self.twin, text).into(),
            Schema::Null => Value::Null,
        }
    }

    fn odds(&self, schema: &Schema, text: &str, odds: &mut Vec<Vec<(String, f64)>>) {
        match schema {
            Schema::Object(fields) => fields.iter().for_each(|field| {
                let (part, text) = self.part(field, text);
                part.odds(&field.schema, &text, odds);
            }),
            Schema::Choice(choices) if choices.iter().all(is_letter) => {
                odds.push(of_weights(choices, &self.weights(choices, text)));
            }
            _ => {}
        }
    }

    /// The interview about a field, with the wording of its question. A question's letters are those below its own line.
    fn part(&self, field: &Field, text: &str) -> (Self, String) {
        let words = line_of(self.questions, &field.name).or(field.description.as_deref());
        let text = format!("{text} {}", words.unwrap_or(&field.name));
        let start = self.questions.find(&format!("[{}]", field.name));
        let own = start.map(|start| &self.questions[start..]);
        let own = own.map(|own| own.get(1..).and_then(|rest| rest.find("\n[q")).map_or(own, |end| &own[..=end]));
        (Self { own: own.unwrap_or(self.own), ..self.clone() }, text)
    }

    /// Chooses what the twin prefers. Returns an exclusive choice alone if the twin prefers it most.
    fn choose_several(&self, choices: &[Value], text: &str, min: usize, max: usize) -> Value {
        let mut liked: Vec<_> = choices.iter().map(|choice| (self.liking(choice, text), choice)).collect();
        liked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let is_alone = |choice: &Value| excludes_others(self.questions, choice);
        if let Some((_, best)) = liked.first().filter(|(_, best)| is_alone(best)) {
            return Value::Array(vec![(*best).clone()]);
        }
        liked.retain(|(_, choice)| !is_alone(choice));
        let max = max.min(liked.len()).max(min);
        let count = liked.iter().filter(|(liking, _)| *liking > 0.6).count();
        liked.iter().take(count.clamp(min, max)).map(|(_, choice)| (*choice).clone()).collect()
    }

    /// Chooses one. The order of the choices does not matter.
    fn choose(&self, choices: &[Value], text: &str) -> Value {
        let fits = self.fits(choices, text);
        let best = choices.iter().zip(fits).max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(Value::Null, |(choice, _)| choice.clone())
    }

    /// How well each choice fits the twin: at most 0 on a scale, 0..1 elsewhere.
    fn fits(&self, choices: &[Value], text: &str) -> Vec<f64> {
        let choices = &self.in_words(choices);
        let wanted = 2.0 * self.twin.leaning(text) - 1.0;
        match sentences::scale(choices) {
            Some(places) => places.into_iter().map(|place| -(place - wanted).abs()).collect(),
            None => choices.iter().map(|choice| self.liking(choice, text)).collect(),
        }
    }

    /// The options that letters stand for, or the choices themselves.
    fn in_words(&self, choices: &[Value]) -> Vec<Value> {
        let words = choices.iter().map(|letter| Some(line_of(self.own, letter.as_str()?)?.into()));
        let words = words.collect::<Option<Vec<Value>>>().filter(|_| choices.iter().all(is_letter));
        words.unwrap_or_else(|| choices.to_vec())
    }

    /// The probabilities of the choices, as parts of any sum. The one that the twin chooses has the highest.
    fn weights(&self, choices: &[Value], text: &str) -> Vec<f64> {
        self.fits(choices, text).into_iter().map(|fit| (SHARPNESS * fit).exp()).collect()
    }

    fn liking(&self, choice: &Value, text: &str) -> f64 {
        let choice = choice.as_str().map_or_else(|| choice.to_string(), str::to_owned);
        0.6 * self.twin.leaning(&choice) + 0.4 * self.twin.luck(&format!("{text} {choice}"))
    }

    fn place(&self, (min, max): (f64, f64), text: &str, whole: bool) -> f64 {
        let exact = min + self.twin.leaning(text) * (max - min);
        let rounded = if whole || max - min >= 10.0 { exact.round() } else { (exact * 10.0).round() / 10.0 };
        rounded.clamp(min, max)
    }
}

/// Writes whole numbers as `7`, not `7.0`.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < MAX_EXACT { Value::from(value as i64) } else { Value::from(value) }
}

/// Whether the questions say that the choice excludes all others.
fn excludes_others(questions: &str, choice: &Value) -> bool {
    let Some(choice) = choice.as_str() else { return false };
    let said = format!("If you choose {choice:?}, choose nothing else.");
    questions.lines().any(|line| line == said)
}

/// Returns the text after `[q1]` or `r1:` at the beginning of a line.
fn line_of<'a>(questions: &'a str, name: &str) -> Option<&'a str> {
    questions.lines().find_map(|line| {
        let bracketed = || line.strip_prefix('[')?.strip_prefix(name)?.strip_prefix(']');
        let listed = || line.strip_prefix(name)?.strip_prefix(':');
        bracketed().or_else(listed).map(str::trim)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Answers;

    use super::*;

    #[test]
    fn a_choice_that_excludes_the_others_is_made_alone() {
        let options = json!(["Tea", "Coffee", "Juice", "None of \"these\""]);
        let schema = json!({
            "type": "object",
            "properties": { "q1": { "type": "array", "items": { "type": "string", "enum": options }, "minItems": 1 } },
        });
        let reply = |twin: u64, said: &str| -> Vec<String> {
            let question = format!("[q1] What do you drink?\nChoose every option that applies:\n{said}");
            let profile = format!("Twin number {twin}, who likes {twin} things.");
            let body = json!({
                "messages": [{ "role": "system", "content": profile }, { "role": "user", "content": question }],
                "response_format": { "type": "json_schema", "json_schema": { "name": "x", "schema": schema } },
            });
            let reply = Answers::Demo.content(body.to_string().as_bytes(), 0).unwrap();
            serde_json::from_value(serde_json::from_str::<Value>(&reply).unwrap()["q1"].clone()).unwrap()
        };
        let none = "None of \"these\"";
        let (mut together, mut alone) = (0, 0);
        for twin in 0..200 {
            let free = reply(twin, "");
            together += usize::from(free.len() > 1 && free.iter().any(|choice| choice == none));
            let bound = reply(twin, "If you choose \"None of \\\"these\\\"\", choose nothing else.\n");
            assert!(bound.len() == 1 || bound.iter().all(|choice| choice != none), "{bound:?}");
            alone += usize::from(bound == [none]);
        }
        assert!(together > 0 && alone > 0, "{together} together, {alone} alone");
    }

    #[test]
    fn schemas_as_pydantic_writes_them_are_answered() {
        let schema = json!({
            "type": "object",
            "$defs": {
                "Mood": { "enum": ["good", "bad"] },
                "Tree": { "properties": { "next": { "$ref": "#/$defs/Tree" } } },
            },
            "properties": {
                "mood": { "$ref": "#/$defs/Mood" },
                "count": { "type": "integer", "minimum": 3, "maximum": 3 },
                "maybe": { "anyOf": [{ "type": "null" }, { "type": "boolean" }] },
                "either": { "type": ["null", "number"] },
                "fixed": { "const": 7 },
                "tree": { "$ref": "#/$defs/Tree" },
                "list": { "type": "array", "items": { "type": "string" }, "minItems": 2 },
            },
        });
        let body = json!({
            "messages": [{ "role": "user", "content": [{ "type": "text", "text": "How are you?" }] }],
            "response_format": { "type": "json_schema", "json_schema": { "name": "x", "schema": schema } },
        });
        let reply = Answers::Demo.content(body.to_string().as_bytes(), 0).unwrap();
        let reply: Value = serde_json::from_str(&reply).unwrap();
        assert!(reply["mood"] == "good" || reply["mood"] == "bad");
        assert_eq!(reply["count"], 3);
        assert!(reply["maybe"].is_boolean() && reply["either"].is_number());
        assert_eq!(reply["fixed"], 7);
        assert_eq!(reply["list"].as_array().unwrap().len(), 2);
    }
}

//! Converts or reports the parts around questions and choices: conditions and orders of choices, rules about answers,
//! options that SurveyJS adds, and other texts.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use survey::question::QuestionType;

use super::{Importer, MAX_DEPTH, text_of};
use crate::text::plain;
use crate::{LossCode, LossSeverity};

impl Importer {
    /// Adds the conditions of options, labels and rows.
    pub fn choices_where(&mut self, source: &str, fields: &Value, kind: QuestionType, question: &mut Value) {
        let (choices, texts) = match kind {
            QuestionType::Matrix => ("columns", "scale_labels"),
            _ if fields["type"] == "rating" => ("rateValues", "options"),
            _ => ("choices", "options"),
        };
        let mut shown = serde_json::Map::new();
        for (list, texts) in [(choices, texts), ("rows", "sub_questions")] {
            let listed = fields.get(list).and_then(Value::as_array).into_iter().flatten();
            for (place, choice) in listed.enumerate() {
                let (Some(condition), Some(text)) =
                    (choice.get("visibleIf").and_then(Value::as_str), question[texts][place].as_str())
                else {
                    continue;
                };
                if let Some(condition) = self.condition(source, condition) {
                    shown.insert(text.to_owned(), condition);
                }
            }
        }
        if !shown.is_empty() {
            question["option_if"] = Value::Object(shown);
        }
        for field in ["choicesVisibleIf", "rowsVisibleIf", "columnsVisibleIf", "choicesByUrl", "choicesFromQuestion"] {
            if fields.get(field).is_some() {
                self.lost(source, LossCode::Logic, LossSeverity::Warning, field, "all that are written");
            }
        }
        for field in ["choicesOrder", "rowsOrder", "rowOrder", "columnsOrder"] {
            let order = text_of(fields.get(field));
            if !["", "none", "initial", "default", "random"].contains(&order.as_str()) {
                let was = format!("{field}: {order}");
                self.lost(source, LossCode::Order, LossSeverity::Warning, &was, "as written");
            }
        }
    }

    /// Reports rules about answers, and other parts of a question that are not supported.
    pub fn rules(&mut self, source: &str, fields: &Value) {
        for field in ["minSelectedChoices", "maxSelectedChoices", "validators", "maxLength"] {
            if let Some(rule) = fields.get(field).filter(|rule| **rule != 0 && **rule != json!([])) {
                let was = if rule.is_number() { format!("{field}: {rule}") } else { field.to_owned() };
                self.lost(source, LossCode::Validation, LossSeverity::Note, &was, "any answer");
            }
        }
        let kind = text_of(fields.get("inputType"));
        if fields["type"] == "text" && !["", "text", "number", "range"].contains(&kind.as_str()) {
            let was = format!("only answers of kind {kind}");
            self.lost(source, LossCode::Validation, LossSeverity::Note, &was, "any answer");
        }
        if fields.get("defaultValue").is_some_and(|given| !given.is_null()) {
            let (was, now) = ("an answer that is chosen beforehand", "no answer beforehand");
            self.lost(source, LossCode::DefaultAnswer, LossSeverity::Warning, was, now);
        }
        for field in [
            "enableIf",
            "requiredIf",
            "resetValueIf",
            "setValueIf",
            "defaultValueExpression",
            "minValueExpression",
            "maxValueExpression",
            "choicesEnableIf",
        ] {
            if fields.get(field).is_some() {
                self.lost(source, LossCode::Logic, LossSeverity::Warning, field, "nothing");
            }
        }
        let labels = ["labelTrue", "labelFalse"].map(|field| text_of(fields.get(field)));
        if fields["type"] == "boolean" && labels.iter().any(|label| !label.is_empty()) {
            let was = format!("answers called {}", labels.join(" and "));
            self.lost(source, LossCode::Codes, LossSeverity::Warning, &was, "Yes and No");
        }
    }

    /// Returns the text of an image without a question.
    pub fn image(&mut self, source: &str, fields: &Value) -> String {
        let [described, link] = ["altText", "imageLink"].map(|field| text_of(fields.get(field)));
        let file = link.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
        // An image that is embedded in the file has no name.
        let file = if link.starts_with("data:") { source } else { file };
        let described = if described.trim().is_empty() { file } else { described.trim() };
        self.lost(source, LossCode::Image, LossSeverity::Warning, described, "its description");
        self.text(source, &format!("[image: {described}]"))
    }

    /// Reports texts around the questions, and texts in other languages.
    pub fn report_surroundings(&mut self, survey: &Value) {
        for field in ["timeLimit", "maxTimeToFinish", "maxTimeToFinishPage", "timeLimitPerPage"] {
            if survey[field].as_f64().is_some_and(|limit| limit > 0.0) {
                let was = format!("{field}: {} seconds", survey[field]);
                self.lost("", LossCode::Timing, LossSeverity::Note, &was, "nothing: no twin has a clock");
            }
        }
        let mut languages = BTreeSet::new();
        let mut texts = Vec::new();
        look_around(survey, 0, &mut languages, &mut texts);
        for text in texts {
            let was = plain(&text).text;
            self.lost(
                "",
                LossCode::EmptyText,
                LossSeverity::Warning,
                &format!("a text around questions: {was}"),
                "nothing",
            );
        }
        if languages.len() > 1 {
            let was = format!("texts in {}", languages.into_iter().collect::<Vec<_>>().join(", "));
            self.lost("", LossCode::Translation, LossSeverity::Note, &was, "one language");
        }
    }

    /// Adds the options that SurveyJS adds by itself.
    pub fn others(&mut self, source: &str, fields: &Value, question: &mut Value) {
        let is = |names: [&str; 2]| names.iter().any(|name| fields[*name] == true);
        let (mut added, mut alone) = (Vec::new(), Vec::new());
        if is(["showOtherItem", "hasOther"]) {
            added.push(otherwise(fields, "otherText", "Other"));
            self.lost(source, LossCode::OtherText, LossSeverity::Note, "a field for text at \"Other\"", "the option");
        }
        if is(["showNoneItem", "hasNone"]) {
            alone.push(otherwise(fields, "noneText", "None"));
        }
        if fields["showRefuseItem"] == true {
            alone.push(otherwise(fields, "refuseText", "Refuse to answer"));
        }
        if fields["showDontKnowItem"] == true {
            alone.push(otherwise(fields, "dontKnowText", "Don't know"));
        }
        if is(["showSelectAllItem", "hasSelectAll"]) {
            self.lost(source, LossCode::ExclusiveOption, LossSeverity::Note, "\"Select all\"", "nothing");
        }
        added.extend(alone.iter().cloned());
        let listed = fields.get("choices").and_then(Value::as_array).into_iter().flatten();
        let written = listed.zip(question["options"].as_array().into_iter().flatten());
        let written = written.filter(|(choice, _)| choice["isExclusive"] == true);
        alone.extend(written.filter_map(|(_, text)| Some(text.as_str()?.to_owned())));
        if !alone.is_empty() && question["type"] == QuestionType::MultipleChoice.name() {
            question["exclusive"] = json!(alone);
        }
        if let Some(options) = question["options"].as_array_mut() {
            options.extend(added.iter().map(|text| json!(text)));
        }
        if !added.is_empty() {
            question["pin"] = json!(added);
        }
    }
}

/// Collects the languages of texts, and the texts above pages and panels.
fn look_around(of: &Value, depth: usize, languages: &mut BTreeSet<String>, texts: &mut Vec<String>) {
    if depth > 2 * MAX_DEPTH {
        return;
    }
    for field in ["title", "description", "text"] {
        if let Some(several) = of.get(field).and_then(Value::as_object) {
            languages.extend(several.keys().cloned());
        }
    }
    let is_panel = of["type"] == "panel";
    let is_page = of.get("type").is_none() && (of.get("elements").is_some() || of.get("pages").is_some());
    if is_panel || is_page {
        // The survey's own title is kept.
        let fields =
            if of.get("pages").is_some() || depth == 0 { &["description"][..] } else { &["title", "description"][..] };
        texts.extend(fields.iter().map(|field| text_of(of.get(*field))).filter(|text| !text.trim().is_empty()));
    }
    for list in ["pages", "elements", "choices", "rows", "columns", "rateValues"] {
        for inside in of.get(list).and_then(Value::as_array).into_iter().flatten() {
            look_around(inside, depth + 1, languages, texts);
        }
    }
}

fn otherwise(fields: &Value, field: &str, otherwise: &str) -> String {
    let text = text_of(fields.get(field));
    if text.is_empty() { otherwise.to_owned() } else { text }
}

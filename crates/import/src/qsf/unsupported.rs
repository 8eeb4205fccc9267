//! Reports parts of questions, nodes and the survey that are not supported: rules about answers, preselected answers,
//! names for files, quotas and scores.

use serde_json::Value;

use super::Importer;
use super::choices::ChoiceKind;
use super::choices::raw_choices;
use super::file::{is_true, listed, number_of, text_of};
use super::texts::TextPlace;
use crate::text::plain;
use crate::{LossCode, LossSeverity, ReportList};

impl Importer<'_> {
    /// Reports rules about answers that have no counterpart here: the answers that they refuse are accepted.
    pub fn note_rules(&mut self, payload: &Value, place: &TextPlace<'_>) {
        let of = |field: &str| text_of(payload.pointer(&format!("/Validation/Settings/{field}")));
        let between = |least: &str, most: &str| match (of(least).as_str(), of(most).as_str()) {
            ("", most) => format!("at most {most}"),
            (least, "") => format!("at least {least}"),
            (least, most) => format!("{least} to {most}"),
        };
        let decimals = ["ValidNumber/NumDecimals", "NumDecimals"].map(of).into_iter().find(|number| !number.is_empty());
        let (was, severity) = match of("Type").as_str() {
            "MinChoices" => (format!("at least {} choices", of("MinChoices")), LossSeverity::Warning),
            "MaxChoices" => (format!("at most {} choices", of("MaxChoices")), LossSeverity::Warning),
            "ChoiceRange" | "SelectMany" => {
                (format!("{} choices", between("MinChoices", "MaxChoices")), LossSeverity::Warning)
            }
            "MinChar" => (format!("at least {} characters", of("MinChars")), LossSeverity::Note),
            "TotalChar" => (format!("at most {} characters", of("TotalChars")), LossSeverity::Note),
            "CharRange" => (format!("{} characters", between("MinChars", "TotalChars")), LossSeverity::Note),
            "CustomValidation" => ("a rule of its own about answers".to_owned(), LossSeverity::Note),
            "ContentType" if of("ContentType") != "ValidNumber" => {
                (format!("only answers of kind {}", of("ContentType")), LossSeverity::Note)
            }
            "ContentType" => match decimals {
                Some(decimals) => (format!("numbers with at most {decimals} decimals"), LossSeverity::Note),
                None => (String::new(), LossSeverity::Note),
            },
            _ => (String::new(), LossSeverity::Note),
        };
        if !was.is_empty() {
            self.note(place, ReportList::Lost, LossCode::Validation, severity, &was, "any answer");
        }
        // Each field of a form has a rule of its own.
        for (_, choice) in raw_choices(self.file, payload, ChoiceKind::Rows) {
            let rule = text_of(choice.get("TextEntryValidation"));
            if !matches!(rule.as_str(), "" | "None") && !is_true(choice.get("TextEntry")) {
                let was = format!("only answers of kind {rule}");
                self.note(place, ReportList::Lost, LossCode::Validation, LossSeverity::Note, &was, "any answer");
            }
        }
        if is_true(payload.pointer("/Configuration/NotApplicable")) {
            let label = text_of(payload.pointer("/Configuration/NotApplicableText"));
            let was = format!("\"not applicable\" can be chosen {label}");
            self.note(
                place,
                ReportList::Lost,
                LossCode::Validation,
                LossSeverity::Warning,
                was.trim(),
                "a number always",
            );
        }
        self.note_given(payload, place);
        self.note_names(payload, place);
    }

    /// Reports a part of another program that shows the question.
    pub fn note_plugin(&mut self, payload: &Value, place: &TextPlace<'_>) {
        let plugin = text_of(payload.pointer("/QuestionTypePluginProperties/ID"));
        if !plugin.is_empty() {
            let (was, now) = (format!("a question that the plug-in {plugin} shows"), "the question without it");
            self.note(place, ReportList::Lost, LossCode::UnsupportedType, LossSeverity::Warning, &was, now);
        }
    }

    /// Reports preselected answers, which people may leave unchanged.
    fn note_given(&mut self, payload: &Value, place: &TextPlace<'_>) {
        let is_given = |given: &Value| match given {
            Value::Array(choices) => !choices.is_empty(),
            Value::Object(choices) => !choices.is_empty(),
            Value::String(text) => !matches!(text.as_str(), "" | "false"),
            Value::Bool(is_given) => *is_given,
            _ => false,
        };
        let starts =
            payload.pointer("/Configuration/SliderStartPositions").filter(|starts| !listed(Some(starts)).is_empty());
        let is_started = starts.is_some() && is_true(payload.pointer("/Configuration/CustomStart"));
        if is_started || payload.get("DefaultChoices").is_some_and(is_given) {
            let (was, now) = ("an answer that is chosen beforehand", "no answer beforehand");
            self.note(place, ReportList::Lost, LossCode::DefaultAnswer, LossSeverity::Warning, was, now);
        }
    }

    /// Reports names of rows for files, and labels above columns.
    fn note_names(&mut self, payload: &Value, place: &TextPlace<'_>) {
        let tag = text_of(payload.get("DataExportTag"));
        let is_usual = |id: &str, name: &str| {
            let of = |whole: &str| name == format!("{whole}_{id}");
            name.is_empty() || of(&tag) || place.qid.is_some_and(of)
        };
        let tags = listed(payload.get("ChoiceDataExportTags")).into_iter();
        let tags: Vec<String> = tags
            .map(|(id, name)| (id, text_of(Some(name))))
            .filter(|(id, name)| !is_usual(id, name))
            .map(|(_, name)| name)
            .collect();
        if !tags.is_empty() {
            let was = format!("names of parts for files: {}", tags.join(", "));
            self.note(place, ReportList::Lost, LossCode::Codes, LossSeverity::Note, &was, "numbers after the name");
        }
        if text_of(payload.get("Selector")) == "NPS" {
            return;
        }
        let labels: Vec<String> = column_labels(payload).into_iter().filter(|label| !label.is_empty()).collect();
        if !labels.is_empty() {
            let was = format!("labels above columns: {}", labels.join(", "));
            self.note(place, ReportList::Lost, LossCode::ChoiceGroups, LossSeverity::Warning, &was, "nothing");
        }
    }

    /// Reports quotas and scores of the whole survey.
    pub fn note_elements(&mut self) {
        let nowhere = TextPlace::default();
        let quotas = self.file.elements.get("QO").copied().unwrap_or_default();
        if quotas > 0 {
            let was = if quotas == 1 { "a quota".to_owned() } else { format!("{quotas} quotas") };
            let now = "nothing ends by a quota: choose the twins by quotas";
            self.note(&nowhere, ReportList::Lost, LossCode::Quota, LossSeverity::Warning, &was, now);
        }
        let scores = listed(self.file.scoring.get("ScoringCategories")).len();
        if scores > 0 {
            let was = format!("scores: {scores} categories");
            self.note(&nowhere, ReportList::Lost, LossCode::Scoring, LossSeverity::Note, &was, "nothing is added up");
        }
        let is_whole = |payload: &Value| {
            let decimals = number_of(payload.pointer("/Configuration/NumDecimals"));
            text_of(payload.get("QuestionType")) == "Slider" && decimals == Some(0.0)
        };
        let live = self.live();
        if live.iter().filter_map(|(qid, _)| self.file.question(qid)).any(is_whole) {
            let (was, now) = ("sliders that stand at whole numbers", "any number between the ends");
            self.note(&nowhere, ReportList::Changed, LossCode::Validation, LossSeverity::Note, was, now);
        }
    }

    /// Returns the fields that a node of the flow fills from outside.
    pub fn filled_by(node: &Value) -> Vec<String> {
        let lists = ["ResponseMap", "EmbeddedData", "FieldMap"].into_iter().flat_map(|list| listed(node.get(list)));
        let name = |field: &Value| {
            let named = ["key", "Field", "Key", "EDField"].into_iter().map(|key| text_of(field.get(key)));
            named.into_iter().find(|name| !name.is_empty())
        };
        lists.filter_map(|(_, field)| name(field)).collect()
    }
}

/// Returns the texts above the columns, or at the ends, of a scale.
pub fn column_labels(payload: &Value) -> Vec<String> {
    let labels = listed(payload.get("ColumnLabels")).into_iter();
    labels.map(|(_, label)| plain(label.get("Display").and_then(Value::as_str).unwrap_or_default()).text).collect()
}

//! Survey files: a whole survey as JSON, with questions in the API's spelling.

use serde_json::{Map, Value, json};
use simulation::snapshot::Snapshot;
use survey::document::{Document, MAX_DESCRIPTION_LENGTH, MAX_QUESTIONS, MAX_TITLE_LENGTH};
use survey::flow::Design;
use survey::import_report::LossReport;
use survey::json::object;
use survey::question::{AsPayload, Question, QuestionPayload, clean, names};

use super::survey_imports::SurveyImport;
use crate::error::{Error, Result};

const NO_QUESTIONS: &str = "questions: the survey has no questions";

/// `{"title": .., "description": .., "questions": [..], "flow": [..], "tables": {..}, "import_report": {..}}`, unchecked.
#[derive(Debug, serde::Deserialize)]
#[serde(transparent)]
pub struct SurveyFile(#[serde(deserialize_with = "object")] Map<String, Value>);

/// A survey that passed every check. Its questions have no position yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidSurvey {
    pub title: String,
    /// Empty if the file has none.
    pub description: String,
    pub questions: Vec<Question>,
    /// Empty for a plain survey.
    pub design: Design,
    /// Import report, if the survey came from another program.
    pub import: Option<SurveyImport>,
}

impl From<Document> for ValidSurvey {
    fn from(document: Document) -> Self {
        let Document { title, description, items, design, import_report } = document;
        let questions = items.into_iter().map(Question::from).collect();
        Self { title, description, questions, design, import: import_report.map(SurveyImport::from) }
    }
}

impl ValidSurvey {
    /// Restores the survey that a run asked, with its loops as written. Fails if it does not pass the checks.
    pub fn of_snapshot(snapshot: &Snapshot) -> Result<Self, String> {
        let mut questions: Vec<Question> = Vec::with_capacity(snapshot.questions.len());
        for question in &snapshot.questions {
            // The turns of a loop are `name#1`, `name#2` and so on.
            let name = question.name.split('#').next().unwrap_or_default();
            let is_another_turn = name.len() < question.name.len() && questions.iter().any(|known| known.name == name);
            if !is_another_turn {
                questions.push(Question { name: name.to_owned(), ..question.clone() });
            }
        }
        let payloads: Vec<AsPayload<'_>> = questions.iter().map(AsPayload).collect();
        let mut written =
            json!({ "title": snapshot.title, "description": snapshot.description, "questions": payloads });
        if let Some(design) = &snapshot.design {
            let design: Map<String, Value> =
                serde_json::to_value(design).and_then(serde_json::from_value).map_err(|error| error.to_string())?;
            written.as_object_mut().into_iter().for_each(|written| written.extend(design.clone()));
        }
        let file: SurveyFile = serde_json::from_value(written).map_err(|error| error.to_string())?;
        file.validate()
    }
}

impl SurveyFile {
    /// Parses a survey with at least one question. The error is one line that names the file and the position:
    /// `survey.json: question 3: options[1]: ..`.
    pub fn parse(bytes: &[u8], name: &str) -> Result<ValidSurvey> {
        let read = || -> Result<ValidSurvey, String> {
            // Windows editors start UTF-8 files with a byte order mark, which is not JSON.
            let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
            if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
                return Err("is UTF-16, must be UTF-8".into());
            }
            let file: Self = serde_json::from_slice(bytes).map_err(|error| syntax(&error))?;
            match file.validate()? {
                ValidSurvey { questions, .. } if questions.is_empty() => Err(NO_QUESTIONS.into()),
                survey => Ok(survey),
            }
        };
        read().map_err(|message| Error::bad_input(format!("{name}: {message}")))
    }

    /// Checks a survey, whose list of questions may be empty. The error names the position: `question 3: options[1]:
    /// ..`.
    pub fn validate(mut self) -> Result<ValidSurvey, String> {
        let title = self.text("title", MAX_TITLE_LENGTH)?;
        let description = self.text("description", MAX_DESCRIPTION_LENGTH)?;
        if title.is_empty() {
            return Err("title: is required".into());
        }
        let payloads = match self.0.remove("questions") {
            Some(Value::Array(payloads)) => payloads,
            Some(Value::Null) | None => return Err(NO_QUESTIONS.into()),
            Some(_) => return Err("questions: must be a list".into()),
        };
        if payloads.len() > MAX_QUESTIONS {
            return Err(format!("questions: {} questions, {MAX_QUESTIONS} is the most", payloads.len()));
        }
        let question = |(index, payload): (usize, Value)| {
            let at = |message: String| format!("question {}: {message}", index + 1);
            let payload: QuestionPayload = serde_json::from_value(payload).map_err(|error| at(error.to_string()))?;
            payload.validate().map_err(|invalid| at(invalid.to_string()))
        };
        let mut questions = payloads.into_iter().enumerate().map(question).collect::<Result<Vec<_>, String>>()?;
        names::complete(&mut questions).map_err(|(index, invalid)| format!("question {}: {invalid}", index + 1))?;
        let design = (["flow", "tables"].into_iter())
            .filter_map(|name| self.0.remove_entry(name).filter(|(_, value)| !value.is_null()))
            .collect();
        let design = Design::read(&Value::Object(design))
            .map_err(|finding| format!("{}: {}", finding.pointer.trim_start_matches('/'), finding.message))?;
        let report = self.0.remove("import_report").filter(|report| !report.is_null()).map(LossReport::read);
        let report = report.transpose().map_err(|message| format!("import_report: {message}"))?;
        Ok(ValidSurvey { title, description, questions, design, import: report.map(SurveyImport::from) })
    }

    /// A text field, trimmed; empty if the file has none.
    fn text(&self, field: &str, longest: usize) -> Result<String, String> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => clean(text, longest).map_err(|message| format!("{field}: {message}")),
            Some(_) => Err(format!("{field}: must be a text")),
        }
    }
}

/// Moves the position from the end of serde_json's message to its beginning.
fn syntax(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at line ") {
        Some((message, _)) => format!("line {}, column {}: {message}", error.line(), error.column()),
        None => message,
    }
}

#[cfg(test)]
mod tests;

//! Importer of SurveyJS' JSON: pages of elements, with conditions as texts.

mod conditions;
mod unsupported;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};
use survey::document::Document;
use survey::question::QuestionType;
use survey::question::names::QuestionNames;

use self::conditions::{KnownQuestion, condition};
use super::qsf::names::{UniqueLabels, legal};
use super::text::{Loss, label, plain};
use super::{
    Counts, ImportRefusal, Imported, LossCode, LossReport, LossSeverity, MAX_QUESTIONS, ReportEntry, ReportList,
    SurveyProgram, report_findings, title,
};

/// Maximum depth of nested panels.
const MAX_DEPTH: usize = 12;
/// Parts of a survey that run code of their own.
const SCRIPTS: [&str; 4] = ["triggers", "calculatedValues", "completedHtmlOnCondition", "navigateToUrlOnCondition"];

/// A pipe of SurveyJS, or two braces, which would be a pipe here.
static BRACES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\{\{|\{([^{}]+)\}").expect("a pattern"));

/// Whether the JSON is a survey of SurveyJS.
pub fn is_survey(survey: &Value) -> bool {
    ["pages", "elements"].iter().any(|list| survey.get(list).is_some_and(Value::is_array))
}

pub fn import(survey: &Value) -> Result<Imported, ImportRefusal> {
    let pages = pages(survey);
    let elements: usize = pages.iter().map(|page| page.elements.len()).sum();
    if elements > MAX_QUESTIONS {
        return Err(ImportRefusal::TooManyQuestions(MAX_QUESTIONS));
    }
    let mut importer = Importer {
        report: LossReport::new(SurveyProgram::SurveyJs),
        names: QuestionNames::of_survey(),
        ..Importer::default()
    };
    pages.iter().flat_map(|page| &page.elements).for_each(|element| importer.know(element));
    for name in SCRIPTS.iter().filter(|name| survey.get(**name).is_some()) {
        importer.lost("", LossCode::Script, LossSeverity::Warning, name, "nothing");
    }
    importer.report_surroundings(survey);
    let flow = importer.flow(&pages);
    importer.report.kept = Counts { questions: elements, live: elements, asked: importer.asked };
    Ok(importer.finish(&text_of(survey.get("title")), &flow))
}

/// An element that is no panel, with its own condition and those of the panels around it.
struct Element<'s> {
    fields: &'s Value,
    conditions: Vec<&'s str>,
    /// Whether it, its page or a panel around it is invisible: only the survey's own code would have shown it.
    is_hidden: bool,
}

struct Page<'s> {
    name: String,
    condition: Option<&'s str>,
    is_random: bool,
    elements: Vec<Element<'s>>,
}

fn pages<'s>(survey: &'s Value) -> Vec<Page<'s>> {
    let pages: Vec<&Value> = match survey.get("pages").and_then(Value::as_array) {
        Some(pages) => pages.iter().collect(),
        None => vec![survey],
    };
    let page = |(number, fields): (usize, &'s Value)| {
        let name = label(&text_of(fields.get("title").or(fields.get("name"))));
        let order = fields.get("questionsOrder").filter(|order| **order != "default");
        let mut elements = Vec::new();
        flatten(fields, &[], fields["visible"] == false, 0, &mut elements);
        Page {
            name: if name.is_empty() { format!("Page {number}") } else { name },
            condition: fields.get("visibleIf").and_then(Value::as_str),
            is_random: *order.unwrap_or(&survey["questionsOrder"]) == "random",
            elements,
        }
    };
    (1..).zip(pages).map(page).collect()
}

fn flatten<'s>(of: &'s Value, conditions: &[&'s str], is_hidden: bool, depth: usize, found: &mut Vec<Element<'s>>) {
    // Older files call the elements questions.
    let lists = ["elements", "questions"].into_iter().filter_map(|list| of.get(list).and_then(Value::as_array));
    for fields in lists.flatten() {
        let is_hidden = is_hidden || fields["visible"] == false;
        let mut conditions = conditions.to_vec();
        conditions.extend(fields.get("visibleIf").and_then(Value::as_str));
        if fields["type"] == "panel" && depth < MAX_DEPTH {
            flatten(fields, &conditions, is_hidden, depth + 1, found);
        } else {
            found.push(Element { fields, conditions, is_hidden });
        }
    }
}

#[derive(Default)]
struct Importer {
    report: LossReport,
    names: QuestionNames,
    /// The questions by their names in the file.
    known: HashMap<String, KnownQuestion>,
    questions: Vec<Value>,
    asked: usize,
}

impl Importer {
    /// Names the element, so that texts and conditions before it can read it.
    fn know(&mut self, element: &Element<'_>) {
        let fields = element.fields;
        let source = text_of(fields.get("name"));
        let name = self.names.free(&legal(&source, "question"), "");
        if name != source {
            self.note(&source, ReportList::Changed, LossCode::Name, LossSeverity::Note, &source, &name);
        }
        let choices = choices(fields, if fields["type"] == "matrix" { "columns" } else { "choices" });
        self.known.entry(source).or_insert(KnownQuestion { name, kind: kind(fields, &choices), choices });
    }

    /// Returns the blocks of the flow; none if the survey is plain.
    fn flow(&mut self, pages: &[Page<'_>]) -> Vec<Value> {
        let mut flow = Vec::new();
        let mut names = UniqueLabels::default();
        for page in pages {
            let questions: Vec<String> = page.elements.iter().filter_map(|element| self.question(element)).collect();
            if questions.is_empty() {
                continue;
            }
            let name = names.free(&page.name, |number| format!("{} ({number})", page.name));
            let mut block = json!({ "block": name, "questions": questions });
            if page.is_random {
                block["order"] = json!("random");
            }
            flow.push(match page.condition.and_then(|text| self.condition(&page.name, text)) {
                Some(condition) => json!({ "if": condition, "then": [block] }),
                None => block,
            });
        }
        let is_plain = pages.iter().all(|page| page.condition.is_none() && !page.is_random);
        if is_plain { Vec::new() } else { flow }
    }

    /// Converts an element. Returns the name of the question, if there is one.
    fn question(&mut self, element: &Element<'_>) -> Option<String> {
        let fields = element.fields;
        let source = text_of(fields.get("name"));
        let KnownQuestion { name, kind, choices } = self.known.get(&source)?.clone();
        let text = text_of(fields.get("title"));
        let text = if text.is_empty() { source.clone() } else { text };
        let mut question = json!({ "name": name, "type": kind.unwrap_or(QuestionType::Info).name() });
        match kind {
            None => {
                let word = text_of(fields.get("type"));
                let shown = ["html", "image"].contains(&word.as_str());
                let html = text_of(fields.get("html"));
                let text = match word.as_str() {
                    "image" => self.image(&source, fields),
                    _ => self.text(&source, if html.is_empty() { &text } else { &html }),
                };
                if !shown {
                    let was = format!("an element {word:?}");
                    self.lost(&source, LossCode::UnsupportedType, LossSeverity::Warning, &was, "its text");
                }
                if text.is_empty() {
                    self.note(&source, ReportList::Dropped, LossCode::EmptyText, LossSeverity::Note, &word, "nothing");
                    return None;
                }
                question["text"] = json!(text);
            }
            Some(kind) => {
                self.asked += 1;
                let described = text_of(fields.get("description"));
                let said = [text, described].map(|text| self.text(&source, &text));
                question["text"] = json!(said.join("\n").trim());
                let texts: Vec<String> = choices.iter().map(|(_, text)| self.text(&source, text)).collect();
                match kind {
                    QuestionType::SingleChoice | QuestionType::MultipleChoice | QuestionType::Rank => {
                        question["options"] = json!(texts);
                        self.others(&source, fields, &mut question);
                    }
                    QuestionType::Matrix => {
                        question["scale_labels"] = json!(texts);
                        let rows: Vec<String> =
                            listed(fields, "rows").iter().map(|(_, row)| self.text(&source, row)).collect();
                        question["sub_questions"] = json!(rows);
                    }
                    QuestionType::Range => {
                        for (end, theirs, description, otherwise) in [
                            ("min", "rateMin", "minRateDescription", 1.0),
                            ("max", "rateMax", "maxRateDescription", rate_max(fields)),
                        ] {
                            let value = fields[theirs].as_f64().unwrap_or(otherwise);
                            let said = self.text(&source, &text_of(fields.get(description)));
                            question[format!("{end}_value")] = json!(value);
                            // People saw the number alone.
                            let said = if said.is_empty() { value.to_string() } else { said };
                            question[format!("{end}_description")] = json!(said);
                        }
                    }
                    QuestionType::Number => {
                        for (ours, theirs) in [("min_value", "min"), ("max_value", "max")] {
                            question[ours] = json!(fields[theirs].as_f64());
                        }
                    }
                    _ => {}
                }
                if fields["choicesOrder"] == "random" || fields["columnsOrder"] == "random" {
                    question["shuffle"] = json!("all");
                }
                if fields["rowsOrder"] == "random" || fields["rowOrder"] == "random" {
                    question["row_shuffle"] = json!("all");
                }
                self.choices_where(&source, fields, kind, &mut question);
                self.rules(&source, fields);
            }
        }
        let mut conditions: Vec<Value> =
            element.conditions.iter().filter_map(|text| self.condition(&source, text)).collect();
        if element.is_hidden {
            let now = "a question that no twin is asked";
            self.note(&source, ReportList::Changed, LossCode::NeverShown, LossSeverity::Note, "it is not visible", now);
            conditions.push(json!({ "any": [] }));
        }
        match conditions.as_slice() {
            [] => {}
            [one] => question["show_if"] = one.clone(),
            several => question["show_if"] = json!({ "all": several }),
        }
        self.questions.push(question);
        Some(name)
    }

    /// Converts a condition. If it has no counterpart, reports it and returns `None`.
    fn condition(&mut self, source: &str, text: &str) -> Option<Value> {
        let found = condition(text, &self.known);
        if found.is_none() {
            self.lost(source, LossCode::Logic, LossSeverity::Warning, text, "always shown");
        }
        found
    }

    /// Converts a text to plain text, with SurveyJS' pipes as this product's.
    fn text(&mut self, source: &str, html: &str) -> String {
        let plain = plain(html);
        for Loss { list, code, severity, was, now } in plain.losses() {
            self.note(source, list, code, severity, was, now);
        }
        let mut text = String::new();
        let mut end = 0;
        for found in BRACES.captures_iter(&plain.text) {
            let (Some(whole), name) = (found.get(0), found.get(1)) else { continue };
            text.push_str(plain.text.get(end..whole.start()).unwrap_or_default());
            end = whole.end();
            match name.map(|name| self.known.get(name.as_str().trim())) {
                None => text.push_str("\\{{"),
                Some(Some(known)) if known.kind.is_some() => text.push_str(&format!("{{{{answer:{}}}}}", known.name)),
                Some(_) => self.lost(source, LossCode::Pipe, LossSeverity::Warning, whole.as_str(), "nothing"),
            }
        }
        text + plain.text.get(end..).unwrap_or_default()
    }

    fn lost(&mut self, source: &str, code: LossCode, severity: LossSeverity, was: &str, now: &str) {
        self.note(source, ReportList::Lost, code, severity, was, now);
    }

    fn note(&mut self, source: &str, list: ReportList, code: LossCode, severity: LossSeverity, was: &str, now: &str) {
        let name = self.known.get(source).map(|known| known.name.clone());
        let qid = (!source.is_empty()).then(|| source.to_owned());
        self.report.add(list, ReportEntry { qid, name, code, severity, was: was.to_owned(), now: now.to_owned() });
    }

    fn finish(mut self, text: &str, flow: &[Value]) -> Imported {
        let title = title(&plain(text).text);
        let survey = json!({ "title": title, "questions": self.questions, "flow": flow });
        let names: Vec<_> = self.questions.iter().map(|question| Some(question["name"].as_str()?.to_owned())).collect();
        let read = Document::read(survey);
        report_findings(&read, &names, &mut self.report);
        let document = read.unwrap_or_else(|_| Document { title, ..Document::default() });
        Imported { document, report: self.report, misfit: None }
    }
}

/// Returns the type of an element. `None` if it asks nothing, or has no counterpart.
fn kind(fields: &Value, choices: &[(String, String)]) -> Option<QuestionType> {
    match text_of(fields.get("type")).as_str() {
        "radiogroup" | "dropdown" | "buttongroup" if !choices.is_empty() => Some(QuestionType::SingleChoice),
        "checkbox" | "tagbox" if !choices.is_empty() => Some(QuestionType::MultipleChoice),
        "ranking" if choices.len() > 1 => Some(QuestionType::Rank),
        "rating" if !choices.is_empty() => Some(QuestionType::SingleChoice),
        "rating" => Some(QuestionType::Range),
        "boolean" => Some(QuestionType::Boolean),
        "matrix" if choices.len() > 1 => Some(QuestionType::Matrix),
        "text" if ["number", "range"].iter().any(|kind| fields["inputType"] == *kind) => Some(QuestionType::Number),
        "text" => Some(QuestionType::TextEntry),
        "comment" => Some(QuestionType::OpenEnded),
        _ => None,
    }
}

/// Values and texts of the choices in a list.
fn choices(fields: &Value, list: &str) -> Vec<(String, String)> {
    let list = if fields["type"] == "rating" { "rateValues" } else { list };
    listed(fields, list)
}

fn listed(fields: &Value, list: &str) -> Vec<(String, String)> {
    let choice = |choice: &Value| {
        let value = text_of(Some(choice.get("value").unwrap_or(choice)));
        let text = text_of(choice.get("text"));
        let text = if text.is_empty() { value.clone() } else { text };
        (value, text)
    };
    fields.get(list).and_then(Value::as_array).into_iter().flatten().map(choice).collect()
}

/// Returns the maximum of a rating: five by default, or as many as it states.
fn rate_max(fields: &Value) -> f64 {
    let numbers = fields["rateCount"].as_f64().filter(|count| *count >= 2.0).unwrap_or(5.0);
    fields["rateMin"].as_f64().unwrap_or(1.0) + (numbers - 1.0) * fields["rateStep"].as_f64().unwrap_or(1.0)
}

/// Reads a text, a number, or the default of a text in several languages.
fn text_of(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(truth)) => truth.to_string(),
        Some(Value::Object(languages)) => {
            let found = languages.get("default").or_else(|| languages.get("en")).or_else(|| languages.values().next());
            found.and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        _ => String::new(),
    }
}

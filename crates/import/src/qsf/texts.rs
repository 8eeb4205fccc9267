//! Converts texts of the file to texts of the design: HTML to plain text, and Qualtrics' pipes to this product's.

use serde_json::Value;
use survey::question::QuestionType;

use super::Importer;
use super::file::{listed, located};
use crate::text::{Loss, plain};
use crate::{LossCode, LossSeverity, ReportEntry, ReportList};

/// Maximum length of a question's text, in characters.
const MAX_TEXT_CHARACTERS: usize = 10_000;
/// Maximum length of an option, in characters.
const MAX_CHOICE_CHARACTERS: usize = 1_000;

/// The place of a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct TextPlace<'a> {
    pub qid: Option<&'a str>,
    pub name: Option<&'a str>,
    /// Number of columns in the table of the loop around it.
    pub columns: usize,
}

impl Importer<'_> {
    pub fn note(
        &mut self,
        place: &TextPlace<'_>,
        list: ReportList,
        code: LossCode,
        severity: LossSeverity,
        was: &str,
        now: &str,
    ) {
        let (qid, name) = (place.qid.map(str::to_owned), place.name.map(str::to_owned));
        self.report.add(list, ReportEntry { qid, name, code, severity, was: was.to_owned(), now: now.to_owned() });
    }

    pub fn text(&mut self, html: &str, place: &TextPlace<'_>) -> String {
        let plain = plain(html);
        for Loss { list, code, severity, was, now } in plain.losses() {
            self.note(place, list, code, severity, was, now);
        }
        // A lost part may leave spaces.
        let text = self.piped(&plain.text, place).trim().to_owned();
        self.cut(text, MAX_TEXT_CHARACTERS, place)
    }

    /// Converts a choice to one line, without the separator of answers.
    pub fn choice_text(&mut self, html: &str, place: &TextPlace<'_>) -> String {
        let text = self.text(html, place);
        self.in_one_line(&text, MAX_CHOICE_CHARACTERS, place)
    }

    fn in_one_line(&mut self, text: &str, longest: usize, place: &TextPlace<'_>) -> String {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let without = format!(" {text} ").replace(" | ", " / ").trim().to_owned();
        if without != text {
            self.note(place, ReportList::Changed, LossCode::ColumnSeparator, LossSeverity::Note, &text, &without);
        }
        self.cut(without, longest, place)
    }

    fn cut(&mut self, mut text: String, longest: usize, place: &TextPlace<'_>) -> String {
        if let Some((end, _)) = text.char_indices().nth(longest) {
            let was = format!("a text of {} characters", text.chars().count());
            self.note(
                place,
                ReportList::Lost,
                LossCode::LongText,
                LossSeverity::Error,
                &was,
                &format!("its first {longest}"),
            );
            text.truncate(end);
        }
        text
    }

    fn piped(&mut self, text: &str, place: &TextPlace<'_>) -> String {
        let mut piped = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(FilePipe { before, opening, source, after }) = FilePipe::first_in(rest) {
            piped.push_str(&escaped(before));
            rest = after;
            let Some(source) = source else {
                piped.push_str(opening);
                continue;
            };
            // Computations are not supported.
            let pipe = if opening == COMPUTED { None } else { self.pipe(source.trim(), place) };
            match pipe {
                Some(pipe) => piped.push_str(&pipe),
                None => {
                    let was = format!("{opening}{source}}}");
                    self.note(
                        place,
                        ReportList::Lost,
                        LossCode::Pipe,
                        LossSeverity::Warning,
                        &was,
                        "nothing is inserted",
                    );
                }
            }
        }
        piped.push_str(&escaped(rest));
        piped
    }

    /// Converts a cell of a table. The cell is inserted unchanged, so it cannot contain a pipe.
    pub fn cell_text(&mut self, html: &str, place: &TextPlace<'_>) -> String {
        let plain = plain(html);
        for Loss { list, code, severity, was, now } in plain.losses() {
            self.note(place, list, code, severity, was, now);
        }
        let mut cell = String::new();
        let mut rest = plain.text.as_str();
        while let Some(FilePipe { before, opening, source, after }) = FilePipe::first_in(rest) {
            cell.push_str(before);
            rest = after;
            match source {
                None => cell.push_str(opening),
                Some(source) => {
                    let was = format!("{opening}{source}}} in a field of a loop");
                    let now = "nothing is inserted";
                    self.note(place, ReportList::Lost, LossCode::Pipe, LossSeverity::Warning, &was, now);
                }
            }
        }
        cell.push_str(rest);
        self.in_one_line(&cell, MAX_TEXT_CHARACTERS, place)
    }

    /// Converts a pipe. `None` if it has no counterpart.
    fn pipe(&mut self, source: &str, place: &TextPlace<'_>) -> Option<String> {
        let (scheme, path) = source.split_once("://")?;
        let mut parts = path.split('/');
        match scheme {
            "e" => {
                let field = path.strip_prefix("Field/")?;
                // The name may be followed by a default.
                let field = field.split('?').next().unwrap_or(field).trim();
                let decoded = decoded(field);
                match self.fields.get(field).or_else(|| self.fields.get(decoded.trim())) {
                    Some(name) => Some(format!("{{{{field:{name}}}}}")),
                    None => {
                        let was = format!("${{{source}}}, which no node of the flow sets");
                        self.note(
                            place,
                            ReportList::Lost,
                            LossCode::UnsetField,
                            LossSeverity::Warning,
                            &was,
                            "nothing: give a table or a set",
                        );
                        Some(String::new())
                    }
                }
            }
            "lm" => match parts.next()? {
                "Field" => {
                    let column: usize = parts.next()?.trim().parse().ok()?;
                    (1..=place.columns).contains(&column).then(|| format!("{{{{loop:field_{column}}}}}"))
                }
                "CurrentLoopNumber" if place.columns > 0 => Some("{{loop:_number}}".into()),
                "TotalLoops" if place.columns > 0 => Some("{{loop:_total}}".into()),
                _ => None,
            },
            "q" => {
                let question = parts.next()?;
                let rest: Vec<&str> = parts.collect();
                self.answer_pipe(question, &rest)
            }
            _ => None,
        }
    }

    fn answer_pipe(&self, question: &str, rest: &[&str]) -> Option<String> {
        // The turn of a loop is the reader's.
        let qid = located(question);
        let qid = qid.as_str();
        let choice = match rest {
            ["ChoiceGroup", "SelectedChoices" | "SelectedAnswers" | "SelectedChoicesTextEntry" | "AllChoices"] => None,
            ["ChoiceTextEntryValue" | "ChoiceNumericEntryValue" | "SelectedChoices" | "SelectedAnswers"] => None,
            ["ChoiceTextEntryValue" | "ChoiceNumericEntryValue" | "SelectedAnswers" | "SelectedChoices", choice] => {
                Some(*choice)
            }
            ["ChoiceGroup", "SelectedAnswers" | "SelectedChoices", choice] => Some(*choice),
            _ => return None,
        };
        if rest.contains(&"AllChoices") {
            return None;
        }
        let parts = self.parts.get(qid)?;
        let part = match choice {
            Some(choice) => parts.iter().find(|part| part.choice.as_deref() == Some(choice)).or_else(|| parts.first()),
            None => parts.first().filter(|_| parts.len() == 1),
        }?;
        let name = &part.name;
        match (part.kind, choice) {
            (QuestionType::Info, _) => None,
            (kind, choice) if kind.is_matrix() || matches!(kind, QuestionType::ConstantSum | QuestionType::Rank) => {
                let payload = self.file.question(qid.split('#').next()?)?;
                let rows: Vec<String> = super::choices::ids(self.file, payload);
                let row = match choice {
                    Some(choice) => rows.iter().position(|id| id == choice)? + 1,
                    None if kind.is_matrix() && rows.len() != 1 => return None,
                    None => return Some(format!("{{{{answer:{name}}}}}")),
                };
                Some(format!("{{{{answer:{name}.row{row}}}}}"))
            }
            // The text field beside an option is not supported.
            (QuestionType::SingleChoice | QuestionType::MultipleChoice, Some(_))
                if rest.contains(&"ChoiceTextEntryValue") =>
            {
                None
            }
            _ => Some(format!("{{{{answer:{name}}}}}")),
        }
    }

    /// Reports scripts of a question, which run on a page and may set fields.
    pub fn scripts(&mut self, payload: &Value, place: &TextPlace<'_>) {
        let Some(script) = payload.get("QuestionJS").and_then(Value::as_str).filter(|script| has_code(script)) else {
            return;
        };
        let mut fields: Vec<&str> = (script.split("setEmbeddedData(").skip(1))
            .filter_map(|call| call.trim_start().strip_prefix(['\'', '"'])?.split(['\'', '"']).next())
            .collect();
        fields.sort_unstable();
        fields.dedup();
        let was = match fields.as_slice() {
            [] => "a script of the question".to_owned(),
            fields => format!("a script that sets {}", fields.join(", ")),
        };
        let now = if fields.is_empty() { "nothing" } else { "nothing: give a table or a set" };
        self.note(place, ReportList::Lost, LossCode::Script, LossSeverity::Warning, &was, now);
    }

    /// Reports scripts in the header and the footer of every page.
    pub fn page_scripts(&mut self) {
        for field in ["Header", "Footer"] {
            let html = self.file.options.get(field).and_then(Value::as_str).unwrap_or_default();
            if plain(html).has_script {
                let was = format!("a script in the {} of every page", field.to_lowercase());
                self.note(
                    &TextPlace::default(),
                    ReportList::Lost,
                    LossCode::Script,
                    LossSeverity::Warning,
                    &was,
                    "nothing",
                );
            }
        }
        if !listed(self.file.options.get("ExternalScripts")).is_empty() {
            self.note(
                &TextPlace::default(),
                ReportList::Lost,
                LossCode::Script,
                LossSeverity::Warning,
                "scripts of other addresses",
                "nothing",
            );
        }
    }
}

/// The first pipe of a text, with the text around it.
struct FilePipe<'t> {
    before: &'t str,
    opening: &'static str,
    /// The source of the pipe. `None` if it is not closed.
    source: Option<&'t str>,
    after: &'t str,
}

/// Opening of a pipe.
const PIPED: &str = "${";
/// Opening of a computation, whose result is inserted.
const COMPUTED: &str = "$e{";

impl<'t> FilePipe<'t> {
    fn first_in(text: &'t str) -> Option<Self> {
        let opening = |at: usize| [PIPED, COMPUTED].into_iter().find(|opening| text[at..].starts_with(opening));
        let (at, opening) = text.match_indices('$').find_map(|(at, _)| Some((at, opening(at)?)))?;
        let (before, from) = text.split_at(at);
        let inside = from.get(opening.len()..).unwrap_or_default();
        // An unclosed pipe does not swallow the next one.
        let end = inside.find(['}', '{', '\n']).filter(|end| inside[*end..].starts_with('}'));
        let source = end.and_then(|end| inside.get(..end));
        let after = source.map_or(inside, |source| inside.get(source.len() + 1..).unwrap_or_default());
        Some(Self { before, opening, source, after })
    }
}

/// Decodes `%20` and the like.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = (*first == b'%').then(|| std::str::from_utf8(after.get(..2)?).ok()).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Whether a script does more than the empty frame that the editor writes.
fn has_code(script: &str) -> bool {
    let frames = ["addOnload", "addOnReady", "addOnUnload"];
    let code = script.lines().map(str::trim).filter(|line| !line.starts_with("/*") && !line.starts_with("//"));
    code.filter(|line| !line.is_empty() && !["});", "{", "}", "})"].contains(line))
        .any(|line| !frames.iter().any(|frame| line.contains(frame) && line.ends_with(['{', ')', ';'])))
}

/// Escapes braces, so that the text has no pipe.
pub fn escaped(text: &str) -> String {
    text.replace("{{", "\\{{")
}

//! CSV by RFC 4180, in UTF-8 with a byte order mark, by which spreadsheets recognise it.
//!
//! Columns are the fields of a [`Row`] in its order. The web page writes the same bytes with papaparse from the raw form.

use std::borrow::Cow;
use std::fmt::{Display, Write};

use crate::error::Result;
use crate::results::pages::InterviewOutcomes;
use crate::results::rows::{Row, RunFacts};
use crate::results::run::Run;
use crate::results::stream::Encode;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Of a run of a plain survey, in the order in which [`Line::row`] writes them.
const COLUMNS: [&str; 33] = [
    "id",
    "simulationId",
    "personaId",
    "personaPid",
    "personaName",
    "questionId",
    "questionNumber",
    "questionText",
    "questionType",
    "availableOptions",
    "surveyTitle",
    "status",
    "answer",
    "answerValue",
    "errorCode",
    "errorMessage",
    "created_at",
    "model",
    "fingerprint",
    "attempt",
    "optionOrder",
    "promptHash",
    "latencyMs",
    "promptTokens",
    "cachedTokens",
    "completionTokens",
    "seed",
    "temperature",
    "personaVariant",
    "questionsPerCall",
    "surveyHash",
    "programVersion",
    "notice",
];

/// Of a run with a design, after `status`.
const PLACED: [&str; 3] = ["arm", "block", "position"];

/// In the order in which [`Line::row`] writes them.
pub(super) fn columns(run: &Run) -> Vec<&'static str> {
    let mut columns = COLUMNS.to_vec();
    if run.plan.is_some() {
        let after = COLUMNS.iter().take_while(|column| **column != "answer").count();
        columns.splice(after..after, PLACED);
    }
    columns
}

/// Writes cells for spreadsheets: an apostrophe stands before text that one would run as a formula.
#[derive(Debug)]
pub struct Encoder {
    columns: Vec<&'static str>,
    raw: bool,
}

impl Encoder {
    /// `raw`: every text as it was given, for programs.
    pub fn new(run: &Run, raw: bool) -> Self {
        Self { columns: columns(run), raw }
    }
}

impl Encode for Encoder {
    fn head(&mut self) -> Vec<u8> {
        head(&self.columns)
    }

    fn page(&mut self, run: &Run, page: &[InterviewOutcomes], out: &mut Vec<u8>) -> Result<()> {
        let mut facts = Line { out: Vec::new(), raw: self.raw, plain: String::new() };
        facts.facts(&run.row_facts());
        let facts = facts.out;
        let mut line = Line { out: std::mem::take(out), raw: self.raw, plain: String::new() };
        for interview in page {
            for (row, offered) in interview.rows(run).zip(&run.offered) {
                line.row(&row, &row.offered(offered), &facts);
            }
        }
        *out = line.out;
        Ok(())
    }
}

struct Line {
    out: Vec<u8>,
    raw: bool,
    /// The buffer of [`plain`](Self::plain).
    plain: String,
}

impl Line {
    /// `facts` are the cells of [`Self::facts`].
    fn row(&mut self, row: &Row<'_>, offered: &str, facts: &[u8]) {
        self.plain(row.id);
        self.text(row.asked.simulation_id);
        self.plain(Some(row.asked.persona_id));
        self.text(row.asked.persona_pid);
        self.text(row.asked.persona_name);
        self.plain(Some(row.asked.question_id));
        self.plain(Some(row.asked.question_number));
        self.text(row.asked.question_text);
        self.text(row.asked.question_type.name());
        self.text(offered);
        self.text(row.asked.survey_title);
        self.text(row.status.name());
        if let Some(arms) = row.arms {
            self.text(arms);
            self.text(row.block.unwrap_or_default());
            self.plain(row.position);
        }
        self.text(row.answer.unwrap_or_default());
        self.text(row.answer_value.map(|value| value.text()).unwrap_or_default());
        self.text(row.error_code.unwrap_or_default());
        self.text(row.error_message.unwrap_or_default());
        self.plain(row.created_at.map(|at| at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)));
        self.text(row.model.unwrap_or_default());
        self.text(row.fingerprint.unwrap_or_default());
        self.plain(row.attempt);
        self.text(&row.option_order.map(positions).unwrap_or_default());
        self.plain(row.prompt_hash);
        self.plain(row.latency_ms);
        self.plain(row.prompt_tokens);
        self.plain(row.cached_tokens);
        self.plain(row.completion_tokens);
        self.out.extend_from_slice(facts);
        self.text(row.notice);
        // In the place of the last comma.
        self.out.pop();
        self.out.extend_from_slice(b"\r\n");
    }

    fn facts(&mut self, facts: &RunFacts<'_>) {
        self.plain(Some(facts.seed));
        self.plain(facts.temperature);
        self.text(facts.persona_variant.name());
        self.plain(Some(facts.questions_per_call));
        self.text(facts.survey_hash);
        self.text(facts.program_version);
    }

    /// A number, time or hash.
    fn plain(&mut self, value: Option<impl Display>) {
        self.plain.clear();
        if let Some(value) = value {
            // Writing to a String cannot fail.
            let _ = write!(self.plain, "{value}");
        }
        self.out.extend_from_slice(self.plain.as_bytes());
        self.out.push(b',');
    }

    fn text(&mut self, value: &str) {
        text(&mut self.out, value, self.raw);
        self.out.push(b',');
    }
}

/// The first line of a file, with the byte order mark. The names need no quotes.
pub fn head(columns: &[&str]) -> Vec<u8> {
    format!("{BYTE_ORDER_MARK}{}\r\n", columns.join(",")).into_bytes()
}

/// A cell of text. Unless `raw`, an apostrophe stands before what a spreadsheet would run as a formula.
pub fn text(out: &mut Vec<u8>, text: &str, raw: bool) {
    let quoted = must_be_quoted(text);
    if quoted {
        out.push(b'"');
    }
    if !raw && runs_as_formula(text) {
        out.push(b'\'');
    }
    match text.contains('"') {
        true => out.extend_from_slice(text.replace('"', "\"\"").as_bytes()),
        false => out.extend_from_slice(text.as_bytes()),
    }
    if quoted {
        out.push(b'"');
    }
}

/// The text as a cell for spreadsheets holds it, without the quotes around it.
pub fn guarded(text: &str) -> Cow<'_, str> {
    if runs_as_formula(text) { format!("'{text}").into() } else { text.into() }
}

/// What was [`guarded`].
pub fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| runs_as_formula(text)).unwrap_or(cell)
}

/// As papaparse has it: RFC 4180, and cells with a blank at an end or a byte order mark.
fn must_be_quoted(text: &str) -> bool {
    text.starts_with(' ') || text.ends_with(' ') || text.contains(['"', ',', '\r', '\n', BYTE_ORDER_MARK])
}

pub(super) fn positions(order: &[i16]) -> String {
    order.iter().map(i16::to_string).collect::<Vec<_>>().join(" ")
}

/// Whether a spreadsheet would run the text as a formula: its first character says so, and it is no plain number.
fn runs_as_formula(text: &str) -> bool {
    const FIRST: [char; 10] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r'];
    let number = || {
        text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
            && text.parse::<f64>().is_ok()
    };
    text.trim_start_matches(BYTE_ORDER_MARK).starts_with(FIRST) && !number()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str, raw: bool) -> String {
        let mut line = Line { out: Vec::new(), raw, plain: String::new() };
        line.text(text);
        String::from_utf8(line.out).expect("it is UTF-8")
    }

    #[test]
    fn text_that_a_spreadsheet_would_run_gets_an_apostrophe_and_a_number_none() {
        for runs in ["=1+1", "+x", "-x", "@x", "＝1+1", "＋1", "－1", "＠x", "\tx", "\u{feff}=1+1", "-1-2", "+", "-inf"]
        {
            assert!(cell(runs, false).trim_start_matches('"').starts_with('\''), "{runs:?}");
            assert!(!cell(runs, true).contains('\''), "{runs:?}");
        }
        for plain in ["-5", "+3", "-2.2", "-1e-7", "5", "a=b", "", "'=1", "{\"a\":\"=1\"}"] {
            assert!(!runs_as_formula(plain), "{plain:?}");
        }
    }

    #[test]
    fn cells_are_quoted_where_papaparse_quotes_them() {
        for (text, written) in [
            ("a,b", "\"a,b\","),
            ("say \"hi\"", "\"say \"\"hi\"\"\","),
            (" a", "\" a\","),
            ("a ", "\"a \","),
            ("a\nb", "\"a\nb\","),
            ("\ra", "\"'\ra\","),
            ("a\u{feff}", "\"a\u{feff}\","),
            ("a b", "a b,"),
            ("", ","),
        ] {
            assert_eq!(cell(text, false), written);
        }
    }
}

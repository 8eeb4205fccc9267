//! The rows of a run as CSV.
//!
//! Columns are the fields of a [`Row`] in its order. The web page writes the same bytes with papaparse from the raw form.

use std::fmt::{Display, Write};

use export::csv;
use simulation::encode::Encode;
use simulation::error::Result;
use simulation::outcomes::InterviewOutcomes;
use simulation::rows::Row;
use simulation::run::{Run, RunFacts};

/// Columns of a run of a plain survey, in the order in which [`Line::row`] writes them.
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

/// Columns after `status`, of a run with a design.
const PLACED: [&str; 3] = ["arm", "block", "position"];

/// Columns after `completionTokens`, of a run whose model server counted such tokens.
const PARTS_OF_TOKENS: [&str; 2] = ["reasoningTokens", "cacheWriteTokens"];

/// Column before `seed`, of a run that asks for distributions.
const DISTRIBUTION: [&str; 1] = ["distribution"];

/// Returns the columns in the order in which [`Line::row`] writes them.
pub fn columns(run: &Run) -> Vec<&'static str> {
    let mut columns = COLUMNS.to_vec();
    if run.parameters.has_distributions() {
        let after = COLUMNS.iter().take_while(|column| **column != "seed").count();
        columns.splice(after..after, DISTRIBUTION);
    }
    if run.facts.counts_parts_of_tokens() {
        let after = COLUMNS.iter().take_while(|column| **column != "seed").count();
        columns.splice(after..after, PARTS_OF_TOKENS);
    }
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
        csv::head(&self.columns)
    }

    fn page(&mut self, run: &Run, page: &[InterviewOutcomes], out: &mut Vec<u8>) -> Result<()> {
        let mut facts = Line { out: Vec::new(), raw: self.raw, plain: String::new() };
        facts.facts(&run.row_facts());
        let facts = facts.out;
        let optional = LongColumns::of(run);
        let mut line = Line { out: std::mem::take(out), raw: self.raw, plain: String::new() };
        for interview in page {
            for (row, offered) in interview.rows(run).zip(&run.offered) {
                line.row(&row, &row.offered(offered), optional, &facts);
            }
        }
        *out = line.out;
        Ok(())
    }
}

/// The columns that only some runs have.
#[derive(Clone, Copy)]
pub struct LongColumns {
    pub parts_of_tokens: bool,
    pub distribution: bool,
}

impl LongColumns {
    pub fn of(run: &Run) -> Self {
        Self { parts_of_tokens: run.facts.counts_parts_of_tokens(), distribution: run.parameters.has_distributions() }
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
    fn row(&mut self, row: &Row<'_>, offered: &str, optional: LongColumns, facts: &[u8]) {
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
        if optional.parts_of_tokens {
            self.plain(row.reasoning_tokens);
            self.plain(row.cache_write_tokens);
        }
        if optional.distribution {
            self.text(row.distribution.map(|value| value.text()).unwrap_or_default());
        }
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
        csv::text(&mut self.out, value, self.raw);
        self.out.push(b',');
    }
}

pub fn positions(order: &[i16]) -> String {
    order.iter().map(i16::to_string).collect::<Vec<_>>().join(" ")
}

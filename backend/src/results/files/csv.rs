//! CSV by RFC 4180, in UTF-8 with a byte order mark, by which spreadsheets recognise it.

use std::borrow::Cow;
use std::fmt::{Display, Write};

use csv::{Terminator, Writer, WriterBuilder};

use crate::error::{Error, Result};
use crate::results::pages::Interview;
use crate::results::rows::Row;
use crate::results::run::Run;
use crate::results::stream::Encode;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// In the order in which [`Cells::row`] writes them.
const COLUMNS: [&str; 25] = [
    "id",
    "simulationId",
    "personaId",
    "personaName",
    "questionId",
    "questionNumber",
    "questionText",
    "questionType",
    "availableOptions",
    "status",
    "answer",
    "errorCode",
    "errorMessage",
    "surveyTitle",
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
    "notice",
];

pub struct Encoder;

impl Encode for Encoder {
    fn head(&self) -> Vec<u8> {
        let mut head = BYTE_ORDER_MARK.as_bytes().to_vec();
        head.extend_from_slice(COLUMNS.join(",").as_bytes());
        head.extend_from_slice(b"\r\n");
        head
    }

    fn page(&mut self, run: &Run, page: &[Interview], out: &mut Vec<u8>) -> Result<()> {
        let writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
        let mut cells = Cells { writer, plain: String::new() };
        page.iter()
            .flat_map(|interview| interview.rows(run).zip(&run.offered))
            .try_for_each(|(row, offered)| cells.row(&row, offered))
            .and_then(|()| Ok(cells.writer.flush()?))
            .map_err(|error| Error::internal(format!("a row of the export: {error}")))
    }
}

struct Cells<'a> {
    writer: Writer<&'a mut Vec<u8>>,
    /// The buffer of [`plain`](Self::plain).
    plain: String,
}

impl Cells<'_> {
    fn row(&mut self, row: &Row<'_>, offered: &str) -> csv::Result<()> {
        self.plain(row.id)?;
        self.writer.write_field(row.asked.simulation_id)?;
        self.plain(Some(row.asked.persona_id))?;
        self.text(row.asked.persona_name)?;
        self.plain(Some(row.asked.question_id))?;
        self.plain(Some(row.asked.question_number))?;
        self.text(row.asked.question_text)?;
        self.writer.write_field(row.asked.question_type.name())?;
        self.text(offered)?;
        self.writer.write_field(row.status.name())?;
        match (row.answer, row.answer_value) {
            // A number keeps its minus sign.
            (Some(answer), Some(value)) if value.as_f64().is_some() => self.writer.write_field(answer)?,
            (answer, _) => self.text(answer.unwrap_or_default())?,
        }
        self.text(row.error_code.unwrap_or_default())?;
        self.text(row.error_message.unwrap_or_default())?;
        self.text(row.asked.survey_title)?;
        self.plain(row.created_at.map(|at| at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)))?;
        self.text(row.model.unwrap_or_default())?;
        self.text(row.fingerprint.unwrap_or_default())?;
        self.plain(row.attempt)?;
        self.writer.write_field(row.option_order.map(positions).unwrap_or_default())?;
        self.plain(row.prompt_hash)?;
        self.plain(row.latency_ms)?;
        self.plain(row.prompt_tokens)?;
        self.plain(row.cached_tokens)?;
        self.plain(row.completion_tokens)?;
        self.text(row.notice)?;
        self.writer.write_record(None::<&[u8]>)
    }

    /// A number, time or hash: nothing that a spreadsheet could run as a formula.
    fn plain(&mut self, value: Option<impl Display>) -> csv::Result<()> {
        self.plain.clear();
        if let Some(value) = value {
            // Writing to a String cannot fail.
            let _ = write!(self.plain, "{value}");
        }
        self.writer.write_field(&self.plain)
    }

    fn text(&mut self, text: &str) -> csv::Result<()> {
        self.writer.write_field(escape_formula(text).as_bytes())
    }
}

fn positions(order: &[i16]) -> String {
    order.iter().map(i16::to_string).collect::<Vec<_>>().join(" ")
}

/// Puts an apostrophe before text that a spreadsheet would run as a formula.
fn escape_formula(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

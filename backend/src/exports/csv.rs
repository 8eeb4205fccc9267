//! CSV as RFC 4180 has it, in UTF-8 with a byte order mark so that spreadsheets read it as such.

use std::borrow::Cow;
use std::fmt::Display;

use csv::{Terminator, Writer, WriterBuilder};

use super::pages::Interview;
use super::rows::Row;
use super::run::Run;
use super::stream::Encode;
use crate::error::{Error, Result};

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Between several options in one cell, as between several chosen ones.
pub(super) const BETWEEN: &str = " | ";

/// In the order in which [`fields`] writes them.
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
        let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
        page.iter()
            .flat_map(|interview| interview.rows(run))
            .try_for_each(|row| fields(&mut writer, &row))
            .and_then(|()| Ok(writer.flush()?))
            .map_err(|error| Error::internal(format!("a row of the export: {error}")))
    }
}

fn fields(writer: &mut Writer<&mut Vec<u8>>, row: &Row<'_>) -> csv::Result<()> {
    plain(writer, row.id)?;
    writer.write_field(row.asked.simulation_id)?;
    plain(writer, Some(row.asked.persona_id))?;
    text(writer, row.asked.persona_name)?;
    plain(writer, Some(row.asked.question_id))?;
    plain(writer, Some(row.asked.question_number))?;
    text(writer, row.asked.question_text)?;
    writer.write_field(row.asked.question_type.name())?;
    text(writer, &row.asked.available_options.join(BETWEEN))?;
    writer.write_field(row.status.name())?;
    match (row.answer, row.answer_value) {
        // A number stays one, its minus sign too.
        (Some(answer), Some(value)) if value.as_f64().is_some() => writer.write_field(answer)?,
        (answer, _) => text(writer, answer.unwrap_or_default())?,
    }
    text(writer, row.error_code.unwrap_or_default())?;
    text(writer, row.error_message.unwrap_or_default())?;
    text(writer, row.asked.survey_title)?;
    plain(writer, row.created_at.map(|at| at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)))?;
    text(writer, row.model.unwrap_or_default())?;
    text(writer, row.fingerprint.unwrap_or_default())?;
    plain(writer, row.attempt)?;
    writer.write_field(row.option_order.map(positions).unwrap_or_default())?;
    plain(writer, row.prompt_hash)?;
    plain(writer, row.latency_ms)?;
    plain(writer, row.prompt_tokens)?;
    plain(writer, row.cached_tokens)?;
    plain(writer, row.completion_tokens)?;
    text(writer, row.notice)?;
    writer.write_record(None::<&[u8]>)
}

/// Numbers, times and digits: nothing that a spreadsheet could run.
fn plain(writer: &mut Writer<&mut Vec<u8>>, value: Option<impl Display>) -> csv::Result<()> {
    writer.write_field(value.map(|value| value.to_string()).unwrap_or_default())
}

fn text(writer: &mut Writer<&mut Vec<u8>>, text: &str) -> csv::Result<()> {
    writer.write_field(defused(text).as_bytes())
}

fn positions(order: &[i16]) -> String {
    order.iter().map(i16::to_string).collect::<Vec<_>>().join(" ")
}

/// Text that a spreadsheet would run as a formula, behind an apostrophe.
fn defused(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

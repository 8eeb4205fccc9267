//! The rows of a run as parquet: the columns of the raw CSV, with numbers as numbers and null where a cell is missing.

use chrono::SecondsFormat;
use export::parquet::{ColumnKind, Datum, Writer};
use simulation::encode::Encode;
use simulation::error::Result;
use simulation::outcomes::InterviewOutcomes;
use simulation::rows::Row;
use simulation::run::Run;

use crate::tables::long_csv::{LongColumns, columns, positions};
use crate::tables::read_me;

/// Writes a row for each request. Its notes hold the notice and the facts of the run.
pub struct Encoder(Writer);

impl Encoder {
    pub fn new(run: &Run, program: &str) -> Result<Self> {
        let facts: String =
            read_me::facts(run).into_iter().map(|(label, value)| format!("{label}: {value}\n")).collect();
        let notes = vec![("notice", run.notice.clone()), ("Read Me", facts)];
        let columns = columns(run).into_iter().map(|name| (name, kind(name)));
        let writer = Writer::new(columns, notes, program)?;
        Ok(Self(writer))
    }
}

impl Encode for Encoder {
    fn page(&mut self, run: &Run, page: &[InterviewOutcomes], out: &mut Vec<u8>) -> Result<()> {
        for interview in page {
            for (row, offered) in interview.rows(run).zip(&run.offered) {
                self.row(&row, &row.offered(offered), LongColumns::of(run));
            }
        }
        Ok(self.0.flush(out)?)
    }

    fn tail(&mut self, out: &mut Vec<u8>) -> Result<()> {
        Ok(self.0.finish(out)?)
    }
}

impl Encoder {
    fn row(&mut self, row: &Row<'_>, offered: &str, optional: LongColumns) {
        let created_at = row.created_at.map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true));
        let option_order = row.option_order.map(positions);
        let prompt_hash = row.prompt_hash.map(|hash| hash.to_string());
        let placed = row.arms.map(|arms| [Datum::Text(arms), text(row.block), whole(row.position)]);
        let before = [
            whole(row.id),
            Datum::Text(row.asked.simulation_id),
            whole(Some(row.asked.persona_id)),
            Datum::Text(row.asked.persona_pid),
            Datum::Text(row.asked.persona_name),
            whole(Some(row.asked.question_id)),
            whole(Some(row.asked.question_number)),
            Datum::Text(row.asked.question_text),
            Datum::Text(row.asked.question_type.name()),
            Datum::Text(offered),
            Datum::Text(row.asked.survey_title),
            Datum::Text(row.status.name()),
        ];
        let after = [
            text(row.answer),
            text(row.answer_value.map(|value| value.text())),
            text(row.error_code),
            text(row.error_message),
            text(created_at.as_deref()),
            text(row.model),
            text(row.fingerprint),
            whole(row.attempt),
            text(option_order.as_deref()),
            text(prompt_hash.as_deref()),
            whole(row.latency_ms),
            whole(row.prompt_tokens),
            whole(row.cached_tokens),
            whole(row.completion_tokens),
        ];
        let parts = optional.parts_of_tokens.then(|| [whole(row.reasoning_tokens), whole(row.cache_write_tokens)]);
        let distribution = optional.distribution.then(|| text(row.distribution.map(|value| value.text())));
        let facts = [
            whole(Some(row.facts.seed)),
            row.facts.temperature.map_or(Datum::Missing, Datum::Number),
            Datum::Text(row.facts.persona_variant.name()),
            whole(Some(row.facts.questions_per_call)),
            Datum::Text(row.facts.survey_hash),
            Datum::Text(row.facts.program_version),
            Datum::Text(row.notice),
        ];
        let after = after.into_iter().chain(parts.into_iter().flatten()).chain(distribution).chain(facts);
        self.0.row(before.into_iter().chain(placed.into_iter().flatten()).chain(after));
    }
}

fn kind(column: &str) -> ColumnKind {
    match column {
        "position" | "id" | "personaId" | "questionId" | "questionNumber" | "attempt" | "latencyMs"
        | "promptTokens" | "cachedTokens" | "completionTokens" | "reasoningTokens" | "cacheWriteTokens" | "seed"
        | "questionsPerCall" => ColumnKind::Whole,
        "temperature" => ColumnKind::Number,
        _ => ColumnKind::Text,
    }
}

fn text(value: Option<&str>) -> Datum<'_> {
    value.map_or(Datum::Missing, Datum::Text)
}

fn whole<'a>(value: Option<impl Into<i64>>) -> Datum<'a> {
    value.map_or(Datum::Missing, |value| Datum::Whole(value.into()))
}

//! The type `MATRIX_MULTI`: rows with any of the labels, at least one each.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::choices::{some_of, write_list};
use super::{Asked, Offer, TypeDefinition, count, tokens_of_list};
use crate::answer::{Answer, AnswerShape};
use crate::question::{Invalid, Question, QuestionPayload};
use crate::schema::Schema;

pub(super) struct MatrixMulti;

impl TypeDefinition for MatrixMulti {
    fn name(&self) -> &'static str {
        "MATRIX_MULTI"
    }

    fn shape(&self) -> Option<AnswerShape> {
        Some(AnswerShape::LabelSets)
    }

    fn validate(&self, payload: &QuestionPayload, question: &Question) -> Result<(), Invalid> {
        payload.must_have_labels_and_rows(question)
    }

    fn write_instructions(&self, asked: Asked<'_>, message: &mut String) -> fmt::Result {
        writeln!(message, "Choose for every row each of these labels that applies, at least one, as a list:")?;
        write_list(message, &asked.question.scale_labels)?;
        writeln!(message, "Rows:")?;
        asked.write_parts(asked.question.rows(), message)
    }

    fn schema<'a>(&self, asked: Asked<'a>) -> Schema<'a> {
        let labels: Vec<&str> = asked.question.scale_labels.iter().map(String::as_str).collect();
        let several = || Schema::Several { min: 1, max: labels.len(), of: labels.clone() };
        let fields = (1..=asked.question.rows().len()).map(|row| (asked.part_label(row), several()));
        Schema::Object { description: None, fields: fields.collect() }
    }

    fn check(&self, asked: Asked<'_>, value: &Value) -> Result<Answer, String> {
        let question = asked.question;
        let rows = question.rows();
        let mut by_row = BTreeMap::new();
        for (number, row) in (1..).zip(rows) {
            let at = |message: String| format!("row {} ({row:?}): {message}", asked.part_label(number));
            let chosen = asked.part(number, row, value).or(match value {
                // A matrix without sub-questions has one row, whose labels may be given alone.
                Value::Array(_) | Value::String(_) if rows.len() == 1 => Some(value),
                _ => None,
            });
            let chosen = chosen.ok_or_else(|| at("no label was chosen".into()))?;
            by_row.insert(row.clone(), some_of(&question.scale_labels, None, chosen).map_err(at)?);
        }
        Ok(Answer::LabelSets(by_row))
    }

    fn invent(&self, offer: &Offer<'_>, random: &mut ChaCha8Rng) -> Option<Answer> {
        let rated = offer.rows.iter().map(|row| ((*row).to_owned(), offer.some(random)));
        Some(Answer::LabelSets(rated.collect()))
    }

    fn expected_tokens(&self, question: &Question) -> u32 {
        count(question.rows().len()).saturating_mul(8 + tokens_of_list(&question.scale_labels))
    }

    fn answered_with(&self) -> &'static str {
        "any of the labels for each row"
    }
}

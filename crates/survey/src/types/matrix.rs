//! The type `MATRIX`: rows that are rated with one label each.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::choices::{one_of, write_list};
use super::{Asked, Offer, PossibleAnswers, TypeDefinition, count, tokens_of_longest};
use crate::answer::{Answer, AnswerShape};
use crate::question::{Invalid, Question, QuestionPayload};
use crate::schema::Schema;

pub(super) struct Matrix;

impl TypeDefinition for Matrix {
    fn name(&self) -> &'static str {
        "MATRIX"
    }

    fn shape(&self) -> Option<AnswerShape> {
        Some(AnswerShape::Labels)
    }

    fn validate(&self, payload: &QuestionPayload, question: &Question) -> Result<(), Invalid> {
        payload.must_have_labels_and_rows(question)
    }

    fn write_instructions(&self, Asked { question, .. }: Asked<'_>, message: &mut String) -> fmt::Result {
        writeln!(message, "Rate every row with exactly one of these labels:")?;
        write_list(message, &question.scale_labels)?;
        writeln!(message, "Rows:")?;
        let mut rows = (1_usize..).zip(question.rows());
        rows.try_for_each(|(number, row)| writeln!(message, "r{number}: {row}"))
    }

    fn schema<'a>(&self, Asked { question, .. }: Asked<'a>) -> Schema<'a> {
        let label = || Schema::OneOf(question.scale_labels.iter().map(String::as_str).collect());
        let fields = (1..=question.rows().len()).map(|row| (format!("r{row}"), label()));
        Schema::Object { description: None, fields: fields.collect() }
    }

    fn check(&self, Asked { question, .. }: Asked<'_>, value: &Value) -> Result<Answer, String> {
        let rows = question.rows();
        let rating = |index: usize, row: &String| match value {
            Value::Object(ratings) => ratings.get(&format!("r{}", index + 1)).or_else(|| ratings.get(row)),
            Value::Array(ratings) if ratings.len() == rows.len() => ratings.get(index),
            // A matrix without sub-questions has one row, whose label may be given alone.
            Value::String(_) if rows.len() == 1 => Some(value),
            _ => None,
        };
        let mut by_row = BTreeMap::new();
        for (index, row) in rows.iter().enumerate() {
            let number = index + 1;
            let rating = rating(index, row).ok_or_else(|| format!("row r{number} ({row:?}) has no rating"))?;
            let label = one_of(&question.scale_labels, None, rating)
                .map_err(|message| format!("row r{number} ({row:?}): {message}"))?;
            by_row.insert(row.clone(), label);
        }
        Ok(Answer::Labels(by_row))
    }

    fn invent(&self, offer: &Offer<'_>, random: &mut ChaCha8Rng) -> Option<Answer> {
        let rated = offer.rows.iter().map(|row| Some(((*row).to_owned(), offer.one(random)?)));
        rated.collect::<Option<_>>().map(Answer::Labels)
    }

    fn outcomes<'a>(&self, asked: Asked<'a>) -> PossibleAnswers<'a> {
        let labels = asked.question.scale_labels.iter().map(String::as_str).collect();
        PossibleAnswers::Rows { rows: asked.question.rows(), labels }
    }

    fn expected_tokens(&self, question: &Question) -> u32 {
        count(question.rows().len()).saturating_mul(8 + tokens_of_longest(&question.scale_labels))
    }

    fn answered_with(&self) -> &'static str {
        "one label for each row"
    }
}

//! The type `CONSTANT_SUM`: a number for each option; the numbers add up to the question's total.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::scale::finite;
use super::{Asked, Offer, TypeDefinition, count};
use crate::answer::{Answer, AnswerShape};
use crate::number;
use crate::question::payload::TOTAL;
use crate::question::{Invalid, Question, QuestionPayload};
use crate::schema::Schema;

/// Relative tolerance of the sum, because binary fractions of decimal numbers do not add up exactly.
const SUM_TOLERANCE: f64 = 1e-9;

pub(super) struct ConstantSum;

impl TypeDefinition for ConstantSum {
    fn name(&self) -> &'static str {
        "CONSTANT_SUM"
    }

    fn shape(&self) -> Option<AnswerShape> {
        Some(AnswerShape::Parts)
    }

    fn validate(&self, payload: &QuestionPayload, question: &Question) -> Result<(), Invalid> {
        let too_few = "Constant sum questions must have at least 2 non-empty options";
        payload.must_have_options(&question.options, too_few)?;
        match question.total {
            Some(total) if total <= 0.0 => Err(Invalid::new(payload.spelling(TOTAL), "The total must be above 0")),
            _ => Ok(()),
        }
    }

    fn write_instructions(&self, asked: Asked<'_>, message: &mut String) -> fmt::Result {
        let total = number::text(asked.question.total());
        writeln!(
            message,
            "Divide exactly {total} among the options: a number from 0 for each, all adding up to {total}:"
        )?;
        asked.write_parts(asked.options(), message)
    }

    fn schema<'a>(&self, asked: Asked<'a>) -> Schema<'a> {
        let total = asked.question.total();
        let part = |number| (asked.part_label(number), Schema::Number { min: Some(0.0), max: Some(total) });
        Schema::Object {
            description: Some(format!("Numbers that add up to exactly {}.", number::text(total))),
            fields: (1..=asked.options().len()).map(part).collect(),
        }
    }

    fn check(&self, asked: Asked<'_>, value: &Value) -> Result<Answer, String> {
        let mut parts = BTreeMap::new();
        let mut sum = 0.0;
        for (number, option) in (1..).zip(asked.options()) {
            let at = |message: String| format!("option {} ({option:?}): {message}", asked.part_label(number));
            let given = asked.part(number, option, value).ok_or_else(|| at("has no number".into()))?;
            let given = finite(given).map_err(at)?;
            if given < 0.0 {
                return Err(at(format!("{} is below 0", number::text(given))));
            }
            sum += given;
            parts.insert(option.to_owned(), given);
        }
        let total = asked.question.total();
        if (sum - total).abs() > total * SUM_TOLERANCE {
            // Rounding removes the noise of binary fractions.
            let sum = (sum * 1e6).round() / 1e6;
            return Err(format!("the numbers add up to {}, not to {}", number::text(sum), number::text(total)));
        }
        Ok(Answer::Parts(parts))
    }

    fn invent(&self, offer: &Offer<'_>, _random: &mut ChaCha8Rng) -> Option<Answer> {
        let total = offer.question.total();
        let part = |(place, option): (usize, &&str)| ((*option).to_owned(), if place == 0 { total } else { 0.0 });
        Some(Answer::Parts(offer.choices.iter().enumerate().map(part).collect()))
    }

    fn expected_tokens(&self, question: &Question) -> u32 {
        count(question.options.len()).saturating_mul(12)
    }

    fn answered_with(&self) -> &'static str {
        "numbers for the options that add up to"
    }
}

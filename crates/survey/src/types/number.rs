//! The type `NUMBER`: a number with or without bounds.

use std::fmt::{self, Write};

use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::scale::{self, NUMBER_TOKENS};
use super::{Asked, Offer, PossibleAnswers, TypeDefinition};
use crate::answer::{Answer, AnswerShape};
use crate::number;
use crate::question::{Invalid, Question, QuestionPayload};
use crate::schema::Schema;

pub(super) struct Number;

impl TypeDefinition for Number {
    fn name(&self) -> &'static str {
        "NUMBER"
    }

    fn shape(&self) -> Option<AnswerShape> {
        Some(AnswerShape::Number)
    }

    fn validate(&self, payload: &QuestionPayload, question: &Question) -> Result<(), Invalid> {
        payload.must_be_in_order((question.min_value, question.max_value))
    }

    fn write_instructions(&self, Asked { question, .. }: Asked<'_>, message: &mut String) -> fmt::Result {
        message.push_str("Answer with a number");
        if let Some(min) = question.min_value {
            write!(message, ", at least {}", number::text(min))?;
        }
        if let Some(max) = question.max_value {
            write!(message, ", at most {}", number::text(max))?;
        }
        message.push_str(".\n");
        Ok(())
    }

    fn schema<'a>(&self, asked: Asked<'a>) -> Schema<'a> {
        scale::schema(asked.question)
    }

    fn check(&self, asked: Asked<'_>, value: &Value) -> Result<Answer, String> {
        scale::check(asked.question, value)
    }

    fn invent(&self, offer: &Offer<'_>, random: &mut ChaCha8Rng) -> Option<Answer> {
        Some(scale::invent(offer.question, random))
    }

    fn outcomes<'a>(&self, asked: Asked<'a>) -> PossibleAnswers<'a> {
        scale::outcomes(asked.question)
    }

    fn expected_tokens(&self, _question: &Question) -> u32 {
        NUMBER_TOKENS
    }

    fn answered_with(&self) -> &'static str {
        "a number"
    }
}

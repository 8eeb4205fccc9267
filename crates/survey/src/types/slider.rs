//! The type `SLIDER`: a number between two ends.

use std::fmt;

use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::scale::{self, NUMBER_TOKENS, validate_bounds, write_scale};
use super::{Asked, Offer, PossibleAnswers, TypeDefinition};
use crate::answer::{Answer, AnswerShape};
use crate::question::{Invalid, Question, QuestionPayload};
use crate::schema::Schema;

pub(super) struct Slider;

impl TypeDefinition for Slider {
    fn name(&self) -> &'static str {
        "SLIDER"
    }

    fn shape(&self) -> Option<AnswerShape> {
        Some(AnswerShape::Number)
    }

    fn has_descriptions(&self) -> bool {
        true
    }

    fn validate(&self, payload: &QuestionPayload, question: &Question) -> Result<(), Invalid> {
        validate_bounds(payload, question, "Slider")
    }

    fn write_instructions(&self, asked: Asked<'_>, message: &mut String) -> fmt::Result {
        write_scale(asked.question, message)
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

//! The type `OPENENDED`: free text of one to four sentences.

use std::fmt;

use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::text::{self, TEXT_TOKENS, write_instruction, write_placeholder};
use super::{Asked, Offer, TypeDefinition};
use crate::answer::{Answer, AnswerShape};
use crate::question::Question;
use crate::schema::Schema;

pub(super) struct OpenEnded;

impl TypeDefinition for OpenEnded {
    fn name(&self) -> &'static str {
        "OPENENDED"
    }

    fn shape(&self) -> Option<AnswerShape> {
        Some(AnswerShape::Text)
    }

    fn write_instructions(&self, asked: Asked<'_>, message: &mut String) -> fmt::Result {
        write_instruction("Answer in your own words, in one to four sentences", asked, message)?;
        write_placeholder(asked.question, message)
    }

    fn schema<'a>(&self, asked: Asked<'a>) -> Schema<'a> {
        Schema::Text { max: asked.max_text_length }
    }

    fn check(&self, asked: Asked<'_>, value: &Value) -> Result<Answer, String> {
        text::check(asked, value)
    }

    fn invent(&self, offer: &Offer<'_>, _random: &mut ChaCha8Rng) -> Option<Answer> {
        Some(text::invent(offer.question))
    }

    fn expected_tokens(&self, _question: &Question) -> u32 {
        TEXT_TOKENS
    }

    fn answered_with(&self) -> &'static str {
        "free text"
    }
}

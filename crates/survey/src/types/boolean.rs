//! The type `BOOLEAN`: yes or no.

use std::fmt::{self, Write};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use serde_json::Value;

use super::{Asked, Offer, PossibleAnswers, TypeDefinition, excerpt};
use crate::answer::{Answer, AnswerShape, yes_or_no};
use crate::question::Question;
use crate::schema::Schema;

pub(super) struct Boolean;

impl TypeDefinition for Boolean {
    fn name(&self) -> &'static str {
        "BOOLEAN"
    }

    fn shape(&self) -> Option<AnswerShape> {
        Some(AnswerShape::YesNo)
    }

    fn write_instructions(&self, _asked: Asked<'_>, message: &mut String) -> fmt::Result {
        writeln!(message, "Answer true for yes or false for no.")
    }

    fn schema<'a>(&self, _asked: Asked<'a>) -> Schema<'a> {
        Schema::Boolean
    }

    fn check(&self, _asked: Asked<'_>, value: &Value) -> Result<Answer, String> {
        let is = |text: &str, words: [&str; 2]| words.iter().any(|word| word.eq_ignore_ascii_case(text.trim()));
        match value {
            Value::Bool(yes) => Ok(Answer::YesNo(*yes)),
            Value::String(text) if is(text, ["yes", "true"]) => Ok(Answer::YesNo(true)),
            Value::String(text) if is(text, ["no", "false"]) => Ok(Answer::YesNo(false)),
            _ => Err(format!("{} is neither true nor false", excerpt(value))),
        }
    }

    fn invent(&self, _offer: &Offer<'_>, random: &mut ChaCha8Rng) -> Option<Answer> {
        Some(Answer::YesNo(random.next_u64().is_multiple_of(2)))
    }

    fn outcomes<'a>(&self, _asked: Asked<'a>) -> PossibleAnswers<'a> {
        PossibleAnswers::Options([true, false].map(yes_or_no).to_vec())
    }

    fn expected_tokens(&self, _question: &Question) -> u32 {
        8
    }

    fn answered_with(&self) -> &'static str {
        "yes or no"
    }
}

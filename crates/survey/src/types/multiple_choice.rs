//! The type `MULTIPLE_CHOICE`: any of the options, at least one.

use std::fmt::{self, Write};

use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::choices::{some_of, write_list};
use super::{Asked, Offer, TypeDefinition, tokens_of_list};
use crate::answer::{Answer, AnswerShape};
use crate::question::{Invalid, Question, QuestionPayload};
use crate::schema::Schema;

pub(super) struct MultipleChoice;

impl TypeDefinition for MultipleChoice {
    fn name(&self) -> &'static str {
        "MULTIPLE_CHOICE"
    }

    fn shape(&self) -> Option<AnswerShape> {
        Some(AnswerShape::Choices)
    }

    fn validate(&self, payload: &QuestionPayload, question: &Question) -> Result<(), Invalid> {
        payload.must_have_options(&question.options, "Choice questions must have at least 2 non-empty options")
    }

    fn write_instructions(&self, asked: Asked<'_>, message: &mut String) -> fmt::Result {
        writeln!(message, "Choose every option that applies, at least one, as a list:")?;
        write_list(message, asked.options())?;
        let mut exclusive = asked.options().into_iter().filter(|option| asked.question.is_exclusive(option));
        exclusive.try_for_each(|option| writeln!(message, "If you choose {option:?}, choose nothing else."))
    }

    fn schema<'a>(&self, asked: Asked<'a>) -> Schema<'a> {
        Schema::Several { of: asked.options(), min: 1, max: asked.question.options.len() }
    }

    fn check(&self, Asked { question, order, .. }: Asked<'_>, value: &Value) -> Result<Answer, String> {
        let chosen = some_of(&question.options, order, value)?;
        if chosen.len() > 1
            && let Some(alone) = chosen.iter().find(|option| question.is_exclusive(option))
        {
            return Err(format!("{alone:?} excludes the other options: choose it alone or not at all"));
        }
        Ok(Answer::Choices(chosen))
    }

    fn invent(&self, offer: &Offer<'_>, random: &mut ChaCha8Rng) -> Option<Answer> {
        let mut chosen = offer.some(random);
        if chosen.len() > 1 {
            chosen.retain(|option| !offer.question.is_exclusive(option));
        }
        Some(Answer::Choices(if chosen.is_empty() { offer.one(random).into_iter().collect() } else { chosen }))
    }

    fn expected_tokens(&self, question: &Question) -> u32 {
        8 + tokens_of_list(&question.options)
    }

    fn answered_with(&self) -> &'static str {
        "any of the options"
    }
}

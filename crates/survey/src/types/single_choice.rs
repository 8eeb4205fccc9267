//! The type `SINGLE_CHOICE`: one of the options.

use std::fmt::{self, Write};

use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::choices::{one_of, write_list};
use super::{Asked, Offer, PossibleAnswers, TypeDefinition, tokens_of_longest};
use crate::answer::{Answer, AnswerShape};
use crate::question::{Invalid, Question, QuestionPayload};
use crate::schema::Schema;

pub(super) struct SingleChoice;

impl TypeDefinition for SingleChoice {
    fn name(&self) -> &'static str {
        "SINGLE_CHOICE"
    }

    fn shape(&self) -> Option<AnswerShape> {
        Some(AnswerShape::Choice)
    }

    fn validate(&self, payload: &QuestionPayload, question: &Question) -> Result<(), Invalid> {
        payload.must_have_options(&question.options, "Choice questions must have at least 2 non-empty options")
    }

    fn write_instructions(&self, asked: Asked<'_>, message: &mut String) -> fmt::Result {
        writeln!(message, "Choose exactly one option:")?;
        write_list(message, asked.options())
    }

    fn schema<'a>(&self, asked: Asked<'a>) -> Schema<'a> {
        Schema::OneOf(asked.options())
    }

    fn check(&self, Asked { question, order, .. }: Asked<'_>, value: &Value) -> Result<Answer, String> {
        one_of(&question.options, order, value).map(Answer::Choice)
    }

    fn invent(&self, offer: &Offer<'_>, random: &mut ChaCha8Rng) -> Option<Answer> {
        offer.one(random).map(Answer::Choice)
    }

    fn outcomes<'a>(&self, asked: Asked<'a>) -> PossibleAnswers<'a> {
        PossibleAnswers::Options(asked.options())
    }

    fn expected_tokens(&self, question: &Question) -> u32 {
        8 + tokens_of_longest(&question.options)
    }

    fn answered_with(&self) -> &'static str {
        "one option"
    }
}

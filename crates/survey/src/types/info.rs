//! The type `INFO`: a text without an answer. It is no request and costs no credit.

use std::fmt;

use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::{Asked, Offer, TypeDefinition};
use crate::answer::{Answer, AnswerShape};
use crate::question::Question;
use crate::schema::Schema;

pub(super) struct Info;

impl TypeDefinition for Info {
    fn name(&self) -> &'static str {
        "INFO"
    }

    fn shape(&self) -> Option<AnswerShape> {
        None
    }

    fn write_instructions(&self, _asked: Asked<'_>, _message: &mut String) -> fmt::Result {
        Ok(())
    }

    fn schema<'a>(&self, _asked: Asked<'a>) -> Schema<'a> {
        Schema::Nothing
    }

    fn check(&self, _asked: Asked<'_>, _value: &Value) -> Result<Answer, String> {
        Err("the text takes no answer".into())
    }

    fn invent(&self, _offer: &Offer<'_>, _random: &mut ChaCha8Rng) -> Option<Answer> {
        None
    }

    fn expected_tokens(&self, _question: &Question) -> u32 {
        0
    }

    fn answered_with(&self) -> &'static str {
        "nothing"
    }
}

//! The type `RANK`: all options, the best first.

use std::collections::HashSet;
use std::fmt::{self, Write};

use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::choices::{one_of, write_list};
use super::{Asked, Offer, TypeDefinition, excerpt, tokens_of_list};
use crate::answer::{Answer, AnswerShape};
use crate::question::{Invalid, Question, QuestionPayload};
use crate::schema::Schema;

pub(super) struct Rank;

impl TypeDefinition for Rank {
    fn name(&self) -> &'static str {
        "RANK"
    }

    fn shape(&self) -> Option<AnswerShape> {
        Some(AnswerShape::Ranking)
    }

    fn validate(&self, payload: &QuestionPayload, question: &Question) -> Result<(), Invalid> {
        payload.must_have_options(&question.options, "Ranking questions must have at least 2 non-empty options")
    }

    fn write_instructions(&self, asked: Asked<'_>, message: &mut String) -> fmt::Result {
        writeln!(message, "Rank all options as a list, the best or most fitting first, each exactly once:")?;
        write_list(message, asked.options())
    }

    fn schema<'a>(&self, asked: Asked<'a>) -> Schema<'a> {
        let options = asked.options();
        Schema::Several { min: options.len(), max: options.len(), of: options }
    }

    fn check(&self, asked: Asked<'_>, value: &Value) -> Result<Answer, String> {
        let Asked { question, order, .. } = asked;
        let given = value.as_array().ok_or_else(|| format!("{} is not a list", excerpt(value)))?;
        let ranked = given.iter().map(|item| one_of(&question.options, order, item)).collect::<Result<Vec<_>, _>>()?;
        let mut seen = HashSet::new();
        if let Some(twice) = ranked.iter().find(|option| !seen.insert(option.as_str())) {
            return Err(format!("{twice:?} stands there twice"));
        }
        if let Some(missing) = asked.options().into_iter().find(|option| !seen.contains(option)) {
            return Err(format!("{missing:?} is missing: every option has to be ranked"));
        }
        Ok(Answer::Ranking(ranked))
    }

    fn invent(&self, offer: &Offer<'_>, random: &mut ChaCha8Rng) -> Option<Answer> {
        Some(Answer::Ranking(offer.shuffled(random)))
    }

    fn expected_tokens(&self, question: &Question) -> u32 {
        8 + tokens_of_list(&question.options)
    }

    fn answered_with(&self) -> &'static str {
        "all options, the best first"
    }
}

//! The type `BEST_WORST`: the best and the worst of the options.

use std::fmt::{self, Write};

use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::choices::{one_of, write_list};
use super::{Asked, Offer, TypeDefinition, tokens_of_longest};
use crate::answer::{Answer, AnswerShape, BestAndWorst};
use crate::question::{Invalid, Question, QuestionPayload};
use crate::schema::Schema;

pub(super) struct BestWorst;

impl TypeDefinition for BestWorst {
    fn name(&self) -> &'static str {
        "BEST_WORST"
    }

    fn shape(&self) -> Option<AnswerShape> {
        Some(AnswerShape::BestWorst)
    }

    fn validate(&self, payload: &QuestionPayload, question: &Question) -> Result<(), Invalid> {
        payload.must_have_options(&question.options, "Best-worst questions must have at least 2 non-empty options")
    }

    fn write_instructions(&self, asked: Asked<'_>, message: &mut String) -> fmt::Result {
        writeln!(message, "Choose the best or most fitting option as \"best\" and another one as \"worst\":")?;
        write_list(message, asked.options())
    }

    fn schema<'a>(&self, asked: Asked<'a>) -> Schema<'a> {
        let end = |name: &str| (name.to_owned(), Schema::OneOf(asked.options()));
        Schema::Object { description: None, fields: vec![end("best"), end("worst")] }
    }

    fn check(&self, Asked { question, order, .. }: Asked<'_>, value: &Value) -> Result<Answer, String> {
        let end = |name: &str| {
            let given = value.get(name).ok_or_else(|| format!("the {name} option was missing"))?;
            one_of(&question.options, order, given).map_err(|message| format!("{name}: {message}"))
        };
        let (best, worst) = (end("best")?, end("worst")?);
        if best == worst {
            return Err(format!("{best:?} cannot be both best and worst"));
        }
        Ok(Answer::BestWorst(BestAndWorst { best, worst }))
    }

    fn invent(&self, offer: &Offer<'_>, random: &mut ChaCha8Rng) -> Option<Answer> {
        let ranked = offer.shuffled(random);
        let (best, worst) = (ranked.first()?.clone(), ranked.last()?.clone());
        Some(Answer::BestWorst(BestAndWorst { best, worst }))
    }

    fn expected_tokens(&self, question: &Question) -> u32 {
        16 + 2 * tokens_of_longest(&question.options)
    }

    fn answered_with(&self) -> &'static str {
        "the best and the worst of the options"
    }
}

//! One question of a call, as one persona is asked it.

use std::borrow::Cow;

use simulation::draw::DrawKey;
use simulation::parameters::Parameters;
use survey::distribution::{AnswerForm, has_distribution};
use survey::question::Question;
use survey::schema::Schema;
use survey::types::Asked;

use super::order;

/// A question as one persona is asked it.
#[derive(Clone, Debug)]
pub struct PromptItem<'a> {
    pub question: &'a Question,
    /// The options as 1-based positions in the order shown; `None` where there is nothing to order.
    pub order: Option<Cow<'a, [i16]>>,
    /// The texts without an answer before it in the survey. A person has read them by then, whichever calls asked the
    /// questions between.
    pub texts: Vec<&'a str>,
    /// Length limit of an answer in free words, in characters; `None`: the prompt states none.
    pub max_text_length: Option<u32>,
    /// Why the previous answer was rejected. The prompt says it.
    pub rejection: Option<String>,
    /// Form of the answer that it asks for.
    pub form: AnswerForm,
    /// Draws the answer from a distribution.
    pub draw: DrawKey,
    /// How many answers are wanted.
    pub draws: u16,
}

impl<'a> PromptItem<'a> {
    /// The question for its first call. The options are shuffled if the simulation's parameters ask for it.
    pub fn new(question: &'a Question, parameters: &Parameters, persona_id: i32) -> Self {
        let order = question.has_options().then(|| {
            if parameters.shuffle_options {
                order::option_order(parameters.seed, persona_id, question)
            } else {
                order::as_written(question)
            }
        });
        let order = order.map(Cow::Owned);
        let max_text_length = parameters.max_text_length;
        let form = parameters.answer_mode.form().of(question);
        let draw = DrawKey::new(parameters, persona_id);
        Self {
            question,
            order,
            texts: Vec::new(),
            max_text_length,
            rejection: None,
            form,
            draw,
            draws: draws_of(question, parameters),
        }
    }

    /// Adds the texts before it among the survey's questions.
    pub fn after_texts_of(self, survey: &'a [Question]) -> Self {
        let before = survey.iter().take_while(|question| question.id != self.question.id);
        let texts = before.filter(|question| !question.is_request()).map(|text| text.text.as_str());
        Self { texts: texts.collect(), ..self }
    }

    /// The question with its options in the order shown.
    pub fn asked(&self) -> Asked<'_> {
        Asked { question: self.question, order: self.order.as_deref(), max_text_length: self.max_text_length }
    }
}

/// How many answers to a question a run asks for.
pub fn draws_of(question: &Question, parameters: &Parameters) -> u16 {
    parameters.draws.filter(|_| has_distribution(question)).unwrap_or(1)
}

/// Room for the reply to these questions: several times what they need, and some for the reasoning of models that reason.
pub fn max_tokens(items: &[PromptItem<'_>]) -> u32 {
    items.iter().map(|item| expected_tokens(item) * 4).sum::<u32>().saturating_add(1024)
}

/// Tokens that one answer usually takes.
pub fn expected_tokens(item: &PromptItem<'_>) -> u32 {
    item.form.expected_tokens(item.asked())
}

/// The JSON schema of the reply to these items: one field per question. `bounds_texts`: it has the length limits of texts.
pub fn reply_schema<'a>(items: &'a [PromptItem<'_>], bounds_texts: bool) -> Schema<'a> {
    let field = |item: &'a PromptItem<'_>| {
        let asked = item.asked();
        let asked = Asked { max_text_length: asked.max_text_length.filter(|_| bounds_texts), ..asked };
        (asked.label(), item.form.schema(asked))
    };
    Schema::Object { description: None, fields: items.iter().map(field).collect() }
}

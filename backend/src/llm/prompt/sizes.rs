//! Measures prompts before a run, to estimate what it costs.

use simulation::parameters::Parameters;
use survey::question::Question;
use survey::schema::Schema;

use super::content::Prompt;
use super::dialect::Dialect;
use super::item::{PromptItem, expected_tokens, max_tokens, reply_schema};
use super::system_message::SystemMessage;
use crate::llm::wire::ProviderApi;
use crate::models::simulations::workload::{PromptSizes, TOKEN_BYTES};

/// Bytes of a number, of a truth value and of the quotes of a text.
const NUMBER: usize = 3;
const BOOLEAN: usize = 5;
const QUOTES: usize = 2;

/// Measures the prompts of a run of these questions, as they are sent.
pub fn measure(questions: &[Question], parameters: &Parameters) -> PromptSizes {
    // That a call streams is in its body, but in no prompt that is paid for.
    let parameters = &Parameters { stream: false, ..parameters.clone() };
    let api = ProviderApi::from(parameters.wire);
    let opening = api.open(&SystemMessage::of_run("", parameters));
    let items = questions.iter().filter(|question| question.is_request());
    let items: Vec<_> =
        items.map(|question| PromptItem::new(question, parameters, 1).after_texts_of(questions)).collect();
    let prompt =
        |items: &[PromptItem<'_>]| Prompt::new("", parameters, items, Dialect::of(parameters.wire), max_tokens(items));
    let asked = prompt(&items);
    let (none, all) = (api.encode(&opening, &prompt(&[])), api.encode(&opening, &asked));
    let each = |sum: usize| sum as f64 / items.len().max(1) as f64;
    PromptSizes {
        opening: (none.body().len() - none.rest().len()) as f64,
        rest: none.rest().len() as f64,
        question: each(all.rest().len() - none.rest().len()),
        schema: each(asked.schema.as_ref().map_or(0, |schema| schema.get().len())),
        answer_tokens: each(items.iter().map(answer_bytes).sum()) / TOKEN_BYTES as f64,
    }
}

/// Bytes of the usual answers to a question, each with its label and a comma.
fn answer_bytes(item: &PromptItem<'_>) -> usize {
    let free_words = expected_tokens(item) as usize * TOKEN_BYTES as usize;
    let each = usual_bytes(&reply_schema(std::slice::from_ref(item), false), free_words) - QUOTES + 1;
    each * usize::from(item.draws)
}

/// Bytes of a usual value of the schema, as JSON without blanks. `free_words`: those of a text in free words.
fn usual_bytes(schema: &Schema<'_>, free_words: usize) -> usize {
    let mean = |texts: &[&str]| texts.iter().map(|text| text.len()).sum::<usize>() / texts.len().max(1) + QUOTES;
    match schema {
        Schema::OneOf(texts) => mean(texts),
        Schema::Several { of, min, max } => (min + max) / 2 * (mean(of) + 1) + QUOTES,
        Schema::Number { .. } => NUMBER,
        Schema::Boolean => BOOLEAN,
        Schema::Text { .. } => free_words,
        Schema::Object { fields, .. } => {
            let fields = fields.iter().map(|(name, schema)| name.len() + QUOTES + 2 + usual_bytes(schema, free_words));
            fields.sum::<usize>() + 1
        }
        Schema::Nothing => 0,
    }
}

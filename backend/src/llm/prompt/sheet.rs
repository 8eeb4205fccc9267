//! One call of a survey with a design, as its persona is shown it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use simulation::draw::DrawKey;
use simulation::parameters::{Memory, Parameters};
use survey::answer::{Answer, AnswerValue};
use survey::distribution::AnswerForm;
use survey::item::Item;
use survey::plan::Plan;
use survey::question::Question;
use survey::walk::{ShownQuestion, Stage};

use super::item::{PromptItem, draws_of};
use super::order;

const OPENING: &str = "Earlier in this survey you were asked and answered:\n\n";
/// Bytes that a question with its answer usually takes.
const BYTES_PER_ANSWER: usize = 160;
const CLOSING: &str = "--- End of what you answered. Answer only what follows. ---\n\n";

/// The requests of a call, and what the prompt says of earlier calls.
#[derive(Debug)]
pub struct Sheet {
    asked: Vec<Asked>,
    /// Texts without an answer in the call, in the order shown.
    texts: Vec<String>,
    /// Text about earlier calls; empty in a run without memory.
    earlier: String,
    /// Earlier requests that have no answer, by id.
    unanswered: Vec<i64>,
    /// Length limit of an answer in free words, in characters.
    max_text_length: Option<u32>,
    /// Form of answers that its questions ask for, where their types have it.
    form: AnswerForm,
    draw: DrawKey,
}

#[derive(Debug)]
struct Asked {
    question: Arc<Question>,
    order: Option<Vec<i16>>,
    /// How many answers are wanted.
    draws: u16,
    /// How many of the texts come before it.
    texts: usize,
}

impl Sheet {
    /// `answers`: the persona's answers by question id.
    pub fn new(
        plan: &Plan,
        stage: &Stage,
        answers: &HashMap<i64, Value>,
        parameters: &Parameters,
        persona_id: i32,
    ) -> Self {
        let mut texts: Vec<String> = Vec::new();
        let mut asked = Vec::with_capacity(stage.asked.len());
        for shown in &stage.asked {
            let Some(item) = plan.items.get(shown.item) else { continue };
            if item.is_request() {
                let (question, order) = arranged(item, shown, parameters, persona_id);
                let draws = draws_of(&question, parameters);
                asked.push(Asked { question, order, draws, texts: texts.len() });
            } else {
                texts.push(shown.question.text.clone());
            }
        }
        let is_unanswered = |shown: &&Arc<ShownQuestion>| {
            let is_request = plan.items.get(shown.item).is_some_and(Item::is_request);
            is_request && !answers.contains_key(&shown.question.id)
        };
        let unanswered = stage.earlier.iter().filter(is_unanswered).map(|shown| shown.question.id).collect();
        let earlier = match parameters.memory.unwrap_or_default() {
            Memory::None => String::new(),
            Memory::Transcript => transcript(plan, &stage.earlier, answers),
        };
        let (max_text_length, form) = (parameters.max_text_length, parameters.answer_mode.form());
        let draw = DrawKey::new(parameters, persona_id);
        Self { asked, texts, earlier, unanswered, max_text_length, form, draw }
    }

    /// Its requests in the order shown.
    pub fn items(&self) -> Vec<PromptItem<'_>> {
        self.asked.iter().map(|asked| self.item(asked)).collect()
    }

    fn item<'a>(&'a self, asked: &'a Asked) -> PromptItem<'a> {
        let question = &*asked.question;
        PromptItem {
            question,
            order: asked.order.as_deref().map(Cow::Borrowed),
            texts: self.texts.iter().take(asked.texts).map(String::as_str).collect(),
            max_text_length: self.max_text_length,
            rejection: None,
            form: self.form.of(question),
            draw: self.draw,
            draws: asked.draws,
        }
    }

    pub fn earlier(&self) -> &str {
        &self.earlier
    }

    pub fn unanswered(&self) -> &[i64] {
        &self.unanswered
    }
}

/// The question with its labels and rows in the order shown, and the order of its options or labels.
fn arranged(
    item: &Item,
    shown: &ShownQuestion,
    parameters: &Parameters,
    persona_id: i32,
) -> (Arc<Question>, Option<Vec<i16>>) {
    let mut question = Arc::clone(&shown.question);
    if let Some(rows) = &shown.rows {
        Arc::make_mut(&mut question).sub_questions = in_order(&shown.question.sub_questions, rows);
    }
    if item.kind().is_matrix() {
        if let Some(order) = &shown.order {
            Arc::make_mut(&mut question).scale_labels = in_order(&shown.question.scale_labels, order);
        }
        return (question, shown.order.clone());
    }
    if !question.has_options() {
        return (question, None);
    }
    let order = match &shown.order {
        Some(order) => order.clone(),
        // The design does not say how this question is shuffled, but the run does.
        None if parameters.shuffle_options && item.logic.shuffle.is_none() => {
            order::option_order(parameters.seed, persona_id, &question)
        }
        None => order::as_written(&question),
    };
    (question, Some(order))
}

fn in_order(texts: &[String], order: &[i16]) -> Vec<String> {
    let at = |position: &i16| texts.get(usize::try_from(*position).ok()?.checked_sub(1)?);
    order.iter().filter_map(at).cloned().collect()
}

/// Writes the questions that were shown, in their order, with the answers. Leaves out a request without an answer.
fn transcript(plan: &Plan, earlier: &[Arc<ShownQuestion>], answers: &HashMap<i64, Value>) -> String {
    let mut text = String::with_capacity(OPENING.len() + CLOSING.len() + BYTES_PER_ANSWER * earlier.len());
    for shown in earlier {
        let is_request = plan.items.get(shown.item).is_some_and(Item::is_request);
        let answer = answers.get(&shown.question.id);
        if is_request && answer.is_none() {
            continue;
        }
        text.push_str(if text.is_empty() { OPENING } else { "" });
        text.push_str(&shown.question.text);
        if let Some(stored) = answer.filter(|_| is_request) {
            text.push_str("\nYour answer: ");
            if let Ok(answer) = Answer::decode(&shown.question, stored) {
                write_answer(&mut text, &answer);
            }
        }
        text.push_str("\n\n");
    }
    text.push_str(if text.is_empty() { "" } else { CLOSING });
    text
}

/// Writes an answer as plain text, rows and options by name. Ranked options are a list, the best first.
fn write_answer(message: &mut String, answer: &Answer) {
    for (place, (name, value)) in answer.parts().into_iter().enumerate() {
        match (name, value) {
            (Some(option), AnswerValue::Rank(_)) => message.extend([if place > 0 { ", " } else { "" }, option]),
            (Some(name), value) => message.extend([if place > 0 { "; " } else { "" }, name, ": ", &value.text()]),
            (None, value) => message.push_str(&value.text()),
        }
    }
}

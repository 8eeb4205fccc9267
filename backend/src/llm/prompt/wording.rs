//! The texts that the model reads.

use std::fmt::Write;

use super::item::PromptItem;

/// Follows the persona's text in the system message.
pub const HOW_TO_ANSWER: &str = "\
--- End of the profile ---

Everything above describes one person. You are that person, taking a survey. Answer every question as this person \
would, from the profile alone: with this person's views, knowledge, habits and mistakes, not with the average or the \
most agreeable answer. Never say that you are an AI, never leave a question out, and never explain a choice.

Reply with one JSON object and nothing else. It has one field per question, named by the label in brackets before \
the question, e.g. \"q1\". Repeat options and labels word for word.";

/// The messages of a probe.
pub const PROBE_SYSTEM: &str = "You answer in one word.";
pub const PROBE: &str = "Are you there? Answer with yes.";

/// Comes between the questions and the schema of the reply, where the request does not declare it.
pub const SCHEMA_FOLLOWS: &str = "Reply with one JSON object that is valid under this JSON schema:\n";

/// Writes the text about `earlier` calls, and the questions in the survey's order, each with the texts before it.
pub fn write_questions(earlier: &str, items: &[PromptItem<'_>]) -> String {
    let mut message = String::with_capacity(earlier.len() + 256 * items.len());
    message.push_str(earlier);
    let mut written = 0;
    for item in items {
        // Writing to a String cannot fail.
        let _ = write_texts(&mut message, item.texts.get(written..).unwrap_or_default());
        written = written.max(item.texts.len());
        let _ = write_question(&mut message, item);
    }
    message
}

/// Texts without an answer, which every later question of the survey has before it too.
fn write_texts(message: &mut String, texts: &[&str]) -> std::fmt::Result {
    texts.iter().try_for_each(|text| write!(message, "{text}\n\n"))
}

fn write_question(message: &mut String, item: &PromptItem<'_>) -> std::fmt::Result {
    let question = item.question;
    writeln!(message, "[q{}] {}", question.order, question.text)?;
    item.form.write_instructions(item.asked(), message)?;
    if let Some(rejection) = &item.rejection {
        writeln!(message, "Your last answer to this question was not accepted: {rejection}. Answer it again.")?;
    }
    message.write_char('\n')
}

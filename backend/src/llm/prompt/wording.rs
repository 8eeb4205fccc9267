//! The texts that the model reads.

use std::fmt::{Display, Write};

use survey::question::{Question, QuestionType};

use super::schema::AnswerSchema;
use super::{PromptItem, ResponseFormat};
use crate::llm::number;

/// Follows the persona's text in the system message.
pub const HOW_TO_ANSWER: &str = "\
--- End of the profile ---

Everything above describes one person. You are that person, taking a survey. Answer every question as this person \
would, from the profile alone: with this person's views, knowledge, habits and mistakes, not with the average or the \
most agreeable answer. Never say that you are an AI, never leave a question out, and never explain a choice.

Reply with one JSON object and nothing else. It has one field per question, named by the label in brackets before \
the question, e.g. \"q1\". Repeat options and labels word for word.";

/// Asks nothing in particular: see [`Prompt::probe`](super::Prompt::probe).
pub const PROBE_SYSTEM: &str = "You answer in one word.";
pub const PROBE: &str = "Are you there? Answer with yes.";

/// What was said `earlier`, the questions in the survey's order and, unless the request declares it, the schema of the reply.
pub fn user_message(earlier: &str, items: &[PromptItem<'_>], format: ResponseFormat) -> String {
    let mut message = String::with_capacity(earlier.len() + 256 * items.len());
    message.push_str(earlier);
    let mut told = 0;
    for item in items {
        // Writing to a String cannot fail.
        let _ = write_texts(&mut message, item.texts.get(told..).unwrap_or_default());
        told = told.max(item.texts.len());
        let _ = write_question(&mut message, item);
    }
    match format {
        ResponseFormat::JsonSchema => message.truncate(message.trim_end().len()),
        ResponseFormat::JsonObject | ResponseFormat::Plain => {
            message.push_str("Reply with one JSON object that is valid under this JSON schema:\n");
            message.push_str(super::json(&AnswerSchema(items)).get());
        }
    }
    message
}

/// What every later question of the survey has before it as well.
fn write_texts(message: &mut String, texts: &[&str]) -> std::fmt::Result {
    texts.iter().try_for_each(|text| write!(message, "{text}\n\n"))
}

fn write_question(message: &mut String, item: &PromptItem<'_>) -> std::fmt::Result {
    let question = item.question;
    writeln!(message, "[q{}] {}", question.order, question.text)?;
    match question.question_type {
        QuestionType::SingleChoice => {
            writeln!(message, "Choose exactly one option:")?;
            write_list(message, item.options())?;
        }
        QuestionType::MultipleChoice => {
            writeln!(message, "Choose every option that applies, at least one, as a list:")?;
            write_list(message, item.options())?;
            write_exclusive(message, item)?;
        }
        QuestionType::Matrix => write_matrix(message, question)?,
        QuestionType::MatrixMulti => write_matrix_of_several(message, item)?,
        QuestionType::ConstantSum => write_sum(message, item)?,
        QuestionType::Rank => {
            writeln!(message, "Rank all options as a list, the best or most fitting first, each exactly once:")?;
            write_list(message, item.options())?;
        }
        QuestionType::BestWorst => {
            writeln!(message, "Choose the best or most fitting option as \"best\" and another one as \"worst\":")?;
            write_list(message, item.options())?;
        }
        QuestionType::Info => {}
        QuestionType::Slider | QuestionType::Range => write_scale(message, question)?,
        QuestionType::Number => write_number(message, question)?,
        QuestionType::Boolean => writeln!(message, "Answer true for yes or false for no.")?,
        QuestionType::TextEntry => writeln!(message, "Answer briefly in your own words.")?,
        QuestionType::OpenEnded => writeln!(message, "Answer in your own words, in one to four sentences.")?,
    }
    if question.is_text()
        && let Some(placeholder) = &question.placeholder
    {
        writeln!(message, "The answer field's hint reads: {placeholder}")?;
    }
    if let Some(rejection) = &item.rejection {
        writeln!(message, "Your last answer to this question was not accepted: {rejection}. Answer it again.")?;
    }
    message.write_char('\n')
}

fn write_list<Item: Display>(message: &mut String, items: impl IntoIterator<Item = Item>) -> std::fmt::Result {
    for item in items {
        writeln!(message, "- {item}")?;
    }
    Ok(())
}

fn write_exclusive(message: &mut String, item: &PromptItem<'_>) -> std::fmt::Result {
    item.options()
        .into_iter()
        .filter(|option| item.question.is_exclusive(option))
        .try_for_each(|option| writeln!(message, "If you choose {option:?}, choose nothing else."))
}

fn write_matrix(message: &mut String, question: &Question) -> std::fmt::Result {
    writeln!(message, "Rate every row with exactly one of these labels:")?;
    write_list(message, &question.scale_labels)?;
    writeln!(message, "Rows:")?;
    for (index, row) in question.rows().iter().enumerate() {
        writeln!(message, "r{}: {row}", index + 1)?;
    }
    Ok(())
}

fn write_matrix_of_several(message: &mut String, item: &PromptItem<'_>) -> std::fmt::Result {
    let question = item.question;
    writeln!(message, "Choose for every row each of these labels that applies, at least one, as a list:")?;
    write_list(message, &question.scale_labels)?;
    writeln!(message, "Rows:")?;
    write_parts(message, item, question.rows())
}

fn write_sum(message: &mut String, item: &PromptItem<'_>) -> std::fmt::Result {
    let total = number::text(item.question.total());
    writeln!(message, "Divide exactly {total} among the options: a number from 0 for each, all adding up to {total}:")?;
    write_parts(message, item, item.options())
}

/// Each under the name of its field in the reply.
fn write_parts<Part: Display>(
    message: &mut String,
    item: &PromptItem<'_>,
    parts: impl IntoIterator<Item = Part>,
) -> std::fmt::Result {
    (1..).zip(parts).try_for_each(|(number, part)| writeln!(message, "{}: {part}", item.part_label(number)))
}

fn write_scale(message: &mut String, question: &Question) -> std::fmt::Result {
    let end = |value: Option<f64>, description: &Option<String>| {
        let value = number::text(value.unwrap_or_default());
        description.as_ref().map_or(value.clone(), |description| format!("{value} ({description})"))
    };
    let from = end(question.min_value, &question.min_description);
    let to = end(question.max_value, &question.max_description);
    writeln!(message, "Answer with a number from {from} to {to}.")
}

fn write_number(message: &mut String, question: &Question) -> std::fmt::Result {
    message.push_str("Answer with a number");
    if let Some(min) = question.min_value {
        write!(message, ", at least {}", number::text(min))?;
    }
    if let Some(max) = question.max_value {
        write!(message, ", at most {}", number::text(max))?;
    }
    message.push_str(".\n");
    Ok(())
}

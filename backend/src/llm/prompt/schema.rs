//! The JSON schema of a reply: one field per question.

use survey::schema::Schema;
use survey::types::definition;

use super::PromptItem;

pub fn of_reply<'a>(items: &'a [PromptItem<'_>]) -> Schema<'a> {
    let field =
        |item: &'a PromptItem<'_>| (item.asked().label(), definition(item.question.question_type).schema(item.asked()));
    Schema::Object { description: None, fields: items.iter().map(field).collect() }
}

//! The groups of calls in the document. A call is in the group of its handler's module.

use std::collections::BTreeSet;

use utoipa::openapi::OpenApi;
use utoipa::openapi::path::Operation;
use utoipa::openapi::tag::{Tag, TagBuilder};

/// A group of calls.
struct Topic {
    name: &'static str,
    about: &'static str,
    /// Modules below `http`, with the modules in them that no other topic names.
    modules: &'static [&'static str],
}

const fn topic(name: &'static str, modules: &'static [&'static str], about: &'static str) -> Topic {
    Topic { name, about, modules }
}

/// The topics in the order in which a newcomer needs them.
const TOPICS: [Topic; 17] = [
    topic("Sign-in and account", &["auth"], "Codes by mail, tokens, and the caller's profile, settings and data"),
    topic("Surveys", &["surveys"], "The caller's surveys, and those of others in the same groups"),
    topic("Questions", &["surveys::questions"], "The questions of a survey"),
    topic("Simulations", &["simulations"], "Runs of a survey over digital twins: start, control, facts"),
    topic("Simulations of a survey", &["simulations::of_survey"], "The same calls for the latest run of a survey"),
    topic(
        "Studies",
        &["studies"],
        "Runs of a survey that belong together: other arms, texts, models, repeats or orders for the same twins",
    ),
    topic("Human samples", &["human_samples"], "Answers of people, kept for a survey and compared with its runs"),
    topic("Plans", &["plans"], "Plans that are frozen before the answers are seen, and the deviations from them"),
    topic(
        "Validation",
        &["validation"],
        "Twins compared with answers of their people that are held out from the twins",
    ),
    topic("Answers", &["answers"], "The answers of a run: lists, files, figures"),
    topic("Planner", &["planner"], "Numbers of people and of twins that a question needs"),
    topic(
        "Shared results",
        &["shared", "plans::shared"],
        "Results and plans behind a read-only link, without an account",
    ),
    topic("Personas", &["personas"], "The digital twins that runs ask"),
    topic("Groups", &["groups"], "Groups, their members and budgets"),
    topic("Transactions", &["transactions"], "The ledger of credits"),
    topic("Access requests", &["access_requests"], "Requests to become an administrator"),
    topic("Queue", &["simulations::queue", "model_servers"], "Waiting interviews, the workers and the model servers"),
];

/// Replaces a handler's module by the name of its topic: of the topics that have it, the one that names the longest part.
pub(super) fn name(module: &mut String) {
    let has = |part: &&&str| module.strip_prefix(**part).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
    let longest = |topic: &Topic| topic.modules.iter().filter(has).map(|part| part.len()).max();
    let matching = TOPICS.iter().filter_map(|topic| Some((longest(topic)?, topic.name)));
    if let Some((_, name)) = matching.max() {
        *module = name.to_owned();
    }
}

/// The topics that calls have.
pub(super) fn tags(document: &OpenApi) -> Vec<Tag> {
    let items = document.paths.paths.values();
    let operations = items.flat_map(|item| [&item.get, &item.put, &item.post, &item.delete, &item.patch]).flatten();
    let used: BTreeSet<&String> = operations.flat_map(|Operation { tags, .. }| tags.iter().flatten()).collect();
    let used = TOPICS.iter().filter(|topic| used.iter().any(|name| *name == topic.name));
    used.map(|topic| TagBuilder::new().name(topic.name).description(Some(topic.about)).build()).collect()
}

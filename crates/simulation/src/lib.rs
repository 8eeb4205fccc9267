//! A simulation as it is read: its records, and what follows from them. Nothing here knows a database, the network or the
//! time: the server reads the records from its tables, a bundle from its folder.
//!
//! | module | what it holds |
//! |---|---|
//! | [`model_check`], [`known_parameters`] | what a check finds out about a model, what is known of its parameters, and which of a run's do not act |
//! | [`row`], [`study`], [`status`], [`parameters`], [`wire`], [`key_owner`], [`snapshot`], [`money`] | a run: its row and that of its study, its state, what it was started with, through which API and with whose key it asks, its survey, the prices of its tokens |
//! | [`answers`], [`json`], [`progress`] | stored answers with their provenance, failures, the personas asked, and how far an interview is |
//! | [`persona_source`] | where personas come from, and how data sets are cited and licensed |
//! | [`run`] | all of this together, as files and pages show a run |
//! | [`outcomes`], [`dealt`] | how the requests of an interview ended, and what a twin of a design was shown |
//! | [`rows`], [`columns`], [`encode`] | a row for each request, a row for each twin, and formats that are written page by page |
//! | [`items`], [`twins`], [`studies`], [`diagnostics`] | the answers for the statistics: items, twins, runs side by side, known pitfalls |
//! | [`summaries`], [`group_tests`], [`applied_rule`] | figures of a question from the counts of its answers, whether groups differ, and by which rule |
//! | [`plans`] | plans of studies, frozen plans, and deviations from them |
//! | [`markdown`], [`json_objects`] | texts of people in Markdown, and fields of JSON that are objects |
//!
//! A *run* is a simulation with its survey and its labels.

pub mod answer_mode;
pub mod answers;
pub mod applied_rule;
pub mod columns;
pub mod dealt;
pub mod diagnostics;
pub mod draw;
pub mod drawn_rows;
pub mod encode;
pub mod error;
pub mod group_tests;
pub mod items;
pub mod json;
pub mod json_objects;
pub mod key_owner;
pub mod known_parameters;
pub mod markdown;
pub mod model_check;
pub mod model_options;
pub mod money;
pub mod nodes;
pub mod outcomes;
pub mod parameters;
pub mod persona_source;
pub mod plans;
pub mod progress;
pub mod prompt_cache;
pub mod row;
pub mod rows;
pub mod run;
pub mod scoring;
pub mod snapshot;
#[cfg(feature = "diesel")]
mod sql;
pub mod status;
pub mod studies;
pub mod study;
pub mod summaries;
pub mod twins;
pub mod wire;

//! Bundles: a run, or a study with all its runs, as one zip, from which its files are built again byte for byte. Nothing here
//! knows a database, the network or the time.
//!
//! What was asked and answered stands in `survey/`, `run/` and `replies/`, and counts of people's answers, where there are some,
//! in `human/`, with their rows where the survey's author asked for them. Everything else is built from these, by the same
//! code when a bundle is written and when it is replayed; only the files with prompts are built by the server. In the bundle of
//! a study each run has a folder with all that its own bundle has, and `study.json` names them. Figures have 10 significant
//! digits, and their sums are made in the order of the twins on one thread, so that every machine writes the same bytes.
//!
//! | module | what it holds |
//! |---|---|
//! | [`paths`], [`rules`], [`io`] | which files there are, which of them are compared, and how they are read and written |
//! | [`record`], [`study_record`], [`plan`], [`validation`], [`ledger`], [`twin_hashes`] | what a bundle stores, a record a file |
//! | [`build`] | all files that follow from it |
//! | [`tables`], [`prompt_index`] | the answers: a row for each request, a row for each twin, and the prompts by their hash |
//! | [`analysis`], [`human`], [`study`] | what the answers say: by question, beside people's, and run by run |
//! | [`documents`], [`survey_text`], [`data_package`], [`ddi`], [`ro_crate`] | what describes all this to readers and programs |
//! | [`replay`] | a bundle whose files are built anew and compared |
//! | [`reproduce`] | a run that is asked once more, and the verdict on its answers |

pub mod analysis;
pub mod build;
pub mod data_package;
pub mod ddi;
pub mod disclosure;
pub mod documents;
pub mod human;
pub mod io;
pub mod ledger;
pub mod paths;
pub mod plan;
pub mod prompt_index;
pub mod record;
pub mod replay;
pub mod reproduce;
pub mod ro_crate;
pub mod rules;
pub mod study;
pub mod study_record;
pub mod survey_text;
pub mod tables;
pub mod twin_hashes;
pub mod validation;

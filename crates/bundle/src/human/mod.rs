//! `human/`: how many people gave which answer, their rows where the survey's author asked for them, and what follows from that
//! and the run's answers.

pub mod aggregates;
pub mod comparison;
pub mod rows;
pub mod samples;
pub mod tables;
pub mod twins;
pub mod words;

//! Digital Twin Lab, floor by floor. A floor uses only what stands below it.
//!
//! | floor | modules |
//! |---|---|
//! | the command line | `main.rs` → [`commands`] |
//! | what lives as long as the process | [`app`], [`chores`], [`progress`], [`shared`], [`watchers`] |
//! | what callers see | [`routes`] |
//! | who may do what | [`access`], [`session`] |
//! | who works | [`actors`] |
//! | what they work with | [`exports`], [`llm`], [`mailer`], [`models`], [`queue`], [`twins`] |
//! | the ground | [`codes`], [`config`], [`db`], [`email`], [`error`], [`logging`], [`metrics`], [`postgres`], [`schema`] |

pub mod access;
pub mod actors;
pub mod app;
pub mod chores;
pub mod codes;
pub mod commands;
pub mod config;
pub mod db;
pub mod email;
pub mod error;
pub mod exports;
pub mod known;
pub mod llm;
pub mod logging;
pub mod mailer;
pub mod metrics;
pub mod models;
pub mod postgres;
pub mod progress;
pub mod queue;
pub mod routes;
pub mod schema;
pub mod session;
pub mod shared;
pub mod twins;
pub mod watchers;

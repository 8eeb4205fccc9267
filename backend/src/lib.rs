//! Digital Twin Lab, floor by floor. A floor uses only what stands below it.
//!
//! | floor | modules |
//! |---|---|
//! | the command line | `main.rs` → [`commands`] |
//! | what lives as long as the process | [`app`] |
//! | what callers see | [`routes`] |
//! | who works | [`actors`] |
//! | what they work with | [`exports`], [`llm`], [`models`], [`queue`], [`twins`] |
//! | the ground | [`config`], [`db`], [`email`], [`error`], [`logging`], [`postgres`], [`schema`] |

pub mod actors;
pub mod app;
pub mod commands;
pub mod config;
pub mod db;
pub mod email;
pub mod error;
pub mod exports;
pub mod llm;
pub mod logging;
pub mod models;
pub mod postgres;
pub mod queue;
pub mod routes;
pub mod schema;
pub mod twins;

//! Digital Twin Lab, floor by floor. A floor uses only what stands below it.
//!
//! | floor | modules |
//! |---|---|
//! | the command line | `main.rs` → [`commands`] |
//! | what lives as long as the process | [`app`] |
//! | who works | [`actors`] |
//! | what they work with | [`exports`], [`llm`], [`models`], [`queue`], [`twins`] |
//! | the ground | [`config`], [`db`], [`error`], [`postgres`], [`schema`] |

pub mod actors;
pub mod app;
pub mod commands;
pub mod config;
pub mod db;
pub mod error;
pub mod exports;
pub mod llm;
pub mod models;
pub mod postgres;
pub mod queue;
pub mod schema;
pub mod twins;

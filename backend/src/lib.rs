//! Digital Twin Lab, floor by floor. A module imports only from floors below its own, or from its own floor; the test
//! `floors` reads this table and checks every module against it.
//!
//! | floor | modules |
//! |---|---|
//! | command line | [`cli`] |
//! | HTTP | [`http`] |
//! | process | [`app`], [`background`] |
//! | engine | [`engine`] |
//! | capabilities | [`auth`], [`llm`], [`mail`], [`personas`], [`results`], [`validation`] |
//! | tables | [`models`] |
//! | ground | [`config`], [`db`], [`email`], [`error`], [`logging`], [`metrics`], [`postgres`], [`schema`], [`scratch`], [`work`] |

pub mod app;
pub mod auth;
pub mod background;
pub mod cli;
pub mod config;
pub mod db;
pub mod email;
pub mod engine;
pub mod error;
pub mod http;
pub mod llm;
pub mod logging;
pub mod mail;
pub mod metrics;
pub mod models;
pub mod personas;
pub mod postgres;
pub mod results;
pub mod schema;
pub mod scratch;
pub mod validation;
pub mod work;

//! What every test needs: a database of its own, the routes on it, and the program itself.

mod app;
mod client;
mod database;
pub mod mailbox;
mod program;
pub mod sample;
pub mod smtp;

pub use app::{TestApp, with_app, with_flags};
pub use client::{Answer, Client, answer};
pub use database::Database;
pub use program::{Outcome, Serving, twinlab};

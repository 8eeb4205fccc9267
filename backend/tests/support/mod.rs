//! Fixtures of all tests: a database, the routes on it, the program itself, and an engine.

mod app;
pub mod certificates;
mod client;
mod data_dir;
mod database;
pub mod engine_fixture;
mod fingerprint;
mod first_start;
mod group_fixture;
pub mod interviews;
mod kept;
pub mod mailbox;
mod nine_checks;
mod program;
mod proxy;
pub mod sample;
mod simulate;
pub mod smtp;
mod stable;

pub use app::{SECRET, TestApp, config, with_app, with_flags};
pub use client::{Answer, Client, answer};
pub use data_dir::{DataDir, is_root, wait_for_end};
pub use database::Database;
pub use group_fixture::{GroupFixture, TWINS};
pub use kept::Kept;
pub use nine_checks::nine_checks;
pub use program::{Log, Outcome, Serving, twinlab};
pub use proxy::{Line, Proxy};
pub use simulate::Simulate;
pub use stable::stable;

//! An interview: chunk by chunk, call by call, until every open question has an answer or a failure.
//!
//! [`call_loop`] goes through it from its claim to its end. The others are its parts: [`caller`] reaches the model server,
//! [`outcome`] and [`retry`] decide what a call means for its requests, [`accounting`] and [`reports`] pass on what came of
//! it, [`staged`] finds the next call of a design, [`batched`] asks by a batch, and [`crash_isolation`] keeps an interview
//! apart whose calls may kill the workers.

mod accounting;
mod batched;
mod call_gate;
mod call_loop;
mod caller;
mod crash_isolation;
mod lease_clock;
#[cfg(test)]
mod outage_tests;
mod outcome;
mod reports;
mod retry;
mod run_watch;
mod staged;

pub use self::call_gate::CallGate;
pub use self::call_loop::Interview;
pub use self::caller::{Contacts, WorkerContacts};
pub use self::lease_clock::LeaseClock;
pub use self::run_watch::interrupted;

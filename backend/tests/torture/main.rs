//! Failures under load: workers and databases are killed, restarted and frozen. The run still ends, with one answer and
//! one credit for each request.

mod cluster;
mod embedded;
mod experiment;
mod failover;
#[path = "../support/fingerprint.rs"]
mod fingerprint;
#[path = "../support/first_start.rs"]
mod first_start;
mod http;
mod kills;
#[path = "../support/nine_checks.rs"]
mod nine_checks;
mod poison;
mod program;
mod restarts;
mod seed;
mod standstill;
mod used;
mod workspace;

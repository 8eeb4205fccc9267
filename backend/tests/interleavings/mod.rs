//! After any sequence of settlements, replays, crashes, lost leases and requests of users, the database equals a small
//! model in memory, and every invariant of the ledger holds.

mod model;
mod run_steps;
mod step;

use proptest::prelude::*;

use self::run_steps::run_steps;
use self::step::step;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        max_shrink_iters: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_order_of_settlements_crashes_and_requests_keeps_every_promise(steps in prop::collection::vec(step(), 1..32)) {
        run_steps(&steps)?;
    }
}

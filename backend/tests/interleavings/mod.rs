//! Property test: after any sequence of settlements, replays, crashes, lost leases and requests of users, the database
//! equals a small model in memory, and every invariant of the ledger holds.

mod model;
mod run_steps;
mod step;

use proptest::prelude::*;

use self::run_steps::run_steps;
use self::step::step;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, max_shrink_iters: 100, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn any_order_of_settlements_crashes_and_requests_keeps_every_promise(steps in prop::collection::vec(step(), 1..32)) {
        run_steps(&steps)?;
    }
}

proptest! {
    #![proptest_config(config(30))]

    #[test]
    #[ignore = "slow: as in twelve orders, in thirty"]
    fn any_of_thirty_orders_keeps_every_promise(steps in prop::collection::vec(step(), 1..32)) {
        run_steps(&steps)?;
    }
}

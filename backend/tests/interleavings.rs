//! Whatever order settlements, replays, crashes, lost leases and people's wishes come in, the database says what a
//! small model in memory says, and every promise of the ledger holds after every step.

mod model;
mod play;
mod step;

use proptest::prelude::*;

use self::play::play;
use self::step::step;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        max_shrink_iters: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_order_of_settlements_crashes_and_wishes_keeps_every_promise(steps in prop::collection::vec(step(), 1..32)) {
        play(&steps)?;
    }
}

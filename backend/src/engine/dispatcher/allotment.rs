//! How the interviews that a worker holds are divided among its active runs. A run that holds more than its part, because
//! there were fewer runs when it claimed, keeps what it holds and claims no more for the time being.

/// Interviews held for calls, if the number of calls at once has no limit.
const MAX_CALLING: usize = 4_096;
/// Interviews held beyond these, so that the next ones wait at the limiter when others end.
const MIN_AHEAD: usize = 8;
const MAX_AHEAD: usize = 128;
/// Interviews that a run may hold however many runs there are.
const MIN_TARGET: usize = 8;
/// Interviews in one claim: as many as the run holds already, within these bounds, so that the first interviews start
/// while the next are claimed.
const MIN_CLAIM: usize = 32;
const MAX_CLAIM: usize = 200;

/// Interviews that each run may hold and claim.
#[derive(Clone, Copy, Debug)]
pub struct Allotment {
    target: usize,
    /// Room that is worth a claim, which costs a transaction.
    min_room: usize,
}

impl Allotment {
    /// Divides the interviews of a worker with so many calls at once among so many active runs.
    pub fn new(max_concurrency: u32, active: usize) -> Self {
        let calling = (max_concurrency as usize).min(MAX_CALLING);
        let ahead = calling.clamp(MIN_AHEAD, MAX_AHEAD);
        let active = active.max(1);
        Self { target: ((calling + ahead) / active).max(MIN_TARGET), min_room: (ahead / active / 2).max(1) }
    }

    /// How many interviews a run that holds `held` claims now; `None`: it has enough.
    pub fn claim(self, held: usize) -> Option<usize> {
        let room = self.target.saturating_sub(held);
        (room >= self.min_room).then(|| room.min(held.clamp(MIN_CLAIM, MAX_CLAIM)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interviews that each of so many equal runs holds in the end.
    fn held(max_concurrency: u32, active: usize) -> usize {
        let allotment = Allotment::new(max_concurrency, active);
        std::iter::successors(Some(0), |held| Some(held + allotment.claim(*held)?)).last().unwrap_or_default()
    }

    #[test]
    fn a_run_alone_holds_all_that_may_call_and_some_more() {
        for (max_concurrency, most) in [(1, 9), (16, 32), (256, 384), (2_000, 2_128), (u32::MAX, 4_224)] {
            let held = held(max_concurrency, 1);
            assert!(held > most * 3 / 4 && held <= most, "{max_concurrency} calls at once: {held} held");
        }
    }

    #[test]
    fn what_a_worker_holds_does_not_grow_with_the_number_of_runs() {
        for active in [2, 8, 21, 48] {
            let (each, all) = (held(256, active), held(256, active) * active);
            assert!(each * active > 300 && all <= 384, "{active} runs: {each} each, {all} in all");
        }
    }

    #[test]
    fn each_of_very_many_runs_may_hold_a_few() {
        assert_eq!(held(256, 1_000), MIN_TARGET);
    }

    #[test]
    fn a_small_run_beside_twenty_large_ones_claims_its_interviews_at_once() {
        assert_eq!(Allotment::new(256, 21).claim(0), Some(18));
    }
}

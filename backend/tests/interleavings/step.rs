//! The steps of a sequence.

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The outcome of an open request in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Answered,
    Failed,
    /// Not reported yet.
    Left,
}

/// The fate of a batch of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Committed,
    /// Committed, but the reporter does not learn of it and reports again.
    Unheard,
    /// The worker dies before the commit.
    Lost,
}

#[derive(Clone, Debug)]
pub enum Step {
    Claim {
        run: usize,
        quantity: usize,
    },
    /// Some of the held interviews report these outcomes for their first open requests.
    Report {
        run: usize,
        interviews: Vec<(Index, Vec<Outcome>)>,
        fate: Fate,
    },
    /// An earlier batch is settled again.
    Replay(Index),
    /// A lease expires: the message is visible again, and its holder does not know.
    Expire(Index),
    Release(Index),
    Abandon(Index),
    /// Every worker dies, and a new one starts as the only one.
    Restart,
    Pause(usize),
    Resume(usize),
    Stop(usize),
    Retry(usize),
    GoOn(usize),
    Recount(usize),
    Refresh(usize),
}

pub fn step() -> impl Strategy<Value = Step> {
    let run = || 0..super::model::RUNS;
    let outcome = prop_oneof![4 => Just(Outcome::Answered), 2 => Just(Outcome::Failed), 1 => Just(Outcome::Left)];
    let outcomes = prop::collection::vec(outcome, 1..4);
    let interviews = prop::collection::vec((any::<Index>(), outcomes), 1..4);
    let fate = select(vec![Fate::Committed, Fate::Committed, Fate::Committed, Fate::Unheard, Fate::Lost]);
    prop_oneof![
        8 => (run(), 1..4_usize).prop_map(|(run, quantity)| Step::Claim { run, quantity }),
        10 => (run(), interviews, fate).prop_map(|(run, interviews, fate)| Step::Report { run, interviews, fate }),
        2 => any::<Index>().prop_map(Step::Replay),
        2 => any::<Index>().prop_map(Step::Expire),
        1 => any::<Index>().prop_map(Step::Release),
        1 => any::<Index>().prop_map(Step::Abandon),
        1 => Just(Step::Restart),
        1 => run().prop_map(Step::Pause),
        2 => run().prop_map(Step::Resume),
        2 => run().prop_map(Step::Stop),
        3 => run().prop_map(Step::Retry),
        3 => run().prop_map(Step::GoOn),
        1 => run().prop_map(Step::Recount),
        1 => run().prop_map(Step::Refresh),
    ]
}

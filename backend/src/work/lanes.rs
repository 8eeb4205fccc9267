//! Admitted and running work, by user and lane.

use std::collections::{HashMap, VecDeque};

use tokio::sync::oneshot;

use super::kind::{Lane, Work};

/// Upper limit of running work in a lane.
const MAX_RUNNING: usize = 2;
/// Lower than [`MAX_RUNNING`], so that one user leaves room for others.
const MAX_RUNNING_PER_USER: usize = 1;

const LANES: usize = 3;

/// Admitted work of one user.
#[derive(Default)]
struct Admitted {
    uploads: u32,
    /// Counts by lane, without uploads.
    others: [u32; LANES],
}

#[derive(Default)]
pub struct Lanes {
    admitted: HashMap<i64, Admitted>,
    lanes: [LaneState; LANES],
}

#[derive(Default)]
struct LaneState {
    /// Running work by user; 0 is left out.
    running: HashMap<i64, usize>,
    /// The number of the last turn of each user with running or waiting work.
    last_turns: HashMap<i64, u64>,
    turns: u64,
    /// Waiting work in the order of arrival.
    waiting: VecDeque<(i64, oneshot::Sender<()>)>,
}

impl Admitted {
    fn count(&mut self, work: Work) -> &mut u32 {
        if work.is_upload() { &mut self.uploads } else { &mut self.others[work.lane() as usize] }
    }

    fn is_empty(&self) -> bool {
        self.uploads == 0 && self.others == [0; LANES]
    }
}

impl Lanes {
    /// Admits one more piece of work if the user's limit allows it.
    pub fn admit(&mut self, user_id: i64, work: Work) -> bool {
        let count = self.admitted.entry(user_id).or_default().count(work);
        let is_admitted = *count < work.max_admitted();
        *count += u32::from(is_admitted);
        is_admitted
    }

    pub fn dismiss(&mut self, user_id: i64, work: Work) {
        let Some(admitted) = self.admitted.get_mut(&user_id) else { return };
        *admitted.count(work) -= 1;
        if admitted.is_empty() {
            self.admitted.remove(&user_id);
        }
    }

    /// Resolves when it is the user's turn.
    pub fn wait(&mut self, user_id: i64, lane: Lane) -> oneshot::Receiver<()> {
        let (turn, waits) = oneshot::channel();
        let lane = &mut self.lanes[lane as usize];
        lane.waiting.push_back((user_id, turn));
        lane.give_turns();
        waits
    }

    pub fn end(&mut self, user_id: i64, lane: Lane) {
        let lane = &mut self.lanes[lane as usize];
        lane.leave(user_id);
        lane.give_turns();
    }

    pub fn running(&self) -> usize {
        self.lanes.iter().map(LaneState::running).sum()
    }

    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.admitted.is_empty() && self.running() == 0
    }
}

impl LaneState {
    fn running(&self) -> usize {
        self.running.values().sum()
    }

    fn leave(&mut self, user_id: i64) {
        if let Some(count) = self.running.get_mut(&user_id) {
            *count -= 1;
            if *count == 0 {
                self.running.remove(&user_id);
            }
        }
    }

    fn give_turns(&mut self) {
        // Callers who went away no longer wait.
        self.waiting.retain(|(_, turn)| !turn.is_closed());
        while self.running() < MAX_RUNNING {
            let may_run =
                |user_id: &i64| self.running.get(user_id).is_none_or(|running| *running < MAX_RUNNING_PER_USER);
            let users = self.waiting.iter().map(|(user_id, _)| user_id).enumerate();
            // Among the users who may run, the one whose last turn was longest ago.
            let next =
                users.filter(|(_, user_id)| may_run(user_id)).min_by_key(|(_, user_id)| self.last_turns.get(user_id));
            let Some((user_id, turn)) = next.map(|(place, _)| place).and_then(|place| self.waiting.remove(place))
            else {
                break;
            };
            if turn.send(()).is_ok() {
                *self.running.entry(user_id).or_default() += 1;
                self.turns += 1;
                self.last_turns.insert(user_id, self.turns);
            }
        }
        let Self { running, waiting, last_turns, .. } = self;
        last_turns
            .retain(|user_id, _| running.contains_key(user_id) || waiting.iter().any(|(waits, _)| waits == user_id));
    }
}

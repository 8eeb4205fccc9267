//! Who is next: fair queueing over runs.
//!
//! Every run has a lane and a clock of its own that moves with what it is granted; the lane whose clock is furthest
//! behind goes first. Two runs that both want more than there is get half each, however large one of them is. A lane
//! that was empty rejoins at the present: waiting idly earns nothing.

use std::collections::{HashMap, VecDeque};

struct Lane<T> {
    begun: VecDeque<T>,
    fresh: VecDeque<T>,
    granted: f64,
}

impl<T> Lane<T> {
    /// Interviews that have begun go before fresh ones, because their twin's text is in memory; but not before as many
    /// have begun as may call at once. A twin's calls go one after the other: where few went side by side, the last
    /// to begin would be alone in the end, with most of the limit unused.
    fn is_for_fresh(&self, calling: u32, side_by_side: usize) -> bool {
        self.begun.is_empty() || !self.fresh.is_empty() && self.begun.len() + (calling as usize) < side_by_side
    }
}

pub struct FairQueue<T> {
    lanes: HashMap<i64, Lane<T>>,
    /// The clock of the lane that was served last.
    now: f64,
    /// Interviews of a run.
    side_by_side: usize,
}

impl<T> FairQueue<T> {
    /// For runs of which so many interviews may go side by side.
    pub fn new(side_by_side: usize) -> Self {
        Self { lanes: HashMap::new(), now: 0.0, side_by_side }
    }

    pub fn push(&mut self, run: i64, begun: bool, item: T) {
        let now = self.now;
        let lane = self.lanes.entry(run).or_insert_with(|| Lane {
            begun: VecDeque::new(),
            fresh: VecDeque::new(),
            granted: now,
        });
        if lane.begun.is_empty() && lane.fresh.is_empty() {
            lane.granted = lane.granted.max(now);
        }
        if begun { lane.begun.push_back(item) } else { lane.fresh.push_back(item) }
    }

    /// The run and the item whose turn it is. `calling`: calls of each run that are under way.
    pub fn peek(&self, calling: &HashMap<i64, u32>) -> Option<(i64, &T)> {
        self.lanes
            .iter()
            .filter(|(_, lane)| !lane.begun.is_empty() || !lane.fresh.is_empty())
            .min_by(|(a, x), (b, y)| x.granted.total_cmp(&y.granted).then(a.cmp(b)))
            .and_then(|(run, lane)| {
                let fresh = lane.is_for_fresh(calling.get(run).copied().unwrap_or_default(), self.side_by_side);
                Some((*run, if fresh { lane.fresh.front() } else { lane.begun.front() }?))
            })
    }

    /// Takes the item that [`FairQueue::peek`] named and charges its run what the grant costs.
    pub fn take(&mut self, run: i64, calling: &HashMap<i64, u32>, cost: f64) -> Option<T> {
        let lane = self.lanes.get_mut(&run)?;
        let fresh = lane.is_for_fresh(calling.get(&run).copied().unwrap_or_default(), self.side_by_side);
        let item = if fresh { lane.fresh.pop_front() } else { lane.begun.pop_front() }?;
        self.now = lane.granted;
        lane.granted += cost;
        Some(item)
    }

    pub fn forget(&mut self, run: i64) {
        self.lanes.remove(&run);
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.lanes.values().map(|lane| lane.begun.len() + lane.fresh.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_run_beside_a_large_one_gets_every_second_grant() {
        let mut queue = FairQueue::new(1);
        for item in 0..1_000 {
            queue.push(1, false, item);
        }
        for _ in 0..100 {
            let (run, _) = queue.peek(&HashMap::new()).unwrap();
            queue.take(run, &HashMap::new(), 1.0);
        }
        for item in 0..10 {
            queue.push(2, false, item);
        }
        let order: Vec<i64> = (0..20)
            .map(|_| {
                let (run, _) = queue.peek(&HashMap::new()).unwrap();
                queue.take(run, &HashMap::new(), 1.0);
                run
            })
            .collect();
        assert_eq!(order.iter().filter(|run| **run == 2).count(), 10, "{order:?}");
    }

    #[test]
    fn begun_interviews_go_before_fresh_ones_once_enough_have_begun() {
        let mut queue = FairQueue::new(3);
        let calling = |calls| HashMap::from([(1, calls)]);
        for item in ["first", "second", "third"] {
            queue.push(1, false, item);
        }
        queue.push(1, true, "begun");
        assert_eq!(queue.peek(&calling(1)), Some((1, &"first")), "two have begun, of which one waits");
        assert_eq!(queue.take(1, &calling(1), 1.0), Some("first"));
        assert_eq!(queue.take(1, &calling(2), 1.0), Some("begun"), "three have begun");
        assert_eq!(queue.take(1, &calling(3), 1.0), Some("second"), "nobody who has begun waits");
        queue.push(1, true, "begun");
        assert_eq!(queue.take(1, &calling(0), 1.0), Some("third"));
        assert_eq!(queue.take(1, &calling(0), 1.0), Some("begun"));
        assert_eq!(queue.len(), 0);
    }
}

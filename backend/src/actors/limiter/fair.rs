//! Who is next: fair queueing over runs.
//!
//! Every run has a lane and a clock of its own that moves with what it is granted; the lane whose clock is furthest
//! behind goes first. Two runs that both want more than there is get half each, however large one of them is. A lane
//! that was empty rejoins at the present: waiting idly earns nothing.

use std::collections::{HashMap, VecDeque};

struct Lane<T> {
    /// Interviews that have begun: their twin's text is in memory, so they go before new ones.
    begun: VecDeque<T>,
    fresh: VecDeque<T>,
    granted: f64,
}

pub struct FairQueue<T> {
    lanes: HashMap<i64, Lane<T>>,
    /// The clock of the lane that was served last.
    now: f64,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { lanes: HashMap::new(), now: 0.0 }
    }
}

impl<T> FairQueue<T> {
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

    /// The run and the item whose turn it is.
    pub fn peek(&self) -> Option<(i64, &T)> {
        self.lanes
            .iter()
            .filter_map(|(run, lane)| Some((lane.granted, *run, lane.begun.front().or(lane.fresh.front())?)))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
            .map(|(_, run, item)| (run, item))
    }

    /// Takes the item that [`FairQueue::peek`] named and charges its run what the grant costs.
    pub fn take(&mut self, run: i64, cost: f64) -> Option<T> {
        let lane = self.lanes.get_mut(&run)?;
        let item = lane.begun.pop_front().or_else(|| lane.fresh.pop_front())?;
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
        let mut queue = FairQueue::default();
        for item in 0..1_000 {
            queue.push(1, false, item);
        }
        for _ in 0..100 {
            let (run, _) = queue.peek().unwrap();
            queue.take(run, 1.0);
        }
        for item in 0..10 {
            queue.push(2, false, item);
        }
        let order: Vec<i64> = (0..20)
            .map(|_| {
                let (run, _) = queue.peek().unwrap();
                queue.take(run, 1.0);
                run
            })
            .collect();
        assert_eq!(order.iter().filter(|run| **run == 2).count(), 10, "{order:?}");
    }

    #[test]
    fn begun_interviews_go_before_fresh_ones_of_their_run() {
        let mut queue = FairQueue::default();
        queue.push(1, false, "fresh");
        queue.push(1, true, "begun");
        assert_eq!(queue.take(1, 1.0), Some("begun"));
        assert_eq!(queue.take(1, 1.0), Some("fresh"));
        assert_eq!(queue.len(), 0);
    }
}

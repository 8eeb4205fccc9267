//! Fair queueing of permits over runs.
//!
//! Every run has a lane with a virtual time, which advances by the cost of what it is granted; the lane with the lowest
//! one is served first. So two runs that both want more than there is get half each, however large one of them is. A
//! lane that was empty rejoins at the present virtual time: a run cannot save up turns while it is idle.

use std::collections::{HashMap, VecDeque};

struct Lane<T> {
    /// Calls of interviews that have made one before.
    started: VecDeque<T>,
    /// Calls of interviews that have made none.
    new: VecDeque<T>,
    virtual_time: f64,
}

impl<T> Lane<T> {
    fn is_empty(&self) -> bool {
        self.started.is_empty() && self.new.is_empty()
    }

    /// Started interviews go first, because their persona's text is in memory; but only once enough interviews have
    /// started to fill the concurrency limit, or the run ends with a long tail of single calls.
    fn is_turn_of_new(&self, in_flight: u32, max_started: usize) -> bool {
        self.started.is_empty() || !self.new.is_empty() && self.started.len() + (in_flight as usize) < max_started
    }
}

pub struct FairQueue<T> {
    lanes: HashMap<i64, Lane<T>>,
    /// Virtual time of the lane that was served last.
    now: f64,
    /// Interviews of one run that are started before the started ones go first.
    max_started: usize,
}

impl<T> FairQueue<T> {
    pub fn new(max_started: usize) -> Self {
        Self { lanes: HashMap::new(), now: 0.0, max_started }
    }

    pub fn push(&mut self, run: i64, started: bool, item: T) {
        let now = self.now;
        let lane = self.lanes.entry(run).or_insert_with(|| Lane {
            started: VecDeque::new(),
            new: VecDeque::new(),
            virtual_time: now,
        });
        if lane.is_empty() {
            lane.virtual_time = lane.virtual_time.max(now);
        }
        if started { lane.started.push_back(item) } else { lane.new.push_back(item) }
    }

    /// The run and the item whose turn it is. `in_flight`: calls of each run that are under way.
    pub fn peek(&self, in_flight: &HashMap<i64, u32>) -> Option<(i64, &T)> {
        let lanes = self.lanes.iter().filter(|(_, lane)| !lane.is_empty());
        let first = lanes.min_by(|(a, x), (b, y)| x.virtual_time.total_cmp(&y.virtual_time).then(a.cmp(b)));
        let (run, lane) = first?;
        let new = lane.is_turn_of_new(in_flight.get(run).copied().unwrap_or_default(), self.max_started);
        Some((*run, if new { lane.new.front() } else { lane.started.front() }?))
    }

    /// Number of items that wait.
    pub fn len(&self) -> usize {
        self.lanes.values().map(|lane| lane.started.len() + lane.new.len()).sum()
    }

    /// Takes the item that [`FairQueue::peek`] returned and charges its run the cost of the grant.
    pub fn take(&mut self, run: i64, in_flight: &HashMap<i64, u32>, cost: f64) -> Option<T> {
        let lane = self.lanes.get_mut(&run)?;
        let new = lane.is_turn_of_new(in_flight.get(&run).copied().unwrap_or_default(), self.max_started);
        let item = if new { lane.new.pop_front() } else { lane.started.pop_front() }?;
        self.now = lane.virtual_time;
        lane.virtual_time += cost;
        Some(item)
    }

    pub fn forget(&mut self, run: i64) {
        self.lanes.remove(&run);
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
    fn started_interviews_go_before_new_ones_once_enough_have_started() {
        let mut queue = FairQueue::new(3);
        let in_flight = |calls| HashMap::from([(1, calls)]);
        for item in ["first", "second", "third"] {
            queue.push(1, false, item);
        }
        queue.push(1, true, "started");
        assert_eq!(queue.peek(&in_flight(1)), Some((1, &"first")), "two have started, of which one waits");
        assert_eq!(queue.take(1, &in_flight(1), 1.0), Some("first"));
        assert_eq!(queue.take(1, &in_flight(2), 1.0), Some("started"), "three have started");
        assert_eq!(queue.take(1, &in_flight(3), 1.0), Some("second"), "no started one waits");
        queue.push(1, true, "started");
        assert_eq!(queue.take(1, &in_flight(0), 1.0), Some("third"));
        assert_eq!(queue.take(1, &in_flight(0), 1.0), Some("started"));
        assert_eq!(queue.len(), 0);
    }
}

//! Calls of a run that got no answer in time: whether the run goes on as in an outage, or says what to change.

use simulation::parameters::Parameters;
use tokio::time::Instant;

/// Time-outs one after the other, with no answered call of the run between them, that pause the run.
const MAX_ROUNDS: u32 = 3;

/// The time-outs since the last answer.
#[derive(Debug, Default)]
pub struct TimeOuts {
    rounds: u32,
    counted_at: Option<Instant>,
}

impl TimeOuts {
    /// Counts a time-out, and returns whether the run pauses. Calls that were under way side by side count as one.
    pub fn count(&mut self, call_began: Instant, now: Instant) -> bool {
        if self.counted_at.is_none_or(|counted| call_began >= counted) {
            self.rounds += 1;
            self.counted_at = Some(now);
        }
        self.rounds >= MAX_ROUNDS
    }
}

/// Says to people why the run is paused, and what to change. `said`: the message of the last time-out.
pub fn advice(parameters: &Parameters, said: &str) -> String {
    let mut changes = vec!["allow more time: LLM_TIMEOUT_S to the first piece of an answer".to_owned()];
    if parameters.stream {
        changes[0].push_str(", LLM_IDLE_TIMEOUT_S between two pieces");
    }
    if parameters.questions_per_call > 1 {
        changes.push(format!("ask fewer questions a call (this run asks up to {})", parameters.questions_per_call));
    }
    changes.push(format!("take a smaller or faster model than {}", parameters.model));
    changes.push(
        "give the model server more slots, or let fewer calls be under way at once (LLM_MAX_CONCURRENCY)".to_owned(),
    );
    format!(
        "no call of this run was answered in time, {MAX_ROUNDS} times one after the other: {said}. What helps: {}",
        changes.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn calls_side_by_side_count_once_and_the_third_time_out_pauses() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut time_outs = TimeOuts::default();
        for round in 0..2 {
            for call in 0..50 {
                assert!(!time_outs.count(at(10 * round), at(10 * round + 9)), "call {call} of round {round}");
            }
        }
        assert!(time_outs.count(at(20), at(29)));
    }

    #[test]
    fn the_advice_names_what_the_run_can_change() {
        let parameters = Parameters { stream: true, ..Parameters::new("big", 1, 20) };
        let said = advice(&parameters, "the model server sent nothing for 60 s in the middle of its answer");
        for part in ["LLM_TIMEOUT_S", "LLM_IDLE_TIMEOUT_S", "up to 20", "than big", "slots", "nothing for 60 s"] {
            assert!(said.contains(part), "{said}");
        }
        let whole = advice(&Parameters::new("big", 1, 1), "late");
        assert!(!whole.contains("LLM_IDLE_TIMEOUT_S") && !whole.contains("fewer questions"), "{whole}");
    }
}

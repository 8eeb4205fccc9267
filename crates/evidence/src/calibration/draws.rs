//! Samples of the bootstrap over people.

use std::collections::BTreeSet;

use crate::intervals::{Bootstrap, Estimate, MIN_PEOPLE};
use crate::sample::quantile;

/// Number of times that each person is in each sample of the bootstrap. All figures use the same samples.
pub(super) struct Draws {
    bootstrap: Bootstrap,
    counts: Vec<Vec<f64>>,
}

impl Draws {
    pub(super) fn new(people: usize, bootstrap: Bootstrap) -> Self {
        let draw = |b| bootstrap.draw("calibration", b, &[people]).swap_remove(0);
        Self { bootstrap, counts: (0..bootstrap.replicates).map(draw).collect() }
    }
}

/// How often a person counts.
pub(super) type Times<'a> = dyn Fn(usize) -> f64 + 'a;
/// A statistic of persons that count so often.
pub(super) type Statistic<'a> = dyn Fn(&Times) -> Option<f64> + 'a;

/// The figure with its interval by the bootstrap, and the median of the draws. `persons`: those of its forecasts.
pub(super) fn estimate(persons: &[usize], draws: &Draws, statistic: &Statistic) -> Option<(Estimate, Option<f64>)> {
    cancellation::check();
    let people = persons.iter().collect::<BTreeSet<_>>().len();
    let value = statistic(&|_| 1.0)?;
    if people < MIN_PEOPLE {
        return Some((Estimate::new(value, people, None), None));
    }
    let of_draw = |counts: &Vec<f64>| statistic(&|person| counts.get(person).copied().unwrap_or(0.0));
    let mut values: Vec<f64> = draws.counts.iter().filter_map(of_draw).collect();
    let interval = draws.bootstrap.of_draws(values.iter().copied());
    values.sort_by(f64::total_cmp);
    Some((Estimate::new(value, people, interval), quantile(&values, 0.5)))
}

//! Empirical distribution functions of people and of twins, as a chart draws them.

use serde::Serialize;

/// Maximum number of points of a pair of functions. A chart cannot show more.
const MAX_POINTS: usize = 100;

/// Both functions at one value: the shares of answers up to the value, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EcdfPoint {
    pub value: f64,
    pub people: f64,
    pub twins: f64,
}

/// Returns both functions at each value that either side has. Of more than 100 values it takes 100 in even steps, with
/// the lowest and the highest. Empty if a side has no weight. The sides are values with their weights.
pub fn ecdf_pair(people: (&[f64], &[f64]), twins: (&[f64], &[f64])) -> Vec<EcdfPoint> {
    let (people, twins) = (Steps::new(people), Steps::new(twins));
    let mut values: Vec<f64> = people.values().chain(twins.values()).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    if people.total <= 0.0 || twins.total <= 0.0 {
        return Vec::new();
    }
    let last = values.len() - 1;
    let places = values.len().min(MAX_POINTS);
    let place = |step: usize| if places > last { step } else { step * last / (places - 1) };
    let point = |value: f64| EcdfPoint { value, people: people.at(value), twins: twins.at(value) };
    (0..places).map(|step| point(values[place(step)])).collect()
}

/// One side: its values in order, with the cumulative weight of each.
struct Steps {
    up_to: Vec<(f64, f64)>,
    total: f64,
}

impl Steps {
    fn new((values, weights): (&[f64], &[f64])) -> Self {
        let mut up_to: Vec<(f64, f64)> = values.iter().copied().zip(weights.iter().copied()).collect();
        up_to.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let mut total = 0.0;
        for (_, weight) in &mut up_to {
            total += *weight;
            *weight = total;
        }
        Self { up_to, total }
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        self.up_to.iter().map(|(value, _)| *value)
    }

    fn at(&self, value: f64) -> f64 {
        let below = self.up_to.partition_point(|(own, _)| *own <= value);
        below.checked_sub(1).map_or(0.0, |last| self.up_to[last].1 / self.total)
    }
}

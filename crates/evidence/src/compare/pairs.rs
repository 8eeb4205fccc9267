use super::{CompareRefused, Respondents};

/// The rows of people and the rows of their twins.
pub(super) struct Pairing {
    /// The row of each person and the row of its twin, in the people's order.
    pub pairs: Vec<(usize, usize)>,
}

impl Pairing {
    pub fn new(people: &Respondents, twins: &Respondents) -> Result<Self, CompareRefused> {
        let with_arms = people.arms.is_some() && twins.arms.is_some();
        let twin_rows = twins.rows("twins", with_arms)?;
        let mut pairs: Vec<(usize, usize)> = people
            .rows("people", with_arms)?
            .into_iter()
            .filter_map(|(key, person)| Some((person, *twin_rows.get(&key)?)))
            .collect();
        pairs.sort_unstable();
        Ok(Self { pairs })
    }

    pub fn is_paired(&self) -> bool {
        !self.pairs.is_empty()
    }
}

/// The values and weights of both sides in one item. With pairs, only complete ones.
#[derive(Debug, Default)]
pub(super) struct Both {
    pub human: Vec<f64>,
    pub people: Vec<f64>,
    pub twin: Vec<f64>,
    pub twins: Vec<f64>,
    /// The position in `Pairing::pairs` of each complete pair; empty without pairs.
    pub pairs: Vec<usize>,
}

impl Both {
    /// Collects the values of an item. `keeps` selects pairs by their position.
    pub fn collect(
        item: &str,
        people: &Respondents,
        twins: &Respondents,
        pairing: &Pairing,
        keeps: impl Fn(usize) -> bool,
    ) -> Self {
        let mut both = Self::default();
        if pairing.is_paired() {
            for (place, (person, twin)) in pairing.pairs.iter().enumerate().filter(|(place, _)| keeps(*place)) {
                if let (Some(h), Some(t)) = (people.number(item, *person), twins.number(item, *twin)) {
                    both.human.push(h);
                    both.twin.push(t);
                    both.people.push(people.weight(*person));
                    both.pairs.push(place);
                }
            }
            both.twins = both.people.clone();
            return both;
        }
        (both.human, both.people) = all(item, people);
        (both.twin, both.twins) = all(item, twins);
        both
    }

    /// Sizes of the independent samples: one for pairs, otherwise two.
    pub fn samples(&self) -> Vec<usize> {
        if self.pairs.is_empty() { vec![self.human.len(), self.twin.len()] } else { vec![self.human.len()] }
    }

    /// Weights of a bootstrap draw: the number of times that each was drawn, times its own weight.
    pub fn drawn(&self, counts: &[Vec<f64>]) -> (Vec<f64>, Vec<f64>) {
        let product =
            |weights: &[f64], counts: &[f64]| weights.iter().zip(counts).map(|(a, b)| a * b).collect::<Vec<_>>();
        match counts {
            [pairs] => (product(&self.people, pairs), product(&self.twins, pairs)),
            [people, twins, ..] => (product(&self.people, people), product(&self.twins, twins)),
            [] => (Vec::new(), Vec::new()),
        }
    }
}

fn all(item: &str, side: &Respondents) -> (Vec<f64>, Vec<f64>) {
    (0..side.ids.len()).filter_map(|row| Some((side.number(item, row)?, side.weight(row)))).unzip()
}

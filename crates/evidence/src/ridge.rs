//! Predictions of answers from demographics alone, by ridge regression. A person's own answer is never used to predict
//! it.

use std::collections::{BTreeMap, HashMap};

use crate::linear::{inverse, times};
use random::{below, generator};

/// Number of folds. The people of a fold are predicted from the other folds.
pub const FOLDS: usize = 10;
/// Penalty of a coefficient, in people. It suits demographics, which explain a few percent of an answer.
pub const PENALTY: f64 = 30.0;

/// Draws the fold of each person. Their sizes differ by at most one.
pub fn folds(people: usize, seed: i64) -> Vec<usize> {
    let mut random = generator(seed, &[b"folds"]);
    let mut folds: Vec<usize> = (0..people).map(|person| person % FOLDS).collect();
    for place in (1..people).rev() {
        folds.swap(place, below(place + 1, &mut random));
    }
    folds
}

/// A column of 0 and 1 for each value of each demographic. `ones` are the columns with a 1 of each person.
#[derive(Clone, Debug)]
struct Dummies {
    columns: usize,
    of_people: Vec<Vec<usize>>,
}

impl Dummies {
    fn new(demographics: &[Vec<String>]) -> Self {
        let mut columns: BTreeMap<(usize, &str), usize> = BTreeMap::new();
        let of_people = (demographics.iter())
            .map(|values| {
                let column = |(label, value)| {
                    let next = columns.len();
                    *columns.entry((label, value)).or_insert(next)
                };
                values.iter().map(String::as_str).enumerate().map(column).collect()
            })
            .collect();
        Self { columns: columns.len(), of_people }
    }
}

/// The prediction for the people of one fold, for any item.
struct Trained {
    /// People of the other folds.
    people: Vec<usize>,
    /// Share of these people in each column.
    shares: Vec<f64>,
    /// `(X'X + penalty)⁻¹` of the centred columns.
    inverse: Vec<Vec<f64>>,
}

/// Predicts the answers of people to any number of items.
pub struct Ridge {
    dummies: Dummies,
    folds: Vec<usize>,
    penalty: f64,
    /// Trained predictions by the people who answered an item, because most items are answered by the same people.
    trained: HashMap<Vec<usize>, Vec<Option<Trained>>>,
}

impl Ridge {
    /// `demographics` are the values of each person, in one order of labels; `folds` are the folds of the people.
    pub fn new(demographics: &[Vec<String>], folds: Vec<usize>, penalty: f64) -> Self {
        Self { dummies: Dummies::new(demographics), folds, penalty, trained: HashMap::new() }
    }

    /// Predicts an answer for each of `people`, whose answers are `said`. NaN if nobody is left to predict it from.
    pub fn predict(&mut self, people: &[usize], said: &[f64]) -> Vec<f64> {
        if !self.trained.contains_key(people) {
            let parts = self.folds.iter().max().map_or(0, |last| last + 1);
            let trained = (0..parts).map(|part| self.train(people, part)).collect();
            self.trained.insert(people.to_vec(), trained);
        }
        let answers: HashMap<usize, f64> = people.iter().copied().zip(said.iter().copied()).collect();
        let models: Vec<Option<Model>> = self.trained[people]
            .iter()
            .map(|trained| trained.as_ref().map(|trained| Model::fit(&self.dummies, trained, &answers)))
            .collect();
        let predicted = |person: &usize| {
            let model = models.get(self.folds[*person]).and_then(Option::as_ref);
            model.map_or(f64::NAN, |model| model.predict(&self.dummies.of_people[*person]))
        };
        people.iter().map(predicted).collect()
    }

    /// Trains a fold. `None` if all people are in it.
    fn train(&self, people: &[usize], part: usize) -> Option<Trained> {
        let others: Vec<usize> = people.iter().copied().filter(|person| self.folds[*person] != part).collect();
        let (n, columns) = (others.len() as f64, self.dummies.columns);
        if others.is_empty() {
            return None;
        }
        let mut counts = vec![0.0; columns];
        let mut gram = vec![vec![0.0; columns]; columns];
        for own in others.iter().map(|person| &self.dummies.of_people[*person]) {
            for one in own {
                counts[*one] += 1.0;
                own.iter().for_each(|other| gram[*one][*other] += 1.0);
            }
        }
        for one in 0..columns {
            for other in 0..columns {
                gram[one][other] -= counts[one] * counts[other] / n;
            }
            gram[one][one] += self.penalty;
        }
        let shares = counts.iter().map(|count| count / n).collect();
        Some(Trained { inverse: inverse(&gram)?, people: others, shares })
    }
}

struct Model {
    coefficients: Vec<f64>,
    /// The mean answer, less the contribution of the mean person's columns.
    constant: f64,
}

impl Model {
    fn fit(dummies: &Dummies, trained: &Trained, answers: &HashMap<usize, f64>) -> Self {
        let n = trained.people.len() as f64;
        let mean = trained.people.iter().map(|person| answers[person]).sum::<f64>() / n;
        let mut moments = vec![0.0; dummies.columns];
        for person in &trained.people {
            dummies.of_people[*person].iter().for_each(|column| moments[*column] += answers[person] - mean);
        }
        let coefficients = times(&trained.inverse, &moments);
        let constant = mean - coefficients.iter().zip(&trained.shares).map(|(b, share)| b * share).sum::<f64>();
        Self { coefficients, constant }
    }

    fn predict(&self, columns: &[usize]) -> f64 {
        self.constant + columns.iter().map(|column| self.coefficients[*column]).sum::<f64>()
    }
}

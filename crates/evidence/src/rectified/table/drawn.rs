//! Estimates from people who were drawn from the twins' persons with known probabilities (DSL).

use std::collections::BTreeMap;

use super::outcomes::{Outcome, of_item};
use super::{PairedBy, RectifiedRow, RectifiedTable, Unrectified};
use crate::compare::{Item, Respondents};
use crate::factors::{Factors, weighted};
use crate::metrics::pearson;
use crate::rectified::{DRAWN_ASSUMPTION, Figure, FigureRefused, Rectified, Subsample, WeightedValues, dsl_outcomes};
use crate::regression::{Fit, least_squares};
use crate::sample::Mean;
use crate::sample::effective_n;

/// Estimates means and shares of all, and for numbers the regression on the attributes of the twins.
pub(super) fn table(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    attributes: &[String],
    level: f64,
) -> Result<RectifiedTable, FigureRefused> {
    // The twin's weight counts for everybody, because people who were not asked have no other.
    if people.weights.is_some() && twins.weights.is_none() {
        return Err(FigureRefused::Weights);
    }
    if people.arms.is_some() && twins.arms.is_some() {
        return Err(FigureRefused::ArmsDrawn);
    }
    let person_of: BTreeMap<&str, usize> = people.ids.iter().enumerate().map(|(row, id)| (id.as_str(), row)).collect();
    let drawn =
        Drawn { people, twins, persons: twins.ids.iter().map(|id| person_of.get(id.as_str()).copied()).collect() };
    if drawn.persons.iter().all(Option::is_none) {
        return Err(FigureRefused::NoPairing);
    }
    let (mut estimates, mut refused) = (Vec::new(), Vec::new());
    for item in items {
        match drawn.rows_of(item, attributes, level) {
            Ok(of_item) => estimates.extend(of_item),
            Err(reason) => refused.push(Unrectified { name: item.name.clone(), reason }),
        }
    }
    Ok(RectifiedTable {
        pairing: Some(PairedBy::Id),
        refusal: None,
        drawn: true,
        reference: None,
        twins_in_all_arms: false,
        estimates,
        refused,
        assumption: DRAWN_ASSUMPTION,
    })
}

struct Drawn<'a> {
    people: &'a Respondents,
    twins: &'a Respondents,
    /// The row of each twin's person. `None` if the person was not drawn.
    persons: Vec<Option<usize>>,
}

/// The answers to one outcome, for all twins that have one.
struct Answers {
    rows: Vec<usize>,
    twins: Vec<f64>,
    people: Vec<Option<f64>>,
    probability: Vec<f64>,
    weights: Vec<f64>,
}

/// The people who were drawn: their answers, their twins' answers, and the twin's weight over the probability.
struct Asked {
    people: Vec<f64>,
    twins: Vec<f64>,
    weights: Vec<f64>,
}

impl Answers {
    fn subsample(&self) -> Subsample<'_> {
        Subsample { twins: &self.twins, people: &self.people, probability: &self.probability }
    }

    fn asked(&self) -> Asked {
        let all = self.people.iter().zip(&self.twins).zip(self.probability.iter().zip(&self.weights));
        let (answers, weights): (Vec<(f64, f64)>, Vec<f64>) =
            all.filter_map(|((y, f), (probability, weight))| Some((((*y)?, *f), weight / probability))).unzip();
        let (people, twins) = answers.into_iter().unzip();
        Asked { people, twins, weights }
    }

    fn estimate(&self, figures: [Figure; 3]) -> Rectified {
        let asked = self.asked();
        let [people, twins, rectified] = figures;
        let rho = pearson(&asked.people, &asked.twins, &asked.weights).unwrap_or(0.0);
        let (n, others) = (asked.people.len(), self.twins.len() - asked.people.len());
        let found = Rectified::new(n, others, 1.0, rho, [people, twins, rectified, rectified]);
        let own = self.people.iter().zip(&self.weights).filter(|(answer, _)| answer.is_some());
        let own: Vec<f64> = own.map(|(_, weight)| *weight).collect();
        Rectified {
            n_weighted: effective_n(&own).filter(|_| self.weights.iter().any(|weight| *weight != 1.0)),
            ..found
        }
    }
}

impl Drawn<'_> {
    fn rows_of(&self, item: &Item, attributes: &[String], level: f64) -> Result<Vec<RectifiedRow>, String> {
        let mut rows = Vec::new();
        for (category, outcome) in of_item(item) {
            let answers = self.answers(&outcome);
            let mean = self.mean(&answers, level).map_err(|refusal| refusal.to_string())?;
            match category {
                Some(label) => rows.push(RectifiedRow::new(item, Some(&label), mean.of_share())),
                None => {
                    rows.push(RectifiedRow::new(item, None, mean));
                    rows.extend(self.coefficients(item, &answers, attributes, level)?);
                }
            }
        }
        Ok(rows)
    }

    fn answers(&self, outcome: &Outcome) -> Answers {
        let mut answers = Answers {
            rows: Vec::new(),
            twins: Vec::new(),
            people: Vec::new(),
            probability: Vec::new(),
            weights: Vec::new(),
        };
        let probability = |person: usize| self.people.probabilities.as_ref().and_then(|all| all.get(person)).copied();
        for (row, person) in self.persons.iter().enumerate() {
            let weight = self.twins.weight(row);
            let Some(twin) = outcome(self.twins, row).filter(|_| weight > 0.0) else { continue };
            let said = person.and_then(|person| Some((outcome(self.people, person)?, probability(person)?)));
            answers.rows.push(row);
            answers.twins.push(twin);
            answers.weights.push(weight);
            answers.people.push(said.map(|(answer, _)| answer));
            // The probability is not used for people who were not drawn.
            answers.probability.push(said.map_or(1.0, |(_, probability)| probability));
        }
        answers
    }

    fn mean(&self, answers: &Answers, level: f64) -> Result<Rectified, FigureRefused> {
        let outcomes = dsl_outcomes(answers.subsample())?;
        let mean = Mean::compute(&outcomes, &answers.weights).ok_or(FigureRefused::NoTwins)?;
        let rectified = Figure::new(mean.mean, mean.squared_error, level);
        let asked = answers.asked();
        let people = WeightedValues::new(&asked.people, Some(&asked.weights));
        let twins = WeightedValues::new(&answers.twins, Some(&answers.weights));
        let figure = |of: WeightedValues| Figure::new(of.mean(), of.squared_error(), level);
        Ok(answers.estimate([figure(people), figure(twins), rectified]))
    }

    /// Least squares on all attributes together, with HC2 errors: each level against the attribute's first.
    fn coefficients(
        &self,
        item: &Item,
        answers: &Answers,
        attributes: &[String],
        level: f64,
    ) -> Result<Vec<RectifiedRow>, String> {
        let factors = Factors::find(self.twins, attributes)?;
        if factors.is_empty() {
            return Ok(Vec::new());
        }
        // Twins with an unknown attribute are not in the regression.
        let known: Vec<(usize, Vec<f64>)> = answers
            .rows
            .iter()
            .enumerate()
            .filter_map(|(place, row)| Some((place, factors.row(self.twins, *row)?)))
            .collect();
        let pick = |of: &dyn Fn(usize) -> f64| known.iter().map(|(place, _)| of(*place)).collect::<Vec<f64>>();
        let some = Answers {
            rows: known.iter().map(|(place, _)| answers.rows[*place]).collect(),
            twins: pick(&|place| answers.twins[place]),
            people: known.iter().map(|(place, _)| answers.people[*place]).collect(),
            probability: pick(&|place| answers.probability[place]),
            weights: pick(&|place| answers.weights[place]),
        };
        let x: Vec<Vec<f64>> = known.into_iter().map(|(_, row)| row).collect();
        let outcomes = dsl_outcomes(some.subsample()).map_err(|refusal| refusal.to_string())?;
        let fit = |y: &[f64]| {
            let (x, y) = weighted(&x, y, &some.weights);
            least_squares(&x, &y)
        };
        let fits = || Some([weighted_fit(&some, &x)?, fit(&some.twins)?, fit(&outcomes)?]);
        let [people, twins, rectified] = fits()
            .ok_or("its regression has no solution: levels of the attributes depend on each other, or are too rare")?;
        let figure = |fit: &Fit, place: usize| Figure::new(fit.coefficients[place], fit.errors[place].powi(2), level);
        let row = |(place, term): (usize, String)| {
            let figures = [&people, &twins, &rectified].map(|fit| figure(fit, place + 1));
            RectifiedRow { term: Some(term), ..RectifiedRow::new(item, None, some.estimate(figures)) }
        };
        Ok(factors.names().enumerate().map(row).collect())
    }
}

/// The regression from people alone, each weighted by weight over probability.
fn weighted_fit(answers: &Answers, x: &[Vec<f64>]) -> Option<Fit> {
    let asked: Vec<usize> = (0..x.len()).filter(|place| answers.people[*place].is_some()).collect();
    let x: Vec<Vec<f64>> = asked.iter().map(|place| x[*place].clone()).collect();
    let weights: Vec<f64> = asked.iter().map(|place| answers.weights[*place] / answers.probability[*place]).collect();
    let y: Vec<f64> = asked.iter().filter_map(|place| answers.people[*place]).collect();
    let (x, y) = weighted(&x, &y, &weights);
    least_squares(&x, &y)
}

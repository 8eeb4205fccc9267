//! Repeated answers of twins, or the probabilities that they gave, as forecasts of their people's answers.

use std::collections::BTreeMap;

use super::numbers::{NumberForecast, NumberItem};
use crate::compare::{CompareRefused, GivenDistribution, Item, ItemKind, Respondents, RowKey};
use crate::metrics::{shares, smoothed};
use crate::quantiles::QuantileCorners;

/// A twin's forecast of its person's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Position of the person.
    pub person: usize,
    pub weight: f64,
    /// Probability of each option; together 1.
    pub p: Vec<f64>,
    /// 0-based position of the person's answer.
    pub answer: usize,
}

/// A question of options, or a row of a matrix, with a forecast for each person who answered it.
#[derive(Clone, Debug, PartialEq)]
pub struct ForecastItem {
    pub name: String,
    pub text: String,
    pub is_ordered: bool,
    pub forecasts: Vec<Forecast>,
}

impl ForecastItem {
    /// Share of each option among the people's answers.
    pub(super) fn shares(&self) -> Vec<f64> {
        let options = self.forecasts.first().map_or(0, |forecast| forecast.p.len());
        let (answers, weights): (Vec<f64>, Vec<f64>) =
            self.forecasts.iter().map(|of| (of.answer as f64 + 1.0, of.weight)).unzip();
        shares(&answers, &weights, options).unwrap_or_default()
    }
}

/// Returns the forecasts for each item with one option as its answer, for the people whose twin answered in every
/// repeat. Where the twins gave probabilities, these are the forecast: their mean over the repeats. If both sides have arms, a
/// twin forecasts for its person in the same arm. Persons are positions in `people`.
/// Fails if a side lists an id twice, or lists have different lengths.
pub fn forecasts(
    items: &[Item],
    people: &Respondents,
    repeats: &[&Respondents],
) -> Result<Vec<ForecastItem>, CompareRefused> {
    let pairs = Pairs::new(people, repeats)?;
    let of_item = |item: &Item| {
        let ItemKind::Single { scale, .. } = &item.kind else { return None };
        let options = scale.categories()?;
        let place = |side: &Respondents, row: usize| {
            Some(side.number(&item.name, row).filter(|value| scale.holds(*value))? as usize - 1)
        };
        let gave = repeats.iter().all(|twins| twins.forecasts.contains_key(&item.name));
        // One answer is no forecast.
        if !gave && repeats.len() < 2 {
            return None;
        }
        let of_row = |row: usize| {
            let answer = place(people, row)?;
            let mut counts = vec![0; options];
            let mut given = vec![0.0; options];
            for (twins, row) in repeats.iter().zip(pairs.of_twins(row)?) {
                if gave {
                    let GivenDistribution::Options(of_twin) = twins.forecasts.get(&item.name)?.get(row)?.as_ref()?
                    else {
                        return None;
                    };
                    given.iter_mut().zip(of_twin).for_each(|(sum, p)| *sum += p / repeats.len() as f64);
                } else {
                    counts[place(twins, row)?] += 1;
                }
            }
            let p = if gave { given } else { smoothed(&counts) };
            let weight = people.weight(row);
            (weight > 0.0).then_some(Forecast { person: pairs.person(row)?, weight, p, answer })
        };
        let forecasts: Vec<Forecast> = (0..people.ids.len()).filter_map(of_row).collect();
        (!forecasts.is_empty()).then(|| ForecastItem {
            name: item.name.clone(),
            text: item.text.clone(),
            is_ordered: scale.is_ordered(),
            forecasts,
        })
    };
    Ok(items.iter().filter_map(of_item).collect())
}

/// Returns the forecasts for each item of numbers of which the twins gave quantiles: the mean of the quantiles over the
/// repeats. Otherwise like [`forecasts`].
pub fn number_forecasts(
    items: &[Item],
    people: &Respondents,
    repeats: &[&Respondents],
) -> Result<Vec<NumberItem>, CompareRefused> {
    let pairs = Pairs::new(people, repeats)?;
    let of_item = |item: &Item| {
        let of_row = |row: usize| {
            let answer = people.number(&item.name, row)?;
            let corners = |(twins, row): (&&Respondents, usize)| {
                let all: &Vec<Option<GivenDistribution>> = twins.forecasts.get(&item.name)?;
                match all.get(row)?.as_ref()? {
                    GivenDistribution::Numbers(corners) => Some(corners.clone()),
                    GivenDistribution::Options(_) => None,
                }
            };
            let all: Vec<QuantileCorners> =
                repeats.iter().zip(pairs.of_twins(row)?).map(corners).collect::<Option<_>>()?;
            let corners = QuantileCorners::mean_of(&all.iter().collect::<Vec<_>>())?;
            let weight = people.weight(row);
            (weight > 0.0).then_some(NumberForecast { person: pairs.person(row)?, weight, corners, answer })
        };
        let forecasts: Vec<NumberForecast> = (0..people.ids.len()).filter_map(of_row).collect();
        (!forecasts.is_empty()).then(|| NumberItem { name: item.name.clone(), text: item.text.clone(), forecasts })
    };
    Ok(items.iter().filter_map(of_item).collect())
}

/// Takes the answers of twins that gave no distribution as their forecasts: an option that was given once, smoothed like the
/// shares of repeats, and a number for sure.
pub fn with_answers_as_forecasts(items: &[Item], mut twins: Respondents) -> Respondents {
    for item in items {
        let ItemKind::Single { scale, .. } = &item.kind else { continue };
        let of_answer = |answer: f64| match scale.categories() {
            Some(options) => {
                let mut counts = vec![0; options];
                *counts.get_mut((answer as usize).checked_sub(1)?)? = 1;
                Some(GivenDistribution::Options(smoothed(&counts)))
            }
            None => Some(GivenDistribution::Numbers(QuantileCorners(vec![(0.0, answer), (1.0, answer)]))),
        };
        let given = |row: usize| twins.number(&item.name, row).filter(|value| scale.holds(*value)).and_then(of_answer);
        let given: Vec<_> = (0..twins.ids.len()).map(given).collect();
        twins.forecasts.entry(item.name.clone()).or_insert(given);
    }
    twins
}

/// The rows of people and of their twins in each repeat.
struct Pairs<'a> {
    people: &'a Respondents,
    with_arms: bool,
    rows: Vec<BTreeMap<RowKey<'a>, usize>>,
    /// A person in several arms is one person.
    persons: BTreeMap<&'a str, usize>,
}

impl<'a> Pairs<'a> {
    fn new(people: &'a Respondents, repeats: &[&'a Respondents]) -> Result<Self, CompareRefused> {
        let with_arms = people.arms.is_some() && repeats.iter().all(|twins| twins.arms.is_some());
        people.check("people")?;
        repeats.iter().try_for_each(|twins| twins.check("twins"))?;
        people.rows("people", with_arms)?;
        let rows = repeats.iter().map(|twins| twins.rows("twins", with_arms)).collect::<Result<_, _>>()?;
        let mut persons = BTreeMap::new();
        for (row, id) in people.ids.iter().enumerate() {
            persons.entry(id.as_str()).or_insert(row);
        }
        Ok(Self { people, with_arms, rows, persons })
    }

    /// The rows of the person's twin, one in each repeat. `None`: a repeat does not have it.
    fn of_twins(&self, row: usize) -> Option<Vec<usize>> {
        let key = self.people.key(row, self.with_arms);
        self.rows.iter().map(|rows| rows.get(&key).copied()).collect()
    }

    fn person(&self, row: usize) -> Option<usize> {
        self.persons.get(self.people.ids.get(row)?.as_str()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Column;
    use crate::metrics::{Scale, brier, log_loss};

    fn side(answers: &[f64], forecasts: Option<Vec<Option<GivenDistribution>>>) -> Respondents {
        Respondents {
            ids: (0..answers.len()).map(|id| id.to_string()).collect(),
            answers: [("q".to_owned(), Column::Numbers(answers.iter().copied().map(Some).collect()))].into(),
            forecasts: forecasts.into_iter().map(|given| ("q".to_owned(), given)).collect(),
            ..Respondents::default()
        }
    }

    #[test]
    fn probabilities_that_twins_gave_are_their_forecasts() {
        let item = Item::single("q", Scale::Nominal { categories: 3 });
        let people = side(&[1.0, 2.0, 3.0], None);
        let options = |p: [f64; 3]| Some(GivenDistribution::Options(p.to_vec()));
        let given = vec![options([0.5, 0.3, 0.2]), options([0.1, 0.8, 0.1]), None];
        let twins = side(&[2.0, 2.0, 2.0], Some(given));
        let found = forecasts(std::slice::from_ref(&item), &people, &[&twins]).expect("comparable sides");
        let [of] = &found[..] else { panic!("one item") };
        let scored: Vec<(Vec<f64>, usize)> = of.forecasts.iter().map(|of| (of.p.clone(), of.answer)).collect();
        assert_eq!(scored, [(vec![0.5, 0.3, 0.2], 0), (vec![0.1, 0.8, 0.1], 1)]);
        // By hand: (.25 + .09 + .04 + .01 + .04 + .01) / 2, and -(ln .5 + ln .8) / 2.
        assert!((brier(&scored).unwrap() - 0.22).abs() < 1e-12);
        assert!((log_loss(&scored).unwrap() - 0.458_145_365_937).abs() < 1e-10);
        assert!(forecasts(&[item], &people, &[&side(&[2.0; 3], None)]).expect("comparable sides").is_empty());
    }

    #[test]
    fn quantiles_that_twins_gave_are_scored_by_their_person() {
        let item = Item::single("q", Scale::Interval { min: 0.0, max: 10.0 });
        let people = side(&[4.0, 2.0, 9.0], None);
        let corners =
            |from: f64, to: f64| Some(GivenDistribution::Numbers(QuantileCorners(vec![(0.0, from), (1.0, to)])));
        let twins = side(&[4.0; 3], Some(vec![corners(2.0, 6.0), corners(2.0, 2.0), None]));
        let again = side(&[4.0; 3], Some(vec![corners(4.0, 8.0), corners(2.0, 2.0), None]));
        let found =
            number_forecasts(std::slice::from_ref(&item), &people, &[&twins, &again]).expect("comparable sides");
        let [of] = &found[..] else { panic!("one item") };
        let scored: Vec<(usize, f64)> = of.forecasts.iter().map(|of| (of.person, of.corners.crps(of.answer))).collect();
        // Even between 3 and 7, the answer at a quarter: 4 * (1/4^3 + (3/4)^3) / 3 = 7/12.
        assert_eq!((scored.len(), scored[1]), (2, (1, 0.0)));
        assert!((scored[0].1 - 7.0 / 12.0).abs() < 1e-12, "{scored:?}");
        assert!(forecasts(&[item], &people, &[&twins]).expect("comparable sides").is_empty());
    }
}

//! Repeated answers of twins, or the probabilities that they gave, as forecasts of their people's answers.

use std::collections::BTreeMap;

use crate::compare::{CompareRefused, Item, ItemKind, Respondents, RowKey};
use crate::metrics::{shares, smoothed};

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
/// repeat. Where the twins gave probabilities, these are the forecast: their mean over the repeats. If both sides have arms, a twin forecasts for its person in the same arm. Persons are positions in `people`.
/// Fails if a side lists an id twice, or lists have different lengths.
pub fn forecasts(
    items: &[Item],
    people: &Respondents,
    repeats: &[&Respondents],
) -> Result<Vec<ForecastItem>, CompareRefused> {
    let with_arms = people.arms.is_some() && repeats.iter().all(|twins| twins.arms.is_some());
    people.check("people")?;
    repeats.iter().try_for_each(|twins| twins.check("twins"))?;
    people.rows("people", with_arms)?;
    let rows: Vec<BTreeMap<RowKey, usize>> =
        repeats.iter().map(|twins| twins.rows("twins", with_arms)).collect::<Result<_, _>>()?;
    // A person in several arms is one person.
    let mut persons: BTreeMap<&str, usize> = BTreeMap::new();
    for (row, id) in people.ids.iter().enumerate() {
        persons.entry(id).or_insert(row);
    }
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
            for (twins, rows) in repeats.iter().zip(&rows) {
                let row = *rows.get(&people.key(row, with_arms))?;
                if gave {
                    let of_twin = twins.forecasts.get(&item.name)?.get(row)?.as_ref()?;
                    given.iter_mut().zip(of_twin).for_each(|(sum, p)| *sum += p / repeats.len() as f64);
                } else {
                    counts[place(twins, row)?] += 1;
                }
            }
            let p = if gave { given } else { smoothed(&counts) };
            let person = *persons.get(people.ids[row].as_str())?;
            let weight = people.weight(row);
            (weight > 0.0).then(|| Forecast { person, weight, p, answer })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Column;
    use crate::metrics::{Scale, brier, log_loss};

    fn side(answers: &[f64], forecasts: Option<Vec<Option<Vec<f64>>>>) -> Respondents {
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
        let given = vec![Some(vec![0.5, 0.3, 0.2]), Some(vec![0.1, 0.8, 0.1]), None];
        let twins = side(&[2.0, 2.0, 2.0], Some(given));
        let found = forecasts(&[item.clone()], &people, &[&twins]).expect("comparable sides");
        let [of] = &found[..] else { panic!("one item") };
        let scored: Vec<(Vec<f64>, usize)> = of.forecasts.iter().map(|of| (of.p.clone(), of.answer)).collect();
        assert_eq!(scored, [(vec![0.5, 0.3, 0.2], 0), (vec![0.1, 0.8, 0.1], 1)]);
        // By hand: (.25 + .09 + .04 + .01 + .04 + .01) / 2, and -(ln .5 + ln .8) / 2.
        assert!((brier(&scored).unwrap() - 0.22).abs() < 1e-12);
        assert!((log_loss(&scored).unwrap() - 0.458_145_365_937).abs() < 1e-10);
        assert!(forecasts(&[item], &people, &[&side(&[2.0; 3], None)]).expect("comparable sides").is_empty());
    }
}

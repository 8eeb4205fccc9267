//! Tests with people who were drawn from the persons of the twins with known probabilities.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::both_sides;
use crate::golden::cases;
use crate::metrics::close;
use evidence::compare::{Column, Item, Respondents};
use evidence::distributions::normal_quantile;
use evidence::metrics::Scale;
use evidence::rectified::{DRAWN_ASSUMPTION, FigureRefused, PairedBy, table};

#[derive(Deserialize)]
struct Case {
    group: Vec<usize>,
    twins: Vec<f64>,
    probability: Vec<f64>,
    people: Vec<Option<f64>>,
    mean: f64,
    error: f64,
    people_mean: f64,
    people_error: f64,
    /// Coefficients of people, of twins and rectified.
    coefficients: [Vec<f64>; 3],
    errors: [Vec<f64>; 3],
}

#[test]
fn means_and_regressions_are_those_of_statsmodels() {
    let case = cases::<Case>("drawn").remove(0);
    let size = case.twins.len();
    let id = |row: usize| format!("p{row}");
    let asked: Vec<usize> = (0..size).filter(|row| case.people[*row].is_some()).collect();
    let level = |row: usize| Some(["one", "three", "two"][[0, 2, 1][case.group[row]]].to_owned());
    let twins = Respondents {
        ids: (0..size).map(id).collect(),
        attributes: BTreeMap::from([("Group".to_owned(), (0..size).map(level).collect())]),
        answers: BTreeMap::from([("fair".to_owned(), Column::Numbers(case.twins.iter().copied().map(Some).collect()))]),
        ..Respondents::default()
    };
    let people = Respondents {
        ids: asked.iter().map(|row| id(*row)).collect(),
        probabilities: Some(asked.iter().map(|row| case.probability[*row]).collect()),
        answers: BTreeMap::from([(
            "fair".to_owned(),
            Column::Numbers(asked.iter().map(|row| case.people[*row]).collect()),
        )]),
        ..Respondents::default()
    };
    let items = [Item::single("fair", Scale::Unbounded)];
    let found = table(&items, &people, &twins, &["Group".to_owned()], None, 0.95).unwrap();
    assert!(found.drawn && found.pairing == Some(PairedBy::Id) && found.refused.is_empty(), "{found:?}");
    assert_eq!(found.assumption, DRAWN_ASSUMPTION);
    let z = normal_quantile(0.975);
    let row = &found.estimates[0];
    assert_eq!((row.figures.n, row.figures.others, row.figures.lambda), (asked.len(), size - asked.len(), 1.0));
    close(row.figures.rectified.estimate, case.mean, 9);
    close(row.figures.rectified.interval().high, case.mean + z * case.error, 9);
    close(row.figures.people.estimate, case.people_mean, 9);
    close(row.figures.people.interval().low, case.people_mean - z * case.people_error, 9);
    // Levels are in the order of their names, so three comes before two.
    for (row, (term, place)) in found.estimates[1..].iter().zip([("Group: three", 1), ("Group: two", 0)]) {
        assert_eq!(row.term.as_deref(), Some(term));
        for (figure, of) in [(row.figures.people, 0), (row.figures.twins, 1), (row.figures.rectified, 2)] {
            close(figure.estimate, case.coefficients[of][place], 8);
            close(figure.variance.sqrt(), case.errors[of][place], 8);
        }
    }
}

#[test]
fn what_does_not_go_with_a_draw_is_refused() {
    let (items, mut people, mut twins) = both_sides(400, 60);
    people.probabilities = Some(vec![0.15; 60]);
    let found = table(&items, &people, &twins, &[], None, 0.95).unwrap();
    assert_eq!(found.estimates.len(), 5);
    let of_kinds: f64 = found.estimates[1..3].iter().map(|row| row.figures.rectified.estimate).sum();
    close(of_kinds, 1.0, 12);
    people.probabilities = Some(vec![0.0; 60]);
    let found = table(&items, &people, &twins, &[], None, 0.95).unwrap();
    assert_eq!(found.refused[0].reason, FigureRefused::Probability.to_string());
    people.weights = Some(vec![1.0; 60]);
    assert_eq!(table(&items, &people, &twins, &[], None, 0.95), Err(FigureRefused::Weights));
    people.weights = None;
    let arms = |rows: usize| Some((0..rows).map(|row| ["a", "b"][row % 2].to_owned()).collect());
    (people.arms, twins.arms) = (arms(60), arms(400));
    assert_eq!(table(&items, &people, &twins, &[], None, 0.95), Err(FigureRefused::ArmsDrawn));
    people.arms = None;
    people.ids = (0..60).map(|row| format!("stranger {row}")).collect();
    assert_eq!(table(&items, &people, &twins, &[], None, 0.95), Err(FigureRefused::NoPairing));
}

#[test]
fn of_drawn_people_the_twins_weight_counts() {
    let (items, mut people, mut twins) = both_sides(400, 60);
    people.probabilities = Some(vec![0.15; 60]);
    let weight = |row: usize| [1.0, 3.0, 0.0][row % 3];
    twins.weights = Some((0..400).map(weight).collect());
    // Weights of people alone do not apply to those who were not asked; with the twins' they change nothing.
    people.weights = Some(vec![5.0; 60]);
    let found = table(&items, &people, &twins, &[], None, 0.95).unwrap();
    people.weights = None;
    assert_eq!(table(&items, &people, &twins, &[], None, 0.95).unwrap(), found);

    let Column::Numbers(own) = &twins.answers["number"] else { panic!("numbers") };
    let Column::Numbers(said) = &people.answers["number"] else { panic!("numbers") };
    let person = |row: usize| people.ids.iter().position(|id| *id == twins.ids[row]);
    let outcomes: Vec<(f64, f64)> = (0..400)
        .filter(|row| weight(*row) > 0.0)
        .filter_map(|row| {
            let own = own[row]?;
            let said = person(row).and_then(|person| said[person]);
            Some((said.map_or(own, |said| own + (said - own) / 0.15), weight(row)))
        })
        .collect();
    let total: f64 = outcomes.iter().map(|(_, weight)| weight).sum();
    let mean = outcomes.iter().map(|(outcome, weight)| outcome * weight).sum::<f64>() / total;
    let squares: f64 = outcomes.iter().map(|(outcome, weight)| (weight * (outcome - mean)).powi(2)).sum();
    let size = outcomes.len() as f64;
    let row = &found.estimates[0];
    close(row.figures.rectified.estimate, mean, 10);
    close(row.figures.rectified.variance, squares / (total * total) * size / (size - 1.0), 10);
    assert!(row.figures.n_weighted.is_some_and(|kish| kish < row.figures.n as f64), "{row:?}");
    assert!(
        table(&items, &people, &Respondents { weights: None, ..twins }, &[], None, 0.95).unwrap().estimates[0]
            .figures
            .n_weighted
            .is_none()
    );
}

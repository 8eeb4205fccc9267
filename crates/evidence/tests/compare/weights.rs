//! Every metric with people who do not all count the same.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::settings;
use crate::golden::cases;
use crate::metrics::close;
use evidence::categories::marginal_homogeneity;
use evidence::compare::{Column, Item, Respondents, compare};
use evidence::metrics::Scale;
use random::{generator, uniform};

#[derive(Deserialize)]
struct Case {
    h: Vec<f64>,
    t: Vec<f64>,
    w: Vec<f64>,
    kish: f64,
    metrics: BTreeMap<String, f64>,
    difference: f64,
    t_test: f64,
    p: f64,
    maxwell: f64,
    maxwell_p: f64,
}

fn side(name: &str, answers: &[f64]) -> Respondents {
    let numbers = Column::Numbers(answers.iter().copied().map(Some).collect());
    Respondents {
        ids: (0..answers.len()).map(|row| format!("{name}{row}")).collect(),
        answers: ["ordered", "kind"].map(|item| (item.to_owned(), numbers.clone())).into(),
        ..Respondents::default()
    }
}

fn items() -> [Item; 2] {
    [Item::single("ordered", Scale::Ordinal { categories: 5 }), Item::single("kind", Scale::Nominal { categories: 5 })]
}

#[test]
fn weighted_metrics_are_those_of_numpy() {
    let case = cases::<Case>("weighted_metrics").remove(0);
    let people = Respondents { weights: Some(case.w.clone()), ..side("p", &case.h) };
    let found = compare(&items(), &people, &side("p", &case.t), settings()).unwrap();
    let ordered = &found.questions[0];
    close(ordered.n_effective, case.kish, 9);
    let of = |name: &str| ordered.metrics.iter().find(|value| value.metric == name);
    for (name, expected) in &case.metrics {
        let value = of(name).unwrap_or_else(|| panic!("{name}"));
        close(value.estimate.value, *expected, 9);
    }
    close(ordered.difference.unwrap(), case.difference, 9);
    close(ordered.t.unwrap(), case.t_test, 9);
    close(ordered.p.unwrap(), case.p, 9);
    let maxwell = marginal_homogeneity(&case.h, &case.t, &case.w, 5).unwrap();
    close(maxwell.statistic, case.maxwell, 9);
    close(maxwell.p, case.maxwell_p, 9);
    close(found.questions[1].p.unwrap(), case.maxwell_p, 9);
}

#[test]
fn weights_change_the_tests_of_people_who_are_nobodys_pair() {
    let case = cases::<Case>("weighted_metrics").remove(0);
    let twins = side("t", &case.t);
    let unweighted = compare(&items(), &side("p", &case.h), &twins, settings()).unwrap();
    let of = |weights: Vec<f64>| {
        let people = Respondents { weights: Some(weights), ..side("p", &case.h) };
        compare(&items(), &people, &twins, settings()).unwrap()
    };
    let same = of(vec![3.0; case.h.len()]);
    close(same.questions[1].p.unwrap(), unweighted.questions[1].p.unwrap(), 9);
    // Weight on those who answered 1 only: their shares differ from the twins', and few of them count.
    let ones: Vec<f64> = case.h.iter().map(|answer| if *answer == 1.0 { 1.0 } else { 0.0 }).collect();
    let few: f64 = ones.iter().sum();
    let one_sided = of(ones);
    close(one_sided.questions[0].n_effective, few, 9);
    assert!(one_sided.questions[1].p.unwrap() < 0.001);
    assert_eq!(one_sided.questions[0].mean_people, Some(1.0));
}

#[test]
fn what_people_know_of_themselves_is_weighted_too() {
    let mut random = generator(4, &[b"within"]);
    let traits: Vec<Vec<f64>> = (0..5).map(|_| (0..40).map(|_| uniform(&mut random)).collect()).collect();
    let rows = |shift: f64| -> BTreeMap<String, Column> {
        let of = |item: usize| {
            let value = |row: usize| Some(traits[item][row] + if row < 20 { 0.0 } else { shift * item as f64 });
            (format!("i{item}"), Column::Numbers((0..40).map(value).collect()))
        };
        (0..5).map(of).collect()
    };
    let items: Vec<Item> = (0..5).map(|item| Item::single(&format!("i{item}"), Scale::Unbounded)).collect();
    let ids: Vec<String> = (0..40).map(|row| format!("p{row}")).collect();
    let side = |shift| Respondents { ids: ids.clone(), answers: rows(shift), ..Respondents::default() };
    let r = |weights: Option<Vec<f64>>| {
        let people = Respondents { weights, ..side(0.0) };
        let found = compare(&items, &people, &side(-2.0), settings()).unwrap();
        found.overall.r_within_person.unwrap().value
    };
    // The twins of the first half are exact.
    let first: Vec<f64> = (0..40).map(|row| f64::from(u8::from(row < 20))).collect();
    close(r(Some(first)), 1.0, 9);
    assert!(r(None) < 0.99);
}

//! Outcomes that formulas compute.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::metrics::close;
use evidence::compare::{Column, Item, ItemKind, Respondents};
use evidence::formula::{Formula, FormulaRefused, scale_reliability};
use evidence::metrics::Scale;

fn items() -> Vec<Item> {
    let single = |name: &str, scale| Item::single(name, scale);
    let choice = ItemKind::Single {
        scale: Scale::Nominal { categories: 3 },
        labels: ["Bus", "Car", "On foot"].map(str::to_owned).to_vec(),
    };
    let several = ItemKind::Multiple { labels: ["Tea", "Milk"].map(str::to_owned).to_vec() };
    vec![
        single("fair", Scale::Ordinal { categories: 7 }),
        single("greedy", Scale::Ordinal { categories: 7 }),
        single("honest", Scale::Ordinal { categories: 7 }),
        single("price paid", Scale::Unbounded),
        single("Q3_1", Scale::Interval { min: 0.0, max: 100.0 }),
        Item { kind: choice, ..single("travel", Scale::Unbounded) },
        Item { kind: several, ..single("use", Scale::Unbounded) },
        Item { scores: vec![5.0, 3.0, 1.0], ..single("coded", Scale::Ordinal { categories: 3 }) },
    ]
}

/// Three respondents; the second answered little.
fn side() -> Respondents {
    let numbers = |values: [Option<f64>; 3]| Column::Numbers(values.to_vec());
    let answers = BTreeMap::from([
        ("fair".to_owned(), numbers([Some(6.0), None, Some(2.0)])),
        ("greedy".to_owned(), numbers([Some(2.0), Some(7.0), Some(4.0)])),
        ("honest".to_owned(), numbers([Some(4.0), None, Some(3.0)])),
        ("price paid".to_owned(), numbers([Some(10.0), Some(0.0), None])),
        ("Q3_1".to_owned(), numbers([Some(50.0), Some(20.0), Some(0.0)])),
        ("travel".to_owned(), numbers([Some(2.0), Some(3.0), None])),
        ("coded".to_owned(), numbers([Some(1.0), Some(3.0), None])),
        ("use".to_owned(), Column::Selections(vec![Some(vec![true, false]), None, Some(vec![false, true])])),
    ]);
    let ids = ["a", "b", "c"].map(str::to_owned).to_vec();
    Respondents { ids, answers, ..Respondents::default() }
}

fn values(formula: &str) -> Vec<Option<f64>> {
    let formula = Formula::new(formula, &items()).unwrap_or_else(|refused| panic!("{formula}: {refused}"));
    match formula.column(&side()) {
        Column::Numbers(values) => values,
        Column::Selections(_) => panic!("no numbers"),
    }
}

#[test]
fn formulas_are_computed_for_each_respondent() {
    for (formula, expected) in [
        ("fair", [Some(6.0), None, Some(2.0)]),
        ("reverse(greedy)", [Some(6.0), Some(1.0), Some(4.0)]),
        ("mean(fair, reverse(greedy), honest)", [Some(16.0 / 3.0), None, Some(3.0)]),
        ("mean(fair, greedy)", [Some(4.0), Some(7.0), Some(3.0)]),
        ("sum(fair, greedy)", [Some(8.0), None, Some(6.0)]),
        ("fair - greedy", [Some(4.0), None, Some(-2.0)]),
        ("1 + 2 * fair - -greedy / 2", [Some(14.0), None, Some(7.0)]),
        ("coded", [Some(5.0), Some(1.0), None]),
        ("reverse(coded)", [Some(1.0), Some(5.0), None]),
        ("(fair + greedy) * 2", [Some(16.0), None, Some(12.0)]),
        ("fair - greedy - 1", [Some(3.0), None, Some(-3.0)]),
        ("Q3_1 / \"price paid\"", [Some(5.0), None, None]),
        ("first(fair, greedy)", [Some(6.0), Some(7.0), Some(2.0)]),
        ("count(fair, greedy, honest)", [Some(3.0), Some(1.0), Some(3.0)]),
        ("min(fair, greedy)", [Some(2.0), None, Some(2.0)]),
        ("max(fair, greedy)", [Some(6.0), None, Some(4.0)]),
        ("is(travel, \"Car\")", [Some(1.0), Some(0.0), None]),
        ("is(use, Milk) + 1", [Some(1.0), None, Some(2.0)]),
    ] {
        let found = values(formula);
        for (found, expected) in found.iter().zip(expected) {
            match (found, expected) {
                (Some(found), Some(expected)) => close(*found, expected, 12),
                (found, expected) => assert_eq!(*found, expected, "{formula}"),
            }
        }
    }
}

#[test]
fn the_range_of_an_outcome_follows_from_its_parts() {
    for (formula, range) in [
        ("mean(fair, reverse(greedy), honest)", Some((1.0, 7.0))),
        ("sum(fair, greedy, honest)", Some((3.0, 21.0))),
        ("fair - greedy", Some((-6.0, 6.0))),
        ("coded", Some((1.0, 5.0))),
        ("-fair", Some((-7.0, -1.0))),
        ("(fair - 4) * (greedy - 4)", Some((-9.0, 9.0))),
        ("Q3_1 / fair", Some((0.0, 100.0))),
        ("fair / (greedy - 4)", None),
        ("fair + \"price paid\"", None),
        ("count(fair, greedy)", Some((0.0, 2.0))),
        ("is(travel, Bus)", Some((0.0, 1.0))),
    ] {
        assert_eq!(Formula::new(formula, &items()).unwrap().range, range, "{formula}");
    }
    let item = Formula::new("mean(fair, honest)", &items()).unwrap().item("trust", "Trust");
    let ItemKind::Single { scale, .. } = item.kind else { panic!() };
    assert_eq!(scale, Scale::Interval { min: 1.0, max: 7.0 });
}

#[test]
fn what_is_wrong_with_a_formula_is_said_before_it_is_computed() {
    for (formula, words) in [
        ("", "the formula ends where a name or a number is expected"),
        ("fair +", "the formula ends where a name or a number is expected"),
        ("fair fair", "f is not expected at character 6"),
        ("mean(fair, greedy", ") is missing at the end"),
        ("mean fair", "f is not expected at character 6"),
        ("median(fair)", "there is no function median"),
        ("\"fair", "a quote is not closed"),
        ("3rd", "3rd is neither a number nor a name: put it in quotes"),
        ("fairr + 1", "there is no question fairr; the nearest name is fair"),
        ("zzzzzz", "there is no question zzzzzz"),
        ("travel * 2", "travel has options without an order: use is(travel, \"an option\")"),
        ("mean(use, fair)", "use has options without an order: use is(use, \"an option\")"),
        ("is(travel, \"Train\")", "travel has no option Train"),
        ("is(travel)", "is(..) takes the name of a question and one of its options"),
        ("mean(fair, Q3_1)", "mean(..) takes parts with the same range, but fair and Q3_1 differ: rescale one of them"),
        (
            "reverse(\"price paid\")",
            "reverse(price paid) needs the lowest and the highest answer, but price paid has no bounds",
        ),
        ("reverse(fair + 1)", "reverse(..) takes the name of one question"),
        ("mean()", "mean(..) needs a part"),
    ] {
        let refused: FormulaRefused = Formula::new(formula, &items()).unwrap_err();
        assert_eq!(refused.to_string(), words, "{formula}");
    }
    let deep = format!("{}fair{}", "(".repeat(60), ")".repeat(60));
    assert!(Formula::new(&deep, &items()).unwrap_err().to_string().contains("nested too deeply"));
    assert!(Formula::new(&"+1".repeat(4_000), &items()).unwrap_err().to_string().contains("at most 4000 characters"));
}

#[derive(Deserialize)]
struct Golden {
    scales: Vec<GoldenScale>,
}

#[derive(Deserialize)]
struct GoldenScale {
    rows: Vec<Vec<f64>>,
    alpha: f64,
    omega: f64,
}

/// The golden values are from scripts/outcomes-golden.py.
#[test]
fn scales_have_the_reliability_of_another_program() {
    let Golden { scales } = serde_json::from_str(include_str!("../golden/outcomes.json")).unwrap();
    assert_eq!(scales.len(), 3);
    for GoldenScale { rows, alpha, omega } in scales {
        let found = scale_reliability(&rows).unwrap();
        close(found.alpha, alpha, 10);
        close(found.omega.unwrap(), omega, 7);
        assert_eq!(found.n, rows.len());
    }
    // Parallel parts: alpha and omega are the same by Spearman and Brown's formula.
    let equal: Vec<Vec<f64>> = (0..40).map(|row| vec![f64::from(row % 7); 3]).collect();
    close(scale_reliability(&equal).unwrap().alpha, 1.0, 12);
    assert_eq!(scale_reliability(&equal[..5]), None, "too few");
    assert_eq!(scale_reliability(&vec![vec![1.0, 2.0, 3.0]; 20]), None, "nobody differs");
}

#[test]
fn the_parts_of_a_scale_are_those_that_everybody_answered() {
    let formula = Formula::new("mean(fair, reverse(greedy), honest)", &items()).unwrap();
    assert_eq!(formula.parts(&side()), [vec![6.0, 6.0, 4.0], vec![2.0, 4.0, 3.0]]);
    assert!(Formula::new("fair - greedy", &items()).unwrap().parts(&side()).is_empty());
}

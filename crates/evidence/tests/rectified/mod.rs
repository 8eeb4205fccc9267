mod arms;
mod drawn;
mod estimators;
mod weights;

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use crate::golden::cases;
use crate::metrics::close;
use evidence::compare::{Column, Item, ItemKind, Respondents};
use evidence::distributions::normal_quantile;
use evidence::metrics::Scale;
use evidence::rectified::{
    Budget, Cells, FigureRefused, PairedBy, PairedSample, Prices, Subsample, all_arms, best_lambda, by_cell, dsl_mean,
    dsl_outcomes, dsl_regression, estimate, human_sd, mean, pair, planned_n, precision, shares, split_arms, table,
    two_arms, two_shares,
};
use random::{below, generator, uniform};

#[test]
fn the_example_of_the_design_has_its_golden_values() {
    let y = [3., 4., 2., 5., 4., 3., 1., 4., 5., 2.];
    let f = [3., 4., 3., 4., 4., 3., 2., 4., 4., 3.];
    let others = [4., 3., 3., 4., 4., 5., 3., 2., 4., 3., 4., 4., 3., 3., 5., 4., 2., 4., 3., 4.];
    let lambda = best_lambda(&y, &f, &others);
    close(lambda, 0.8617142857, 10);
    for (lambda, theta, low, high) in [
        (lambda, 3.4292571429, 2.86362857, 3.99488571),
        (1.0, 3.45, 2.89089472, 4.00910528),
        (0.0, 3.3, 2.51356827, 4.08643173),
    ] {
        let figure = estimate(&y, &f, &others, lambda, 0.95);
        close(figure.estimate, theta, 10);
        close(figure.interval().low, low, 8);
        close(figure.interval().high, high, 8);
    }
    assert_eq!(mean(&y, &f, &others, 0.95), Err(FigureRefused::FewPeople { n: 10 }));
}

#[derive(Deserialize)]
struct Case {
    y: Vec<f64>,
    f: Vec<f64>,
    rest: Vec<f64>,
    lambda: Option<f64>,
    estimate: f64,
    low: f64,
    high: f64,
}

#[test]
fn means_are_those_of_ppi_python() {
    for case in cases::<Case>("rectified") {
        let lambda = case.lambda.unwrap_or_else(|| best_lambda(&case.y, &case.f, &case.rest));
        let figure = estimate(&case.y, &case.f, &case.rest, lambda, 0.95);
        close(figure.estimate, case.estimate, 9);
        close(figure.interval().low, case.low, 9);
        close(figure.interval().high, case.high, 9);
        let whole = mean(&case.y, &case.f, &case.rest, 0.95).unwrap();
        let same = match case.lambda {
            None => whole.rectified,
            Some(1.0) => whole.full_weight.unwrap(),
            _ => whole.people,
        };
        assert_eq!(same, figure);
        assert_eq!(whole.note.is_some(), case.y.len() < 100);
    }
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    normal_quantile(uniform(random))
}

/// Draws people, their twins and other twins. Twins correlate with people by `rho` and are off by `shift`.
fn drawn(n: usize, others: usize, rho: f64, shift: f64, seed: i64) -> [Vec<f64>; 3] {
    let mut random = generator(seed, &[b"rectified"]);
    let mut twin = |y: f64| shift + rho * y + (1.0 - rho * rho).sqrt() * normal(&mut random);
    let mut people = generator(seed, &[b"people"]);
    let y: Vec<f64> = (0..n).map(|_| normal(&mut people)).collect();
    let f = y.iter().map(|y| twin(*y)).collect();
    let rest = (0..others).map(|_| twin(normal(&mut people))).collect();
    [y, f, rest]
}

const DRAWS: i64 = 2_000;

#[test]
fn intervals_cover_the_truth_as_often_as_they_say() {
    for (rho, width) in [(0.2, 0.979), (0.5, 0.878), (0.8, 0.649)] {
        let (mut covered, mut ratios) = (0, 0.0);
        for seed in 0..DRAWS {
            let [y, f, others] = drawn(200, 2_000, rho, 0.0, seed);
            let found = mean(&y, &f, &others, 0.95).unwrap();
            covered += u32::from(found.rectified.interval().contains(0.0));
            ratios += found.width_ratio / DRAWS as f64;
        }
        let coverage = f64::from(covered) / DRAWS as f64;
        assert!((0.93..=0.965).contains(&coverage), "{rho}: {coverage}");
        assert!((ratios - width).abs() < 0.004, "{rho}: {ratios}");
    }
}

#[test]
fn intervals_of_shares_cover_the_truth() {
    let mut covered = 0;
    for seed in 0..DRAWS {
        let [y, f, others] = drawn(200, 2_000, 0.7, 0.3, seed);
        let category = |values: Vec<f64>| values.iter().map(|v| if *v > 0.5 { 2.0 } else { 1.0 }).collect::<Vec<_>>();
        let found = shares(&category(y), &category(f), &category(others), 2, 0.95).unwrap();
        let truth = 1.0 - evidence::distributions::normal_cdf(0.5);
        covered += u32::from(found[1].rectified.interval().contains(truth));
        let sum: f64 = found.iter().map(|share| share.rectified.estimate).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
    let coverage = f64::from(covered) / DRAWS as f64;
    assert!((0.93..=0.965).contains(&coverage), "{coverage}");
}

#[test]
fn twins_that_are_half_an_sd_off_leave_the_estimate_unbiased() {
    let (mut sum, mut twins_cover) = (0.0, 0);
    for seed in 0..DRAWS {
        let [y, f, others] = drawn(200, 2_000, 0.5, 0.5, seed);
        let found = mean(&y, &f, &others, 0.95).unwrap();
        sum += found.rectified.estimate / DRAWS as f64;
        twins_cover += u32::from(found.twins.interval().contains(0.0));
    }
    assert!(sum.abs() < 0.005, "{sum}");
    assert!(f64::from(twins_cover) / (DRAWS as f64) < 0.01);
}

#[test]
fn both_ways_to_split_arms_cover_the_difference() {
    let (mut split, mut all) = (0, 0);
    for seed in 0..1_000 {
        let [a, fa, ra] = drawn(100, 1_000, 0.6, 0.2, 2 * seed);
        let [b, fb, rb] = drawn(100, 1_000, 0.6, -0.1, 2 * seed + 1);
        let a: Vec<f64> = a.iter().map(|y| y + 0.4).collect();
        let (first, second) = (PairedSample::new(&a, &fa, &ra), PairedSample::new(&b, &fb, &rb));
        let found = split_arms(first, second, 0.95).unwrap();
        split += u32::from(found.rectified.interval().contains(0.4));
        assert_eq!((found.n, found.others), (200, 2_000));
        // Each twin answers the same in both arms, except for the arm's shift.
        let mut random = generator(seed, &[b"both arms"]);
        let both: Vec<f64> = ra.iter().map(|f| f - 0.3 - 0.2 * normal(&mut random)).collect();
        let found = all_arms(first, PairedSample { others: &both, ..second }, 0.95).unwrap();
        all += u32::from(found.rectified.interval().contains(0.4));
        assert!(found.width_ratio < 1.0 && found.rho > 0.0);
    }
    assert!((930..=970).contains(&split), "{split}");
    assert!((930..=970).contains(&all), "{all}");
}

#[test]
fn cells_stand_in_for_pairs() {
    let mut random = generator(5, &[b"cells"]);
    let mut covered = 0;
    let effect = [-1.0, 0.0, 1.5];
    let name = |cell: usize| format!("cell {cell}");
    let truth = effect.iter().sum::<f64>() / 3.0;
    let known: BTreeMap<String, f64> = (0..3).map(|cell| (name(cell), 1.0 / 3.0)).collect();
    let mut narrower = 0;
    for _ in 0..500 {
        let mut side = |n: usize, shift: f64| -> (Vec<f64>, Vec<String>) {
            (0..n)
                .map(|_| {
                    let cell = below(3, &mut random);
                    (effect[cell] + shift + normal(&mut random), name(cell))
                })
                .unzip()
        };
        let ((people, cells_of_people), (twins, cells_of_twins)) = (side(200, 0.0), side(1_000, 0.7));
        let cells = Cells {
            people: &people,
            cells_of_people: &cells_of_people,
            weights: None,
            twins: &twins,
            cells_of_twins: &cells_of_twins,
            weights_of_twins: None,
            shares: None,
        };
        let found = by_cell(cells, 0.95).unwrap();
        covered += u32::from(found.rectified.interval().contains(truth));
        let typed = by_cell(Cells { shares: Some(&known), ..cells }, 0.95).unwrap();
        covered += u32::from(typed.rectified.interval().contains(truth));
        narrower += u32::from(typed.width_ratio < 0.9);
        assert!(typed.rectified.variance < found.rectified.variance * 1.05);
    }
    assert!((930..=970).contains(&covered), "{covered}");
    assert!(narrower > 400, "{narrower}");
    let far = vec!["elsewhere".to_owned(); 30];
    let lost = Cells {
        people: &[1.0; 30],
        cells_of_people: &far,
        weights: None,
        twins: &[1.0],
        cells_of_twins: &[name(0)],
        weights_of_twins: None,
        shares: None,
    };
    assert_eq!(by_cell(lost, 0.95), Err(FigureRefused::EmptyCell("elsewhere".into())));
    let near = vec![name(0); 30];
    let half = BTreeMap::from([(name(0), 0.5)]);
    let not_one = Cells { cells_of_people: &near, shares: Some(&half), ..lost };
    assert_eq!(by_cell(not_one, 0.95), Err(FigureRefused::SharesNotOne));
    let of_others = BTreeMap::from([("elsewhere".to_owned(), 1.0)]);
    let without = Cells { shares: Some(&of_others), ..not_one };
    assert_eq!(by_cell(without, 0.95), Err(FigureRefused::CellWithoutShare(name(0))));
    let misspelt = BTreeMap::from([(name(0), 0.5), ("cel 1".to_owned(), 0.5)]);
    let unknown = Cells { shares: Some(&misspelt), ..not_one };
    assert_eq!(by_cell(unknown, 0.95), Err(FigureRefused::UnknownCell("cel 1".into())));
}

#[test]
fn a_drawn_subsample_gives_unbiased_outcomes() {
    let (mut covered, mut slopes) = (0, 0.0);
    for seed in 0..500 {
        let [y, f, _] = drawn(600, 1, 0.6, 0.5, seed);
        let mut random = generator(seed, &[b"asked"]);
        let probability: Vec<f64> = (0..600).map(|row| if row % 2 == 0 { 0.2 } else { 0.4 }).collect();
        let people: Vec<Option<f64>> =
            y.iter().zip(&probability).map(|(y, p)| (uniform(&mut random) < *p).then_some(*y)).collect();
        let of = Subsample { twins: &f, people: &people, probability: &probability };
        covered += u32::from(dsl_mean(of, 0.95).unwrap().interval().contains(0.0));
        let x: Vec<Vec<f64>> = y.iter().map(|y| vec![1.0, *y]).collect();
        slopes += dsl_regression(of, &x).unwrap().unwrap().coefficients[1] / 500.0;
    }
    assert!((465..=488).contains(&covered), "{covered}");
    // The regression of the answer on itself has slope 1, although the twins alone would give .6.
    assert!((slopes - 1.0).abs() < 0.02, "{slopes}");
    let never = Subsample { twins: &[1.0], people: &[None], probability: &[0.0] };
    assert_eq!(dsl_outcomes(never), Err(FigureRefused::Probability));
}

#[test]
fn the_sentence_says_what_twins_are_worth() {
    let [y, f, others] = drawn(200, 2_058, 0.8, 0.0, 3);
    let found = mean(&y, &f, &others, 0.95).unwrap();
    let extra = (found.n_effective - 200.0).round();
    assert!(extra > 150.0);
    let expected = format!(
        "The twins are worth {extra} extra people: 200 people with twins are as informative as {} without.",
        found.n_effective.round()
    );
    assert_eq!(found.sentence, expected);
    let [y, f, others] = drawn(200, 2_058, 0.0, 0.0, 3);
    let useless = mean(&y, &f, &others, 0.95).unwrap();
    assert_eq!(useless.sentence, "The twins add almost nothing here: 200 people alone are as informative.");
    let constant = mean(&y, &[3.0; 200], &[3.0; 50], 0.95).unwrap();
    assert_eq!((constant.lambda, constant.width_ratio), (0.0, 1.0));
}

#[test]
fn an_interval_of_people_who_all_say_the_same_says_that_it_tells_nothing() {
    let [_, f, others] = drawn(200, 400, 0.5, 0.0, 5);
    let found = mean(&[1.0; 200], &f, &others, 0.95).unwrap();
    assert_eq!(found.people.interval().width(), 0.0);
    assert!(found.note.is_some_and(|note| note.starts_with("all people give the same answer")), "{found:?}");
}

#[test]
fn what_cannot_be_rectified_is_refused_with_the_reason() {
    let forty = [1.0; 40];
    let no_pairs = mean(&forty, &forty[1..], &forty, 0.95).unwrap_err();
    assert!(no_pairs.to_string().starts_with("people and twins have no common ids or attributes"));
    assert_eq!(mean(&forty, &forty, &[], 0.95), Err(FigureRefused::NoTwins));
    assert_eq!(shares(&forty[..29], &forty[..29], &forty, 2, 0.95), Err(FigureRefused::FewPeople { n: 29 }));
}

#[test]
fn the_planner_has_its_golden_values() {
    close(two_arms(0.3, 0.05, 0.8).unwrap(), 174.42, 2);
    assert_eq!(two_shares(0.5, 0.4, 0.05, 0.8).unwrap().ceil(), 385.0);
    close(precision(1.2, 0.1, 0.95).unwrap(), 553.17, 2);
    for (rho, expected) in [(0.2, 207.567), (0.5, 259.019), (0.8, 479.976)] {
        close(planned_n(rho, 200, 2_058.0), expected, 3);
    }
    let prices = Prices { person: 5.0, twin: 0.02 };
    let many = 100_000;
    let found = |rho, budget, twins| {
        let found = pair(rho, prices, budget, twins).unwrap();
        (found.people, found.others)
    };
    assert_eq!(found(0.5, Budget::Effective(400.0), many), (311, 2_528));
    assert_eq!(found(0.2, Budget::Effective(400.0), many), (389, 866));
    assert_eq!(found(0.5, Budget::Money(1_000.0), many), (193, 1_568));
    // Fewer twins exist than would be best: more people replace them, or the money goes to people.
    let (people, others) = found(0.5, Budget::Effective(400.0), 2_058);
    assert_eq!(others, 2_058);
    assert!((planned_n(0.5, people, 2_058.0) - 400.0).abs() < 1.0 && people > 311);
    let short = pair(0.5, prices, Budget::Money(1_000.0), 500).unwrap();
    assert!(short.others == 500 && (short.cost - 1_000.0).abs() < 5.1);
    // Twins without information, or as expensive as people, are not asked.
    assert_eq!(found(0.0, Budget::Effective(400.0), many), (400, 0));
    let dear = Prices { person: 1.0, twin: 1.0 };
    assert_eq!(pair(0.5, dear, Budget::Money(100.0), many).unwrap().others, 0);
}

#[test]
fn a_twins_spread_is_corrected_or_not_used() {
    close(human_sd(0.6, Some(0.5)).unwrap(), 1.2, 12);
    assert_eq!(human_sd(0.6, None), Err(FigureRefused::NotValidated));
    assert_eq!(two_arms(0.0, 0.05, 0.8), Err(FigureRefused::NotPositive("the effect")));
    assert_eq!(precision(0.0, 0.1, 0.95), Err(FigureRefused::NotPositive("the spread")));
}

/// Creates twins 0..n, of which the first `asked` have a person. The items are a number, a category and two options.
pub fn both_sides(n: usize, asked: usize) -> (Vec<Item>, Respondents, Respondents) {
    let [people, twins, _] = drawn(n, 1, 0.6, 0.5, 11);
    let items = vec![
        Item::single("number", Scale::Unbounded),
        Item {
            name: "kind".into(),
            text: "Which?".into(),
            kind: ItemKind::Single {
                scale: Scale::Nominal { categories: 2 },
                labels: vec!["low".into(), "high".into()],
            },
            scores: Vec::new(),
        },
        Item {
            name: "some".into(),
            text: String::new(),
            kind: ItemKind::Multiple { labels: vec!["up".into(), "down".into()] },
            scores: Vec::new(),
        },
    ];
    let side = |values: &[f64], rows: usize| {
        let numbers = values.iter().take(rows).map(|value| Some(*value));
        let kinds = values.iter().take(rows).map(|value| Some(if *value < 0.0 { 1.0 } else { 2.0 }));
        let some = values.iter().take(rows).map(|value| Some(vec![*value > 0.0, *value < 0.0]));
        Respondents {
            ids: (0..rows).map(|row| row.to_string()).collect(),
            attributes: BTreeMap::from([(
                "Side".to_owned(),
                values
                    .iter()
                    .take(rows)
                    .map(|value| Some((if *value < 0.0 { "left" } else { "right" }).to_owned()))
                    .collect(),
            )]),
            answers: BTreeMap::from([
                ("number".to_owned(), Column::Numbers(numbers.collect())),
                ("kind".to_owned(), Column::Numbers(kinds.collect())),
                ("some".to_owned(), Column::Selections(some.collect())),
            ]),
            ..Respondents::default()
        }
    };
    (items, side(&people, asked), side(&twins, n))
}

#[test]
fn every_item_has_the_estimates_of_its_pairs_and_of_the_other_twins() {
    let (n, asked) = (600, 150);
    let (items, people, twins) = both_sides(n, asked);
    let found = table(&items, &people, &twins, &[], None, 0.95).unwrap();
    assert!(found.pairing == Some(PairedBy::Id) && found.refused.is_empty() && found.reference.is_none());
    let names: Vec<(&str, Option<&str>)> =
        found.estimates.iter().map(|row| (&*row.name, row.category.as_deref())).collect();
    assert_eq!(
        names,
        [("number", None), ("kind", Some("low")), ("kind", Some("high")), ("some", Some("up")), ("some", Some("down"))]
    );
    let numbers = |side: &Respondents| match &side.answers["number"] {
        Column::Numbers(values) => values.iter().copied().flatten().collect::<Vec<f64>>(),
        Column::Selections(_) => unreachable!(),
    };
    let (y, f) = (numbers(&people), numbers(&twins));
    let expected = mean(&y, &f[..asked], &f[asked..], 0.95).unwrap();
    assert_eq!(
        (found.estimates[0].figures.rectified, found.estimates[0].figures.n, found.estimates[0].figures.others),
        (expected.rectified, asked, n - asked)
    );
    assert!(found.estimates[0].figures.n_effective > asked as f64, "{}", found.estimates[0].figures.sentence);
    // Shares add up to 1, and the same answers as options give the same people.
    let of_share = |place: usize| found.estimates[place].figures.rectified.estimate;
    close(of_share(1) + of_share(2), 1.0, 12);
    close(found.estimates[2].figures.people.estimate, found.estimates[3].figures.people.estimate, 12);
    assert!(
        found
            .estimates
            .iter()
            .skip(1)
            .all(|row| row.figures.rectified.interval().low >= 0.0 && row.figures.rectified.interval().high <= 1.0)
    );
}

#[test]
fn arms_are_rectified_as_differences_to_the_first() {
    let (items, mut people, mut twins) = both_sides(600, 200);
    let arms = |rows: usize| Some((0..rows).map(|row| ["a", "b"][row % 2].to_owned()).collect());
    (people.arms, twins.arms) = (arms(200), arms(600));
    let found = table(&items[..1], &people, &twins, &[], None, 0.95).unwrap();
    assert_eq!((found.reference.as_deref(), found.estimates.len()), (Some("a"), 1));
    let row = &found.estimates[0];
    assert_eq!((row.arm.as_deref(), row.figures.n, row.figures.others), (Some("b"), 200, 400));
    let of = |side: &Respondents, wanted: usize, rows: std::ops::Range<usize>| match &side.answers["number"] {
        Column::Numbers(values) => {
            rows.filter(|row| row % 2 == wanted).map(|row| values[row].unwrap()).collect::<Vec<_>>()
        }
        Column::Selections(_) => unreachable!(),
    };
    let own = |wanted| (of(&people, wanted, 0..200), of(&twins, wanted, 0..200), of(&twins, wanted, 200..600));
    let ((a, fa, oa), (b, fb, ob)) = (own(0), own(1));
    let (first, second) = (PairedSample::new(&b, &fb, &ob), PairedSample::new(&a, &fa, &oa));
    assert_eq!(row.figures.rectified, split_arms(first, second, 0.95).unwrap().rectified);
    assert!(!found.twins_in_all_arms);
}

#[test]
fn without_common_ids_cells_pair_and_without_cells_nothing_does() {
    let (items, mut people, twins) = both_sides(400, 120);
    people.ids = (0..120).map(|row| format!("person {row}")).collect();
    assert_eq!(table(&items, &people, &twins, &[], None, 0.95), Err(FigureRefused::NoPairing));
    let side = vec!["Side".to_owned()];
    let found = table(&items, &people, &twins, &side, None, 0.95).unwrap();
    assert_eq!(found.pairing, Some(PairedBy::Cells));
    let of = |side: &Respondents, rows: usize| {
        let cells: Vec<String> = side.attributes["Side"].iter().map(|cell| cell.clone().unwrap()).collect();
        let Column::Numbers(values) = &side.answers["number"] else { unreachable!() };
        (values.iter().take(rows).map(|value| value.unwrap()).collect::<Vec<f64>>(), cells)
    };
    let ((y, own), (f, all)) = (of(&people, 120), of(&twins, 400));
    let cells = Cells {
        people: &y,
        cells_of_people: &own,
        weights: None,
        twins: &f,
        cells_of_twins: &all,
        weights_of_twins: None,
        shares: None,
    };
    assert_eq!(found.estimates[0].figures.rectified, by_cell(cells, 0.95).unwrap().rectified);
    let known = BTreeMap::from([("left".to_owned(), 0.3), ("right".to_owned(), 0.7)]);
    let typed = table(&items, &people, &twins, &side, Some(&known), 0.95).unwrap();
    assert_eq!(
        typed.estimates[0].figures.rectified,
        by_cell(Cells { shares: Some(&known), ..cells }, 0.95).unwrap().rectified
    );
    assert_ne!(typed.estimates[0].figures.rectified, found.estimates[0].figures.rectified);
    // With pairs the shares would be refused.
    let named = Respondents { ids: twins.ids[..120].to_vec(), ..people.clone() };
    assert_eq!(table(&items, &named, &twins, &side, Some(&known), 0.95), Err(FigureRefused::SharesUnused));
    let four: Vec<String> = (0..4).map(|n| n.to_string()).collect();
    assert_eq!(table(&items, &people, &twins, &four, None, 0.95), Err(FigureRefused::TooManyAttributes));
    // Equal weights change no figure.
    people.weights = Some(vec![2.0; 120]);
    let weighted = table(&items, &people, &twins, &side, None, 0.95).unwrap();
    assert_eq!(weighted.estimates[0].figures.n_weighted, Some(120.0));
    close(
        weighted.estimates[0].figures.rectified.interval().low,
        found.estimates[0].figures.rectified.interval().low,
        10,
    );
}

#[test]
fn too_few_people_are_told_item_by_item() {
    let (items, people, twins) = both_sides(400, 20);
    let found = table(&items, &people, &twins, &[], None, 0.95).unwrap();
    assert!(found.estimates.is_empty());
    assert_eq!(found.refused.len(), 3);
    assert!(found.refused[0].reason.ends_with("but only 20 answered"), "{}", found.refused[0].reason);
}

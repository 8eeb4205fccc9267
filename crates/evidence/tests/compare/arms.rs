//! The design of an experiment: what was asked before its arms, which questions are one outcome, and covariates.

use std::collections::{BTreeMap, BTreeSet};

use super::{experiment, settings};
use crate::metrics::close;
use evidence::compare::{ArmTable, Column, Contrast, Experiment, Item, Respondents, compare, compare_experiment};
use evidence::effects::welch;
use evidence::options::ComparisonOptions;
use evidence::sample::{Mean, ones};

fn table(items: &[Item], sides: [&Respondents; 2], design: &Experiment) -> ArmTable {
    compare_experiment(items, sides[0], sides[1], design, settings()).unwrap().arms.unwrap()
}

fn of<'a>(contrasts: &'a [Contrast], item: &str) -> &'a Contrast {
    contrasts.iter().find(|contrast| contrast.item == item).unwrap_or_else(|| panic!("no {item}"))
}

fn names(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

fn numbers(side: &Respondents, item: &str) -> Vec<Option<f64>> {
    let Column::Numbers(values) = &side.answers[item] else { panic!("no numbers") };
    values.clone()
}

#[test]
fn what_was_asked_before_the_arms_checks_their_balance_and_is_no_effect() {
    let (items, people, twins) = experiment(600, 12);
    let all = table(&items, [&people, &twins], &Experiment::default());
    let design = Experiment { before: Some(names(&["d", "use"])), beside: names(&["c"]), ..Experiment::default() };
    let found = table(&items, [&people, &twins], &design);
    let listed = |of: &[Contrast]| of.iter().map(|contrast| contrast.item.clone()).collect::<Vec<_>>();
    assert_eq!(listed(&found.effects), ["a", "b", "ok"]);
    assert_eq!(listed(&found.balance), ["c", "d", "use", "use"]);
    assert_eq!(of(&found.balance, "d").people, of(&all.effects, "d").people);
    // Their p are not adjusted, and they do not count for the adjusted p of the effects.
    let check = of(&found.balance, "d");
    assert_eq!((check.q_people, check.adjusted_people.p), (check.people.p, Some(check.people.p)));
    assert_eq!(of(&found.effects, "a").adjusted_people.family_size, 3);
    assert_eq!(of(&all.effects, "a").adjusted_people.family_size, 7);
    assert_eq!(found.agreement.unwrap().effects, 3);
    let rows: Vec<String> = table(&items, [&people, &twins], &design)
        .rows()
        .iter()
        .filter(|row| row.question == "d")
        .map(|row| row.metric.clone())
        .collect();
    assert!(rows.contains(&"balance among people".to_owned()), "{rows:?}");
    assert!(!rows.iter().any(|metric| metric.starts_with("effect ")), "{rows:?}");
}

#[test]
fn who_shows_an_effect_goes_by_the_adjusted_p() {
    let (items, people, twins) = experiment(600, 12);
    let found = table(&items, [&people, &twins], &Experiment::default());
    let agreement = found.agreement.unwrap();
    let shown = |contrast: &Contrast| [contrast.q_people < 0.05, contrast.q_twins < 0.05];
    let count = |sides| found.effects.iter().filter(|contrast| shown(contrast) == sides).count();
    let counts = agreement.shown.counts;
    assert_eq!(
        [counts.both, counts.people_only, counts.twins_only, counts.neither],
        [count([true, true]), count([true, false]), count([false, true]), count([false, false])]
    );
    assert_eq!(counts.both, 4);
    // Of 7 effects both sides show 4 and neither shows 3: chance alone agrees on (4 · 4 + 3 · 3)/7.
    close(agreement.shown.agree_by_chance, 25.0 / 7.0, 12);
    let sensitivity = agreement.shown.sensitivity.unwrap();
    assert_eq!((sensitivity.value, sensitivity.n), (1.0, 4));
    let false_alarms = agreement.shown.false_alarms.unwrap();
    assert_eq!((false_alarms.value, false_alarms.n), (0.0, 3));
    assert_eq!(agreement.sign_agreement.value, agreement.same_sign);
    assert!(agreement.sign_agreement.low.unwrap() < agreement.same_sign);
}

/// Gives each arm a copy of item `a`, and removes the item.
fn with_copies(items: &mut Vec<Item>, sides: &mut [Respondents; 2]) {
    for (copy, arm) in [("a1", "control"), ("a2", "treated")] {
        let item = Item { name: copy.to_owned(), text: "How  fair is it?".to_owned(), ..items[0].clone() };
        items.push(item);
        for side in sides.iter_mut() {
            let arms = side.arms.clone().unwrap();
            let own = numbers(side, "a").into_iter().zip(&arms).map(|(value, own)| value.filter(|_| own == arm));
            let own = Column::Numbers(own.collect());
            side.answers.insert(copy.to_owned(), own);
        }
    }
    items.remove(0);
    sides.iter_mut().for_each(|side| drop(side.answers.remove("a")));
}

#[test]
fn copies_of_a_question_of_which_each_arm_has_its_own_are_one_outcome() {
    let (mut items, people, twins) = experiment(200, 15);
    let whole = table(&items, [&people, &twins], &Experiment::default());
    let mut sides = [people, twins];
    with_copies(&mut items, &mut sides);
    let found = table(&items, [&sides[0], &sides[1]], &Experiment::default());
    let joined = of(&found.effects, "a1 = a2");
    assert_eq!(joined.made_of, ["a1", "a2"]);
    assert_eq!((joined.people, joined.twins), (of(&whole.effects, "a").people, of(&whole.effects, "a").twins));
    // Other words are another question, unless somebody says so.
    items.iter_mut().filter(|item| item.name == "a2").for_each(|item| item.text = "How fair is a fee?".to_owned());
    let apart = table(&items, [&sides[0], &sides[1]], &Experiment::default());
    assert!(apart.effects.iter().all(|contrast| !contrast.item.starts_with('a')));
    let options = ComparisonOptions {
        outcomes: BTreeMap::from([("fair".to_owned(), vec!["a1".to_owned(), "a2".to_owned()])]),
        ..ComparisonOptions::default()
    };
    let design = options.experiment(&Experiment::default(), &items).unwrap();
    let chosen = table(&items, [&sides[0], &sides[1]], &design);
    assert_eq!(of(&chosen.effects, "fair").people, joined.people);
    let refused = |outcome: &str, items_of: &[&str]| {
        let all = items_of.iter().map(|name| (*name).to_owned()).collect();
        let options =
            ComparisonOptions { outcomes: BTreeMap::from([(outcome.to_owned(), all)]), ..ComparisonOptions::default() };
        options.experiment(&Experiment::default(), &items).unwrap_err()
    };
    assert_eq!(refused("fair", &["a1", "a9"]), "outcomes.fair: a9 is no question of the survey");
    assert_eq!(refused("fair", &["a1", "use"]), "outcomes.fair: its questions have different scales or options");
    assert_eq!(refused("b", &["a1", "a2"]), "outcomes.b: is the name of another question");
}

#[test]
fn several_answers_of_a_respondent_have_clustered_errors() {
    let (items, people, twins) = experiment(200, 16);
    let design = Experiment {
        outcomes: BTreeMap::from([("all".to_owned(), ["a", "b", "c"].map(str::to_owned).to_vec())]),
        ..Experiment::default()
    };
    let found = table(&items, [&people, &twins], &design);
    let all = of(&found.effects, "all");
    assert_eq!((all.people.n_first, all.people.n_second), (100, 100), "respondents are counted, not answers");
    let arms = people.arms.as_ref().unwrap();
    let of_arm = |arm: &str| {
        let rows = (0..200).filter(|row| arms[*row] == arm);
        let values: Vec<f64> =
            rows.flat_map(|row| ["a", "b", "c"].map(|item| numbers(&people, item)[row].unwrap())).collect();
        Mean::compute(&values, &ones(values.len())).unwrap()
    };
    let rows_alone = welch(of_arm("treated"), of_arm("control"), 0.95).unwrap();
    close(all.people.difference, rows_alone.difference, 12);
    // The items of a person are independent here, so that the errors are near those of independent rows.
    assert!((all.people.squared_error / rows_alone.squared_error - 1.0).abs() < 0.3);
    assert!(all.people.squared_error != rows_alone.squared_error && all.people.df < 200.0);
}

#[test]
fn effects_are_adjusted_for_what_was_known_before_the_arms() {
    let (mut items, mut people, mut twins) = experiment(400, 17);
    // A question before the arms that tells much of the answers to `a`.
    items.push(Item { name: "before".to_owned(), ..items[0].clone() });
    for side in [&mut people, &mut twins] {
        let arms = side.arms.clone().unwrap();
        let shift = |arm: &String| if arm == "treated" { 0.5 } else { 0.0 };
        let others = numbers(side, "d");
        let values = numbers(side, "a").into_iter().zip(&arms).zip(&others);
        let values = values.map(|((value, arm), other)| Some(value? - shift(arm) + 0.3 * (*other)?));
        let values = Column::Numbers(values.collect());
        side.answers.insert("before".to_owned(), values);
    }
    let options = ComparisonOptions {
        adjust: ["before", "sex", "b", "nothing"].map(str::to_owned).to_vec(),
        ..ComparisonOptions::default()
    };
    let known = Experiment { before: Some(names(&["before"])), ..Experiment::default() };
    let design = options.experiment(&known, &items).unwrap();
    // People without the attribute have that of their twin.
    people.attributes.clear();
    let compared = compare_experiment(&items, &people, &twins, &design, settings()).unwrap();
    assert!(compared.groups.is_empty(), "a covariate makes no groups");
    let found = compared.arms.unwrap();
    assert_eq!(found.covariates, ["before", "sex"]);
    let reasons: Vec<(&str, &str)> =
        found.unused_covariates.iter().map(|unused| (unused.name.as_str(), unused.reason)).collect();
    assert_eq!(
        reasons,
        [
            ("b", "it was asked after the arms were dealt, so an effect may run through it"),
            ("nothing", "it is neither a question nor an attribute of the twins"),
        ]
    );
    let a = of(&found.effects, "a");
    let adjusted = a.people_adjusted.unwrap();
    assert!(adjusted.interval().width() < 0.5 * a.people.interval().width(), "{adjusted:?}");
    assert!(adjusted.interval().contains(0.5) && adjusted.n_first == 200);
    assert!(a.twins_adjusted.is_some());
    let without = table(&items, [&people, &twins], &known);
    assert_eq!(of(&without.effects, "a").people_adjusted, None);
    assert_eq!(of(&without.effects, "a").people, a.people);
}

#[test]
fn arms_stand_in_the_order_of_the_design_and_each_question_has_its_own_reference() {
    let (items, mut people, mut twins) = experiment(300, 18);
    for side in [&mut people, &mut twins] {
        let arms = (0..300).map(|row| ["x", "control", "treated"][row % 3].to_owned()).collect();
        side.arms = Some(arms);
        // Item b is not asked in the first arm.
        let b = numbers(side, "b").into_iter().enumerate().map(|(row, value)| value.filter(|_| row % 3 > 0));
        let b = Column::Numbers(b.collect());
        side.answers.insert("b".to_owned(), b);
    }
    let design = Experiment { arms: vec!["x".to_owned(), "treated".to_owned()], ..Experiment::default() };
    let found = table(&items, [&people, &twins], &design);
    assert_eq!(found.reference, "x");
    let of_item = |item: &str| {
        let all = found.effects.iter().filter(|contrast| contrast.item == item);
        all.map(|contrast| (contrast.arm.as_str(), contrast.reference.as_str())).collect::<Vec<_>>()
    };
    assert_eq!(of_item("a"), [("treated", "x"), ("control", "x")]);
    assert_eq!(of_item("b"), [("control", "treated")]);
}

#[test]
fn a_contrast_that_cannot_be_compared_says_why() {
    let (items, people, mut twins) = experiment(200, 19);
    twins.answers.insert("a".to_owned(), Column::Numbers(vec![None; 200]));
    twins.answers.insert("b".to_owned(), Column::Numbers(vec![Some(3.0); 200]));
    let found = compare(&items, &people, &twins, settings()).unwrap().arms.unwrap();
    let of_item = |item: &str| found.not_compared.iter().find(|of| of.item == item).unwrap();
    assert_eq!(of_item("a").reason, "twins of these arms were not asked");
    assert_eq!(of_item("b").reason, "twins' answers are all equal, or too few");
    assert!(of_item("b").people.is_some_and(|people| people.n_first == 100) && of_item("b").twins.is_none());
    assert!(found.effects.iter().all(|contrast| contrast.item != "a" && contrast.item != "b"));
}

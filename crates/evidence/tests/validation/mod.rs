use evidence::categories::cramers_v;
use evidence::distributions::normal_quantile;
use evidence::intervals::Bootstrap;
use evidence::metrics::pearson;
use evidence::reliability::disattenuated;
use evidence::ridge::{FOLDS, PENALTY, Ridge, folds};
use evidence::validation::{
    BASELINES, CONTENDERS, ItemAnswers, Validated, ValidationArm, ValidationData, ValidationItem, validate,
};
use random::{generator, uniform};
use serde::Deserialize;

/// Golden values from scripts/validation-golden.py.
#[derive(Deserialize)]
struct Golden {
    people: usize,
    items: Vec<GoldenItem>,
    /// Each item with the first answers, the second answers, and those of two arms.
    columns: Vec<[ItemAnswers; 4]>,
    /// Figures of the second answers and the two arms.
    arms: Vec<GoldenArm>,
    cramers_v: Vec<Table>,
    ridge: Vec<RidgeCase>,
}

#[derive(Deserialize)]
struct RidgeCase {
    demographics: Vec<Vec<String>>,
    folds: Vec<usize>,
    /// The people who answered, and their answers.
    people: Vec<usize>,
    said: Vec<f64>,
    penalty: f64,
    predicted: Vec<f64>,
}

#[derive(Deserialize)]
struct GoldenItem {
    task: usize,
    min: f64,
    max: f64,
    tenths: Option<usize>,
}

#[derive(Deserialize)]
struct GoldenArm {
    accuracy: f64,
    exact: f64,
    r: f64,
    sd_ratio: f64,
    glass: f64,
    of_ceiling: f64,
    tasks: Vec<f64>,
}

#[derive(Deserialize)]
struct Table {
    table: Vec<Vec<f64>>,
    v: f64,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../golden/validation.json")).unwrap()
}

fn data(golden: &Golden) -> ValidationData {
    let item = |(place, of): (usize, &GoldenItem)| ValidationItem {
        name: format!("item {place}"),
        min: of.min,
        max: of.max,
        tenths: of.tenths,
        task: of.task,
        first: golden.columns[place][0].clone(),
        second: golden.columns[place][1].clone(),
    };
    let arm = |key: &str, column: usize| ValidationArm {
        key: key.into(),
        repeats: vec![golden.columns.iter().map(|columns| columns[column].clone()).collect()],
    };
    ValidationData {
        people: golden.people,
        tasks: 3,
        items: golden.items.iter().enumerate().map(item).collect(),
        arms: vec![arm("twins", 2), arm("empty", 3)],
        cells: vec!["all".into(); golden.people],
        demographics: vec![vec!["all".into()]; golden.people],
    }
}

fn counted(data: &ValidationData) -> Validated {
    validate(data, Bootstrap { replicates: 400, ..Bootstrap::default() })
}

fn near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-9, "{what}: {found} instead of {expected}");
}

#[test]
fn figures_are_those_of_the_datasets_own_formulas() {
    let golden = golden();
    let found = counted(&data(&golden));
    for (arm, expected) in found.arms.iter().zip(&golden.arms) {
        let value = |estimate: &Option<evidence::intervals::Estimate>| estimate.as_ref().unwrap().value;
        near(value(&arm.accuracy), expected.accuracy, "accuracy");
        near(value(&arm.exact), expected.exact, "exact");
        near(value(&arm.r), expected.r, "r");
        near(value(&arm.sd_ratio), expected.sd_ratio, "SD ratio");
        near(value(&arm.glass), expected.glass, "Glass");
        near(value(&arm.of_ceiling), expected.of_ceiling, "of the ceiling");
    }
    for (task, figures) in found.tasks.iter().enumerate() {
        for (place, arm) in golden.arms.iter().enumerate() {
            near(figures.accuracy[place].as_ref().unwrap().value, arm.tasks[task], "task");
        }
    }
    let keys: Vec<&str> = found.arms.iter().map(|arm| arm.key.as_str()).collect();
    assert_eq!(keys[..3], ["ceiling", "twins", "empty"]);
    assert_eq!(keys[3..], BASELINES);
}

#[test]
fn intervals_hold_the_figures_and_differences_are_paired() {
    let found = counted(&data(&golden()));
    for arm in &found.arms {
        let accuracy = arm.accuracy.as_ref().unwrap();
        assert!(accuracy.interval().unwrap().contains(accuracy.value), "{}", arm.key);
        let glass = arm.glass.as_ref().unwrap();
        assert!(glass.interval().unwrap().contains(glass.value), "{}", arm.key);
    }
    let over = |arm: usize, key: &str| found.arms[arm].over.iter().find(|(of, _)| of == key).map(|(_, over)| over);
    // Over the answers that both arms have, the difference is that of their accuracies.
    let mut common = data(&golden());
    let [twins, empty] = common.arms.as_mut_slice() else { panic!("two arms") };
    for (one, other) in twins.repeats[0].iter_mut().flatten().zip(empty.repeats[0].iter_mut().flatten()) {
        if one.is_none() || other.is_none() {
            (*one, *other) = (None, None);
        }
    }
    let common = counted(&common);
    let accuracy = |arm: usize| common.arms[arm].accuracy.as_ref().unwrap();
    let (twins, empty) = (accuracy(1), accuracy(2));
    let difference = over(1, "empty").unwrap();
    near(difference.value, twins.value - empty.value, "difference");
    let independent = (twins.interval().unwrap().width().powi(2) + empty.interval().unwrap().width().powi(2)).sqrt();
    assert!(difference.interval().unwrap().width() < 1.2 * independent);
    assert!(over(2, "empty").is_none(), "nothing stands over itself");
    assert_eq!(over(2, "twins").unwrap().value, -difference.value);
}

#[test]
fn a_difference_is_over_what_was_answered_in_both() {
    let golden = golden();
    let mut failed = data(&golden);
    let leave_out = |arm: &mut ValidationArm| {
        for answers in arm.repeats.iter_mut().flatten() {
            answers[..15].fill(None);
        }
    };
    leave_out(&mut failed.arms[1]);
    let mut neither = failed.clone();
    leave_out(&mut neither.arms[0]);
    let over = |data: &ValidationData| {
        let found = counted(data);
        found.arms[1].over.iter().find(|(key, _)| key == "empty").map(|(_, over)| over.clone())
    };
    let of_failed = over(&failed).unwrap();
    assert_eq!((of_failed.n, Some(&of_failed)), (golden.people - 15, over(&neither).as_ref()));
    assert_ne!(of_failed.value, over(&data(&golden)).unwrap().value);
}

#[test]
fn who_repeats_the_first_answers_is_right_and_few_people_have_no_interval() {
    let golden = golden();
    let mut perfect = data(&golden);
    perfect.arms[0].repeats[0] = perfect.items.iter().map(|item| item.first.clone()).collect();
    let arm = &counted(&perfect).arms[1];
    near(arm.accuracy.as_ref().unwrap().value, 1.0, "accuracy");
    near(arm.exact.as_ref().unwrap().value, 1.0, "exact");
    near(arm.sd_ratio.as_ref().unwrap().value, 1.0, "SD ratio");
    near(arm.glass.as_ref().unwrap().value, 0.0, "Glass");

    let mut few = data(&golden);
    few.people = 12;
    few.cells.truncate(12);
    few.demographics.truncate(12);
    for item in &mut few.items {
        item.first.truncate(12);
        item.second.truncate(12);
    }
    let found = counted(&few);
    assert!(found.arms.iter().all(|arm| arm.accuracy.as_ref().unwrap().interval().is_none()));
}

#[test]
fn baselines_are_where_they_belong() {
    let found = counted(&data(&golden()));
    let of = |key: &str| found.arms.iter().find(|arm| arm.key == key).unwrap();
    let accuracy = |key: &str| of(key).accuracy.as_ref().unwrap().value;
    assert!(accuracy("ceiling") > accuracy("cell_mean") && accuracy("cell_mean") > accuracy("random"));
    near(of("modal").sd_ratio.as_ref().unwrap().value, 0.0, "everybody says the same");
    assert!(of("marginal").r.as_ref().unwrap().value.abs() < 0.25, "blind to the person");
}

#[test]
fn a_disattenuated_r_is_that_of_exact_answers_where_both_sides_repeat_themselves() {
    let mut random = generator(3, &[b"disattenuated"]);
    let mut normal = || normal_quantile(uniform(&mut random));
    const PEOPLE: usize = 600;
    // Twins' exact answers correlate at .6 with people's. In the second item people do not repeat themselves.
    let mut item = |name: &str, noise: f64| {
        let (mut first, mut second, mut repeats) = (Vec::new(), Vec::new(), vec![Vec::new(); 3]);
        for _ in 0..PEOPLE {
            let exact = normal();
            let twin = 0.6 * exact + 0.8 * normal();
            first.push(Some(50.0 + 10.0 * (exact + noise * normal())));
            second.push(Some(50.0 + 10.0 * (exact + noise * normal())));
            repeats.iter_mut().for_each(|repeat| repeat.push(Some(50.0 + 10.0 * (twin + 0.7 * normal()))));
        }
        let name = name.to_owned();
        (ValidationItem { name, min: 0.0, max: 100.0, tenths: None, task: 0, first, second }, repeats)
    };
    let (reliable, of_reliable) = item("reliable", 0.5);
    let (noisy, of_noisy) = item("noisy", 2.5);
    let repeats: Vec<Vec<ItemAnswers>> =
        of_reliable.iter().cloned().zip(of_noisy).map(|(one, other)| vec![one, other]).collect();
    let once = ValidationArm { key: "once".into(), repeats: repeats[..1].to_vec() };
    let data = ValidationData {
        people: PEOPLE,
        tasks: 1,
        items: vec![reliable.clone(), noisy],
        arms: vec![ValidationArm { key: "twins".into(), repeats }, once],
        cells: vec!["all".into(); PEOPLE],
        demographics: vec![Vec::new(); PEOPLE],
    };
    let found = counted(&data);
    let twins = &found.arms[1];
    let estimate = twins.disattenuated.clone().unwrap();
    assert_eq!(twins.disattenuated_items, Some(1));
    assert!(estimate.interval().unwrap().contains(0.6), "{estimate:?}");
    assert!((estimate.value - 0.6).abs() < 0.08, "{estimate:?}");
    let numbers = |answers: &ItemAnswers| answers.iter().map(|answer| answer.unwrap()).collect::<Vec<f64>>();
    let weights = vec![1.0; PEOPLE];
    let (first, second) = (numbers(&reliable.first), numbers(&reliable.second));
    let rows: Vec<Vec<f64>> =
        (0..PEOPLE).map(|twin| of_reliable.iter().map(|of| of[twin].unwrap()).collect()).collect();
    let pooled: Vec<f64> = of_reliable.iter().flat_map(numbers).collect();
    let r = pearson(&first.repeat(3), &pooled, &vec![1.0; 3 * PEOPLE]).unwrap();
    let human = pearson(&first, &second, &weights).unwrap();
    let by_hand = disattenuated(r, human, evidence::reliability::repeats(&rows).unwrap().icc.unwrap()).unwrap();
    near(estimate.value, by_hand, "disattenuated");
    for place in [0, 2, 3] {
        assert_eq!(found.arms[place].disattenuated, None, "{} was asked once", found.arms[place].key);
    }
}

#[test]
fn a_ridge_regression_predicts_as_numpy_does_and_nobody_from_their_own_answer() {
    for case in golden().ridge {
        let mut ridge = Ridge::new(&case.demographics, case.folds.clone(), case.penalty);
        let predicted = ridge.predict(&case.people, &case.said);
        for (found, expected) in predicted.iter().zip(&case.predicted) {
            near(*found, *expected, "prediction");
        }
        // The prediction for a person does not depend on the person's answer, but that for others does.
        let mut changed = case.said.clone();
        changed[0] += 100.0;
        let moved = ridge.predict(&case.people, &changed);
        assert_eq!(moved[0], predicted[0]);
        assert!(moved.iter().zip(&predicted).any(|(one, other)| (one - other).abs() > 0.1));
    }
    let dealt = folds(103, 1);
    let sizes = (0..FOLDS).map(|fold| dealt.iter().filter(|of| **of == fold).count());
    assert!(sizes.clone().max() == Some(11) && sizes.min() == Some(10));
    let alone = Ridge::new(&[vec![]], vec![0], PENALTY).predict(&[0], &[3.0]);
    assert!(alone[0].is_nan(), "nobody else is there to predict it from");
}

/// Creates answers that follow from a demographic, and twins that know less of it than a regression does.
fn predictable(known: f64) -> ValidationData {
    const PEOPLE: usize = 200;
    let mut random = generator(7, &[b"predictable"]);
    let mut draw = |spread: f64| spread * normal_quantile(uniform(&mut random));
    let groups: Vec<usize> = (0..PEOPLE).map(|person| person % 4).collect();
    let mut of_group = |weight: f64, noise: f64| -> ItemAnswers {
        groups.iter().map(|group| Some(50.0 + weight * 15.0 * (*group as f64 - 1.5) + draw(noise))).collect()
    };
    let (first, second, twins) = (of_group(1.0, 5.0), of_group(1.0, 5.0), of_group(known, 2.0));
    let item = ValidationItem { name: "item".into(), min: 0.0, max: 100.0, tenths: None, task: 0, first, second };
    ValidationData {
        people: PEOPLE,
        tasks: 1,
        items: vec![item],
        arms: vec![ValidationArm { key: "twins".into(), repeats: vec![vec![twins]] }],
        cells: vec!["all".into(); PEOPLE],
        demographics: groups.iter().map(|group| vec![group.to_string()]).collect(),
    }
}

#[test]
fn the_best_answer_without_a_model_is_named_and_compared_over_the_same_people() {
    let against_best = |known: f64| {
        let found = counted(&predictable(known));
        let best = found.best_without_model().unwrap();
        assert_eq!(best.key, "ridge", "groups explain the answers");
        let (best, twins) = (best.clone(), found.arm("twins").unwrap().clone());
        let over = |key: &str| twins.over.iter().find(|(of, _)| of == key).map(|(_, over)| over.clone());
        for key in CONTENDERS {
            let accuracy = |of: &str| found.arm(of).unwrap().accuracy.as_ref().unwrap().value;
            near(over(key).unwrap().value, accuracy("twins") - accuracy(key), key);
        }
        over(&best.key).unwrap()
    };
    let worse = against_best(0.2).interval().unwrap();
    assert!(worse.high < 0.0, "{worse:?}");
    let found = counted(&predictable(0.2));
    let constant = found.arm("median").unwrap();
    near(constant.sd_ratio.as_ref().unwrap().value, 0.0, "everybody says the same");
}

#[test]
fn an_item_that_nobody_answered_twice_is_no_item() {
    let golden = golden();
    let mut data = data(&golden);
    data.items[2].second = vec![None; golden.people];
    data.items[3].first = vec![None; golden.people];
    let found = counted(&data);
    assert_eq!((found.tasks[1].items, found.tasks[1].people), (0, 0));
    assert!(found.tasks[1].accuracy.iter().all(Option::is_none));
    assert!(found.arms[1].accuracy.is_some());
}

#[test]
fn cramers_v_is_corrected_for_its_bias() {
    for Table { table, v } in golden().cramers_v {
        near(cramers_v(&table).unwrap(), v, "V");
    }
    assert_eq!(cramers_v(&[vec![5.0, 0.0], vec![3.0, 0.0]]), None, "one column");
}

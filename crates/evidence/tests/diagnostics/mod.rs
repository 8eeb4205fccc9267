//! Planted biases are found, clean runs are left alone.

use std::collections::BTreeMap;

use evidence::compare::{Column, Item, Respondents, Settings, compare};
use evidence::diagnostics::{
    Attempts, BalancedItem, Chosen, Finding, Thresholds, above_ceiling, acquiescence, agrees_with_both, attention,
    drift, duplicate_texts, hyper_rationality, instability, longest_string, modal_answer, option_positions,
    question_positions, refusals, reversal, spread, stereotyping, straight_lining, subgroup_errors, top_box,
    type_token_ratio, validity,
};
use evidence::distributions::normal_quantile;
use evidence::intervals::{Bootstrap, Estimate, Interval};
use evidence::metrics::Scale;
use evidence::random::{below, generator, uniform};
use rand_chacha::ChaCha8Rng;

use crate::metrics::close;

const SEEDS: i64 = 1_000;
/// Of those whose every seed takes a bootstrap.
const FEW_SEEDS: i64 = 300;

fn normal(random: &mut ChaCha8Rng) -> f64 {
    normal_quantile(uniform(random))
}

/// In which share of seeds a diagnostic warns.
fn rate(seeds: i64, name: &str, mut warns: impl FnMut(&mut ChaCha8Rng) -> bool) -> f64 {
    let warned = (0..seeds).filter(|seed| warns(&mut generator(*seed, &[b"diagnostic", name.as_bytes()])));
    warned.count() as f64 / seeds as f64
}

#[track_caller]
fn finds(name: &str, planted: impl FnMut(&mut ChaCha8Rng) -> bool, clean: impl FnMut(&mut ChaCha8Rng) -> bool) {
    finds_in(SEEDS, name, planted, clean);
}

/// 95 % at least are found; 5 % at most are false alarms, but for two standard errors of so many seeds, since tests at
/// the level of 5 % do raise 5 %.
#[track_caller]
fn finds_in(
    seeds: i64,
    name: &str,
    planted: impl FnMut(&mut ChaCha8Rng) -> bool,
    clean: impl FnMut(&mut ChaCha8Rng) -> bool,
) {
    let (found, false_alarms) = (rate(seeds, name, planted), rate(seeds, name, clean));
    assert!(found >= 0.95, "{name}: found in {found} of seeds");
    let limit = 0.05 + 2.0 * (0.05 * 0.95 / seeds as f64).sqrt();
    assert!(false_alarms <= limit, "{name}: {false_alarms} false alarms");
}

fn any(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.warns)
}

#[test]
fn a_first_option_that_is_taken_too_often_is_found() {
    let run = |bias: f64| {
        move |random: &mut ChaCha8Rng| {
            let items: Vec<Chosen> = (0..5)
                .map(|item| {
                    let mut places = vec![0.0; 4];
                    for _ in 0..200 {
                        let place = if uniform(random) < bias { 0 } else { below(4, random) };
                        places[place] += 1.0;
                    }
                    Chosen { item: format!("Q{item}"), places }
                })
                .collect();
            any(&option_positions(&items, &Thresholds::default()))
        }
    };
    finds("option position", run(0.2), run(0.0));
}

#[test]
fn a_spread_of_one_half_is_estimated_and_found() {
    let run = |ratio: f64| {
        move |random: &mut ChaCha8Rng| {
            let people: Vec<f64> = (0..500).map(|_| normal(random)).collect();
            let twins: Vec<f64> = (0..500).map(|_| 3.0 + ratio * normal(random)).collect();
            let found = spread("Q1", &people, &twins, &Thresholds::default()).unwrap();
            assert!((found.value / ratio - 1.0).abs() < 0.2);
            if ratio == 0.5 { (found.value - 0.5).abs() <= 0.05 && found.warns } else { found.warns }
        }
    };
    finds("spread", run(0.5), run(1.0));
}

#[test]
fn one_answer_of_nearly_all_twins_is_found() {
    let run = |bias: f64| {
        move |random: &mut ChaCha8Rng| {
            let answers: Vec<f64> =
                (0..200).map(|_| if uniform(random) < bias { 3.0 } else { 1.0 + below(5, random) as f64 }).collect();
            modal_answer("Q1", &answers, &Thresholds::default()).unwrap().warns
        }
    };
    finds("modal answer", run(0.85), run(0.3));
    assert_eq!(modal_answer("Q1", &[], &Thresholds::default()), None);
}

#[test]
fn straight_lines_are_found_and_people_set_the_measure() {
    let rows = |random: &mut ChaCha8Rng, straight: usize| -> Vec<Vec<f64>> {
        (0..200)
            .map(|row| {
                let same = 1.0 + below(5, random) as f64;
                let is_straight = row < straight;
                (0..6).map(|_| if is_straight { same } else { 1.0 + below(5, random) as f64 }).collect()
            })
            .collect()
    };
    let warns = |twins: &[Vec<f64>], people: Option<&[Vec<f64>]>| {
        straight_lining("Q1", twins, people, &Thresholds::default()).unwrap().warns
    };
    finds("straight", |random| warns(&rows(random, 36), None), |random| warns(&rows(random, 24), None));
    let mut random = generator(1, &[b"straight"]);
    let (careful, hasty) = (rows(&mut random, 0), rows(&mut random, 26));
    assert!(warns(&hasty, Some(&careful)) && !warns(&hasty, Some(&hasty)) && !warns(&hasty, None));
    assert_eq!(straight_lining("Q1", &[vec![1.0; 3]], None, &Thresholds::default()), None);
    assert_eq!(longest_string(&[1., 2., 2., 2., 1., 1.]), 3);
}

#[test]
fn agreement_with_everything_is_found() {
    let run = |shift: f64| {
        move |random: &mut ChaCha8Rng| {
            // A trait far from the middle, which balanced keys must cancel.
            let mut answers = |is_reversed: bool| -> Vec<f64> {
                let sign = if is_reversed { -1.0 } else { 1.0 };
                (0..200).map(|_| (3.0 + shift + sign * (0.6 + normal(random))).round().clamp(1.0, 5.0)).collect()
            };
            let (plain, reversed) = (answers(false), answers(true));
            let item = |twins, is_reversed| BalancedItem { twins, categories: 5, is_reversed };
            let items = [item(&plain, false), item(&reversed, true)];
            acquiescence("scale", &items, &Thresholds::default()).unwrap().warns
        }
    };
    finds("acquiescence", run(0.8), run(0.0));
    let item = |twins, is_reversed| BalancedItem { twins, categories: 5, is_reversed };
    let (plain, reversed) = (item(&[5., 4., 1., 5.], false), item(&[5., 4., 5., 1.], true));
    assert_eq!(agrees_with_both(plain, reversed), Some(0.5));
    assert_eq!(top_box(plain, reversed), Some(0.25));
    assert_eq!(acquiescence("scale", &[plain], &Thresholds::default()), None);
}

#[test]
fn answers_that_drift_with_the_place_of_their_question_are_found() {
    let run = |slope: f64| {
        move |random: &mut ChaCha8Rng| {
            let items: Vec<_> = (0..5)
                .map(|item| {
                    let places: Vec<f64> = (0..300).map(|_| 1.0 + below(5, random) as f64).collect();
                    let answers = places.iter().map(|place| 4.0 + slope * place + normal(random)).collect();
                    (format!("Q{item}"), answers, places)
                })
                .collect();
            any(&question_positions(&items, &Thresholds::default()))
        }
    };
    finds("question order", run(0.2), run(0.0));
    let turned = reversal(&[1., 2., 3., 1.], &[1., 2., 1., 3.], 3).unwrap();
    assert_eq!((turned.total_variation, turned.flips, turned.twins), (0.0, 0.5, 4));
}

#[test]
fn invalid_replies_and_groups_that_are_refused_are_found() {
    let thresholds = Thresholds::default();
    let draw = |random: &mut ChaCha8Rng, p: f64, n: usize| (0..n).filter(|_| uniform(random) < p).count();
    let valid = |p: f64, random: &mut ChaCha8Rng| {
        let attempts = Attempts { requests: 2_000, valid_at_first_try: draw(random, p, 2_000), refused: 0 };
        validity("", attempts, &thresholds).unwrap().warns
    };
    assert!(rate(SEEDS, "valid", |random| valid(0.94, random)) >= 0.95);
    assert!(rate(SEEDS, "valid", |random| valid(0.996, random)) <= 0.05);
    let groups = |of_first: f64, random: &mut ChaCha8Rng| {
        let rates = [of_first, 0.01, 0.01, 0.01];
        let groups: BTreeMap<String, Attempts> = rates
            .iter()
            .enumerate()
            .map(|(group, p)| {
                let refused = (0..200).filter(|_| uniform(random) < *p).count();
                (format!("group {group}"), Attempts { requests: 200, valid_at_first_try: 200 - refused, refused })
            })
            .collect();
        any(&refusals(&groups, &thresholds))
    };
    finds("refusals", |random| groups(0.12, random), |random| groups(0.01, random));
    assert!(attention(94, 100, &thresholds).unwrap().warns && !attention(96, 100, &thresholds).unwrap().warns);
    assert_eq!(validity("", Attempts::default(), &thresholds), None);
}

#[test]
fn attributes_that_rule_twins_more_than_people_are_found() {
    let bootstrap = Bootstrap { replicates: 200, ..Bootstrap::default() };
    let run = |of_twins: f64| {
        move |random: &mut ChaCha8Rng| {
            let groups: Vec<String> = (0..300).map(|row| ["a", "b", "c"][row % 3].to_owned()).collect();
            let mut side = |strength: f64| -> Vec<f64> {
                (0..300).map(|row| strength * (row % 3) as f64 + normal(random)).collect()
            };
            let (people, twins) = (side(0.3), side(of_twins));
            stereotyping("region", &groups, &people, &twins, bootstrap, &Thresholds::default()).unwrap().warns
        }
    };
    finds_in(FEW_SEEDS, "stereotyping", run(1.0), run(0.3));
    let same = vec!["a".to_owned(); 3];
    assert_eq!(stereotyping("x", &same, &[1., 2., 3.], &[1., 2., 3.], bootstrap, &Thresholds::default()), None);
}

#[test]
fn subgroups_with_worse_twins_are_found() {
    let settings = Settings { bootstrap: Bootstrap { replicates: 200, ..Bootstrap::default() }, ..Settings::default() };
    let run = |noise_of_one: f64| {
        move |random: &mut ChaCha8Rng| {
            let group = |row: usize| usize::from(row.is_multiple_of(2));
            let people: Vec<Option<f64>> = (0..200).map(|_| Some(normal(random))).collect();
            let twin = |(row, human): (usize, &Option<f64>)| {
                let noise = if group(row) == 1 { noise_of_one } else { 0.5 };
                human.map(|human| human + noise * normal(random))
            };
            let twins = people.iter().enumerate().map(twin).collect();
            let side = |answers: Vec<Option<f64>>| Respondents {
                ids: (0..200).map(|row| row.to_string()).collect(),
                attributes: BTreeMap::from([(
                    "group".to_owned(),
                    (0..200).map(|row| Some(["good", "bad"][group(row)].to_owned())).collect(),
                )]),
                answers: BTreeMap::from([("Q1".to_owned(), Column::Numbers(answers))]),
                ..Respondents::default()
            };
            let items = [Item::single("Q1", Scale::Interval { min: -8.0, max: 8.0 })];
            let found = compare(&items, &side(people.clone()), &side(twins), settings).unwrap();
            any(&subgroup_errors(&found.subgroups))
        }
    };
    finds_in(FEW_SEEDS, "subgroups", run(1.2), run(0.5));
}

#[test]
fn twins_that_are_better_than_they_can_be_are_found() {
    let ceiling = Interval { low: 0.8, high: 0.84 };
    let accuracy = |value| Estimate { value, n: 100, interval: None, note: None };
    assert!(above_ceiling("", &accuracy(0.86), ceiling).warns && !above_ceiling("", &accuracy(0.83), ceiling).warns);
    let run = |p: f64| {
        move |random: &mut ChaCha8Rng| {
            let mut right = |p: f64| (0..200).filter(|_| uniform(random) < p).count();
            hyper_rationality("Linda", (right(p), 200), (right(0.4), 200)).unwrap().warns
        }
    };
    finds("hyper-rationality", run(0.6), run(0.4));
}

#[test]
fn unstable_answers_and_changing_models_are_found() {
    let run = |noise: f64| {
        move |random: &mut ChaCha8Rng| {
            let rows: Vec<Vec<f64>> = (0..100)
                .map(|_| {
                    let of_twin = normal(random);
                    (0..3).map(|_| of_twin + noise * normal(random)).collect()
                })
                .collect();
            instability("Q1", &rows, &Thresholds::default()).unwrap().warns
        }
    };
    finds("instability", run(1.0), run(0.4));
    assert!(drift(&["fp_1".into(), String::new(), "fp_2".into()]).warns);
    assert!(!drift(&["fp_1".into(), "fp_1".into()]).warns);
}

#[test]
fn texts_that_repeat_each_other_are_found() {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let repeated = texts(&["I like it.", "i like IT!", "Not for me", "Too dear"]);
    let found = duplicate_texts("Q1", &repeated, &Thresholds::default()).unwrap();
    assert!(found.warns && found.value == 0.5);
    assert!(!duplicate_texts("Q1", &texts(&["one", "two", "three"]), &Thresholds::default()).unwrap().warns);
    close(type_token_ratio(&texts(&["a b a", "b c"])).unwrap(), 0.6, 12);
    assert_eq!(duplicate_texts("Q1", &[], &Thresholds::default()), None);
}

//! Planted biases are found, and clean runs raise no warning.

use std::collections::BTreeMap;

use evidence::compare::{Column, Item, KeyedItem, KeyedScale, Respondents, Settings, compare, scale_pitfalls};
use evidence::diagnostics::{
    Attempts, BalancedItem, Chosen, Finding, OpenTexts, Thresholds, above_ceiling, acquiescence, attention,
    desirability, drift, duplicate_texts, empty_pipes, hyper_rationality, instability, longest_string, mixed_keys,
    modal_answer, option_positions, question_positions, refusals, reversal, same_words, spread, stereotyping,
    straight_lining, subgroup_errors, validity,
};
use evidence::distributions::normal_quantile;
use evidence::intervals::{Bootstrap, Estimate, Interval};
use evidence::metrics::Scale;
use rand_chacha::ChaCha8Rng;
use random::{below, generator, uniform};

use crate::metrics::close;

const SEEDS: i64 = 1_000;
/// Number of seeds for diagnostics with a bootstrap, which take longer.
const FEW_SEEDS: i64 = 300;

fn normal(random: &mut ChaCha8Rng) -> f64 {
    normal_quantile(uniform(random))
}

/// Returns the share of seeds in which a diagnostic warns.
fn rate(seeds: i64, name: &str, mut warns: impl FnMut(&mut ChaCha8Rng) -> bool) -> f64 {
    let warned = (0..seeds).filter(|seed| warns(&mut generator(*seed, &[b"diagnostic", name.as_bytes()])));
    warned.count() as f64 / seeds as f64
}

#[track_caller]
fn finds(name: &str, planted: impl FnMut(&mut ChaCha8Rng) -> bool, clean: impl FnMut(&mut ChaCha8Rng) -> bool) {
    finds_in(SEEDS, name, planted, clean);
}

/// Asserts that at least 95 % are found and at most 5 % are false alarms. Two standard errors are added, since tests at
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
            // The trait is far from the middle, and balanced keys must cancel it.
            let mut answers = |is_reversed: bool| -> Vec<Option<f64>> {
                let sign = if is_reversed { -1.0 } else { 1.0 };
                (0..200).map(|_| Some((3.0 + shift + sign * (0.6 + normal(random))).round().clamp(1.0, 5.0))).collect()
            };
            let (plain, reversed) = (answers(false), answers(true));
            let item = |twins, is_reversed| BalancedItem { twins, categories: 5, is_reversed };
            let items = [item(&plain, false), item(&reversed, true)];
            acquiescence("scale", &items, &Thresholds::default()).unwrap().warns
        }
    };
    finds("acquiescence", run(0.8), run(0.0));
    let alone = BalancedItem { twins: &[Some(5.0)], categories: 5, is_reversed: false };
    assert_eq!(acquiescence("scale", &[alone], &Thresholds::default()), None);
}

/// Draws answers of 200 twins to two items of each key. A share of `agreeing` agrees with every item.
fn keyed(random: &mut ChaCha8Rng, agreeing: f64) -> Vec<Vec<Option<f64>>> {
    let mut items = vec![Vec::new(); 4];
    for _ in 0..200 {
        let (agrees, sign) = (uniform(random) < agreeing, if uniform(random) < 0.5 { 1.0 } else { -1.0 });
        let of_twin = sign * (1.0 + normal(random).abs());
        for (place, item) in items.iter_mut().enumerate() {
            let own = if place < 2 { of_twin } else { -of_twin };
            let answer = if agrees { 5.0 } else { (3.0 + own + 0.2 * normal(random)).round().clamp(1.0, 5.0) };
            item.push(Some(answer));
        }
    }
    items
}

fn balanced(items: &[Vec<Option<f64>>]) -> Vec<BalancedItem<'_>> {
    let keyed = items.iter().enumerate();
    keyed.map(|(place, twins)| BalancedItem { twins, categories: 5, is_reversed: place >= 2 }).collect()
}

#[test]
fn agreement_with_items_and_their_reverses_is_found_and_people_set_the_measure() {
    let warns = |twins: &[Vec<Option<f64>>], people: Option<&[Vec<Option<f64>>]>| {
        let people = people.map(balanced);
        mixed_keys("scale", &balanced(twins), people.as_deref(), &Thresholds::default()).unwrap().warns
    };
    finds("mixed keys", |random| warns(&keyed(random, 0.22), None), |random| warns(&keyed(random, 0.08), None));
    let mut random = generator(1, &[b"mixed"]);
    let (careful, hasty) = (keyed(&mut random, 0.0), keyed(&mut random, 0.125));
    assert!(warns(&hasty, Some(&careful)) && !warns(&hasty, Some(&hasty)) && !warns(&hasty, None));

    let item = |twins, is_reversed| BalancedItem { twins, categories: 5, is_reversed };
    let plain = [5.0, 4.0, 1.0, 5.0, 4.0].map(Some);
    // The last twin did not answer the reverse.
    let reversed = [Some(5.0), Some(4.0), Some(5.0), Some(1.0), None];
    let found = mixed_keys("scale", &[item(&plain, false), item(&reversed, true)], None, &Thresholds::default());
    let found = found.unwrap();
    assert_eq!((found.value, found.n), (0.5, 4));
    assert_eq!(found.note.as_deref(), Some("25 % took the top answer to all of them"));
    assert_eq!(mixed_keys("scale", &[item(&plain, false)], None, &Thresholds::default()), None);
}

#[test]
fn agreement_with_what_looks_good_is_found() {
    let run = |shift: f64| {
        move |random: &mut ChaCha8Rng| {
            let answer = |random: &mut ChaCha8Rng| (3.0 + shift + normal(random)).round().clamp(1.0, 5.0);
            let agreement: Vec<f64> = (0..200).map(|_| (answer(random) - 1.0) / 4.0).collect();
            desirability("Q1", &agreement, &Thresholds::default()).unwrap().warns
        }
    };
    finds("desirability", run(1.0), run(0.0));
    let found = desirability("Q1", &[1.0, 1.0, 0.5, 0.5], &Thresholds::default()).unwrap();
    assert_eq!((found.value, found.note.as_deref()), (0.25, Some("50 % took the top answer")));
    assert_eq!(desirability("Q1", &[], &Thresholds::default()), None);
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
            any(&subgroup_errors(&found.groups))
        }
    };
    finds_in(FEW_SEEDS, "subgroups", run(1.2), run(0.5));
}

#[test]
fn twins_that_are_better_than_they_can_be_are_found() {
    let ceiling = Interval { low: 0.8, high: 0.84 };
    let accuracy = |value| Estimate { value, n: 100, low: None, high: None, note: None };
    assert!(above_ceiling("", &accuracy(0.86), ceiling).warns && !above_ceiling("", &accuracy(0.83), ceiling).warns);
    let run = |p: f64| {
        move |random: &mut ChaCha8Rng| {
            // Five answers to one task: a person who knows better is right in all of them.
            let mut share = |p: f64| {
                let knows = if uniform(random) < p { 0.95 } else { 0.05 };
                (0..5).filter(|_| uniform(random) < knows).count() as f64 / 5.0
            };
            let pairs: Vec<(f64, f64)> = (0..200).map(|_| (share(p), share(0.4))).collect();
            hyper_rationality("matching", &pairs).unwrap().warns
        }
    };
    finds("hyper-rationality", run(0.6), run(0.4));
    assert_eq!(hyper_rationality("trays", &[(1.0, 0.0); 19]), None, "too few people");
    assert!(hyper_rationality("trays", &[(1.0, 0.0); 20]).unwrap().warns);
    assert!(!hyper_rationality("trays", &[(1.0, 1.0); 20]).unwrap().warns);
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
            instability("Q1", &rows, false, &Thresholds::default()).unwrap().warns
        }
    };
    finds("instability", run(1.0), run(0.4));
    // Options without an order: the order of their numbers is irrelevant.
    let rows: Vec<Vec<f64>> =
        (0..60).map(|twin| vec![f64::from(twin % 3), f64::from((twin + twin / 30) % 3)]).collect();
    let renamed: Vec<Vec<f64>> =
        rows.iter().map(|row| row.iter().map(|answer| [7.0, 1.0, 90.0][*answer as usize]).collect()).collect();
    let value = |rows: &[Vec<f64>], is_only_named| {
        instability("Q1", rows, is_only_named, &Thresholds::default()).unwrap().value
    };
    assert_eq!(value(&rows, true), value(&renamed, true));
    assert_ne!(value(&rows, false), value(&renamed, false));
    assert!(drift("", &["fp_1".into(), String::new(), "fp_2".into()]).warns);
    assert!(!drift("", &["fp_1".into(), "fp_1".into()]).warns);
}

fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> OpenTexts {
    let mut read = OpenTexts::default();
    texts.into_iter().for_each(|text| read.add(text));
    read
}

#[test]
fn texts_that_repeat_each_other_are_found() {
    let run = |copied: f64| {
        move |random: &mut ChaCha8Rng| {
            let mut read = OpenTexts::default();
            for twin in 0..200 {
                let is_copy = uniform(random) < copied;
                read.add(&if is_copy { "I like it.".to_owned() } else { format!("Answer {twin}") });
            }
            duplicate_texts("Q1", &read, &Thresholds::default()).unwrap().warns
        }
    };
    finds("duplicate texts", run(0.25), run(0.08));
    let found =
        duplicate_texts("Q1", &texts(["I like it.", "i like IT!", "Not for me", "Too dear"]), &Thresholds::default());
    let found = found.unwrap();
    assert!(found.warns && found.value == 0.5 && found.n == 4);
    assert!(!duplicate_texts("Q1", &texts(["one", "two", "three"]), &Thresholds::default()).unwrap().warns);
    assert_eq!(duplicate_texts("Q1", &texts([]), &Thresholds::default()), None);
}

#[test]
fn texts_of_the_same_words_are_found() {
    // Words have the frequencies of a natural language (Zipf 1949). All but three of the copied texts are the same.
    let run = |copied: bool| {
        move |random: &mut ChaCha8Rng| {
            let mut read = OpenTexts::default();
            let mut word = || format!("w{}", (2_000.0_f64.powf(uniform(random))) as u32);
            for _ in 0..200 {
                let own = if copied { 3 } else { 15 };
                let words = (0..own).map(|_| word()).collect::<Vec<_>>().join(" ");
                let same = if copied { "as a careful person I would say that this is very good " } else { "" };
                read.add(&format!("{same}{words}"));
            }
            same_words("Q1", &read, &Thresholds::default()).unwrap().warns
        }
    };
    finds_in(FEW_SEEDS, "same words", run(true), run(false));
    let hundred: Vec<&str> = ["a b A", "b c"].repeat(20);
    close(texts(hundred.clone()).type_token_ratio().unwrap(), 0.03, 12);
    assert_eq!(texts(hundred.into_iter().skip(1)).type_token_ratio(), None, "fewer than a hundred words");
}

#[test]
fn twins_that_saw_nothing_where_an_answer_is_piped_are_counted() {
    let found = empty_pipes("why", 3, 120, &Thresholds::default()).unwrap();
    assert_eq!((found.value, found.n, found.warns), (3.0, 120, true));
    assert!(!empty_pipes("why", 0, 120, &Thresholds::default()).unwrap().warns);
    assert_eq!(empty_pipes("why", 0, 0, &Thresholds::default()), None);
}

#[test]
fn people_are_the_measure_of_scales_where_they_answered_them() {
    let side = |random: &mut ChaCha8Rng, agreeing: f64| {
        let answers = keyed(random, agreeing).into_iter().enumerate();
        Respondents {
            ids: (0..200).map(|row| row.to_string()).collect(),
            answers: answers.map(|(place, item)| (format!("Q_{}", place + 1), Column::Numbers(item))).collect(),
            ..Respondents::default()
        }
    };
    let item = |place: usize| KeyedItem { name: format!("Q_{place}"), categories: 5, is_reversed: place > 2 };
    let scales = [KeyedScale { name: "Q".into(), is_matrix: true, items: (1..=4).map(item).collect() }];
    let mut random = generator(2, &[b"scales"]);
    let (careful, hasty) = (side(&mut random, 0.0), side(&mut random, 0.13));
    let found = |people: &Respondents| scale_pitfalls(&scales, people, &hasty, &Thresholds::default());
    for (people, warns) in [(&careful, true), (&hasty, false)] {
        let of = found(people);
        assert_eq!(of.iter().map(|(_, found)| found[0].warns).collect::<Vec<_>>(), [warns; 2], "{of:?}");
    }
    assert!(found(&Respondents::default()).iter().all(|(_, found)| found.is_empty()), "people who were not asked");
}

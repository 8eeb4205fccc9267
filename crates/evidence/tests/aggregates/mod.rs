//! Tests of the counts that are published in place of people's rows.

use std::collections::{BTreeMap, BTreeSet};

use evidence::aggregates::{Counts, MIN_PEOPLE_SHOWN, ShownTallies, Tallies, Tally, Value, figures, suppressed};
use evidence::compare::{Column, Item, ItemKind, Respondents};
use evidence::metrics::Scale;
use evidence::sample::Mean;

const PEOPLE: [f64; 10] = [1.0, 2.0, 2.0, 3.0, 4.0, 5.0, 5.0, 4.0, 3.0, 2.0];
const TWINS: [f64; 10] = [2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 3.0, 3.0, 3.0];

fn close(one: f64, other: f64) {
    assert!((one - other).abs() < 1e-9, "{one} {other}");
}

fn side(values: &[f64], weights: Option<Vec<f64>>, arms: Option<Vec<String>>) -> Respondents {
    Respondents {
        ids: (0..values.len()).map(|row| row.to_string()).collect(),
        weights,
        arms,
        answers: BTreeMap::from([("x".to_owned(), Column::Numbers(values.iter().copied().map(Some).collect()))]),
        ..Respondents::default()
    }
}

fn counted(item: &Item, of: &Respondents) -> BTreeMap<String, Tallies> {
    let mut counts = Counts::default();
    counts.add(std::slice::from_ref(item), of);
    counts.0.remove(&item.name).unwrap_or_default()
}

fn item() -> Item {
    let labels = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
    let kind = ItemKind::Single { scale: Scale::Ordinal { categories: 5 }, labels };
    Item { name: "x".to_owned(), text: String::new(), kind, scores: Vec::new() }
}

/// The golden values of single answers also follow from counts.
#[test]
fn figures_of_counts_are_those_of_the_answers() {
    let item = item();
    let (people, twins) = (counted(&item, &side(&PEOPLE, None, None)), counted(&item, &side(&TWINS, None, None)));
    let found = figures(&item, &ShownTallies::whole(people[""].clone()), &twins[""], 0.95);
    let of = |name: &str| found.iter().find(|figure| figure.metric == name).unwrap_or_else(|| panic!("{name}"));
    for (name, expected) in [
        ("sd ratio", 0.6705998375),
        ("Glass", 0.0769230769),
        ("TVD", 0.3),
        ("W1", 0.125),
        ("KS", 0.2),
        ("JSD", 0.1174257773),
    ] {
        assert!((of(name).value - expected).abs() < 1e-9, "{name}: {}", of(name).value);
        assert_eq!(of(name).low, None, "{name}: it takes a bootstrap");
    }
    let entropies = found.iter().find(|figure| figure.metric == "entropy gap").expect("it");
    close(entropies.value, 0.7584059348 - 0.9674887649);
    let mean = of("mean difference");
    assert_eq!((of("mean of people").value, of("mean of twins").value), (3.1, 3.2));
    assert!(mean.low.is_some_and(|low| low < 0.0) && mean.high.is_some_and(|high| high > 0.0));
    assert_eq!((mean.question.as_str(), mean.n), ("x", Some(10)));
    let shares = |metric: &str| {
        let rows = found.iter().filter(|figure| figure.metric == metric);
        rows.map(|row| (row.option.as_str(), row.value)).collect::<Vec<_>>()
    };
    assert_eq!(shares("share difference").len(), 5);
    assert_eq!((shares("share of people")[1], shares("share of twins")[1]), (("b", 0.3), ("b", 0.2)));

    // With suppressed values, only figures of the mean and of the options that are shown remain.
    let mut shown = ShownTallies { tallies: people[""].clone(), mean: people[""].mean(), ..ShownTallies::default() };
    shown.hidden = BTreeSet::from([Value(1.0), Value(2.0)]);
    let computed = figures(&item, &shown, &twins[""], 0.95);
    let names: Vec<&str> = computed.iter().map(|figure| figure.metric.as_str()).collect();
    let means = ["mean of people", "mean of twins", "mean difference"];
    let share = ["share of people", "share of twins", "share difference"];
    assert_eq!(names, [&["sd ratio", "Glass"][..], &means, &share, &share, &share].concat());
    close(computed[0].value, of("sd ratio").value);
    close(computed[1].value, of("Glass").value);
    assert_eq!(computed[4], *mean);
    assert_eq!(computed[5].option, "c");
    shown.mean = None;
    assert!(figures(&item, &shown, &twins[""], 0.95).iter().all(|figure| share.contains(&figure.metric.as_str())));
    assert!(found.iter().all(|figure| !["accuracy", "exact", "r", "rho", "kappa"].contains(&figure.metric.as_str())));
}

#[test]
fn a_weighted_mean_of_counts_is_that_of_the_answers() {
    let weights: Vec<f64> = (0..10).map(|row| f64::from(row % 4)).collect();
    let counts = counted(&item(), &side(&PEOPLE, Some(weights.clone()), None));
    let (found, expected) = (counts[""].mean().expect("a mean"), Mean::compute(&PEOPLE, &weights).expect("a mean"));
    assert_eq!(found.n, expected.n, "those who count for nothing are not counted");
    for (found, expected) in [
        (found.mean, expected.mean),
        (found.sd, expected.sd),
        (found.squared_error, expected.squared_error),
        (found.n_effective, expected.n_effective),
    ] {
        close(found, expected);
    }
}

#[test]
fn several_answers_are_counted_by_option() {
    let labels = ["a", "b"].map(str::to_owned).to_vec();
    let item = Item { name: "x".into(), text: String::new(), kind: ItemKind::Multiple { labels }, scores: Vec::new() };
    let answers = [Some(vec![true, true]), Some(vec![false, false]), None, Some(vec![true, false])];
    let mut of = side(&[0.0; 4], None, None);
    of.answers.insert("x".to_owned(), Column::Selections(answers.to_vec()));
    let tallies = counted(&item, &of).remove("").expect("them");
    assert_eq!(tallies.all.n, 3);
    let n: Vec<usize> = tallies.by_value.values().map(|tally| tally.n).collect();
    assert_eq!(n, [2, 1]);
    let found = figures(&item, &ShownTallies::whole(tallies.clone()), &tallies, 0.95);
    let of_people = found.iter().filter(|row| row.metric == "share of people");
    assert_eq!(of_people.map(|row| row.value).collect::<Vec<_>>(), [2.0 / 3.0, 1.0 / 3.0]);
}

/// People who did not choose an option are protected as well as those who did.
#[test]
fn options_that_nearly_all_or_nearly_nobody_chose_are_left_out() {
    let labels = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
    let mut of = group(&[4, 5, 17, 20]);
    of.all = Tally { n: 20, weight: 20.0, squares: 20.0 };
    let hidden = suppressed(&ItemKind::Multiple { labels }, &BTreeMap::from([(String::new(), of)]));
    assert_eq!(hidden, BTreeSet::from([Value(1.0), Value(3.0)]));
}

fn group(counts: &[usize]) -> Tallies {
    let tally = |n: usize| Tally { n, weight: n as f64, squares: n as f64 };
    let by_value = counts.iter().zip(1..).filter(|(n, _)| **n > 0);
    Tallies {
        all: tally(counts.iter().sum()),
        by_value: by_value.map(|(n, value)| (Value(f64::from(value)), tally(*n))).collect(),
    }
}

fn hidden(arms: &[&[usize]]) -> Vec<f64> {
    let mut groups: BTreeMap<String, Tallies> =
        arms.iter().zip(1..).map(|(counts, arm)| (arm.to_string(), group(counts))).collect();
    let options = arms.first().map_or(0, |counts| counts.len());
    let sums: Vec<usize> = (0..options).map(|place| arms.iter().map(|counts| counts[place]).sum()).collect();
    groups.insert(String::new(), group(&sums));
    suppressed(&item().kind, &groups).into_iter().map(|value| value.0).collect()
}

#[test]
fn small_cells_are_left_out_and_do_not_follow_from_the_others() {
    assert_eq!(hidden(&[&[5, 9, 0]]), Vec::<f64>::new(), "nobody is no small cell");
    // A single small value needs the next rarest, since its count would follow from the sum.
    assert_eq!(hidden(&[&[4, 9, 8]]), [1.0, 3.0]);
    // Two values with one person each would follow from their sum.
    assert_eq!(hidden(&[&[1, 1, 6, 20]]), [1.0, 2.0, 3.0]);
    // A small value of an arm is left out of the whole and of the other arm, too.
    assert_eq!(hidden(&[&[4, 10, 20], &[10, 10, 20]]), [1.0, 2.0]);
}

/// No count below the minimum can be computed from the counts shown.
#[test]
fn no_group_has_a_hidden_sum_of_a_few_people() {
    let mut state = 1_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..2_000 {
        let (options, arms) = (2 + next(4) as usize, 1 + next(3) as usize);
        let counts: Vec<Vec<usize>> = (0..arms).map(|_| (0..options).map(|_| next(14) as usize).collect()).collect();
        let of: Vec<&[usize]> = counts.iter().map(Vec::as_slice).collect();
        let hidden: BTreeSet<usize> = hidden(&of).into_iter().map(|value| value as usize - 1).collect();
        let all = (0..options).map(|place| counts.iter().map(|of| of[place]).sum()).collect();
        for group in counts.iter().chain([&all]) {
            for (place, n) in group.iter().enumerate() {
                assert!(hidden.contains(&place) || !(1..MIN_PEOPLE_SHOWN).contains(n), "{counts:?} {hidden:?}");
            }
            let sum: usize = hidden.iter().map(|place| group[*place]).sum();
            let everybody = hidden.len() == group.iter().zip(&all).filter(|(_, all)| **all > 0).count();
            assert!(everybody || sum == 0 || sum >= MIN_PEOPLE_SHOWN, "{counts:?} {hidden:?}");
            assert!(hidden.len() != 1 || everybody, "{counts:?} {hidden:?}");
        }
    }
}
